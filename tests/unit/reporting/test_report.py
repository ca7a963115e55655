"""Laws of the report as a whole: it reads alone, hides what the release hides, and never fails."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import DataError
from kanonym.reporting import format_of, render
from kanonym.reporting.parts.protection import SOURCE
from kanonym.verification.verdict import Finding, LargestShare, ModelCheck
from report_parts import KNOWN

CHECKED = (ModelCheck("k-anonymity", None, 2, 2, satisfied=True),)
FORMATS = ("html", "markdown", "json")
EVIL = "<script>alert(1)</script>|`\"'&"
VOID = {"meta", "br", "img", "hr", "input", "link"}


def plain(n=60):
    """Return columns and classes of an ordinary table."""
    columns = {
        "age": [20 + i % 30 for i in range(n)],
        "town": [("Bern", "Chur", "Thun")[i % 3] for i in range(n)],
    }
    return columns, [i % 3 * 2 + i % 30 // 15 for i in range(n)]


CASES = {
    "ordinary": (*plain(), {}),
    "no record released": ({"age": [1, 2], "town": ["a", "b"]}, [-1, -1], {}),
    "no record at all": ({"age": [], "town": []}, [], {}),
    "one class": ({"age": [1, 2, 3], "town": ["a", "b", "a"]}, [0, 0, 0], {}),
    "one record": ({"age": [1], "town": ["a"]}, [0], {}),
    "one quasi-identifier": ({"age": [1, 1, 2, 2]}, [0, 0, 1, 1], {}),
    "constant columns": ({"age": [1] * 6, "town": ["a"] * 6}, [0, 0, 0, 1, 1, 1], {}),
    "nulls": ({"age": [None, 1, 2, None], "town": [None, "a", "b", None]}, [0, 0, 1, 1], {}),
    "only nulls": ({"age": [None] * 4, "town": ["a"] * 4}, [0, 0, 1, 1], {}),
    "unicode": ({"Größe 📏": [1, 2] * 3, "città": ["北京", "Łódź"] * 3}, [0, 1] * 3, {}),
    "80 quasi-identifiers": ({f"q{i}": [1, 2, 3, 4] for i in range(80)}, [0, 0, 1, 1], {}),
    "means": (*plain(), {"recodings": {"age": "mean", "town": "mode"}}),
    "two columns": (*plain(), {"recodings": {"age": "range"}}),
    "sets of numbers": (*plain(), {"recodings": {"age": "set"}}),
    "violated": (
        *plain(),
        {"checks": (ModelCheck("k-anonymity", None, 99, 10, False),)},  # noqa: FBT003
    ),
    "unbounded": (
        *plain(),
        {"checks": (ModelCheck("beta-likeness", "d", 1, float("inf"), False),)},  # noqa: FBT003
    ),
    "no quasi-identifier": ({}, [0, 0, 0], {}),
}


class Balanced(HTMLParser):
    """Collects tags and attributes, and checks that what opens closes."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.links = [], set(), []

    def handle_starttag(self, tag, attrs):
        """Note a tag that opens."""
        self.seen.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Note a tag that closes itself."""
        self.seen.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag):
        """Note a tag that closes."""
        assert self.open.pop() == tag


def parsed(page):
    """Return the parsed page."""
    parser = Balanced()
    parser.feed(page)
    parser.close()
    return parser


@pytest.mark.parametrize("case", CASES)
def test_report_is_written_for_any_release(summary_of, case):
    """Every release has a report in every format, however odd."""
    columns, labels, options = CASES[case]
    summary = summary_of(columns, labels, **options)
    page = parsed(render(summary, "html"))
    assert not page.open
    assert json.loads(render(summary, "json"))["rows_in"] == len(labels)
    assert render(summary, "markdown").startswith("# Patients 2024\n")


@pytest.mark.parametrize("case", ["ordinary", "violated", "nulls"])
def test_html_needs_nothing_else(summary_of, case):
    """No script, nothing to fetch: links lead within the page, one to a source that is named."""
    columns, labels, options = CASES[case]
    text = render(summary_of(columns, labels, **options), "html")
    page = parsed(text)
    assert not page.seen & {"script", "link", "img", "iframe", "object", "image", "use"}
    outside = [link for link in page.links if not link.startswith("#")]
    assert outside == [SOURCE]
    assert all(f'id="{link[1:]}"' in text for link in page.links if link.startswith("#"))
    assert "@import" not in text
    assert "url(" not in text
    addresses = set(re.findall(r"""\w+:?\w*=["']https?://[^"']*["']""", text))
    names = {address.split("=")[0].split(":")[0] for address in addresses}
    assert names <= {"xmlns", "href"}


def test_charts_are_well_formed_and_fit_the_page(summary_of):
    """Each chart is SVG with a view box and no fixed height, so it shrinks on narrow screens."""
    text = render(summary_of(*plain()), "html")
    charts = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(charts) == 5  # class sizes, loss, two distributions, one map
    for chart in charts:
        root = ElementTree.fromstring(chart)  # noqa: S314 - our own output
        assert "viewBox" in root.attrib
        assert "height" not in root.attrib


def test_every_picture_says_what_it_shows(summary_of):
    """Each chart has a role and a text alternative; no two say the same."""
    text = render(summary_of(*plain(), **KNOWN), "html")
    charts = re.findall(r"<svg[^>]*>", text)
    told = [re.search('role="img" aria-label="([^"]{20,})"', chart) for chart in charts]
    assert len(charts) == 9
    assert all(told)
    assert len({one[1] for one in told}) == len(told)


def test_charts_share_no_element_names(summary_of):
    """No two elements of the page have the same id, whichever chart they are in."""
    ids = re.findall(r'\bid="([^"]*)"', render(summary_of(*plain()), "html"))
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("format_", FORMATS)
def test_names_and_values_are_escaped(summary_of, format_):
    """Nothing in the data becomes markup: not a name, not a value, not the title."""
    columns = {EVIL: [1, 1, 2, 2] * 3, "town": [f"{EVIL}{i % 2}" for i in range(12)]}
    labels = [i % 4 for i in range(12)]
    summary = summary_of(
        columns,
        labels,
        title=EVIL,
        attributes={EVIL: {"role": "quasi-identifier"}},
        algorithm={"type": EVIL},
        checks=(ModelCheck("l-diversity", EVIL, 2, 2, True),),  # noqa: FBT003
    )
    text = render(summary, format_)
    if format_ == "json":
        assert json.loads(text)["title"] == EVIL
    elif format_ == "html":
        assert "<script" not in text
        assert not parsed(text).open
    else:
        before_policy = text.split("```json")[0]
        assert "<script" not in before_policy
        assert text.count("```") == 6  # the command on the first page, and command and policy


def test_markdown_tables_are_even(summary_of):
    """Every row of a Markdown table has as many cells as its header, whatever is in them."""
    columns = {"a|b": [1, 2] * 6, "town": ["x|y", "z\nw"] * 6}
    lines = render(summary_of(columns, [0, 1] * 6), "markdown").splitlines()
    widths = [len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0 for line in lines]
    for above, width in pairwise(widths):
        assert 0 in (above, width) or above == width


@pytest.mark.parametrize("format_", FORMATS)
def test_report_hides_what_the_release_hides(summary_of, format_):
    """A rare value that the release generalizes or suppresses is named nowhere."""
    tree = hierarchy.from_mapping(
        {"*": {"north": ["Bern", "Ruritania"], "south": ["Chur", "Elbonia"]}}
    )
    towns = ["Bern"] * 7 + ["Ruritania"] + ["Chur"] * 7 + ["Elbonia"]
    ages = [30, 31, 32, 33] * 4
    labels = [0] * 8 + [1] * 8
    ages[15], labels[15] = 987654, -1
    summary = summary_of(
        {"age": ages, "town": towns},
        labels,
        recodings={"town": "hierarchy"},
        hierarchies={"town": tree},
        attributes={"town": {"role": "quasi-identifier", "hierarchy": tree.to_dict()}},
    )
    text = render(summary, format_)
    assert "north" in text
    assert "Bern" not in text
    assert "Ruritania" not in text
    assert "Elbonia" not in text
    assert "987654" not in text


@pytest.mark.parametrize("format_", FORMATS)
def test_same_summary_gives_the_same_report(summary_of, format_):
    """A report has no clock and no chance in it."""
    first, second = (render(summary_of(*plain()), format_) for _ in range(2))
    assert first == second


def test_json_has_the_contract_fields(summary_of):
    """The fields of `kanonym anonymize --json` are in the report's JSON under the same names."""
    checks = (
        ModelCheck("k-anonymity", None, 5, 10, True),  # noqa: FBT003
        ModelCheck("l-diversity", "d", 2, 3, True),  # noqa: FBT003
    )
    models = [{"type": "k-anonymity", "k": 5}, {"type": "l-diversity", "attribute": "d", "l": 2}]
    made = json.loads(render(summary_of(*plain(), checks=checks, models=models), "json"))
    assert (made["rows_in"], made["rows_out"], made["suppressed"]) == (60, 60, 0)
    assert made["verification"]["satisfied"] is True
    assert made["verification"]["classes"] == 6
    achieved = [(one["type"], one["achieved"]) for one in made["verification"]["models"]]
    assert achieved == [("k-anonymity", 10), ("l-diversity", 3)]
    assert made["risk"]["prosecutor"] == {"highest": 0.1, "average": 0.1}
    assert set(made["utility"]) >= {
        "span_loss",
        "coverage",
        "gcp",
        "ncp",
        "discernibility",
        "average_class_size",
        "rmse",
    }


def test_unbounded_value_is_null_in_json(summary_of):
    """JSON has no infinity."""
    columns, labels, options = CASES["unbounded"]
    made = json.loads(render(summary_of(columns, labels, **options), "json"))
    assert made["verification"]["models"][0]["achieved"] is None


@pytest.mark.parametrize(
    ("models", "floor"),
    [
        ([{"type": "k-anonymity", "k": 7}], 7),
        ([{"type": "alpha-k-anonymity", "k": 3, "alpha": 0.5}, {"type": "k-anonymity", "k": 4}], 4),
        ([{"type": "k-anonymity", "k": 1}], 2),
        ([{"type": "l-diversity", "l": 2}], 5),
    ],
)
def test_smallest_shown_count_is_the_k_that_was_asked(summary_of, models, floor):
    """Bars of the original table hold at least k records; 5 where no k was asked."""
    checks = [ModelCheck(model["type"], None, 2, 2, True) for model in models]  # noqa: FBT003
    assert summary_of(*plain(), models=models, checks=checks).loss.floor == floor


def test_many_attributes_are_capped_and_counted(summary_of):
    """With 80 quasi-identifiers the report draws some and says how many there are."""
    columns, labels, options = CASES["80 quasi-identifiers"]
    summary = summary_of(columns, labels, **options)
    assert len(summary.loss.marginals) == 24
    assert len(summary.loss.attributes) == 80
    text = render(summary, "html")
    assert "The 24 attributes with the highest loss, of 80." in text
    assert "The 40 attributes with the highest loss, of 80." in text


def test_first_screen_answers_question_price_and_limits(summary_of):
    """Question and answer, then the evidence by its questions, before any chart."""
    text = render(summary_of(*plain()), "html")
    headings = (
        "<b>Question.</b>",
        "<b>Answer.</b>",
        "<b>Terms.</b>",
        "What was released?",
        "Which requirement was set, and was it met?",
        "What can an intruder do with it, compared with chance?",
        "What was lost?",
        "How can it be reproduced and checked?",
        "Not covered:",
    )
    places = [text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert places[-1] < text.index("<svg")


@pytest.mark.parametrize(
    ("n", "words"),
    [(1, "The chosen requirement is"), (2, "Both chosen"), (3, "The 3 chosen requirements are")],
)
def test_the_banner_counts_requirements_and_claims_no_more(summary_of, n, words):
    """That what was chosen is met is not said to be anonymity in law."""
    checks = [ModelCheck("k-anonymity", None, 2, 10, True)] * n  # noqa: FBT003
    models = [{"type": "k-anonymity", "k": 2}] * n
    text = render(summary_of(*plain(), checks=checks, models=models), "html")
    banner = text[text.index('<div class="verdict satisfied') :].split("</div>")[0]
    assert words in banner
    assert "Not a legal finding of anonymity" in banner


FOUND = Finding("unprotected-sensitive", "attributes", ("wage",), "no model protects wage")


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("colour", "known"),
    [
        ("satisfied", {}),
        ("warned", {"findings": [FOUND]}),
        ("failed", {"checks": [replace(CHECKED[0], satisfied=False)], "findings": [FOUND]}),
        ("nothing", {"checks": [replace(CHECKED[0], trivial=True)]}),
        ("nothing", {"checks": [], "models": []}),
    ],
)
def test_the_banner_is_green_only_where_nothing_warns(summary_of, language, colour, known):
    """Green, amber, red and grey follow the verdict, in every language."""
    text = render(summary_of(*plain(), language=language, **known), "html")
    banners = re.findall(r'<div class="verdict (\w+)">', text)
    assert banners[0] == colour
    parts = ["satisfied", "warned" if "findings" in known else "satisfied", "satisfied"]
    assert banners[1:] == [*parts, "nothing"]  # no limit of attacks was set


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("format_", ["html", "markdown", "json"])
def test_warnings_stand_in_every_form_of_the_report(summary_of, language, format_):
    """What takes the green off is read in the banner, in the language of the report."""
    summary = summary_of(*plain(), language=language, findings=[FOUND])
    (warned,) = summary.privacy.verification.findings
    assert "wage" in warned.sentence
    text = render(summary, format_)
    assert warned.sentence in text
    assert {"en": "there is one finding", "es": "hay un hallazgo"}[language] in (
        text if format_ != "json" else render(summary, "html")
    )


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("format_", ["html", "markdown", "json"])
def test_the_worst_class_stands_beside_the_verdict(summary_of, language, format_):
    """The share of the commonest sensitive value is on the first page and in the JSON."""
    shares = [LargestShare("wage", 0.875, 8, 0.25)]
    text = render(summary_of(*plain(), language=language, largest_shares=shares), format_)
    if format_ == "json":
        assert json.loads(text)["verification"]["largest_shares"][0]["share"] == 0.875
        return
    first = text[: text.index('id="first-intruder"')] if format_ == "html" else text
    assert "wage" in first
    assert {"en": "87.5", "es": "87,5"}[language] in first


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_the_first_page_says_what_is_signed(summary_of, format_):
    """Its date, the version, the seed and whole hashes stand on it."""
    summary = summary_of(*plain(), date=datetime.date(2025, 2, 3))
    text = render(summary, format_)
    first = text[: text.index("Not covered:")]
    for told in ("2025-02-03", "kanonym 0.1.0", "seed 7", summary.origin.provenance.policy_hash):
        assert told in first


@pytest.mark.parametrize(
    ("path", "format_"),
    [("a/report.html", "html"), ("r.MD", "markdown"), ("r.json", "json"), ("r.htm", "html")],
)
def test_extension_says_the_format(path, format_):
    """The file's extension chooses the format."""
    assert format_of(path) == format_


def test_unknown_extension_is_refused():
    """A report has no other format, and the error says which there are."""
    with pytest.raises(DataError, match=r"r\.odt: a report is written as \.html, \.pdf, \.md or"):
        format_of("r.odt")


def test_charts_load_only_when_a_page_is_drawn():
    """Summaries, Markdown and JSON do without the chart library."""
    import subprocess
    import sys

    code = "import sys, kanonym.reporting; sys.exit('altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("mark", ["\x00", "\x08", "\x1b", "\ufffe", "\uffff", "\ud800"])
@pytest.mark.parametrize("format_", FORMATS)
def test_characters_that_xml_forbids_are_replaced(summary_of, format_, mark):
    """No character of a value, a name or a title aborts the chart library or breaks the page."""
    # Only a title can hold half a surrogate pair: columns are UTF-8.
    town = "a" if mark == "\ud800" else f"a{mark}"
    columns = {f"of {town}": [town] * 4 + ["b"] * 4, "age": [1, 2] * 4}
    text = render(summary_of(columns, [0] * 4 + [1] * 4, title=f"t{mark}"), format_)
    assert mark not in text
    text.encode()


def test_a_panic_of_the_chart_library_names_the_chart(summary_of, monkeypatch):
    """What is no Exception, such as a panic of Rust, ends as an error that names the chart."""

    class PanicError(BaseException):
        """As PyO3 raises it."""

    def panic(*_, **__):
        raise PanicError("index out of bounds")

    monkeypatch.setattr("kanonym.reporting.charts.style.vl_convert.vegalite_to_svg", panic)
    with pytest.raises(DataError, match=r"report, chart 'Bar chart of .*index out of bounds"):
        render(summary_of(*plain()), "html")
