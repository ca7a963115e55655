"""The chart of a comparison: releases by privacy and loss, as SVG, PNG or an HTML page."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from kanonym.comparison.trials import label
from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.style import BLUE, INK, MUTED, Drawing, Row
from kanonym.reporting.rendering.html import chart_of, environment

if TYPE_CHECKING:
    from kanonym.comparison import Comparison, Trial

WIDTH, HEIGHT = 760, 460
SERIES = "#9aa5b0"
LETTER, LINE = 7.0, 17.0  # pixels that a letter and a line of a label take
PLOT_WIDTH, BELOW = WIDTH - 60, 90  # about: axes and legend take the rest
MOST_LABELS = 10  # of more series, only those are named that reach the frontier
LONGEST = 26  # letters of a line of a label
TICKS = (1, 2, 5)
NAME: dict[str, Any] = {
    "align": "left",
    "baseline": "top",
    "dx": 14,
    "dy": -7,
    "fontSize": 13,
    "limit": 0,
    "lineBreak": "\n",
    "lineHeight": LINE,
}


@dataclass(frozen=True, slots=True)
class Dot:
    """A release."""

    series: str
    label: str
    private: float
    useful: float
    classes: int
    suppressed: int
    on_frontier: bool
    knee: bool


@dataclass(frozen=True, slots=True)
class ComparisonData:
    """What the chart and its page show."""

    privacy: str
    more_is_private: bool
    measure: str
    less_is_better: bool
    dots: tuple[Dot, ...]
    refused: tuple[tuple[str, str], ...]
    reason: str

    @property
    def frontier(self) -> list[Dot]:
        """The releases that nothing beats, the least private first."""
        dots = [dot for dot in self.dots if dot.on_frontier]
        return sorted(dots, key=lambda dot: dot.private, reverse=not self.more_is_private)

    @property
    def by_reason(self) -> list[tuple[str, str]]:
        """Each reason for which there is no release, after the combinations that it stops."""
        grouped: dict[str, list[str]] = {}
        for combination, reason in self.refused:
            grouped.setdefault(reason, []).append(combination)
        return [("; ".join(labels), reason) for reason, labels in grouped.items()]


def comparison_data(comparison: Comparison, says: Translator = ENGLISH) -> ComparisonData:
    """Take over a comparison, in a language."""
    best = {id(one) for one in comparison.frontier}
    privacy, measure = comparison.axes_in(says)
    return ComparisonData(
        privacy=privacy,
        more_is_private=comparison.privacy == "k",
        measure=measure,
        less_is_better=comparison.better == "lower",
        dots=tuple(
            Dot(
                series=_series(trial),
                label=trial.label,
                private=comparison.privacy_of(trial),
                useful=comparison.utility_of(trial),
                classes=trial.classes or 0,
                suppressed=trial.suppressed or 0,
                on_frontier=id(trial) in best,
                knee=trial is comparison.knee,
            )
            for trial in comparison.trials
            if math.isfinite(comparison.privacy_score(trial) + comparison.loss_score(trial))
        ),
        refused=tuple((trial.label, trial.reason) for trial in comparison.trials if trial.reason),
        reason=comparison.reason_in(says),
    )


def _series(trial: Trial) -> str:
    """Return what a line of the chart is called: the swept values that are no thresholds.

    Nothing where only thresholds were swept; the algorithm where it was given none of them.
    """
    further = {key: value for key, value in trial.parameters.items() if not _is_threshold(key)}
    algorithm = "" if trial.policy is None else trial.policy.algorithm.type
    return label(further) or (algorithm if further else "")


def _is_threshold(key: str) -> bool:
    """Whether a key of a sweep is a threshold of a model: what a line of the chart runs along."""
    return key not in ("algorithm", "suppression_limit", "recoding") and not key.startswith(
        "algorithm."
    )


def draw(
    compared: ComparisonData,
    format: Literal["html", "svg", "png"],  # noqa: A002
    says: Translator = ENGLISH,
) -> bytes:
    """Return the file of a chart."""
    chart = comparison_chart(compared, says)
    if format == "png":
        return chart.to_png()
    svg = chart.to_svg()
    if format == "svg":
        return svg.encode()
    page = environment(says).get_template("comparison.html")
    shown = [
        (dot, figure(dot.private, says), figure(dot.useful, says)) for dot in compared.frontier
    ]
    told = says.text(
        _(
            "Chart of {runs} by {privacy} and {measure}; the table below names those on the "
            "frontier."
        ),
        runs=says.plural(len(compared.dots), ngettext("run", "runs")),
        privacy=compared.privacy,
        measure=compared.measure,
    )
    inside = chart_of(svg, told)
    return page.render(compared=compared, svg=inside, frontier=shown, code=says.code).encode()


def figure(value: float, says: Translator = ENGLISH) -> str:
    """Write a value: whole numbers in full, others with three digits."""
    return says.localize(f"{value:,.0f}" if value.is_integer() else f"{value:#.3g}")


def comparison_chart(compared: ComparisonData, says: Translator) -> Drawing:
    """Draw releases by privacy and loss, with the frontier as a line."""
    across, up = _privacy_ends(compared), _utility_ends(compared)
    kinds = {key: says.text(name) for key, name in KINDS.items()}
    rows = _rows(compared, across, up, kinds)
    percent = not compared.more_is_private
    x = alt.X(
        "x:Q",
        title=says.text(_("{name} (more private to the right)"), name=compared.privacy),
        scale=alt.Scale(type="log", domain=list(across), nice=False, reverse=percent),
        axis=alt.Axis(
            grid=False, values=_ticks(compared), format="~%" if percent else ",", labelOverlap=True
        ),
    )
    better = says.text(_("lower is better") if compared.less_is_better else _("higher is better"))
    y = alt.Y(
        "y:Q",
        title=says.text(_("{name} ({better})"), name=compared.measure, better=better),
        scale=alt.Scale(domain=list(up), zero=False, nice=False),
        axis=alt.Axis(domain=False, ticks=False, tickCount=6, titlePadding=14),
    )
    base = alt.Chart(alt.NamedData("rows"))
    of = {name: base.transform_filter(f"datum.of == '{name}'") for name in (*kinds, "name", "knee")}
    shade = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(kinds.values()), range=[SERIES, BLUE]),
        legend=alt.Legend(
            title=None, orient="top", symbolType="circle", labelLimit=0, columnPadding=28
        ),
    )
    layers = [
        of["dot"]
        .mark_line(color=SERIES, strokeWidth=1.2)
        .encode(x=x, y=y, detail="series:N", order="order:Q"),
        # A privacy between two releases costs what the more private one costs.
        of["front"]
        .mark_line(color=BLUE, strokeWidth=1.8, interpolate="step-before")
        .encode(x=x, y=y, order="order:Q"),
        of["dot"].mark_point(size=34, filled=True, opacity=1).encode(x=x, y=y, color=shade),
        of["front"].mark_point(size=60, filled=True, opacity=1).encode(x=x, y=y, color=shade),
        of["knee"]
        .mark_point(size=230, filled=False, stroke=INK, strokeWidth=2, opacity=1)
        .encode(x=x, y=y),
        # White around the names: lines pass below them.
        of["name"]
        .mark_text(stroke="#ffffff", strokeWidth=4, **NAME)
        .encode(x=x, y=y, text="text:N"),
        of["name"].mark_text(color=MUTED, **NAME).encode(x=x, y=y, text="text:N"),
        of["knee"]
        .mark_text(align="right", dx=-13, dy=-13, color=INK, fontSize=13, fontWeight=600)
        .encode(x=x, y=y, text=alt.value(says.text(_("recommended")))),
    ]
    return Drawing(alt.layer(*layers).properties(height=_height(compared)), rows, says, WIDTH)


KINDS = {
    "dot": _("release; lines connect thresholds"),
    "front": _("Pareto frontier: none is better in both"),
}
"""Kinds of points, and the keys of what the legend calls them."""


def _rows(
    compared: ComparisonData,
    across: tuple[float, float],
    up: tuple[float, float],
    kinds: Mapping[str, str],
) -> list[Row]:
    """Return one row a mark."""
    rows: list[Row] = []
    order = sorted(compared.dots, key=lambda dot: (dot.private, dot.useful))
    for place, dot in enumerate(order):
        at = {"x": dot.private, "y": dot.useful, "order": place, "series": dot.series}
        rows.append({"of": "dot", "kind": kinds["dot"], **at})
    for place, dot in enumerate(compared.frontier):
        at = {"x": dot.private, "y": dot.useful, "order": place}
        rows.append({"of": "front", "kind": kinds["front"], **at})
        if dot.knee:
            rows.append({"of": "knee", "x": dot.private, "y": dot.useful})
    return rows + _names(compared, across, up)


def _named_dots(compared: ComparisonData) -> dict[str, Dot]:
    """Return the most private release of each series that is named."""
    sign = 1 if compared.more_is_private else -1
    ends = {dot.series: dot for dot in sorted(compared.dots, key=lambda dot: sign * dot.private)}
    if len(ends) > MOST_LABELS:
        telling = {dot.series for dot in compared.dots if dot.on_frontier}
        ends = {series: dot for series, dot in ends.items() if series in telling}
    return ends


def _height(compared: ComparisonData) -> int:
    """Return the height of the chart: all names have room one below the other."""
    lines = sum(len(_lines(series)) for series in _named_dots(compared))
    return max(HEIGHT, int(LINE * lines) + BELOW)


def _names(
    compared: ComparisonData, across: tuple[float, float], up: tuple[float, float]
) -> list[Row]:
    """Return the names of the series, at their most private ends, none upon another."""
    wide, high, whole = math.log(across[1] / across[0]), up[1] - up[0], _height(compared) - BELOW
    taken: list[tuple[float, float, float, float]] = []
    rows: list[Row] = []
    for series, dot in sorted(_named_dots(compared).items(), key=lambda item: -item[1].useful):
        lines = _lines(series)
        left = math.log(dot.private / across[0]) / wide * PLOT_WIDTH
        left = left if compared.more_is_private else PLOT_WIDTH - left
        right = left + LETTER * max(map(len, lines)) + 20
        beside = [(a, b) for start, end, a, b in taken if left < end and start < right]
        top = _place(LINE * len(lines), (up[1] - dot.useful) / high * whole, whole, beside)
        taken.append((left, right, top, top + LINE * len(lines)))
        y = up[1] - top / whole * high
        rows.append({"of": "name", "x": dot.private, "y": y, "text": "\n".join(lines)})
    return rows


def _place(tall: float, wish: float, whole: float, taken: Sequence[tuple[float, float]]) -> float:
    """Return the free place nearest to a wish for a name of some height; tops count down."""
    last = max(0.0, whole - tall)
    places = sorted(
        {min(wish, last), 0.0, last, *(b for _, b in taken), *(a - tall for a, _ in taken)},
        key=lambda top: abs(top - wish),
    )
    free = (
        top
        for top in places
        if 0 <= top <= last and not any(top < b and a < top + tall for a, b in taken)
    )
    return next(free, min(wish, last))


def _lines(series: str) -> list[str]:
    """Return a name in as many lines as it needs."""
    return textwrap.wrap(series, LONGEST) or [series]


def _privacy_ends(compared: ComparisonData) -> tuple[float, float]:
    """Return the ends of the axis of privacy, with room for names at the private one."""
    values = [dot.private for dot in compared.dots] or [1.0]
    low, high = min(values), max(values)
    wide = math.log(high / low) or 1.0
    longest = max((len(line) for dot in compared.dots for line in _lines(dot.series)), default=0)
    room = min(0.45, (LETTER * longest + 24) / PLOT_WIDTH)
    names, margin = wide * room / (1 - room), 0.05 * wide
    if compared.more_is_private:
        return low * math.exp(-margin), high * math.exp(names)
    return low * math.exp(-names), high * math.exp(margin)


def _utility_ends(compared: ComparisonData) -> tuple[float, float]:
    """Return the ends of the axis of utility: from 0 on, with room above."""
    values = [dot.useful for dot in compared.dots] or [0.0, 1.0]
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.5 * abs(high) or 0.5
    return (0.0 if low >= 0 else low - margin), high + margin


def _ticks(compared: ComparisonData) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten that lie among the values of privacy."""
    values: Sequence[float] = [dot.private for dot in compared.dots] or [1.0]
    low, high = min(values) * 0.999, max(values) * 1.001
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in TICKS]
    return [tick for tick in ticks if low <= tick <= high] or [values[0]]
