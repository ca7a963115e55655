"""Laws of the charts that results give to notebooks: those of the report, without raw values."""

from __future__ import annotations

import altair as alt
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.example_tables import patients
from kanonym.reporting.charts.bars import attacks_chart, class_sizes_chart


@pytest.fixture(scope="module")
def original():
    """Return two hundred persons: their quasi-identifiers and diagnoses."""
    people = patients(200)
    age = 2026 - pl.col("birth_date").cast(pl.String).str.head(4).cast(pl.Int64)
    return people.select(age.alias("age"), "sex", "diagnosis")


@pytest.fixture(scope="module")
def release(original):
    """Return a release of them."""
    return ka.anonymize(original, quasi_identifiers=["age", "sex"], sensitive=["diagnosis"], k=5)


@pytest.fixture(scope="module")
def charts(original, release):
    """Return every chart, by name."""
    tree = ka.hierarchy.Intervals([10, 20, 40]).bind(original["age"])
    return {
        "classes": release.plot.classes(),
        "losses": release.plot.losses(),
        "one": release.plot.marginals("age"),
        "every": release.plot.marginals(),
        "partition": release.plot.partition("age", "sex"),
        "risk": ka.risk(release.frame, quasi_identifiers=["age", "sex"]).plot(),
        "attacks": ka.attack(original, release, attacks=["homogeneity", "linkage"]).plot(),
        "comparison": ka.compare(original, policy=release.policy, sweep={"k": [2, 5]}).plot(),
        "profile": ka.profile(original).plot(),
        "tree": tree.plot(),
    }


def test_charts_are_of_altair_and_complete(charts):
    """Every chart is an Altair chart, with its data in it and a schema that Altair checks."""
    for name, chart in charts.items():
        assert isinstance(chart, alt.TopLevelMixin), name
        assert "rows" not in str(chart.to_dict().get("data", {}).get("name", "")), name


def test_a_release_says_what_it_can_draw(release):
    """Its charts are listed by `repr`, by completion, and by the error of a name that is none."""
    names = ["classes", "losses", "marginals", "partition"]
    assert dir(release.plot) == names
    assert all(f"plot.{name}()" in repr(release.plot) for name in names)
    with pytest.raises(AttributeError, match=r"did you mean 'classes'\?"):
        release.plot.clases  # noqa: B018
    with pytest.raises(TypeError, match=r"plot\.partition\(\)"):
        release.plot()


def test_notebooks_show_an_image(charts):
    """A notebook gets SVG and no script, so that it loads nothing from a network."""
    for name, chart in charts.items():
        shown = chart._repr_mimebundle_()
        assert set(shown) == {"image/svg+xml"}, name
        assert shown["image/svg+xml"].startswith("<svg"), name
        assert "<script" not in shown["image/svg+xml"], name


@pytest.mark.parametrize("extension", ["svg", "png", "html"])
def test_charts_are_saved(charts, extension, tmp_path):
    """`save` writes SVG, PNG and HTML."""
    path = tmp_path / f"chart.{extension}"
    charts["classes"].save(path)
    assert path.stat().st_size > 1000


def test_changed_charts_are_images_too(charts):
    """A title of one's own changes no more than the title."""
    chart = charts["classes"].properties(title="Ours")
    assert "Ours" in chart._repr_mimebundle_()["image/svg+xml"]


def test_language_of_charts(release):
    """Titles are in the language that was asked for."""
    chart = ka.risk(release.frame, quasi_identifiers=["age", "sex"]).plot(language="es")
    assert "probabilidad" in str(chart.to_dict())
    assert "registros" in str(release.plot.classes(language="es").to_dict())


def test_unknown_names_are_refused(release):
    """A name that is no quasi-identifier is an error that lists those there are."""
    with pytest.raises(SchemaError, match="age"):
        release.plot.marginals("agee")
    with pytest.raises(SchemaError, match="diagnosis"):
        release.plot.partition("age", "diagnosis")


def test_attacks_that_were_not_tried_are_not_drawn(original, release):
    """Without an attack that was tried there is no chart, and an error says so."""
    with pytest.raises(DataError, match="no attack was run"):
        ka.attack(original, release, attacks=["membership"]).plot()


def test_charts_are_those_of_the_report(release, original):
    """Their rows are the rows of the report's charts."""
    summary = ka.reporting.summarize(release, ka.reporting.Cover.of(), ka.reporting.KnownResults())
    of_report = class_sizes_chart(summary.privacy.class_sizes)
    assert release.plot.classes().data.values == of_report.rows
    tried = list(ka.attack(original, release, attacks=["homogeneity"]))
    drawn = attacks_chart(tried, ["Homogeneity"])
    assert ka.attack(original, release, attacks=["homogeneity"]).plot().data.values == drawn.rows


def test_risk_falls_to_nothing():
    """The share of records with at least a risk falls from all of them to none."""
    frame = pl.DataFrame({"town": ["a"] * 2 + ["b"] * 6})
    rows = ka.risk(frame, quasi_identifiers=["town"]).plot().data.values
    steps = sorted((row["x"], row["y"]) for row in rows if row["of"] == "step")
    assert steps == [(0.0, 1.0), (pytest.approx(1 / 6), 1.0), (0.5, 0.25), (1.0, 0.0)]
