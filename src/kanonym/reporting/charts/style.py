"""The style that all charts share, and their way to SVG.

The charts are quiet: dark text on white, one blue whose lightness carries the meaning
(colour-blind readers and grey printers see the same), no frame, few grid lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import altair as alt

from kanonym.data.results.short_repr import ShortRepr
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.charts.labels import CUT, cut, lines_of
from kanonym.reporting.charts.renderer import to_png, to_svg
from kanonym.reporting.printable import printable

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
    for last in {lines_of(name)[-1], cut(name)}:
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
