"""Bar charts: sizes of classes, shares by name, and distributions before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.axes import (
    counts_axis,
    fits_upright,
    flat_axis,
    named_axis,
    step_of,
    title_lines,
)
from kanonym.reporting.charts.style import BLUE, PALE, Drawing, Row

if TYPE_CHECKING:
    from kanonym.reporting.distributions.marginals import Marginal
    from kanonym.reporting.distributions.sizes import ClassSizes
    from kanonym.reporting.summary import AttributeLoss

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
    rows = [
        {"bar": i, "loss": shares[name], "text": speech.percent(shares[name])}
        for i, name in enumerate(most)
    ]
    longest = shares[most[0]]
    ceiling = next(c for c in (0.05, 0.1, 0.25, 0.5, 1) if c >= min(1.2 * longest, 1))
    if ceiling < 1:
        title = speech.text(
            _("{title}; the axis ends at {end}"), title=title, end=speech.percent(ceiling)
        )
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "loss:Q",
            title=title_lines(title),
            scale=alt.Scale(domain=[0, ceiling * 1.22], nice=False),
            axis=alt.Axis(
                format="%", values=[ceiling * i / 5 for i in range(6)], domain=False, ticks=False
            ),
        ),
        y=alt.Y("bar:O", axis=named_axis(most)),
    )
    chart = base.mark_bar(color=BLUE) + base.mark_text(align="left", dx=5).encode(text="text:N")
    return Drawing(chart.properties(height=step_of(most, 24)), rows, speech, names=most)


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
    labels: Sequence[str],
    title: str | None,
    counts: Sequence[float],
    amount: str,
    *,
    upright: bool,
) -> tuple[Any, Any]:
    """Return the axis of named bars, and a function from a field to the axis of its counts."""
    across, up = (alt.X, alt.Y) if upright else (alt.Y, alt.X)
    named = flat_axis(labels, title) if upright else named_axis(labels, title)
    numbers = counts_axis(counts, upright=upright)
    return (
        across("bar:O", axis=named),
        lambda field: up(f"{field}:Q", title=amount, axis=numbers),
    )
