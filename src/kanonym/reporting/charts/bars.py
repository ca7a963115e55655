"""Bar charts: columns, risks, attacks and associations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts import style
from kanonym.reporting.charts.labels import width_of
from kanonym.reporting.charts.style import (
    BLUE,
    INK,
    MUTED,
    PALE,
    Drawing,
    Row,
    counts_axis,
    fits_upright,
    flat_axis,
    legend_columns,
    named_axis,
    room_beside,
    slanted_axis,
    step_of,
    title_lines,
)

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.reporting.distributions.bars import ClassSizes
    from kanonym.reporting.distributions.marginals import Marginal
    from kanonym.reporting.known.assessment import Associations
    from kanonym.reporting.summary import AttributeLoss


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
        x=alt.X("x:O", scale=alt.Scale(domain=list(range(last))), axis=slanted_axis(names)),
        y=alt.Y("y:O", scale=alt.Scale(domain=list(range(1, last + 1))), axis=y_axis),
    )
    color = alt.Color("change:Q", scale=alt.Scale(domain=[0, end], range=list(SHADES)), legend=None)
    chart = base.mark_rect(stroke="#ffffff", strokeWidth=2).encode(color=color)
    chart += base.mark_text(color=INK, fontSize=12).encode(text="text:N")
    width = CELL * last + int(y_axis.minExtent) + 30
    height = step_of(names, 30)
    return Drawing(chart.properties(height=height), rows, speech, width, names)


MOST_LOSSES = 40


def class_sizes_chart(sizes: ClassSizes, speech: Translator = ENGLISH) -> Drawing:
    """Draw how many records are in classes of which size."""
    rows = [
        {"bar": i, "records": records, "classes": classes}
        for i, (records, classes) in enumerate(zip(sizes.records, sizes.classes, strict=True))
    ]
    upright = fits_upright(sizes.labels)
    bars, amounts = _bar_channels(
        sizes.labels,
        speech.text(_("records in the class")),
        sizes.records,
        speech.text(_("records")),
        upright=upright,
    )
    chart = alt.Chart(alt.NamedData("rows")).mark_bar(color=BLUE).encode(bars, amounts("records"))
    height = 220 if upright else step_of(sizes.labels, 21)
    return Drawing(chart.properties(height=height), rows, speech, names=sizes.labels)


def losses_chart(attributes: Sequence[AttributeLoss], speech: Translator = ENGLISH) -> Drawing:
    """Draw the loss of each attribute, most first, at most 40."""
    shares = {attribute.name: attribute.lost for attribute in attributes}
    return shares_chart(shares, speech.text(_("share of the range covered (span loss)")), speech)


def shares_chart(shares: Mapping[str, float], title: str, speech: Translator = ENGLISH) -> Drawing:
    """Draw a share by name, most first, at most 40."""
    most = sorted(shares, key=lambda name: -shares[name])[:MOST_LOSSES]
    figures = [speech.percent(shares[name]) for name in most]
    rows: list[Row] = [
        {"bar": i, "loss": shares[name], "text": figures[i]} for i, name in enumerate(most)
    ]
    longest = shares[most[0]]
    ceiling = next(c for c in (0.05, 0.1, 0.25, 0.5, 1) if c >= min(1.2 * longest, 1))
    if ceiling < 1:
        title = speech.text(
            _("{title}; the axis ends at {end}"), title=title, end=speech.percent(ceiling)
        )
    # Bars have 200 pixels at the least, and the axis ends where each text fits behind its bar.
    names, texts = room_beside(most) + 20, [width_of(figure) + 8 for figure in figures]
    width = max(style.WIDTH, round(names + 200 + max(texts)))
    room = width - names
    ends = [shares[name] * room / (room - text) for name, text in zip(most, texts, strict=True)]
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "loss:Q",
            title=title_lines(title),
            scale=alt.Scale(domain=[0, max(ceiling, *ends)], nice=False),
            axis=alt.Axis(
                format="%", values=[ceiling * i / 5 for i in range(6)], domain=False, ticks=False
            ),
        ),
        y=alt.Y("bar:O", axis=named_axis(most)),
    )
    chart = base.mark_bar(color=BLUE) + base.mark_text(align="left", dx=5).encode(text="text:N")
    return Drawing(chart.properties(height=step_of(most, 24)), rows, speech, width, names=most)


def histogram_chart(
    labels: Sequence[str],
    counts: Sequence[int],
    speech: Translator = ENGLISH,
    *,
    ordered: bool = False,
) -> Drawing:
    """Draw how many records each bar has; the bars of an ordered column side by side."""
    rows = [{"bar": i, "records": number} for i, number in enumerate(counts)]
    upright = ordered and len(labels) > 1 and fits_upright(labels)
    bars, amounts = _bar_channels(labels, None, counts, speech.text(_("records")), upright=upright)
    chart = alt.Chart(alt.NamedData("rows")).mark_bar(color=BLUE).encode(bars, amounts("records"))
    height = 220 if upright else step_of(labels, 21)
    return Drawing(chart.properties(height=height), rows, speech, names=labels)


def marginal_chart(marginal: Marginal, speech: Translator = ENGLISH) -> Drawing:
    """Draw an attribute's distribution: before as pale bars, after as narrow bars in front."""
    drawn = [
        bar
        for place, bar in enumerate(
            zip(marginal.labels, marginal.before, marginal.after, strict=True)
        )
        if place != marginal.clipped_bar
    ]
    rows = [
        {"bar": i, "before": before, "after": after} for i, (_, before, after) in enumerate(drawn)
    ]
    labels = [label for label, _, _ in drawn]
    ordered = marginal.kind in ("number", "temporal")
    upright = ordered and len(labels) > 1 and fits_upright(labels)
    bars, amounts = _bar_channels(
        labels,
        None,
        [count for _, *both in drawn for count in both],
        speech.text(_("records")),
        upright=upright,
    )

    base = alt.Chart(alt.NamedData("rows"))

    def layer(field: str, share: float, color: str) -> Any:
        thickness: Row = {"width" if upright else "height": alt.RelativeBandSize(share)}
        return base.mark_bar(color=color, **thickness).encode(bars, amounts(field))

    chart = alt.layer(layer("before", 0.9, PALE), layer("after", 0.4, BLUE))
    height = 220 if upright else step_of(labels, 21)
    return Drawing(chart.properties(height=height), rows, speech, names=labels)


def _bar_channels(
    labels: Sequence[str], title: str | None, counts: Sequence[float], amount: str, *, upright: bool
) -> tuple[Any, Any]:
    """Return the axis of named bars, and a function from a field to the axis of its counts."""
    across, up = (alt.X, alt.Y) if upright else (alt.Y, alt.X)
    named = flat_axis(labels, title) if upright else named_axis(labels, title)
    numbers = counts_axis(counts, upright=upright)
    return (across("bar:O", axis=named), lambda field: up(f"{field}:Q", title=amount, axis=numbers))
