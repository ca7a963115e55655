"""Laws of the page on an original table."""

from __future__ import annotations

import html
import itertools
import math

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.cli import main
from kanonym.data.errors import DataError
from kanonym.data.example_tables import patients
from kanonym.reporting.profile_document import cramers_v


@pytest.fixture(scope="module")
def people():
    """Return two hundred patients, one without an occupation."""
    unknown = pl.int_range(200) == 7
    return patients(200).with_columns(
        pl.when(unknown).then(None).otherwise(pl.col("occupation")).alias("occupation")
    )


@pytest.mark.parametrize("language", ["en", "es"])
def test_page_says_that_it_shows_original_data(people, tmp_path, language):
    """The first thing on the page is that it is not to be published."""
    ka.profile(people).report(people, tmp_path / "profile.html", language=language)
    page = html.unescape((tmp_path / "profile.html").read_text(encoding="utf-8"))
    warning = {"en": "This page shows original data", "es": "Esta página muestra datos originales"}
    assert 0 < page.index(warning[language]) < page.index("<nav>")
    assert "<script" not in page


def test_remarks_are_in_the_language_of_the_page(tmp_path):
    """What is odd about a column is said in Spanish on a Spanish page."""
    days = pl.Series("days", [*range(40), *[365_243] * 9, None])
    ka.profile(days.to_frame()).report(days.to_frame(), tmp_path / "p.html", language="es")
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "parece indicar que falta el valor" in page
    assert "seems to stand" not in page


def test_page_has_no_value_of_an_identifier(people, tmp_path):
    """Names and numbers of persons are neither drawn nor listed."""
    ka.profile(people).report(people, tmp_path / "profile.html")
    page = html.unescape((tmp_path / "profile.html").read_text(encoding="utf-8"))
    assert not [name for name in people["name"] if name in page]
    assert not [number for number in people["national_number"] if str(number) in page]
    assert "Histograms" in page
    assert "occupation" in page


def test_profile_of_another_table_is_refused(people, tmp_path):
    """A profile goes with its own table."""
    with pytest.raises(DataError, match="another table"):
        ka.profile(people).report(people.head(10), tmp_path / "profile.html")


def test_other_formats_are_refused(people, tmp_path):
    """The page is HTML or PDF."""
    with pytest.raises(DataError, match=r"\.html or \.pdf"):
        ka.profile(people).report(people, tmp_path / "profile.md")


def test_profile_on_the_command_line_writes_the_page(people, tmp_path, capsys):
    """`kanonym profile --report` writes it, and says so."""
    table, page = tmp_path / "people.csv", tmp_path / "profile.html"
    people.write_csv(table)
    with pytest.raises(SystemExit) as ended:
        main(["profile", str(table), "--report", str(page)])
    assert ended.value.code == 0
    assert "written" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_wide_tables_draw_some_columns(tmp_path):
    """Of more than forty columns those that distinguish most are drawn, and the page says so."""
    wide = pl.DataFrame({f"c{i}": [j % (2 + i % 7) for j in range(60)] for i in range(60)})
    ka.profile(wide, quasi_identifiers=wide.columns).report(wide, tmp_path / "profile.html")
    page = (tmp_path / "profile.html").read_text(encoding="utf-8")
    assert "The 40 of 60 columns" in page


def test_cramers_v_is_that_of_the_definition():
    """V is the root of chi squared over n times the smaller number of categories less one."""
    random = np.random.default_rng(0)
    for n in (5, 40):
        a, b = random.integers(0, 4, n), random.integers(0, 3, n)
        chi = 0.0
        for x, y in itertools.product(set(a.tolist()), set(b.tolist())):
            expected = (a == x).sum() * (b == y).sum() / n
            chi += (((a == x) & (b == y)).sum() - expected) ** 2 / expected
        least = min(len(set(a.tolist())), len(set(b.tolist()))) - 1
        assert cramers_v(a, b) == pytest.approx(math.sqrt(chi / (n * least)))
    assert cramers_v(np.zeros(3, np.int64), np.arange(3)) == 0.0
