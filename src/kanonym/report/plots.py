"""Charts of a summary, as SVG text that needs nothing else.

The charts are quiet: dark text on white, one blue whose lightness carries the meaning
(colour-blind readers and grey printers see the same), no frame, few grid lines.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

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
WIDTH = 400
LETTER = 7.2  # pixels, generous: the reader's font is not the one that is measured here
LETTERS = 13  # size of the font
LEAST_LETTERS = 10  # pixels to which a small screen may scale letters; below, the chart scrolls
LONGEST = 22  # letters of a line of a label
MOST_LINES = 3
LONGEST_SLANTED = 28  # letters of a label that cannot be wrapped
MOST_LOSSES = 40
MANY_CODES = 12
LINE_HEIGHT = 15
CUT = "…"
PADDING = 6  # between labels and bars
SYMBOL = 26  # pixels of a legend's symbol with its margins
FEW_TICKS = 6
_FORMAT = ",~r"

Row = dict[str, Any]


def class_sizes_svg(sizes: ClassSizes, speech: Speech = ENGLISH) -> str:
    """Draw how many records are in classes of which size."""
    rows = [
        {"bar": i, "records": records, "classes": classes}
        for i, (records, classes) in enumerate(zip(sizes.records, sizes.classes, strict=True))
    ]
    upright = fits_upright(sizes.labels)
    bars, amounts = _bar_channels(
        sizes.labels,
        speech.say("axis.class-size"),
        sizes.records,
        speech.say("axis.records"),
        upright=upright,
    )
    chart = alt.Chart(alt.NamedData("rows")).mark_bar(color=BLUE).encode(bars, amounts("records"))
    height = 220 if upright else step_of(sizes.labels, 21)
    return svg_of(chart.properties(height=height), rows, speech=speech, names=sizes.labels)


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
    if ceiling < 1:
        title = speech.say("axis.ends", title=title, end=speech.percent(ceiling))
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
    return svg_of(chart.properties(height=step_of(most, 24)), rows, speech=speech, names=most)


def marginal_svg(marginal: Marginal, speech: Speech = ENGLISH) -> str:
    """Draw an attribute's distribution: before as pale bars, after as narrow bars in front."""
    rows = [
        {"bar": i, "before": before, "after": after}
        for i, (before, after) in enumerate(zip(marginal.before, marginal.after, strict=True))
    ]
    labels = marginal.labels
    ordered = marginal.kind in ("number", "temporal")
    upright = ordered and len(labels) > 1 and fits_upright(labels)
    bars, amounts = _bar_channels(
        labels,
        None,
        (*marginal.before, *marginal.after),
        speech.say("axis.records"),
        upright=upright,
    )

    def layer(field: str, share: float, color: str) -> Any:
        thickness: Row = {"width" if upright else "height": alt.RelativeBandSize(share)}
        base = alt.Chart(alt.NamedData("rows"))
        return base.mark_bar(color=color, **thickness).encode(bars, amounts(field))

    chart = alt.layer(layer("before", 0.9, PALE), layer("after", 0.4, BLUE))
    height = 220 if upright else step_of(labels, 21)
    return svg_of(chart.properties(height=height), rows, speech=speech, names=labels)


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
    numbers = _counts_axis(counts, upright=upright)
    return (
        across("bar:O", axis=named),
        lambda field: up(f"{field}:Q", title=amount, axis=numbers),
    )


def class_map_svg(drawn: ClassMap, height: int = 420, speech: Speech = ENGLISH) -> str:
    """Draw the classes over two attributes, darker where a class has more records.

    Large rectangles lie below small ones.
    """
    (x_low, x_high), (y_low, y_high) = drawn.x.ends, drawn.y.ends
    least = (x_high - x_low) / WIDTH * 3, (y_high - y_low) / height * 3
    means = [records / classes for *_, records, classes in drawn.rectangles]
    shade_of, legend = _shades(means, speech)
    beside = _room(drawn.y.labels) + LINE_HEIGHT
    flat = fits_upright(drawn.x.labels, WIDTH - beside - 20)
    below = 0.0 if flat else _depth(drawn.x.labels)
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
            x=_side("x0", drawn.x, [x_low, x_high], alt.X, WIDTH - 160, speech, below=below),
            x2="x1",
            y=_side("y0", drawn.y, [y_low, y_high], alt.Y, height - 110, speech),
            y2="y1",
            color=alt.Color(
                "shade:O",
                scale=alt.Scale(domain=list(range(len(legend))), range=_ramp(len(legend))),
                legend=alt.Legend(
                    title=speech.say("legend.per-class"),
                    orient="top",
                    symbolType="square",
                    symbolOpacity=1,
                    columns=legend_columns(legend, WIDTH - beside),
                    labelExpr=_lookup([[text] for text in legend]),
                    labelLimit=0,
                ),
            ),
        )
    )
    names = (*drawn.x.labels, *drawn.y.labels)
    return svg_of(chart.properties(height=height + int(below)), rows, speech=speech, names=names)


def svg_of(
    chart: Any,
    rows: list[Row],
    width: int = WIDTH,
    *,
    speech: Speech = ENGLISH,
    names: Sequence[str] = (),
) -> str:
    """Render a chart over `rows` with the common style; `names` in it that are cut get a tooltip.

    A page scales it down only as far as its letters have 10 pixels.
    """
    svg = to_svg(
        styled(chart, rows, width),
        format_locale=speech.locale,
        time_format_locale=speech.locale,
    )
    # Places are rounded to hundredths of a pixel, labels are left as they are.
    svg = re.sub(r"(\d\.\d\d)\d+(?=[^<>]*>)", r"\1", svg)
    for name in dict.fromkeys(names):
        svg = _with_tooltip(svg, printable(name))
    # The page scales the chart: its size is the view box, its natural width a style.
    size = re.search(r' width="([\d.]+)" height="[\d.]+"', svg)
    assert size is not None  # noqa: S101 - the library writes it
    least = math.ceil(float(size[1]) * LEAST_LETTERS / LETTERS)
    return svg.replace(size[0], f' style="width:{size[1]}px;min-width:{least}px"', 1)


def _with_tooltip(svg: str, name: str) -> str:
    """Put the whole of a name before its labels that are cut."""
    for last in {lines_of(name)[-1], cut(name)}:
        if last.endswith(CUT):
            ending = re.compile(
                rf"(<text[^>]*>)((?:<tspan[^>]*>[^<]*</tspan>)*(?:<tspan[^>]*>)?{re.escape(escape(last))}<)"
            )
            svg = ending.sub(
                lambda found: f"{found[1]}<title>{escape(name)}</title>{found[2]}", svg
            )
    return svg


def styled(chart: Any, rows: list[Row], width: int = WIDTH) -> dict[str, Any]:
    """Return the Vega-Lite form of a chart over `rows` with the common style."""
    fixed = isinstance(chart.height, int)
    text = {"labelColor": INK, "titleColor": MUTED, "labelFontSize": LETTERS}
    text["titleFontSize"] = LETTERS
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
            **text,
            labelLineHeight=LINE_HEIGHT,
            gridColor=LINE,
            domainColor=MUTED,
            tickColor=MUTED,
            labelFlush=False,
        )
        .configure_legend(**text)
        .configure_text(color=INK, fontSize=LETTERS)
    )
    spec: dict[str, Any] = with_style.to_dict(validate=False)
    # Rows join after the schema check, which would look at every one of them.
    spec["datasets"] = {"rows": rows}
    return spec


def _lookup(texts: Sequence[Sequence[str]]) -> str:
    """Write an expression with the lines of entry `datum.value`: equal labels stay apart.

    It floors the value: on maps a label stands in the middle of its step.
    """
    return f"{json.dumps(list(map(list, texts)))}[floor(datum.value)]"


def lines_of(label: str, letters: int = LONGEST, most: int = MOST_LINES) -> list[str]:
    """Wrap a label; beyond `most` lines it is cut, and ends with an ellipsis.

    >>> lines_of("General internal medicine and geriatrics")
    ['General internal', 'medicine and', 'geriatrics']
    """
    label = printable(label)  # before it becomes a literal, whose escapes would hide it
    return textwrap.wrap(label, letters, max_lines=most, placeholder=CUT) or [label]


def cut(label: str, letters: int = LONGEST_SLANTED) -> str:
    """Return a label in one line."""
    label = printable(label)
    return label if len(label) <= letters else f"{label[: letters - 1]}{CUT}"


def is_cut(label: str, *, slanted: bool = False) -> bool:
    """Return whether an axis does not show all of a label.

    >>> is_cut("General internal medicine and geriatrics")
    False
    >>> is_cut("General internal medicine and geriatrics", slanted=True)
    True
    """
    return (cut(label) if slanted else lines_of(label)[-1]).endswith(CUT)


def title_lines(title: str, room: float = WIDTH * 0.7) -> list[str]:
    """Wrap the title of an axis to its length."""
    return lines_of(title, max(8, int(room / LETTER)))


def legend_columns(texts: Sequence[str], room: float) -> int:
    """Return how many entries of a legend fit side by side."""
    return max(1, int(room // (LETTER * max(map(len, texts)) + SYMBOL)))


def fits_upright(labels: Sequence[str], room: float = WIDTH - 60) -> bool:
    """Return whether labels fit side by side below a chart."""
    return len(labels) * (LETTER * max(map(len, labels), default=0) + 4) <= room


def step_of(labels: Sequence[str], least: int) -> alt.Step:
    """Return the height of a bar beside whose label there is room for its lines."""
    lines = max((len(lines_of(label)) for label in labels), default=1)
    return alt.Step(max(least, LINE_HEIGHT * lines + 6))


def _room(labels: Sequence[str]) -> float:
    """Return how many pixels labels need beside an axis, in any font."""
    longest = max((len(line) for label in labels for line in lines_of(label)), default=0)
    return LETTER * longest + PADDING + 4


def named_axis(labels: Sequence[str], title: str | None = None) -> alt.Axis:
    """Return the axis beside bars with names, which are wrapped."""
    return alt.Axis(
        title=title,
        labelExpr=_lookup([lines_of(label) for label in labels]),
        labelLimit=0,
        labelPadding=PADDING,
        labelOffset=_raised([len(lines_of(label)) for label in labels]),
        minExtent=_room(labels),
        ticks=False,
        domainColor=MUTED,
    )


def _raised(lines: Sequence[int]) -> dict[str, Any]:
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
        labelExpr=_lookup([[printable(label)] for label in labels]),
        labelLimit=0,
        labelAngle=0,
        labelPadding=4,
        ticks=False,
        domainColor=MUTED,
    )


def _depth(labels: Sequence[str]) -> float:
    """Return how far down slanted labels reach: as far as they reach to the side."""
    return 0.72 * LETTER * max((len(cut(label)) for label in labels), default=0) + 14


def slanted_axis(labels: Sequence[str]) -> alt.Axis:
    """Return the axis below columns with names that do not fit side by side."""
    texts = [cut(label) for label in labels]
    return alt.Axis(
        title=None,
        labelExpr=_lookup([[text] for text in texts]),
        labelLimit=0,
        minExtent=_depth(labels),
        labelAngle=-45,
        labelPadding=4,
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
        minExtent=LETTER * len(f"{largest:,.0f}") + 8 if upright else 0,
    )


def _visible(low: float, high: float, least: float) -> tuple[float, float]:
    """Widen a point so far that it can be seen."""
    missing = max(0.0, least - (high - low)) / 2
    return low - missing, high + missing


def _side(
    field: str,
    axis: Axis,
    ends: list[float],
    channel: Any,
    room: int,
    speech: Speech,
    *,
    below: float = 0.0,
) -> Any:
    """Return one side of a map, with a label at every n-th category so that they have room."""
    beside = field == "y0"
    title = title_lines(axis.name, room)
    if axis.kind == "temporal":
        return channel(
            f"{field}:T",
            title=title,
            scale=alt.Scale(type="utc", domain=ends, nice=False, zero=False),
            axis=alt.Axis(grid=False, tickCount=5),
        )
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    if axis.kind == "number":
        ticks = alt.Axis(grid=False, values=ticks_between(*axis.known), format=_FORMAT)
        return channel(f"{field}:Q", title=title, scale=scale, axis=ticks)
    if not axis.labels:
        title = title_lines(speech.say("axis.unnamed", name=axis.name), room)
    texts = [lines_of(label) if beside else [cut(label)] for label in axis.labels]
    lines = [len(text) for text in texts]
    shown = max(1, room // (LINE_HEIGHT * max(lines, default=1)))
    centres = [code + 0.5 for code in range(len(axis.labels)) if ends[0] <= code < ends[1]]
    return channel(
        f"{field}:Q",
        title=title,
        scale=scale,
        axis=alt.Axis(
            values=centres[:: -(-len(centres) // shown) or 1],
            labelExpr=_lookup(texts),
            labelLimit=0,
            labelPadding=PADDING,
            labelOffset=_raised(lines) if beside else 0,
            minExtent=_room(axis.labels) if beside else below,
            labelAngle=_slant(len(centres)) if below else 0,
            labelOverlap=False,
            grid=False,
            ticks=False,
        ),
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
