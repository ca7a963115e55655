"""Charts of classes as a map, and of hierarchies as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from kanonym.data.errors import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.labels import cut, lines_of, width_of
from kanonym.reporting.charts.style import (
    INK,
    LINE_HEIGHT,
    PADDING,
    PALE,
    WIDTH,
    Drawing,
    Row,
    fits_upright,
    label_expression,
    label_offsets,
    legend_columns,
    room_below,
    room_beside,
    ticks_between,
    title_lines,
)

if TYPE_CHECKING:
    from kanonym.data.hierarchy import Hierarchy
    from kanonym.reporting.distributions.rectangles import Axis, ClassMap


MOST_LEAVES = 60
GAP = 40  # pixels between the labels of a level and the next one


def tree_chart(tree: Hierarchy, speech: Translator = ENGLISH) -> Drawing:
    """Draw the labels of each level, and which label stands for which.

    Of more than 60 values, lower levels with more than 60 labels are left out.
    """
    levels = [level for level, labels in enumerate(tree.labels) if len(labels) <= MOST_LEAVES]
    levels = levels or [tree.n_levels - 1]
    texts = [[cut(_text(one, speech)) for one in tree.labels[level]] for level in levels]
    wide = [max(map(width_of, several), default=0) for several in texts]
    begin = np.cumsum([0.0, *(room + GAP for room in wide)])
    n = len(tree.labels[levels[0]])
    rows: list[Row] = []
    middle: dict[tuple[int, int], float] = {}
    for place, level in enumerate(levels):
        lowest = tree.codes[levels[0]]
        for code, text in enumerate(texts[place]):
            below = np.unique(lowest[tree.codes[level] == code])
            middle[place, code] = float(below.mean()) if len(below) else 0.0
            at = {"x": float(begin[place]), "y": middle[place, code]}
            rows.append({"of": "label", **at, "text": text})
        if place:
            pairs = np.unique(np.stack([tree.codes[levels[place - 1]], tree.codes[level]]), axis=1)
            rows += [
                {
                    "of": "edge",
                    "x": float(begin[place - 1] + width_of(texts[place - 1][int(a)]) + 4),
                    "y": middle[place - 1, int(a)],
                    "x2": float(begin[place] - 4),
                    "y2": middle[place, int(b)],
                }
                for a, b in pairs.T
            ]
    width = int(begin[-1])
    base = alt.Chart(alt.NamedData("rows"))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[n - 0.5, -0.5], nice=False))
    layers = [
        base.transform_filter("datum.of == 'edge'")
        .mark_rule(color=PALE)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q"),
        base.transform_filter("datum.of == 'label'")
        .mark_text(align="left", baseline="middle", color=INK, limit=0)
        .encode(x=x, y=y, text="text:N"),
    ]
    height = max(60, n * (LINE_HEIGHT + 4))
    return Drawing(alt.layer(*layers).properties(height=height), rows, speech, width + 14)


def _text(label: str | None, speech: Translator) -> str:
    return speech.text(_("(missing)")) if label is None else label


SHADES = ("#d6e4f1", "#a9c8e4", "#6fa3d0", "#3a78b2", "#123f70")
MANY_CODES = 12
_FORMAT = ",~r"


def class_map_chart(drawn: ClassMap, height: int = 420, speech: Translator = ENGLISH) -> Drawing:
    """Draw the classes over two attributes, darker where a class has more records.

    Large rectangles lie below small ones.
    """
    (x_low, x_high), (y_low, y_high) = drawn.x.ends, drawn.y.ends
    least = (x_high - x_low) / WIDTH * 3, (y_high - y_low) / height * 3
    means = [records / classes for *_, records, classes in drawn.rectangles]
    shade_of, legend = _shades(means, speech)
    beside = room_beside(drawn.y.labels) + LINE_HEIGHT
    flat = fits_upright(drawn.x.labels, WIDTH - beside - 20)
    below = 0.0 if flat else room_below(drawn.x.labels)
    rows = []
    for one, mean in zip(drawn.rectangles, means, strict=True):
        x0, x1 = _widen_point(one[0], one[1], least[0])
        y0, y1 = _widen_point(one[2], one[3], least[1])
        rows.append({"x0": x0, "x1": x1, "y0": y0, "y1": y1, "shade": shade_of(mean)})
    rows.sort(key=lambda row: (row["y0"] - row["y1"]) * (row["x1"] - row["x0"]))
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_rect(fillOpacity=0.55, stroke="#0d2a4a", strokeOpacity=0.7, strokeWidth=0.5)
        .encode(
            x=_side("x0", drawn.x, [x_low, x_high], alt.X, WIDTH - 160, speech, below=below),
            x2="x1",
            y=_side("y0", drawn.y, [y_low, y_high], alt.Y, height - 110, speech),
            y2="y1",
            color=alt.Color(
                "shade:O",
                scale=alt.Scale(domain=list(range(len(legend))), range=_ramp(len(legend))),
                legend=alt.Legend(
                    title=speech.text(_("records per class")),
                    orient="top",
                    symbolType="square",
                    symbolOpacity=1,
                    columns=legend_columns(legend, WIDTH - beside),
                    labelExpr=label_expression([[text] for text in legend]),
                    labelLimit=0,
                ),
            ),
        )
    )
    names = (*drawn.x.labels, *drawn.y.labels)
    return Drawing(chart.properties(height=height + int(below)), rows, speech, names=names)


def _widen_point(low: float, high: float, least: float) -> tuple[float, float]:
    """Widen a point so far that it can be seen."""
    missing = max(0.0, least - (high - low)) / 2
    return low - missing, high + missing


def _side(
    field: str,
    axis: Axis,
    ends: list[float],
    channel: Any,
    room: int,
    speech: Translator,
    *,
    below: float = 0.0,
) -> Any:
    """Return one side of a map, with a label at every n-th category so that they have room."""
    beside = field == "y0"
    title = title_lines(axis.name, room)
    if axis.kind == "temporal":
        return channel(
            f"{field}:T",
            title=title,
            scale=alt.Scale(type="utc", domain=ends, nice=False, zero=False),
            axis=alt.Axis(grid=False, tickCount=5),
        )
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    if axis.kind == "number":
        ticks = alt.Axis(grid=False, values=ticks_between(*axis.known), format=_FORMAT)
        return channel(f"{field}:Q", title=title, scale=scale, axis=ticks)
    if not axis.labels:
        title = title_lines(
            speech.text(_("{name} (too many labels to show)"), name=axis.name), room
        )
    texts = [lines_of(label) if beside else [cut(label)] for label in axis.labels]
    lines = [len(text) for text in texts]
    shown = max(1, room // (LINE_HEIGHT * max(lines, default=1)))
    centres = [code + 0.5 for code in range(len(axis.labels)) if ends[0] <= code < ends[1]]
    return channel(
        f"{field}:Q",
        title=title,
        scale=scale,
        axis=alt.Axis(
            values=centres[:: -(-len(centres) // shown) or 1],
            labelExpr=label_expression(texts),
            labelLimit=0,
            labelPadding=PADDING,
            labelOffset=label_offsets(lines) if beside else 0,
            minExtent=room_beside(axis.labels) if beside else below,
            labelAngle=_slant(len(centres)) if below else 0,
            labelOverlap=False,
            grid=False,
            ticks=False,
        ),
    )


def _slant(n_labels: int) -> int:
    return -90 if n_labels > MANY_CODES else -45


def _shades(means: Sequence[float], speech: Translator) -> tuple[Any, list[str]]:
    """Divide mean class sizes into at most five shades of about equally many rectangles."""
    ordered = sorted(round(mean) for mean in means)
    n = len(SHADES)
    starts = sorted({ordered[len(ordered) * i // n] for i in range(n)}) if ordered else [0]
    ends = [*starts[1:], (ordered[-1] + 1) if ordered else 1]
    legend = [
        speech.count(low) if low + 1 == high else f"{speech.count(low)}–{speech.count(high - 1)}"
        for low, high in zip(starts, ends, strict=True)
    ]

    def shade_of(mean: float) -> int:
        return max(i for i, start in enumerate(starts) if i == 0 or round(mean) >= start)

    return shade_of, legend


def _ramp(n: int) -> list[str]:
    """Return n shades, from pale to dark."""
    if n == 1:
        return [SHADES[2]]
    return [SHADES[(len(SHADES) - 1) * i // (n - 1)] for i in range(n)]
