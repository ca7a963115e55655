"""The chart of associations: how far that of each two columns moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.axes import named_axis, slanted_axis, step_of
from kanonym.reporting.charts.style import INK, Drawing, Row

if TYPE_CHECKING:
    from kanonym.reporting.known.assessment import Associations

SHADES = ("#f1f5f9", "#6fa3d0")  # dark text can be read on all between
CELL = 34
LEAST_END = 0.1


def associations_chart(associations: Associations, speech: Translator = ENGLISH) -> Drawing:
    """Draw how far the association of each two columns moved, darker where farther."""
    place = {name: i for i, name in enumerate(associations.columns)}
    rows: list[Row] = [
        {
            "x": min(place[a], place[b]),
            "y": max(place[a], place[b]),
            "change": change,
            "text": speech.localize(f"{change:.2f}"),
        }
        for a, b, change in associations.pairs
    ]
    end = max(LEAST_END, *(row["change"] for row in rows))
    names, last = associations.columns, len(associations.columns) - 1
    y_axis = named_axis(names)
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "x:O",
            scale=alt.Scale(domain=list(range(last))),
            axis=slanted_axis(names),
        ),
        y=alt.Y(
            "y:O",
            scale=alt.Scale(domain=list(range(1, last + 1))),
            axis=y_axis,
        ),
    )
    color = alt.Color("change:Q", scale=alt.Scale(domain=[0, end], range=list(SHADES)), legend=None)
    chart = base.mark_rect(stroke="#ffffff", strokeWidth=2).encode(color=color)
    chart += base.mark_text(color=INK, fontSize=12).encode(text="text:N")
    width = CELL * last + int(y_axis.minExtent) + 30
    height = step_of(names, 30)
    return Drawing(chart.properties(height=height), rows, speech, width, names)
