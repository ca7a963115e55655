"""The report as one HTML file: style and charts inside, no script, nothing to fetch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kanonym.data.errors import DataError
from kanonym.kernels.parallel import parallel
from kanonym.language import ENGLISH, Translator, translator
from kanonym.reporting.document import Collapsible, Figure, Gallery, printable
from kanonym.reporting.parts import document_of

if TYPE_CHECKING:
    from kanonym.reporting.document import Block, Document
    from kanonym.reporting.summary import Summary

COMMAND = re.compile(r"`(kanonym [^`]*)`")
"""A command within a sentence."""
MIN_WIDTH = re.compile(r"min-width:(\d+)px")
PHONE = 328
"""Pixels that a phone of 360 has for a chart."""


def render_html(summary: Summary) -> str:
    """Write the report as a complete HTML page."""
    return render_document(document_of(summary))


def render_document(document: Document) -> str:
    """Write a document as a complete HTML page."""
    page = environment(translator(document.language)).get_template("page.html")
    sections = (*document.first, *document.details)
    figures = [one for section in sections for one in _figures_of(section.blocks)]
    known = _charts.set(draw_figures(figures))
    try:
        return printable(page.render(document=document))
    finally:
        _charts.reset(known)


_charts: ContextVar[dict[int, Markup]] = ContextVar("charts")
"""The charts of the page that is written, by the identity of their figures."""


def _figures_of(blocks: Iterable[Block]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Gallery):
            yield from block.figures
        elif isinstance(block, Collapsible):
            yield from _figures_of(block.blocks)


def chart_of(svg: str, alternative: str = "") -> Markup:
    """Mark a chart as text that a template takes as it is, and say what it shows."""
    told = f'<svg role="img" aria-label="{escape(alternative)}" ' if alternative else "<svg "
    return Markup(svg.replace("<svg ", told, 1))  # noqa: S704 - the chart library escapes its text


def is_wide(chart: str) -> bool:
    """Whether a chart is wider than a phone, and so scrolls there.

    >>> is_wide('<svg style="min-width:585px">'), is_wide('<svg style="min-width:308px">')
    (True, False)
    """
    least = MIN_WIDTH.search(chart)
    return least is not None and int(least[1]) > PHONE


def escape_sentence(text: str) -> Markup:
    """Escape a sentence; a command in it, which stands in backticks, is set as code."""
    return Markup(COMMAND.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def draw_figures(figures: Sequence[Figure]) -> dict[int, Markup]:
    """Draw charts for a page, on every core: the chart library leaves the interpreter alone."""
    if not figures:
        return {}
    from altair.utils.schemapi import debug_mode  # noqa: PLC0415 - takes a while to load

    with debug_mode(False):  # noqa: FBT003 - our charts need no check of each part's schema
        return dict(zip(map(id, figures), parallel(_draw_figure, figures), strict=True))


def _chart(figure: Figure) -> Markup:
    """Return a chart of the page that is written, or draw one for a part of a page."""
    drawn = _charts.get({})
    return drawn[id(figure)] if id(figure) in drawn else draw_figures([figure])[id(figure)]


def _draw_figure(figure: Figure) -> Markup:
    try:
        return chart_of(figure.draw(), figure.alternative)
    except DataError as error:
        named = figure.title or figure.alternative
        raise DataError(f"report, chart {printable(named)!r}: {error}") from None


@cache
def environment(says: Translator = ENGLISH) -> Environment:
    """Return the templates, with the words and numbers of a language."""
    environment = Environment(
        loader=PackageLoader("kanonym.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {**says.template_functions(), "drawn": _chart}
    environment.filters |= {
        "count": says.count,
        "percent": says.percent,
        "value": says.value,
        "names": says.names,
        "told": escape_sentence,
        "is_wide": is_wide,
    }
    return environment
