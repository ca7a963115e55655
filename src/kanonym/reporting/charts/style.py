"""The style that all charts share, and their way to SVG.

The charts are quiet: dark text on white, one blue whose lightness carries the meaning
(colour-blind readers and grey printers see the same), no frame, few grid lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

import altair as alt

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


def svg_of(
    chart: Any,
    rows: list[Row],
    width: int = WIDTH,
    *,
    speech: Translator = ENGLISH,
    names: Sequence[str] = (),
) -> str:
    """Render a chart over `rows` with the common style; `names` in it that are cut get a tooltip.

    A page scales it down only as far as its letters have 10 pixels.
    """
    svg = to_svg(
        vega_lite_form(chart, rows, width),
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


def png_of(
    chart: Any, rows: list[Row], width: int = WIDTH, *, speech: Translator = ENGLISH
) -> bytes:
    """Render a chart over `rows` as PNG."""
    return to_png(
        vega_lite_form(chart, rows, width),
        format_locale=speech.locale,
        time_format_locale=speech.locale,
    )


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


def vega_lite_form(chart: Any, rows: list[Row], width: int = WIDTH) -> dict[str, Any]:
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
