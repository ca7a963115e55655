"""The chart of a hierarchy: values on the left, the root on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.labels import cut, width_of
from kanonym.reporting.charts.style import INK, LINE_HEIGHT, PALE, Drawing, Row

if TYPE_CHECKING:
    from kanonym.data.hierarchy import Hierarchy

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
