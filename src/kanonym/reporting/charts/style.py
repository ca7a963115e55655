"""Style of charts: colours, axes, labels, and the renderer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from xml.sax.saxutils import escape

import altair as alt
import vl_convert

from kanonym.data.errors import DataError
from kanonym.data.results import ShortRepr
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.labels import (
    CUT,
    LETTER,
    LONGEST_SLANTED,
    MOST_LINES,
    cut,
    lines_of,
    width_of,
)
from kanonym.reporting.document import printable

SHARPNESS = 2.0  # pixels of a PNG for one of the SVG
Drawn = TypeVar("Drawn")


def to_svg(spec: dict[str, Any], **options: Any) -> str:
    """Draw a Vega-Lite specification as SVG."""
    return _call_safely(lambda: str(vl_convert.vegalite_to_svg(_printable_parts(spec), **options)))


def to_png(spec: dict[str, Any], **options: Any) -> bytes:
    """Draw a Vega-Lite specification as PNG."""
    return _call_safely(
        lambda: bytes(
            vl_convert.vegalite_to_png(_printable_parts(spec), scale=SHARPNESS, **options)
        )
    )


def _call_safely(draw: Callable[[], Drawn]) -> Drawn:
    try:
        return draw()
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
        last = printable(str(error)).strip().splitlines()[:1] or [type(error).__name__]
        raise DataError(f"the chart library could not draw it: {last[0][:200]}") from None


def _printable_parts(part: Any) -> Any:
    """Return a copy of a specification whose texts are printable."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {printable(str(key)): _printable_parts(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_printable_parts(value) for value in part]
    return part


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK, MUTED, LINE = "#1c2024", "#565d64", "#dfe3e7"
BLUE, PALE = "#1f5f9e", "#c3cfdb"
WIDTH = 400
LETTERS = 13  # size of the font
LEAST_LETTERS = 10  # pixels to which a small screen may scale letters; below, the chart scrolls
LINE_HEIGHT = 15

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drawing(ShortRepr):
    """A chart before it has a form: as SVG for pages, as PNG, or as an Altair chart."""

    chart: Any
    rows: list[Row]
    speech: Translator = ENGLISH
    width: int = WIDTH
    names: Sequence[str] = ()

    def to_svg(self) -> str:
        """Render it; a page scales it down only as far as its letters have 10 pixels."""
        svg = to_svg(self._form(), **self._locale())
        # A chart is one image for a reader of the page: its parts have no roles of their own.
        svg = re.sub(r' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*")', "", svg)
        # Places are rounded to hundredths of a pixel, labels are left as they are.
        svg = re.sub(r"(\d\.\d\d)\d+(?=[^<>]*>)", r"\1", svg)
        for name in dict.fromkeys(self.names):
            svg = _with_tooltip(svg, printable(name))
        # The page scales the chart: its size is the view box, its natural width a style.
        size = re.search(r' width="([\d.]+)" height="[\d.]+"', svg)
        assert size is not None  # noqa: S101 - the library writes it
        least = math.ceil(float(size[1]) * LEAST_LETTERS / LETTERS)
        return svg.replace(size[0], f' style="width:{size[1]}px;min-width:{least}px"', 1)

    def to_png(self) -> bytes:
        """Render it as PNG."""
        return to_png(self._form(), **self._locale())

    def to_altair(self) -> Any:
        """Return an Altair chart, which notebooks show as an image: without a script or network."""
        chart = with_style(self.chart, self.width)
        # Rows join after the schema check, which would look at every one of them.
        chart.data = alt.InlineData(values=self.rows)
        return as_image(chart, self.speech)

    def _locale(self) -> dict[str, str]:
        return {"format_locale": self.speech.locale, "time_format_locale": self.speech.locale}

    def _form(self) -> dict[str, Any]:
        spec: dict[str, Any] = with_style(self.chart, self.width).to_dict(validate=False)
        # Rows join after the schema check, which would look at every one of them.
        spec["datasets"] = {"rows": self.rows}
        return spec


class _Image:
    """Shows an Altair chart in a notebook as SVG; Altair alone would load scripts from the web."""

    speech = ENGLISH

    def _repr_mimebundle_(self, *_args: object, **_options: object) -> dict[str, str]:
        spec = self.to_dict()  # type: ignore[attr-defined] # of the chart that it is
        locale = self.speech.locale
        return {"image/svg+xml": to_svg(spec, format_locale=locale, time_format_locale=locale)}


def as_image(chart: Any, speech: Translator = ENGLISH) -> Any:
    """Return an Altair chart that shows itself in notebooks as SVG, in a language."""
    kind = type("Chart", (_Image, type(chart)), {"speech": speech, "__doc__": type(chart).__doc__})
    object.__setattr__(chart, "__class__", kind)
    return chart


def _with_tooltip(svg: str, name: str) -> str:
    """Put the whole of a name before its labels that are cut."""
    for last in {lines_of(name)[-1], cut(name, LONGEST_SLANTED)}:
        if last.endswith(CUT):
            ending = re.compile(
                rf"(<text[^>]*>)((?:<tspan[^>]*>[^<]*</tspan>)*(?:<tspan[^>]*>)?{re.escape(escape(last))}<)"
            )
            svg = ending.sub(
                lambda found: f"{found[1]}<title>{escape(name)}</title>{found[2]}", svg
            )
    return svg


def with_style(chart: Any, width: int = WIDTH) -> Any:
    """Return a chart over the data `rows` in the common style."""
    fixed = isinstance(chart.height, int)
    text: Row = {"labelColor": INK, "titleColor": MUTED, "labelFontSize": LETTERS}
    text["titleFontSize"] = LETTERS
    text["titleFontWeight"] = "normal"
    # All at once: each further call would copy the chart.
    return chart.properties(
        width=width,
        autosize=alt.AutoSizeParams(type="fit" if fixed else "fit-x", contains="padding"),
        config=alt.Config(
            font=FONT,
            aria=False,
            background="#ffffff",
            padding={"left": 2, "right": 12, "top": 4, "bottom": 2},
            view=alt.ViewConfig(stroke=None),
            axis=alt.AxisConfig(
                **text,
                labelLineHeight=LINE_HEIGHT,
                gridColor=LINE,
                domainColor=MUTED,
                tickColor=MUTED,
                labelFlush=False,
            ),
            legend=alt.LegendConfig(**text),
            text=alt.MarkConfig(color=INK, fontSize=LETTERS),
        ),
    )


SYMBOL = 26  # pixels of a legend's symbol with its margins
PADDING = 6  # between labels and bars
FEW_TICKS = 6


def label_expression(texts: Sequence[Sequence[str]]) -> str:
    """Write an expression with the lines of entry `datum.value`: equal labels stay apart.

    It floors the value: on maps a label stands in the middle of its step.
    """
    return f"{json.dumps(list(map(list, texts)))}[floor(datum.value)]"


def title_lines(title: str, room: float = WIDTH * 0.7) -> list[str]:
    """Wrap the title of an axis to its length."""
    return lines_of(title, max(8, int(room / LETTER)))


def legend_columns(texts: Sequence[str], room: float) -> int:
    """Return how many entries of a legend fit side by side."""
    return max(1, int(room // (max(map(width_of, texts)) + SYMBOL)))


def fits_upright(labels: Sequence[str], room: float = WIDTH - 60) -> bool:
    """Return whether labels fit side by side below a chart."""
    return len(labels) * (max(map(width_of, labels), default=0) + 4) <= room


def step_of(labels: Sequence[str], least: int) -> alt.Step:
    """Return the height of a bar beside whose label there is room for its lines."""
    lines = max((len(lines_of(label)) for label in labels), default=1)
    return alt.Step(max(least, LINE_HEIGHT * lines + 6))


def room_beside(labels: Sequence[str]) -> float:
    """Return how many pixels labels need beside an axis, in any font."""
    longest = max((width_of(line) for label in labels for line in lines_of(label)), default=0)
    return longest + PADDING + 4


def named_axis(labels: Sequence[str], title: str | None = None) -> alt.Axis:
    """Return the axis beside bars with names, which are wrapped."""
    return alt.Axis(
        title=title,
        labelExpr=label_expression([lines_of(label) for label in labels]),
        labelLimit=0,
        labelPadding=PADDING,
        labelOffset=label_offsets([len(lines_of(label)) for label in labels]),
        minExtent=room_beside(labels),
        ticks=False,
        domainColor=MUTED,
    )


def label_offsets(lines: Sequence[int]) -> dict[str, Any]:
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
        labelExpr=label_expression([[printable(label)] for label in labels]),
        labelLimit=0,
        labelAngle=0,
        labelPadding=4,
        ticks=False,
        domainColor=MUTED,
    )


def room_below(labels: Sequence[str]) -> float:
    """Return how far down slanted labels reach: as far as they reach to the side."""
    return 0.72 * max((width_of(cut(label, LONGEST_SLANTED)) for label in labels), default=0) + 14


def slanted_axis(labels: Sequence[str]) -> alt.Axis:
    """Return the axis below columns with names that do not fit side by side."""
    texts = [cut(label, LONGEST_SLANTED) for label in labels]
    return alt.Axis(
        title=None,
        labelExpr=label_expression([[text] for text in texts]),
        labelLimit=0,
        minExtent=room_below(labels),
        labelAngle=-45,
        labelPadding=4,
        ticks=False,
        domainColor=MUTED,
    )


def counts_axis(counts: Sequence[float], *, upright: bool) -> alt.Axis:
    """Return the axis of counts, in whole numbers."""
    largest = max(counts, default=0.0)
    return alt.Axis(
        tickCount=3,
        values=_few_integers(0, largest),
        format=",d",
        domain=False,
        ticks=False,
        minExtent=width_of(f"{largest:,.0f}") + 8 if upright else 0,
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
