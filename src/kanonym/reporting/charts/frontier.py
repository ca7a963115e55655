"""Charts of alternatives, and of the frontier of risk and loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import altair as alt
import numpy as np

from kanonym.comparison.comparison import PRIVACY_TITLES, measure_title
from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.style import (
    BLUE,
    INK,
    MUTED,
    PALE,
    WIDTH,
    Drawing,
    Row,
    legend_columns,
    title_lines,
)
from kanonym.reporting.known.choice import Frontier
from kanonym.reporting.rendering.html import chart_of, environment

if TYPE_CHECKING:
    from kanonym.reporting.known.choice import Alternatives


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
                name=speech.translate(PRIVACY_TITLES[compared.privacy]),
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
    y = alt.Y(
        "y:Q",
        title=measure_title(compared.measure, speech, axis=True),
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


FRONTIER_WIDTH, FRONTIER_HEIGHT = 760, 440
CELL = 3  # pixels: of the nodes in one cell, one is drawn
FAILS, HOLDS = "#d5d9de", "#a9c8e4"
SCALED_AXES = 20.0  # from this ratio of the largest to the smallest value, the axis is logarithmic
MOST_ROWS = 40


def draw(
    frontier: Frontier,
    format: Literal["html", "svg", "png"],  # noqa: A002
    says: Translator = ENGLISH,
) -> bytes:
    """Return the file of a chart: see `reporting.render_frontier`."""
    chart = frontier_chart(frontier, says)
    if format == "png":
        return chart.to_png()
    svg = chart.to_svg()
    if format == "svg":
        return svg.encode()
    page = environment(says).get_template("frontier.html")
    alternative = says.text(
        _("Chart of {runs} by privacy and loss."),
        runs=says.plural(frontier.n_nodes, ngettext("node", "nodes")),
    )
    required = f"{frontier.symbol} {frontier.relation} {says.value(frontier.required)}".strip()
    return page.render(
        frontier=frontier,
        svg=chart_of(svg, alternative),
        nodes=says.plural(frontier.n_nodes, ngettext("node", "nodes")),
        required=required,
        most_rows=MOST_ROWS,
        code=says.code,
    ).encode()


def frontier_chart(frontier: Frontier, says: Translator) -> Drawing:
    """Draw nodes by privacy and loss, with the Pareto front as a line."""
    kinds = [
        says.text(key)
        for key in (
            _("fails the policy"),
            _("satisfies it"),
            _("Pareto front: none is better in both"),
        )
    ]
    rows = _rows(frontier, kinds)
    x = alt.X(
        "x:Q",
        title=_title(frontier, says),
        scale=_scale(frontier),
        axis=alt.Axis(grid=False, tickCount=8),
    )
    y = alt.Y(
        "y:Q",
        title=says.text(
            _("{name} ({better})"), name=frontier.metric, better=says.text(_("lower is better"))
        ),
        scale=alt.Scale(domain=_losses(frontier), zero=False, nice=False),
        axis=alt.Axis(domain=False, ticks=False),
    )
    color = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[FAILS, HOLDS, BLUE]),
        legend=alt.Legend(
            title=None, orient="top", symbolType="circle", labelLimit=0, columnPadding=28
        ),
    )
    base = alt.Chart(alt.NamedData("rows"))
    nodes = base.transform_filter("datum.of == 'node'")
    front = base.transform_filter("datum.of == 'front'")
    layers = [
        nodes.mark_point(size=14, filled=True, opacity=1).encode(x=x, y=y, color=color),
        base.transform_filter("datum.of == 'required'")
        .mark_rule(color=MUTED, strokeDash=[4, 4])
        .encode(x=x),
        # A privacy between two nodes costs what the next one costs.
        front.mark_line(color=BLUE, strokeWidth=1.5, interpolate="step-after").encode(
            x=x, y=y, order="order:Q"
        ),
        front.mark_point(size=46, filled=True, opacity=1).encode(x=x, y=y, color=color),
        base.transform_filter("datum.of == 'chosen'")
        .mark_point(size=190, filled=False, stroke=INK, strokeWidth=2, opacity=1)
        .encode(x=x, y=y),
        base.transform_filter("datum.of == 'chosen'")
        .mark_text(align="left", dx=13, dy=14, color=INK, fontSize=13, fontWeight=600)
        .encode(x=x, y=y, text=alt.value(says.text(_("chosen")))),
    ]
    return Drawing(
        alt.layer(*layers).properties(height=FRONTIER_HEIGHT), rows, says, FRONTIER_WIDTH
    )


def _rows(frontier: Frontier, kinds: Sequence[str]) -> list[Row]:
    """Return one row a mark: of the nodes that lie on each other, one."""
    rows: list[Row] = []
    across = np.log(frontier.achieved) if _logarithmic(frontier) else frontier.achieved
    cells = np.stack(
        [
            frontier.satisfied,
            _cells(across, FRONTIER_WIDTH),
            _cells(frontier.score, FRONTIER_HEIGHT),
        ],
        axis=1,
    )
    _, first = np.unique(cells, axis=0, return_index=True)
    # Those that satisfy are drawn over those that fail.
    for i in sorted(first.tolist(), key=lambda i: bool(frontier.satisfied[i])):
        kind = kinds[int(frontier.satisfied[i])]
        x, y = float(frontier.achieved[i]), float(frontier.score[i])
        rows.append({"of": "node", "x": x, "y": y, "kind": kind})
    for place, node in enumerate(frontier.front):
        at = {"x": node.achieved, "y": node.score, "order": place}
        rows.append({"of": "front", **at, "kind": kinds[2]})
    if frontier.least_loss_node is not None:
        rows.append(
            {
                "of": "chosen",
                "x": frontier.least_loss_node.achieved,
                "y": frontier.least_loss_node.score,
            }
        )
    if np.isfinite(frontier.required):
        rows.append({"of": "required", "x": frontier.required})
    return rows


def _cells(values: Any, pixels: int) -> Any:
    width = np.ptp(values) if len(values) else 0.0
    return np.zeros(len(values)) if not width else (values - values.min()) * pixels // width // CELL


def _ends(frontier: Frontier) -> tuple[float, float]:
    """Return the least and the largest value on the axis of privacy."""
    shown = [*frontier.achieved, *([frontier.required] if np.isfinite(frontier.required) else [])]
    return (float(min(shown)), float(max(shown))) if shown else (0.0, 1.0)


def _logarithmic(frontier: Frontier) -> bool:
    low, high = _ends(frontier)
    return low > 0 and high / low > SCALED_AXES


def _scale(frontier: Frontier) -> alt.Scale:
    """Return the axis of privacy: more private to the right."""
    low, high = _ends(frontier)
    if _logarithmic(frontier):
        ends = [low / 1.15, high * 1.15]
        return alt.Scale(type="log", domain=ends, nice=False, reverse=not frontier.upward)
    margin = (high - low) * 0.03 or 0.5
    ends = [max(low - margin, min(low, 0.0)), high + margin]
    return alt.Scale(domain=ends, nice=False, zero=False, reverse=not frontier.upward)


def _losses(frontier: Frontier) -> list[float]:
    """Return the ends of the axis of loss: from 0 on, with room above."""
    if not len(frontier.score):
        return [0.0, 1.0]
    low, high = float(frontier.score.min()), float(frontier.score.max())
    margin = (high - low) * 0.05 or 0.05 * abs(high) or 0.5
    return [low - margin if low < 0 else 0.0, high + margin]


def _title(frontier: Frontier, says: Translator) -> str:
    model = frontier.model
    if frontier.attribute is not None:
        model = says.text(_("{model} of {attribute}"), model=model, attribute=frontier.attribute)
    symbol = f" ({frontier.symbol})" if frontier.symbol else ""
    return says.text(
        _("{name} (more private to the right)"),
        name=says.text(_("{model} achieved"), model=model + symbol),
    )
