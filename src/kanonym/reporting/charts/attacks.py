"""The chart of attacks: how often each was right, with interval, beside chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.axes import legend_columns, named_axis, step_of
from kanonym.reporting.charts.style import BLUE, INK, MUTED, PALE, Drawing, Row

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult

WIDTH = 420
ENDS = (0.002, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
ROOM = 1.05
PADDING = 12  # marks at 0 % reach over the axis


def attacks_chart(
    attacks: Sequence[AttackResult], titles: Sequence[str], speech: Translator = ENGLISH
) -> Drawing:
    """Draw the rate of each attack with its interval, its baseline and its control."""
    kinds = [
        speech.text(key) for key in (_("this release, with interval"), _("baseline"), _("control"))
    ]
    rows: list[Row] = [
        {"bar": i, "rate": found.rate, "kind": kind, "low": low, "high": high}
        for i, one in enumerate(attacks)
        for found, kind, (low, high) in (
            (one.baseline, kinds[1], (one.baseline.rate, one.baseline.rate)),
            (one.control, kinds[2], (one.chance.rate, one.chance.rate)),
            (one.targets, kinds[0], one.targets.interval(one.confidence)),
        )
        if found is one.baseline or (found is not None and found.attempts)
    ]
    shown = kinds if any(row["kind"] == kinds[2] for row in rows) else kinds[:2]
    most = max(row["high"] for row in rows)
    end = next(one for one in ENDS if one >= min(most, 1.0))
    names = named_axis(titles)
    names.labelPadding = PADDING
    legend = alt.Legend(
        title=None,
        orient="top",
        labelLimit=0,
        columns=legend_columns(shown, WIDTH - names.minExtent - PADDING),
    )
    place = alt.Y("bar:O", axis=names)
    base = alt.Chart(alt.NamedData("rows"))
    x = alt.X(
        "rate:Q",
        title=speech.text(_("successful attempts")),
        scale=alt.Scale(domain=[0, end * ROOM], nice=False),
        axis=alt.Axis(
            format="~%", values=[end * i / 5 for i in range(6)], domain=False, ticks=False
        ),
    )
    layers = [
        base.mark_rule(color=BLUE, strokeWidth=5, opacity=0.45, strokeCap="round").encode(
            x=alt.X("low:Q", title=speech.text(_("successful attempts"))), x2="high:Q", y=place
        ),
        base.mark_point(size=95, strokeWidth=2, opacity=1).encode(
            x=x,
            y=place,
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=shown, range=["circle", "diamond", "square"][: len(shown)]),
                legend=legend,
            ),
            stroke=alt.Stroke(
                "kind:N",
                scale=alt.Scale(domain=shown, range=[BLUE, INK, MUTED][: len(shown)]),
                legend=legend,
            ),
            fill=alt.Fill(
                "kind:N",
                scale=alt.Scale(domain=shown, range=[BLUE, "#ffffff", PALE][: len(shown)]),
                legend=legend,
            ),
        ),
    ]
    chart = alt.layer(*layers).properties(height=step_of(titles, 34))
    return Drawing(chart, rows, speech, WIDTH, titles)
