"""Laws of what a report is told besides its release: attacks, assessment, comparison, profile."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import DataError, gettext
from kanonym.evaluation.attacks.sentences import (
    FINDINGS,
    figures_sentence,
    finding_sentence,
    title_of,
)
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
from kanonym.reporting.known.choice import alternatives_of
from kanonym.reporting.known.evidence import evidence_of
from kanonym.reporting.parts import document_of, first_page
from kanonym.reporting.parts.attacks import VERDICTS
from kanonym.verification.verdict import ModelCheck
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


@pytest.mark.parametrize(
    "one",
    [
        attack("linkage", 0.1, 0.1, other_attack=True),
        attack("linkage", 0.1, 0.1, control=0.3),
        attack("linkage", 0.1, 0.1),
        attack("linkage", 0.3, 0.1),
    ],
    ids=["baseline", "control", "none", "beyond"],
)
def test_what_an_attack_shows_stands_below_its_name(summary_of, one):
    """The columns of numbers hold no sentence: it would push the numbers out of the page."""
    tried = [one]
    made = summary_of({"age": [20, 21] * 6}, [0, 1] * 6, attacks=tried)
    tables = [
        one
        for section in document_of(made).first + document_of(made).details
        for one in section.blocks
        if isinstance(one, Table) and one.style == "attacks"
    ]
    assert len(tables) == 2
    told = finding_sentence(one, ENGLISH)
    for table in tables:
        name, *numbers = table.rows[0]
        assert name.note.endswith(told)
        assert all(told not in getattr(one, "note", "") for one in numbers)


def told_form(parts):
    """Return an inference with the rates of its secrets."""
    return attack("inference", 0.31, 0.24, parts=parts)


def test_the_first_table_is_sorted_by_what_the_release_surely_adds(summary_of):
    """Lower ends of the intervals fall from line to line; the first attack is told above."""
    text = render(summary_of(COLUMNS, LABELS, **KNOWN), "markdown")
    first = text[text.index("## 3") : text.index("## 4")]
    least = [
        float(line.split("|")[4].split("(")[1].split()[0])
        for line in first.splitlines()
        if line.startswith("|") and "%" in line
    ]
    assert len(least) == 4
    assert least == sorted(least, reverse=True)
    most = first.split("\n|")[3].split(":")[0].strip()
    assert f"The clearest is “{most}”." in text
    assert "gain" not in text.replace("against", "").replace("again", "")


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
    """What is surely added comes first, then what is likely; those not tried are last."""
    names = [one.type for one in rank_attacks(ATTACKS)]
    assert names[0] == "linkage"
    assert names[-1] == "intersection"
    lucky = attack("inference", 1.0, 0.0, attempts=1)
    sure, likely = attack("linkage", 0.4, 0.0), attack("membership", 0.3, 0.29)
    none = attack("homogeneity", 0.0, 0.0)
    assert rank_attacks([none, likely, lucky, sure])[0] is sure
    assert rank_attacks([none, likely])[0] is likely


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


@pytest.mark.parametrize(("rate", "said"), [(0.85, True), (0.01, False)])
def test_the_first_page_says_that_a_worse_attack_is_elsewhere(summary_of, rate, said):
    """An attack that adds more than a shown one is left out for the sake of other questions."""
    told = [attack("inference", 0.9, 0.0), attack("inference", 0.88, 0.0)]
    told += [attack("linkage", 0.1, 0.0), attack("singling-out", 0.2, 0.0)]
    told.append(attack("inference", rate, 0.0))
    text = render(summary_of(COLUMNS, LABELS, attacks=told), "markdown")
    assert ("most successful attack on each question" in text) is said


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


def test_the_first_page_names_the_thresholds_that_are_not_met(summary_of):
    """What an authority asks and is not reached stands beside the requirements, or is counted."""
    summary = summary_of(COLUMNS, LABELS, **KNOWN)
    text = render(summary, "markdown")
    (line,) = (line for line in text.splitlines() if "thresholds that are not met" in line)
    unmet = {str(preset.title) for preset in summary.assessed.presets if preset.met is False}
    others = [str(one.title) for one in summary.assessed.presets if one.met is not False]
    named, more = {title for title in unmet if title in line}, re.search(r"and (\d+) more", line)
    assert named
    assert len(named) + int(more[1] if more else 0) == len(unmet)
    assert not any(title in line for title in others)


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_what_is_not_known_has_no_section(summary_of, format_):
    """Where nothing was handed over, there is no section to say so; attacks are named once."""
    text = render(summary_of(COLUMNS, LABELS), format_)
    for title in ("Risk in figures", "Alternatives: privacy and loss", "Attacks: achieved"):
        assert title not in text
    assert "kanonym attack" in text
    assert "handed" not in text


def answers_of(text):
    """Return the answers to the three questions: question, and what is said of each attack."""
    section = text[text.index("## The three questions") :].split("\n## ")[0]
    found = {}
    for part in section.split("\n### ")[1:]:
        question, *lines = part.splitlines()
        bullets = [line.removeprefix("- **").split(".** ") for line in lines if line[:2] == "- "]
        found[question.split(":")[0]] = dict(bullets)
    return found


def test_the_three_questions_have_a_sentence_for_each_attack(summary_of):
    """Each attack stands below its question with its own figures and its own finding."""
    text = render(summary_of(COLUMNS, LABELS, **KNOWN), "markdown")
    answers = answers_of(text)
    for one in ATTACKS:
        title = title_of(one.type, ENGLISH)
        told = [by_title[title] for by_title in answers.values() if title in by_title]
        known = one.attempts and one.type != "attack-of-tomorrow"
        expected = f"{figures_sentence(one, ENGLISH)} {finding_sentence(one, ENGLISH)}"
        assert told == ([expected.replace("\N{NO-BREAK SPACE}", " ")] if known else [])


def test_no_attack_is_told_with_the_finding_of_another(summary_of):
    """77.0 % beside 3.1 % by chance is success, whatever another attack with few attempts shows.

    And what is unknown of one attack is not said of one that surely succeeds.
    """
    tried = [
        attack("linkage", 0.77, 0.031),
        attack("linkability", 1.0, 0.5, attempts=1),
        attack("inference", 0.6, 0.6, other_attack=True),
        attack("homogeneity", 0.4, 0.0),
    ]
    answers = answers_of(render(summary_of(COLUMNS, LABELS, attacks=tried), "markdown"))
    beyond, none, baseline = (ENGLISH.text(FINDINGS[key]) for key in ("beyond", "none", "baseline"))
    linked, inferred = answers["Linkability"], answers["Inference"]
    assert linked["Record linkage"].startswith(
        "Right in 77.0 % of 2,000 people, by chance in 3.1 %"
    )
    assert [text.endswith(beyond) for text in linked.values()] == [True, False]
    assert linked["Linkability of two sources"].endswith(none)
    assert inferred["Homogeneity"].endswith(beyond)
    assert inferred["Attribute inference"].endswith(baseline)


@pytest.mark.parametrize(
    ("tried", "answer"),
    [
        ([attack("linkage", 0.77, 0.031)], "Yes, for the intruder of Record linkage, who"),
        ([attack("linkage", 0.5, 0.5)], "Not shown: no attack that was run succeeds"),
        (
            [attack("linkage", 0.6, 0.6, other_attack=True)],
            "Not shown, but unknown for Record linkage.",
        ),
        ([attack("inference", 0.6, 0.1)], "Open."),
    ],
)
def test_each_question_is_answered(summary_of, tried, answer):
    """The answer to a question stands before the figures: yes, not shown, unknown or open."""
    text = render(summary_of(COLUMNS, LABELS, attacks=tried), "markdown")
    section = text[text.index("### Linkability") :].split("\n### ")[0]
    assert section.split("\n\n")[1].startswith(f"**{answer}")


def test_the_first_page_names_what_is_unknown(summary_of):
    """Attacks that were not run, and those that do not show what a release adds, are named."""
    tried = [
        attack("linkage", 0.6, 0.6, other_attack=True),
        attack("intersection", 0, 0, attempts=0),
    ]
    text = render(summary_of(COLUMNS, LABELS, attacks=tried), "markdown")
    first = text.split("## The three questions")[0]
    assert "unknown whether the release helps in: Record linkage." in first
    assert "Not run, so what they would find is unknown: Intersection of two releases." in first


SINGLED_OUT = attack("singling-out", 1.0, 0.0)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("limits", "attacks", "verdict", "colours"),
    [
        ({}, (), "unset", ("satisfied", "nothing")),
        ({}, (SINGLED_OUT,), "unset", ("satisfied", "nothing")),
        ({"singling-out": 0.5}, (SINGLED_OUT,), "exceeded", ("warned", "failed")),
        ({"singling-out": 0.5}, (), "not run", ("satisfied", "nothing")),
        ({"linkage": 0.5}, (SINGLED_OUT,), "not run", ("satisfied", "nothing")),
        ({"singling-out": 1.0}, (SINGLED_OUT,), "kept", ("satisfied", "satisfied")),
        ({"linkage": 0.2}, (attack("linkage", 0.2, 0.0),), "undecided", ("satisfied", "warned")),
        (
            {"linkage": 0.5, "singling-out": 0.5},
            (attack("linkage", 0.2, 0.0), SINGLED_OUT),
            "exceeded",
            ("warned", "failed"),
        ),
    ],
)
def test_the_first_page_judges_attacks_by_their_limits(
    summary_of, language, limits, attacks, verdict, colours
):
    """Grey without a limit or an attack, green where all are kept, red where one is exceeded.

    The first verdict is not green beside a red one.
    """
    asked = {"language": language, "limits": limits, "attacks": attacks}
    document = document_of(summary_of(COLUMNS, LABELS, **asked))
    *_, part = document.parts
    assert (document.verdict.colour, part.colour) == colours
    says = LANGUAGES[language]
    assert part.words == says.text(
        {**VERDICTS, "unset": gettext("Attacks: no limit was set")}[verdict],
        len(limits),
        limits=says.count(len(limits)),
    )
    named = [one.split(":")[0] for one in part.warnings]
    assert sorted(named) == sorted(title_of(one, says) for one in limits)
    if verdict == "exceeded":
        assert named[0] == title_of("singling-out", says)
    for form in ("markdown", "html"):
        text = render(summary_of(COLUMNS, LABELS, **asked), form)
        plain = " ".join(text.split())
        assert all(" ".join(one.split()) in plain for one in (part.words, *part.warnings))


def test_json_has_the_verdict_on_each_limit(summary_of):
    """The plain data hold what the first page says."""
    asked = {"limits": {"singling-out": 0.5, "linkage": 0.2}, "attacks": (SINGLED_OUT,)}
    made = json.loads(render(summary_of(COLUMNS, LABELS, **asked), "json"))
    assert [(one["type"], one["limit"], one["verdict"]) for one in made["limit_checks"]] == [
        ("singling-out", 0.5, "exceeded"),
        ("linkage", 0.2, "not run"),
    ]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("attacked", [True, False])
def test_chances_by_class_sizes_say_what_is_picked(summary_of, language, attacked):
    """Where k counts persons, the sentences are about persons of a class, and never a record."""
    says = LANGUAGES[language]
    asked = {"language": language, "attacks": (SINGLED_OUT,) if attacked else ()}
    check = ModelCheck("k-anonymity", "pid", 2, 2, True)  # noqa: FBT003
    models = [{"type": "k-anonymity", "k": 2, "entity": "pid"}]
    texts = [
        render(summary_of(COLUMNS, LABELS, **asked, **more), "markdown")
        for more in ({}, {"checks": [check], "models": models})
    ]
    sentences = [first_page.TILES, *([] if attacked else [first_page.CHANCES])]
    for kinds in sentences:
        of_records, of_persons = (
            says.template(kinds[one]).split("{")[0] for one in ("", ".persons")
        )
        assert [of_records in text for text in texts] == [True, False]
        assert [of_persons in text for text in texts] == [False, True]


@pytest.mark.parametrize("language", ["en", "es"])
def test_persons_of_several_columns_are_named_by_all_of_them(summary_of, language):
    """The requirement and its limit name the columns together, as the model does."""
    model = ka.KAnonymity(2, entity=["site", "number"])
    check = ModelCheck(model.type, model.attribute, 2, 2, True)  # noqa: FBT003
    models = [{"type": model.type, **model.to_dict()}]
    text = render(
        summary_of(COLUMNS, LABELS, language=language, checks=[check], models=models), "markdown"
    )
    quoted = {"en": "“site + number”", "es": "«site + number»"}[language]
    assert quoted in text
    assert "['site'" not in text


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
