"""The chart of alternatives: each release by privacy and loss, those on top that nothing beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.metrics.measure_names import MEASURE_NAMES
from kanonym.reporting.charts.axes import legend_columns, title_lines
from kanonym.reporting.charts.style import BLUE, INK, PALE, WIDTH, Drawing

if TYPE_CHECKING:
    from kanonym.reporting.known.comparison import Alternatives

HEIGHT = 320
SCALED = 20.0  # from this ratio of the largest to the smallest value, the axis is logarithmic


def alternatives_chart(compared: Alternatives, speech: Translator = ENGLISH) -> Drawing:
    """Draw every release by privacy and utility, with the frontier as a line."""
    rows = [
        {"x": one.private, "y": one.useful, "of": "run", "kind": speech.text(_("release"))}
        for one in compared.runs
    ]
    for run in compared.frontier:
        at = {"x": run.private, "y": run.useful}
        rows.append(
            {**at, "of": "front", "kind": speech.text(_("Pareto frontier: none is better in both"))}
        )
        if run.knee:
            rows.append(
                {
                    **at,
                    "of": "knee",
                    "kind": speech.text(_("Pareto frontier: none is better in both")),
                }
            )
    places = [one.private for one in compared.runs]
    low, high = min(places), max(places)
    wide = low > 0 and high / low > SCALED
    margin = (high - low) * 0.06 or 0.5 * abs(high) or 0.5
    ends = [low / 1.2, high * 1.2] if wide else [min(0.0, low), high + margin]
    x = alt.X(
        "x:Q",
        title=title_lines(
            speech.text(
                _("{name} (more private to the right)"),
                name=speech.translate(MEASURE_NAMES.get(compared.privacy, "k")),
            )
        ),
        scale=alt.Scale(
            type="log" if wide else "linear",
            domain=ends,
            nice=False,
            reverse=compared.privacy != "k",
        ),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    short = {"span-loss": _("information lost (span loss)"), "gcp": _("information lost (GCP)")}
    names = {**MEASURE_NAMES, **short}
    title = speech.translate(names.get(compared.measure, compared.measure))
    y = alt.Y(
        "y:Q",
        title=title,
        scale=alt.Scale(zero=True),
        axis=alt.Axis(domain=False, ticks=False, tickCount=5, titlePadding=12),
    )
    kinds = [speech.text(_("release")), speech.text(_("Pareto frontier: none is better in both"))]
    color = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[PALE, BLUE]),
        legend=alt.Legend(
            title=None,
            orient="top",
            symbolType="circle",
            labelLimit=0,
            columns=legend_columns(kinds, WIDTH - 60),
        ),
    )
    base = alt.Chart(alt.NamedData("rows"))
    of = {name: base.transform_filter(f"datum.of == '{name}'") for name in ("run", "front", "knee")}
    layers = [
        of["run"].mark_point(size=46, filled=True, opacity=1).encode(x=x, y=y, color=color),
        of["front"].mark_line(color=BLUE, strokeWidth=1.6).encode(x=x, y=y),
        of["front"].mark_point(size=60, filled=True, opacity=1).encode(x=x, y=y, color=color),
        of["knee"]
        .mark_point(size=210, filled=False, stroke=INK, strokeWidth=2, opacity=1)
        .encode(x=x, y=y),
    ]
    return Drawing(alt.layer(*layers).properties(height=HEIGHT), rows, speech)
