"""The report on a release, and the chart of a lattice: plain data first, then its forms."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from kanonym.data.errors import DataError
from kanonym.report.known.choice import Choice, Neighbour, choice_of
from kanonym.report.known.frontier import Frontier, frontier_of
from kanonym.report.known.provenance import Provenance, without_values
from kanonym.report.rendering.markdown import render_json, render_markdown
from kanonym.report.summarizing import summarize
from kanonym.report.summary import Summary

__all__ = [
    "ChartFormat",
    "Choice",
    "Format",
    "Frontier",
    "Neighbour",
    "Provenance",
    "Summary",
    "TextFormat",
    "chart_format",
    "choice_of",
    "encode",
    "format_of",
    "frontier_of",
    "render",
    "render_frontier",
    "summarize",
    "without_values",
]

TextFormat = Literal["html", "markdown", "json"]
Format = TextFormat | Literal["pdf"]
ChartFormat = Literal["html", "svg", "png"]

_EXTENSIONS: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".pdf": "pdf",
}
_CHARTS: dict[str, ChartFormat] = {
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".png": "png",
}


def format_of(path: str | Path) -> Format:
    """Return the format that a file's extension names.

    Raises
    ------
    DataError
        No format has this extension.

    Examples
    --------
    >>> format_of("report.html"), format_of("REPORT.MD")
    ('html', 'markdown')

    """
    extension = Path(path).suffix.lower()
    if extension not in _EXTENSIONS:
        raise DataError(
            f"{path}: a report is written as .html, .pdf, .md or .json, "
            f"not as {extension or 'no type'!r}"
        )
    return _EXTENSIONS[extension]


def render(summary: Summary, format: TextFormat = "html") -> str:  # noqa: A002
    """Write a report as text.

    Parameters
    ----------
    summary
        What to say, from `summarize`.
    format
        `html` (one file with everything inside), `markdown` or `json`.

    Notes
    -----
    Charts are drawn for HTML only: about 40 ms each, after a second for the chart library.

    """
    if format == "html":
        # The chart library takes half a second to load; anonymize alone does without it.
        from kanonym.report.rendering.html import render_html  # noqa: PLC0415

        return render_html(summary)
    return render_markdown(summary) if format == "markdown" else render_json(summary)


def encode(summary: Summary, format: Format = "html") -> bytes:  # noqa: A002
    """Write a report as the bytes of a file; text is UTF-8.

    Parameters
    ----------
    summary
        What to say, from `summarize`.
    format
        As `render` has them, or `pdf`: the page, printed by a browser.

    Raises
    ------
    DataError
        `pdf`: no browser is installed, or it printed nothing.

    """
    if format == "pdf":
        from kanonym.report.rendering.pdf import browser, print_pdf  # noqa: PLC0415

        browser()  # before charts are drawn, not after
        return print_pdf(render(summary))
    return render(summary, format).encode()


def chart_format(path: str | Path) -> ChartFormat:
    """Return the format of a chart that a file's extension names.

    Raises
    ------
    DataError
        No format has this extension.

    """
    extension = Path(path).suffix.lower()
    if extension not in _CHARTS:
        raise DataError(
            f"{path}: a chart is written as .html, .svg or .png, not as {extension or 'no type'!r}"
        )
    return _CHARTS[extension]


def render_frontier(frontier: Frontier, format: ChartFormat = "html") -> bytes:  # noqa: A002
    """Draw the nodes of a lattice by privacy and loss.

    Parameters
    ----------
    frontier
        The nodes, from `frontier_of`.
    format
        `html` (one page with everything inside, and the front as a table), `svg` or `png`.

    Returns
    -------
    bytes
        The file.

    """
    from kanonym.report.charts.frontier import draw  # noqa: PLC0415 - as above

    return draw(frontier, format)
