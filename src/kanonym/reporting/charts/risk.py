"""The chart of risk: how many records are found more surely than a given chance."""

from __future__ import annotations

import altair as alt
import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.axes import title_lines
from kanonym.reporting.charts.style import BLUE, MUTED, Drawing, Row

HEIGHT = 220


def risk_chart(
    by_class: NDArray[np.float64],
    sizes: NDArray[np.int64],
    threshold: float,
    speech: Translator = ENGLISH,
) -> Drawing:
    """Draw the share of records whose risk is at least x, with the threshold as a dashed line.

    by_class: (n_classes,) the risk of a record of each class, in [0, 1].
    sizes: (n_classes,) records of each class.
    """
    order = np.argsort(-by_class, kind="stable")
    risks, reached = by_class[order], np.cumsum(sizes[order])
    last = np.flatnonzero(np.diff(risks, append=-1.0))
    steps = [(float(risks[i]), float(reached[i] / reached[-1])) for i in last]
    rows: list[Row] = [{"of": "step", "x": x, "y": y} for x, y in steps]
    rows.append({"of": "step", "x": 0.0, "y": 1.0 if steps else 0.0})
    rows += [{"of": "step", "x": 1.0, "y": 0.0}] if not steps or steps[0][0] < 1 else []
    rows.append({"of": "threshold", "x": threshold})
    base = alt.Chart(alt.NamedData("rows"))
    percent = alt.Axis(format="~%", tickCount=5, domain=False, ticks=False)
    x = alt.X(
        "x:Q",
        title=speech.text(_("probability of re-identification")),
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=percent,
    )
    title = title_lines(speech.text(_("records with at least this probability")), HEIGHT - 60)
    y = alt.Y("y:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=percent)
    steps_of = base.transform_filter("datum.of == 'step'")
    layers = [
        base.transform_filter("datum.of == 'threshold'")
        .mark_rule(color=MUTED, strokeDash=[4, 4])
        .encode(x=x),
        steps_of.mark_area(color=BLUE, opacity=0.2, interpolate="step-before").encode(x=x, y=y),
        steps_of.mark_line(color=BLUE, interpolate="step-before").encode(x=x, y=y),
    ]
    return Drawing(alt.layer(*layers).properties(height=HEIGHT), rows, speech)
