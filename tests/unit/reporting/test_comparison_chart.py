"""The chart of a comparison."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from kanonym.reporting.charts.comparison import ComparisonData, Dot, draw, figure


def compared(points, *, refused=(), **given):
    """Return what is to be drawn of (series, privacy, utility, on the frontier, knee)."""
    dots = [
        Dot(one[0], f"{one[0]}, k {one[1]:g}", one[1], one[2], 3, 0, *one[3:]) for one in points
    ]
    asked = {
        "privacy": "smallest class",
        "more_is_private": True,
        "measure": "GCP",
        "less_is_better": True,
        "reason": "Take this.",
    }
    return ComparisonData(**{**asked, **given}, dots=tuple(dots), refused=tuple(refused))


def labels(svg):
    """Return the texts of a drawing with their places."""
    pattern = r'<text[^>]*transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*>([^<]*)</text>'
    return [(text, float(x), float(y)) for x, y, text in re.findall(pattern, svg)]


TWO = [
    ("mondrian", 2.0, 0.1, True, False),
    ("mondrian", 8.0, 0.2, True, True),
    ("mondrian", 32.0, 0.8, True, False),
    ("auto", 2.0, 0.15, False, False),
    ("auto", 32.0, 0.8, False, False),
]
CASES = {
    "two": compared(TWO),
    "one": compared([("auto", 5.0, 0.25, True, True)]),
    "none": compared([], refused=[("mdav, k 5", "cannot")]),
    "risk": compared(
        [("a", 0.5, 0.1, True, False), ("a", 0.01, 0.4, True, False)],
        privacy="average risk",
        more_is_private=False,
    ),
    "more is better": compared(TWO, less_is_better=False),
    "many": compared([(f"a {i}", 2.0 + i, i / 40, True, False) for i in range(40)]),
    "negative": compared([("a", 2.0, -4.0, True, False), ("a", 4.0, -2.0, True, False)]),
    "long": compared([("a very long name " * 9, 2.0, 0.5, True, True)]),
}


@pytest.mark.parametrize("case", CASES)
def test_every_form_is_drawn(case):
    """The SVG is XML, the page has it inside and runs no script."""
    found = CASES[case]
    ElementTree.fromstring(draw(found, "svg").decode())  # noqa: S314 - our own
    page = draw(found, "html").decode()
    assert ("<svg" in page) == bool(found.dots)
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")


@pytest.mark.parametrize("case", ["two", "none"])
def test_a_png_is_drawn(case):
    """The PNG, drawn from the SVG, is one: of points, and of none."""
    assert draw(CASES[case], "png").startswith(b"\x89PNG")


def test_the_knee_is_marked_and_its_reason_is_told():
    """Both in the drawing and on the page, whose picture has a text alternative."""
    assert "recommended" in draw(CASES["two"], "svg").decode()
    page = draw(CASES["two"], "html").decode()
    assert "Take this." in page
    assert "(recommended)" in page
    assert 'role="img" aria-label="Chart of 5 runs' in page
    without = [(*one[:4], False) for one in TWO]
    assert "(recommended)" not in draw(compared(without), "html").decode()


def test_names_of_series_do_not_lie_on_each_other():
    """Two series that end in one place have their names one below the other."""
    known = [(text, y) for text, _, y in labels(draw(CASES["two"], "svg").decode())]
    places = {text: y for text, y in known if text in ("mondrian", "auto")}
    assert len(places) == 2
    assert abs(places["mondrian"] - places["auto"]) >= 12


def test_names_are_shown_whole_and_inside_the_chart():
    """Each letter of ten long names stands in the drawing, in lines that have room in it."""
    names = [f"algorithm {i}, recoding hierarchy, suppression limit 0.0{i}" for i in range(10)]
    found = compared([(name, 20.0, 0.001 * i, True, False) for i, name in enumerate(names)])
    svg = draw(found, "svg").decode()
    words = " ".join(re.sub("<[^>]*>", " ", svg).split())
    assert all(name in words for name in names)
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', svg)[1])
    drawn = re.findall(r'translate\([-\d.]+,([-\d.]+)\)"[^>]*>((?:<tspan.*?</tspan>)+)</text>', svg)
    assert len(drawn) == 2 * len(names)  # white below grey
    assert all(0 <= float(y) + 17 * lines.count("<tspan") <= height - 60 for y, lines in drawn)


def test_the_axis_of_losses_begins_at_zero():
    """Losses that hardly differ look as if they hardly differ; ticks differ."""
    narrow = compared([("a", 2.0, 0.1011, True, False), ("a", 4.0, 0.1042, True, False)])
    ticks = [text for text, *_ in labels(draw(narrow, "svg").decode()) if text.startswith("0.")]
    assert "0.00" in ticks
    assert len(ticks) == len(set(ticks)) > 2


def test_refusals_of_one_reason_stand_together():
    """Each reason is told once, with all combinations that it stops."""
    found = compared(TWO, refused=[("x, k 2", "no"), ("y", "never"), ("x, k 5", "no")])
    assert found.by_reason == [("x, k 2; x, k 5", "no"), ("y", "never")]
    assert draw(found, "html").decode().count("never") == 1


def test_names_cannot_break_the_page():
    """Names of columns are text, whatever they hold."""
    odd = "<script>alert(1)</script>"
    found = compared([(odd, 2.0, 0.5, True, True)], reason=odd, refused=[(odd, odd)])
    assert "<script" not in draw(found, "html").decode()


def test_numbers_are_written_for_readers():
    """Whole numbers in full, others with three digits."""
    assert [figure(1234.0), figure(0.10049), figure(0.1), figure(0.00012345)] == [
        "1,234",
        "0.100",
        "0.100",
        "0.000123",
    ]
