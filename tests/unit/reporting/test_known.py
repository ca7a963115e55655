"""Laws of what a report is told besides its release: attacks, assessment, comparison, profile."""

from __future__ import annotations

import json

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.language import ENGLISH, LANGUAGES
from kanonym.reporting import render
from kanonym.reporting.document import Table
from kanonym.reporting.known.assessment import assessment_figures
from kanonym.reporting.known.attacks import (
    attacks_on_question,
    guessed_column,
    rank_attacks,
    top_attacks,
)
from kanonym.reporting.known.comparison import alternatives_of
from kanonym.reporting.known.evidence import evidence_of
from kanonym.reporting.parts import document_of
from kanonym.verification import ModelCheck
from report_parts import (
    ATTACKS,
    COMPARISON,
    KNOWN,
    PROFILE,
    RISKS,
    UTILITY,
    attack,
    measures,
    share,
)

COLUMNS = {"age": [20 + i % 30 for i in range(60)], "town": ["Bern", "Chur", "Thun"] * 20}
LABELS = [i % 3 * 2 + i % 30 // 15 for i in range(60)]


def test_the_column_whose_rate_is_told_is_named(summary_of):
    """Of several secrets the question names that of the headline, the worst one."""
    parts = {"d": 0.31, "e": 0.2, "e: baseline": 0.31}
    told = attack("inference", 0.31, 0.24, parts=parts)
    assert (guessed_column(told, ["e", "d"]), guessed_column(told, ["e"])) == ("d", None)
    roles = {"age": "quasi-identifier", "d": "sensitive", "e": "sensitive"}
    summary = summary_of({"age": [20, 21] * 6}, [0, 1] * 6, attacks=[told_form(parts)], roles=roles)
    assert "What is the d of a known person?" in render(summary, "markdown")


@pytest.mark.parametrize(
    ("language", "rows"),
    [
        (
            "en",
            [
                ("true positive rate minus false positive rate", "under 0.1 %"),
                ("descriptions using all columns: descriptions tried", "1,200 | attempts"),
            ],
        ),
        (
            "es",
            [("descripciones por todas las columnas: descripciones probadas", "1.200 | intentos")],
        ),
    ],
)
def test_parts_of_attacks_have_names_units_and_plain_numbers(summary_of, language, rows):
    """No part is a key of the JSON contract, and no number has an exponent."""
    tried = [
        attack("membership", 0.54, 0.5, parts={"advantage": 9.353e-08, "auc": 0.5}),
        attack("singling-out", 0.02, 0.018, parts={"whole records attempts": 1200.0}),
    ]
    made = summary_of({"age": [20, 21] * 6}, [0, 1] * 6, attacks=tried, language=language)
    text = render(made, "markdown").replace("\N{NO-BREAK SPACE}", " ")
    assert all(f"| {name} | {value} |" in text for name, value in rows)
    assert "e-08" not in text


def test_what_hides_a_gain_stands_below_the_name_of_its_attack(summary_of):
    """The columns of numbers hold no sentence: it would push the gain out of the page."""
    tried = [attack("linkage", 0.1, 0.1, other_attack=True)]
    made = summary_of({"age": [20, 21] * 6}, [0, 1] * 6, attacks=tried)
    tables = [
        one
        for section in document_of(made).first + document_of(made).details
        for one in section.blocks
        if isinstance(one, Table) and one.style == "attacks"
    ]
    assert len(tables) == 2
    told = LANGUAGES["en"].text("attacks.hidden.baseline")
    for table in tables:
        name, *numbers = table.rows[0]
        assert name.note.endswith(told)
        assert all(told not in getattr(one, "note", "") for one in numbers)


def told_form(parts):
    """Return an inference with the rates of its secrets."""
    return attack("inference", 0.31, 0.24, parts=parts)


def test_the_first_table_is_sorted_by_the_gain_that_it_shows(summary_of):
    """Who is said to have gained most stands first, and gains fall from line to line."""
    text = render(summary_of(COLUMNS, LABELS, **KNOWN), "markdown")
    first = text[text.index("## 3") : text.index("## 4")]
    gains = [
        float(line.split("|")[4].split()[0])
        for line in first.splitlines()
        if line.startswith("|") and "%" in line
    ]
    assert len(gains) == 4
    assert gains == sorted(gains, reverse=True)
    most = first.split("\n|")[3].split(":")[0].strip()
    assert f"“{most}” had the largest gain" in text
    assert "The policy sets no limit for attacks, so they have no verdict." in first


def test_what_distinct_values_hide_is_told(summary_of):
    """Distinct l-diversity is told with the largest share of one value in a class."""
    risk = measures(share("alpha", 0.917, {"d": 0.917}))
    check = ModelCheck("l-diversity", "d", 3, 3, True)  # noqa: FBT003
    given = {"models": [{"type": "l-diversity", "attribute": "d", "l": 3}], "checks": [check]}
    text = render(summary_of(COLUMNS, LABELS, risk=risk, **given), "markdown")
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    assert "In one class, 91.7 % of the records have the same value of “d”." in text
    assert "share one value" not in render(summary_of(COLUMNS, LABELS, **given), "markdown")


def test_attacks_are_ranked_by_what_the_release_adds():
    """Most gain first, those that were not tried last."""
    names = [one.type for one in rank_attacks(ATTACKS)]
    assert names[0] == "linkage"
    assert names[-1] == "intersection"


def test_each_question_has_its_attacks():
    """An attack counts for the question that its class names; untried and unknown ones for none."""
    assert [one.type for one in attacks_on_question(ATTACKS, "singling-out")] == ["singling-out"]
    assert [one.type for one in attacks_on_question(ATTACKS, "inference")] == [
        "membership",
        "inference",
        "homogeneity",
    ]


def test_the_first_page_has_the_best_attack_for_each_question():
    """None of the three questions is crowded out by several attacks on another one."""
    many = [attack("inference", 0.9 - i / 100, 0.1) for i in range(6)]
    told = [*many, attack("linkage", 0.1, 0.01), attack("singling-out", 0.2, 0.19)]
    assert [one.type for one in top_attacks(told, 4)] == [
        "inference",
        "inference",
        "linkage",
        "singling-out",
    ]


@pytest.mark.parametrize(("gain", "said"), [(0.85, True), (0.01, False)])
def test_the_first_page_says_that_a_larger_gain_is_elsewhere(summary_of, gain, said):
    """An attack that adds more than a shown one is left out for the sake of other questions."""
    told = [attack("inference", 0.9, 0.0), attack("inference", 0.88, 0.0)]
    told += [attack("linkage", 0.1, 0.0), attack("singling-out", 0.2, 0.0)]
    told.append(attack("inference", gain, 0.0))
    text = render(summary_of(COLUMNS, LABELS, attacks=told), "markdown")
    assert ("best attack on each question" in text) is said


def test_associations_of_all_measures_make_one_picture():
    """Pairs of numbers, of categories, and of one of each stand side by side."""
    found = assessment_figures(None, UTILITY).associations
    assert found.columns == ("town", "sex", "disease", "age")
    assert ("age", "town", 0.01) in found.pairs


def test_associations_are_capped_and_counted():
    """Of many columns those are drawn that moved most."""
    parts = {f"c{i} × c{i + 1}": i / 100 for i in range(40)}
    utility = measures(share("cramers_v_difference", 0.1, parts))
    found = assessment_figures(None, utility).associations
    assert (len(found.columns), found.all_columns) == (14, 41)
    assert "c40" in found.columns


def test_only_releases_are_compared():
    """A combination without a release is counted, not drawn."""
    found = alternatives_of(COMPARISON)
    assert (len(found.runs), found.refused) == (4, 1)
    assert [one.knee for one in found.frontier] == [False, True, False]


def test_evidence_is_that_of_the_attributes():
    """The profile's sentences stand with the attribute, its other opinion beside the role."""
    roles = {"age": "quasi-identifier", "town": "quasi-identifier"}
    found = evidence_of(PROFILE, roles, ENGLISH)
    assert found.reasons["age"] == ("the name suggests: age",)
    assert found.reasons["town"] == ("the name suggests: place, which is sensitive",)
    assert found.suggested == {"town": "sensitive"}
    changed = evidence_of(PROFILE, {"town": "sensitive, changed"}, ENGLISH)
    assert changed.suggested == {}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"attacks": [{"type": "linkage"}]}, "attacks must be what ka.attack returned"),
        ({"risk": {"k": 3}}, "risk must be what ka.risk returned, a Risk"),
        ({"utility": {}}, "utility must be what ka.utility returned"),
        ({"comparison": {"privacy": "k"}}, "comparison must be what ka.compare returned"),
        ({"profile": {"rows": 3}}, "profile must be what ka.profile returned"),
    ],
)
def test_other_types_are_refused(tmp_path, given, named):
    """The error says whose result is expected; a JSON form is none."""
    made = ka.anonymize(pl.DataFrame({"age": [1, 2]}), quasi_identifiers=["age"], k=2)
    with pytest.raises(DataError, match=named):
        ka.report(made, tmp_path / "report.md", **given)


def test_the_release_and_the_function_write_the_same(tmp_path):
    """`release.report` is `ka.report`."""
    frame = pl.DataFrame({"age": [1, 2, 8, 9]})
    made = ka.anonymize(frame, quasi_identifiers=["age"], k=2)
    known = {"attacks": ka.attack(frame, made, attacks=["linkage"]), "title": "Ours"}
    ka.report(made, tmp_path / "a.md", **known)
    made.report(tmp_path / "b.md", **known)
    assert (tmp_path / "a.md").read_bytes() == (tmp_path / "b.md").read_bytes()


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_everything_known_is_told(summary_of, format_):
    """Attacks, thresholds, measures, alternatives and evidence stand in the report."""
    text = render(summary_of(COLUMNS, LABELS, **KNOWN), format_)
    for told in (
        "Record linkage",
        "attack-of-tomorrow",
        "Intersection of two releases: not run",
        "there is no second release",
        PRESETS["hipaa-cell-size"].title,
        "measure of tomorrow",
        "the name suggests: age",
        "the profile suggests: sensitive",
        "mondrian, k 10",
    ):
        assert told in text.replace("\\", "")
    assert "No attack was run on this release" not in text


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_what_is_not_known_has_no_section(summary_of, format_):
    """Where nothing was handed over, there is no section to say so; attacks are named once."""
    text = render(summary_of(COLUMNS, LABELS), format_)
    for title in ("Risk in figures", "Alternatives: privacy and loss", "Attacks: achieved"):
        assert title not in text
    assert "kanonym attack" in text
    assert "handed" not in text


def test_the_three_questions_have_figures(summary_of):
    """Singling out, linkability and inference name an attack, its rate and chance."""
    text = render(summary_of(COLUMNS, LABELS, **KNOWN), "markdown")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = {line.split("|")[1].strip(): line for line in lines}
    for name, figure in (
        ("Singling out", "2.1"),
        ("Linkability", "15.1"),
        ("Inference", "54"),
    ):
        (answer,) = [
            line for start, line in rows.items() if start.startswith(f"{name} (Can somebody")
        ]
        assert f"right in {figure}" in answer
        assert "by chance" in answer


def test_json_has_all_of_it(summary_of):
    """The plain data hold the attacks, the assessment and the alternatives."""
    made = json.loads(render(summary_of(COLUMNS, LABELS, **KNOWN), "json"))
    assert [one["type"] for one in made["attacks"]] == [one.type for one in ATTACKS]
    assert made["assessed"]["utility"]["gcp"]["value"] == 0.12
    assert made["comparison"]["runs"][1]["knee"] is True
    assert made["evidence"]["reasons"]["age"] == ["the name suggests: age"]
    bare = json.loads(render(summary_of(COLUMNS, LABELS), "json"))
    assert (bare["attacks"], bare["assessed"], bare["comparison"]) == ([], None, None)


def test_measures_that_say_the_same_are_one_row(summary_of):
    """A variant of a measure with the same value is a note below it, not a row."""
    further = (share("journalist_highest", 0.1), share("journalist_average", 0.1))
    text = render(summary_of(COLUMNS, LABELS, risk=measures(*RISKS, *further)), "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| Highest chance of finding")]
    assert len(rows) == 1
    assert "also: Highest chance of finding a person’s record (journalist)" in rows[0]
    assert "| Average chance of finding a person’s record (journalist) |" in text


@pytest.mark.parametrize("format_", ["html", "markdown", "json"])
def test_purpose_and_author_stand_in_the_report(summary_of, format_):
    """Who made a release, and what for, is told on the first page."""
    text = render(summary_of(COLUMNS, LABELS, purpose="Beds & beds", author="A. Weber"), format_)
    assert "A. Weber" in text
    assert "Beds &amp; beds" in text or (format_ == "json" and "Beds & beds" in text)
