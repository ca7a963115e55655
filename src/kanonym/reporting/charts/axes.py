"""Axes with names and numbers, with room for what stands beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from kanonym.reporting.charts.labels import LETTER, MOST_LINES, cut, lines_of, width_of
from kanonym.reporting.charts.style import LINE_HEIGHT, MUTED, WIDTH
from kanonym.reporting.printable import printable

SYMBOL = 26  # pixels of a legend's symbol with its margins
PADDING = 6  # between labels and bars
FEW_TICKS = 6


def label_expression(texts: Sequence[Sequence[str]]) -> str:
    """Write an expression with the lines of entry `datum.value`: equal labels stay apart.

    It floors the value: on maps a label stands in the middle of its step.
    """
    return f"{json.dumps(list(map(list, texts)))}[floor(datum.value)]"


def title_lines(title: str, room: float = WIDTH * 0.7) -> list[str]:
    """Wrap the title of an axis to its length."""
    return lines_of(title, max(8, int(room / LETTER)))


def legend_columns(texts: Sequence[str], room: float) -> int:
    """Return how many entries of a legend fit side by side."""
    return max(1, int(room // (max(map(width_of, texts)) + SYMBOL)))


def fits_upright(labels: Sequence[str], room: float = WIDTH - 60) -> bool:
    """Return whether labels fit side by side below a chart."""
    return len(labels) * (max(map(width_of, labels), default=0) + 4) <= room


def step_of(labels: Sequence[str], least: int) -> alt.Step:
    """Return the height of a bar beside whose label there is room for its lines."""
    lines = max((len(lines_of(label)) for label in labels), default=1)
    return alt.Step(max(least, LINE_HEIGHT * lines + 6))


def room_beside(labels: Sequence[str]) -> float:
    """Return how many pixels labels need beside an axis, in any font."""
    longest = max((width_of(line) for label in labels for line in lines_of(label)), default=0)
    return longest + PADDING + 4


def named_axis(labels: Sequence[str], title: str | None = None) -> alt.Axis:
    """Return the axis beside bars with names, which are wrapped."""
    return alt.Axis(
        title=title,
        labelExpr=label_expression([lines_of(label) for label in labels]),
        labelLimit=0,
        labelPadding=PADDING,
        labelOffset=label_offsets([len(lines_of(label)) for label in labels]),
        minExtent=room_beside(labels),
        ticks=False,
        domainColor=MUTED,
    )


def label_offsets(lines: Sequence[int]) -> dict[str, Any]:
    """Return how far each label is raised, so that its middle line stands beside the bar."""
    return {
        "condition": [
            {
                "test": f"{json.dumps(list(lines))}[floor(datum.value)] == {n}",
                "value": -LINE_HEIGHT * (n - 1) / 2,
            }
            for n in range(2, MOST_LINES + 1)
        ],
        "value": 0,
    }


def flat_axis(labels: Sequence[str], title: str | None = None) -> alt.Axis:
    """Return the axis below bars with names that fit side by side."""
    return alt.Axis(
        title=title,
        labelExpr=label_expression([[printable(label)] for label in labels]),
        labelLimit=0,
        labelAngle=0,
        labelPadding=4,
        ticks=False,
        domainColor=MUTED,
    )


def room_below(labels: Sequence[str]) -> float:
    """Return how far down slanted labels reach: as far as they reach to the side."""
    return 0.72 * max((width_of(cut(label)) for label in labels), default=0) + 14


def slanted_axis(labels: Sequence[str]) -> alt.Axis:
    """Return the axis below columns with names that do not fit side by side."""
    texts = [cut(label) for label in labels]
    return alt.Axis(
        title=None,
        labelExpr=label_expression([[text] for text in texts]),
        labelLimit=0,
        minExtent=room_below(labels),
        labelAngle=-45,
        labelPadding=4,
        ticks=False,
        domainColor=MUTED,
    )


def counts_axis(counts: Sequence[float], *, upright: bool) -> alt.Axis:
    """Return the axis of counts, in whole numbers."""
    largest = max(counts, default=0.0)
    return alt.Axis(
        tickCount=3,
        values=_few_integers(0, largest),
        format=",d",
        domain=False,
        ticks=False,
        minExtent=width_of(f"{largest:,.0f}") + 8 if upright else 0,
    )


def _few_integers(low: float, high: float) -> Any:
    """Return the integers of a short range, where the library would put ticks between them."""
    between = range(math.ceil(low), math.floor(high) + 1)
    return list(between) if len(between) <= FEW_TICKS else alt.Undefined


def ticks_between(low: float, high: float, most: int = 7) -> list[float]:
    """Return at most so many round numbers between two, both included."""
    if not high > low:
        return [low]
    power = math.floor(math.log10((high - low) / most))
    for exponent in (power, power + 1):
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first < most:
                return [round(i * step, 12) for i in range(first, last + 1)]
    return [low, high]
