"""Charts of a summary, as SVG text that needs nothing else.

The charts are quiet: dark text on white, one blue whose lightness carries the meaning
(colour-blind readers and grey printers see the same), no frame, few grid lines.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from kanonym.report.language import ENGLISH, Speech
from kanonym.report.printable import printable
from kanonym.report.renderer import to_svg

if TYPE_CHECKING:
    from kanonym.report.marginals import Marginal
    from kanonym.report.rectangles import Axis, ClassMap
    from kanonym.report.sizes import ClassSizes
    from kanonym.report.summary import AttributeLoss

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK, MUTED, LINE = "#1c2024", "#565d64", "#dfe3e7"
BLUE, PALE = "#1f5f9e", "#c3cfdb"
SHADES = ("#d6e4f1", "#a9c8e4", "#6fa3d0", "#3a78b2", "#123f70")
WIDTH = 460
LETTER = 7.2  # pixels, generous: the reader's font is not the one that is measured here
LONGEST = 22
MOST_LOSSES = 40
LONG_LABELS = 30
MANY_CODES = 12
LINE_HEIGHT = 14
FEW_TICKS = 6
_FORMAT = ",~r"

Row = dict[str, Any]


def class_sizes_svg(sizes: ClassSizes, speech: Speech = ENGLISH) -> str:
    """Draw how many records are in classes of which size."""
    rows = [
        {"bar": i, "records": records, "classes": classes}
        for i, (records, classes) in enumerate(zip(sizes.records, sizes.classes, strict=True))
    ]
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X(
                "bar:O",
                axis=named_axis(sizes.labels, speech.say("axis.class-size"), upright=True),
            ),
            y=alt.Y(
                "records:Q",
                title=speech.say("axis.records"),
                axis=_counts_axis(sizes.records, upright=True),
            ),
        )
    )
    return svg_of(chart.properties(height=220), rows, speech=speech)


def losses_svg(attributes: Sequence[AttributeLoss], speech: Speech = ENGLISH) -> str:
    """Draw the loss of each attribute, most first, at most 40."""
    shares = {one.name: one.ncp for one in attributes}
    return shares_svg(shares, speech.say("axis.ncp"), speech)


def shares_svg(shares: Mapping[str, float], title: str, speech: Speech = ENGLISH) -> str:
    """Draw a share by name, most first, at most 40."""
    most = sorted(shares, key=lambda name: -shares[name])[:MOST_LOSSES]
    rows = [
        {"bar": i, "loss": shares[name], "text": speech.percent(shares[name])}
        for i, name in enumerate(most)
    ]
    longest = shares[most[0]]
    ceiling = next(c for c in (0.05, 0.1, 0.25, 0.5, 1) if c >= min(1.2 * longest, 1))
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "loss:Q",
            title=title,
            scale=alt.Scale(domain=[0, ceiling * 1.12], nice=False),
            axis=alt.Axis(
                format="%", values=[ceiling * i / 5 for i in range(6)], domain=False, ticks=False
            ),
        ),
        y=alt.Y("bar:O", axis=named_axis(most, None, upright=False)),
    )
    chart = base.mark_bar(color=BLUE) + base.mark_text(align="left", dx=5).encode(text="text:N")
    return svg_of(chart.properties(height=alt.Step(24)), rows, speech=speech)


def marginal_svg(marginal: Marginal, speech: Speech = ENGLISH) -> str:
    """Draw an attribute's distribution: before as pale bars, after as narrow bars in front."""
    rows = [
        {"bar": i, "before": before, "after": after}
        for i, (before, after) in enumerate(zip(marginal.before, marginal.after, strict=True))
    ]
    upright = marginal.kind in ("number", "temporal")
    records = speech.say("axis.records")
    place = named_axis(marginal.labels, None, upright=upright)
    amount = _counts_axis((*marginal.before, *marginal.after), upright=upright)

    def layer(field: str, size: float, color: str) -> Any:
        base = alt.Chart(alt.NamedData("rows"))
        thickness = alt.RelativeBandSize(size)
        number = f"{field}:Q"
        if upright:
            return base.mark_bar(color=color, width=thickness).encode(
                x=alt.X("bar:O", axis=place), y=alt.Y(number, title=records, axis=amount)
            )
        return base.mark_bar(color=color, height=thickness).encode(
            y=alt.Y("bar:O", axis=place), x=alt.X(number, title=records, axis=amount)
        )

    chart = alt.layer(layer("before", 0.9, PALE), layer("after", 0.4, BLUE))
    return svg_of(chart.properties(height=220 if upright else alt.Step(21)), rows, speech=speech)


def class_map_svg(drawn: ClassMap, height: int = 420, speech: Speech = ENGLISH) -> str:
    """Draw the classes over two attributes, darker where a class has more records.

    Large rectangles lie below small ones.
    """
    (x_low, x_high), (y_low, y_high) = drawn.x.ends, drawn.y.ends
    least = (x_high - x_low) / WIDTH * 3, (y_high - y_low) / height * 3
    means = [records / classes for *_, records, classes in drawn.rectangles]
    shade_of, legend = _shades(means, speech)
    rows = []
    for one, mean in zip(drawn.rectangles, means, strict=True):
        x0, x1 = _visible(one[0], one[1], least[0])
        y0, y1 = _visible(one[2], one[3], least[1])
        rows.append({"x0": x0, "x1": x1, "y0": y0, "y1": y1, "shade": shade_of(mean)})
    rows.sort(key=lambda row: (row["y0"] - row["y1"]) * (row["x1"] - row["x0"]))
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_rect(fillOpacity=0.55, stroke="#0d2a4a", strokeOpacity=0.7, strokeWidth=0.5)
        .encode(
            x=_side("x0", drawn.x, [x_low, x_high], alt.X, (WIDTH - 160) // LINE_HEIGHT, speech),
            x2="x1",
            y=_side("y0", drawn.y, [y_low, y_high], alt.Y, (height - 110) // LINE_HEIGHT, speech),
            y2="y1",
            color=alt.Color(
                "shade:O",
                scale=alt.Scale(domain=list(range(len(legend))), range=_ramp(len(legend))),
                legend=alt.Legend(
                    title=speech.say("legend.per-class"),
                    orient="top",
                    symbolType="square",
                    symbolOpacity=1,
                    labelExpr=_lookup(legend),
                ),
            ),
        )
    )
    return svg_of(chart.properties(height=height), rows, speech=speech)


def svg_of(chart: Any, rows: list[Row], width: int = WIDTH, *, speech: Speech = ENGLISH) -> str:
    """Render a chart over `rows` with the common style."""
    svg = to_svg(
        styled(chart, rows, width),
        format_locale=speech.locale,
        time_format_locale=speech.locale,
    )
    # Places are rounded to hundredths of a pixel, labels are left as they are.
    svg = re.sub(r"(\d\.\d\d)\d+(?=[^<>]*>)", r"\1", svg)
    # The page scales the chart: its size is the view box, its natural width a style.
    return re.sub(r' width="([\d.]+)" height="[\d.]+"', r' style="width:\1px"', svg, count=1)


def styled(chart: Any, rows: list[Row], width: int = WIDTH) -> dict[str, Any]:
    """Return the Vega-Lite form of a chart over `rows` with the common style."""
    fixed = isinstance(chart.height, int)
    text = {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 13, "titleFontSize": 13}
    text["titleFontWeight"] = "normal"
    with_style = (
        chart.properties(
            width=width,
            autosize=alt.AutoSizeParams(type="fit" if fixed else "fit-x", contains="padding"),
        )
        .configure(
            font=FONT,
            aria=False,
            background="#ffffff",
            padding={"left": 2, "right": 12, "top": 4, "bottom": 2},
        )
        .configure_view(stroke=None)
        .configure_axis(
            **text, gridColor=LINE, domainColor=MUTED, tickColor=MUTED, labelFlush=False
        )
        .configure_legend(**text)
        .configure_text(color=INK, fontSize=13)
    )
    spec: dict[str, Any] = with_style.to_dict(validate=False)
    # Rows join after the schema check, which would look at every one of them.
    spec["datasets"] = {"rows": rows}
    return spec


def _lookup(labels: Sequence[str], longest: int = LONGEST) -> str:
    """Write an expression that names the entry `datum.value`: equal or odd labels stay apart.

    It floors the value: on maps a label stands in the middle of its step.
    """
    return f"{json.dumps([_short(label, longest) for label in labels])}[floor(datum.value)]"


def _short(label: str, longest: int) -> str:
    label = printable(label)  # before it becomes a literal, whose escapes would hide it
    return label if len(label) <= longest else f"{label[: longest - 1]}…"


def _room(labels: Sequence[str], longest: int = LONGEST) -> float:
    """Return how many pixels labels need beside an axis, in any font."""
    return LETTER * min(longest, max(map(len, labels), default=0)) + 8


def named_axis(
    labels: Sequence[str], title: str | None, *, upright: bool, longest: int = LONGEST
) -> alt.Axis:
    """Return an axis of bars with names, cut where they have more than `longest` letters."""
    slanted = upright and sum(map(len, labels)) > LONG_LABELS
    # Slanted labels reach as far down as they reach to the side.
    room = 0.75 * _room(labels, longest) + 8 if slanted else 0
    return alt.Axis(
        title=title,
        labelExpr=_lookup(labels, longest),
        labelLimit=0,
        minExtent=room if upright else _room(labels, longest),
        labelAngle=-45 if slanted else 0,
        ticks=False,
        domainColor=MUTED,
    )


def _counts_axis(counts: Sequence[float], *, upright: bool) -> alt.Axis:
    largest = max(counts, default=0.0)
    return alt.Axis(
        tickCount=3,
        values=_few_integers(0, largest),
        format=",d",
        domain=False,
        ticks=False,
        minExtent=_room([f"{largest:,.0f}"]) if upright else 0,
    )


def _visible(low: float, high: float, least: float) -> tuple[float, float]:
    """Widen a point so far that it can be seen."""
    missing = max(0.0, least - (high - low)) / 2
    return low - missing, high + missing


def _side(
    field: str, axis: Axis, ends: list[float], channel: Any, most: int, speech: Speech
) -> Any:
    """Return one side of a map, with a label at every n-th category so that `most` fit."""
    if axis.kind == "temporal":
        return channel(
            f"{field}:T",
            title=_title(axis.name, most),
            scale=alt.Scale(type="utc", domain=ends, nice=False, zero=False),
            axis=alt.Axis(grid=False, tickCount=5),
        )
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    if axis.kind == "number":
        ticks = alt.Axis(grid=False, values=ticks_between(*axis.known), format=_FORMAT)
        return channel(f"{field}:Q", title=_title(axis.name, most), scale=scale, axis=ticks)
    centres = [code + 0.5 for code in range(len(axis.labels)) if ends[0] <= code < ends[1]]
    return channel(
        f"{field}:Q",
        title=_title(axis.name, most)
        if axis.labels
        else speech.say("axis.unnamed", name=_title(axis.name, most - 13)),
        scale=scale,
        axis=alt.Axis(
            values=centres[:: -(-len(centres) // most) or 1],
            labelExpr=_lookup(axis.labels),
            labelLimit=0,
            minExtent=_room(axis.labels) if field == "y0" else 0,
            labelAngle=_slant(len(centres)) if field == "x0" else 0,
            labelOverlap=False,
            grid=False,
            ticks=False,
        ),
    )


def _title(name: str, most: int) -> str:
    """Cut a name so that it fits beside so many labels: a letter is half as wide as a line high."""
    return _short(name, max(4, most * 3 // 2))


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


def _slant(n_labels: int) -> int:
    return -90 if n_labels > MANY_CODES else -45


def _shades(means: Sequence[float], speech: Speech) -> tuple[Any, list[str]]:
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
