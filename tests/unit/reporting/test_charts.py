"""Laws of charts: labels are whole, letters stay readable, axes say where they end."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.language import ENGLISH, SPANISH
from kanonym.reporting.charts.bars import class_sizes_chart, shares_chart
from kanonym.reporting.charts.labels import CUT, LONGEST, MOST_LINES, is_cut, lines_of, width_of
from kanonym.reporting.charts.style import (
    LEAST_LETTERS,
    LETTERS,
    fits_upright,
    legend_columns,
    room_beside,
)
from kanonym.reporting.distributions.bars import ClassSizes
from kanonym.reporting.distributions.rectangles import Axis, ClassMap
from kanonym.reporting.parts.utility import long_labels

LONG = (
    "General internal medicine, geriatrics, rehabilitation, palliative and home care of adults, "
    "and of children and the young who are ill for long"
)


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1))
def test_a_label_is_wrapped_and_only_cut_where_it_says_so(label):
    """Lines are short and few; together they are the label, or end with an ellipsis."""
    lines = lines_of(label)
    assert len(lines) <= MOST_LINES
    assert all(len(line) <= LONGEST for line in lines) or lines == [label]
    whole = re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", label)
    assert whole != (is_cut(label) and not label.endswith(CUT))


def test_a_name_that_is_cut_has_all_of_it_as_a_tooltip():
    """The whole name stands in the chart for whoever points at it."""
    svg = shares_chart({LONG: 0.5, "age": 0.25}, "share").to_svg()
    assert f"<title>{LONG}</title>" in svg
    assert svg.count("<title>") == 1


def test_texts_behind_bars_have_room():
    """The axis ends where the longest text fits, in the widest font; bars keep 200 pixels."""
    shares = {"a_name_of_four_lines_" * 4: 0.99999, "b": 0.5}
    drawing = shares_chart(shares, "share", SPANISH)
    end = drawing.chart.layer[0].to_dict(validate=False)["encoding"]["x"]["scale"]["domain"][1]
    names = room_beside(list(shares))
    bar = drawing.rows[0]["loss"] / end * (drawing.width - names)
    assert drawing.rows[0]["text"].startswith("más del")
    assert names + bar + width_of(drawing.rows[0]["text"]) < drawing.width
    assert bar > 180


def test_letters_have_ten_pixels_on_the_smallest_screen():
    """A page scales a chart down until its letters have ten pixels, and no further."""
    svg = class_sizes_chart(ClassSizes.of({5: 3, 15: 1, 300: 1, 4804: 1})).to_svg()
    width, least = map(float, re.search(r"width:([\d.]+)px;min-width:([\d.]+)px", svg).groups())
    assert least / width * LETTERS >= LEAST_LETTERS == 10


@pytest.mark.parametrize(
    ("share", "end"),
    [(0.046, "10\N{NO-BREAK SPACE}%"), (0.2, "25\N{NO-BREAK SPACE}%"), (0.9, None)],
)
def test_an_axis_of_shares_says_where_it_ends_before_all(share, end):
    """A bar that reaches far on a short axis is not taken for a large share."""
    texts = re.findall(r">([^<>]+)</t", shares_chart({"age": share}, "lost").to_svg())
    assert [text for text in texts if "axis ends at" in text] == (
        [f"lost; the axis ends at {end}"] if end else []
    )


def test_labels_stand_below_bars_only_where_they_fit():
    """Few short labels stand side by side, many or long ones beside their bars."""
    assert fits_upright(["5", "6", "7+"])
    assert not fits_upright([f"{n}–{n + 199}" for n in range(5, 4805, 200)])


def test_entries_of_a_legend_have_room():
    """Long entries stand below each other."""
    assert legend_columns(["5–9", "10–14"], 300) > 1
    assert legend_columns([LONG, "control"], 300) == 1


def test_labels_that_a_map_cuts_are_listed_below_it():
    """Who cannot read a label on the axis reads it in the table, and nothing else is there."""
    drawn = ClassMap(
        Axis("ward", "category", labels=("surgery", LONG)),
        Axis("sex", "category", labels=("female", "male")),
        rectangles=(),
        n_rectangles=0,
        share=1.0,
        undrawn_missing=0,
    )
    assert long_labels(drawn, ENGLISH).rows == (("ward", LONG),)


@pytest.mark.parametrize("label", ["10020–10039", "m", "[1980-09-26, 1985-05-27]", "東京都新宿区"])
def test_a_label_has_room_in_a_wide_font(label):
    """Beside a bar there is room for the letters of the widest font that readers commonly have."""
    share = {"m": 0.97, "東": 1.0, "[": 0.39, ",": 0.32, " ": 0.32, "-": 0.36, "–": 0.5, "]": 0.39}
    widest = sum(share.get(letter, 1.0 if letter > "\u2e80" else 0.636) for letter in label)
    lines = lines_of(label)
    assert room_beside([label]) >= LETTERS * widest / len(lines)
