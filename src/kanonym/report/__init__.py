"""The report on a release: plain data first, then HTML, Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from kanonym.data.errors import DataError
from kanonym.report.markdown import render_json, render_markdown
from kanonym.report.summary import Summary, summarize

__all__ = ["Format", "Summary", "format_of", "render", "summarize"]

Format = Literal["html", "markdown", "json"]

_EXTENSIONS: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
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
            f"{path}: a report is written as .html, .md or .json, not as {extension or 'no type'!r}"
        )
    return _EXTENSIONS[extension]


def render(summary: Summary, format: Format = "html") -> str:  # noqa: A002
    """Write a report.

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
        from kanonym.report.html import render_html  # noqa: PLC0415

        return render_html(summary)
    return render_markdown(summary) if format == "markdown" else render_json(summary)
