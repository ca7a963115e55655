"""The report as Markdown and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kanonym.reporting.document import (
    Banner,
    Block,
    Bullets,
    Code,
    Collapsible,
    Document,
    Figure,
    Gallery,
    Heading,
    Link,
    Paragraph,
    Section,
    Table,
    Text,
    printable,
)
from kanonym.reporting.parts import document_of

if TYPE_CHECKING:
    from kanonym.reporting.summary import Summary

COMMAND = re.compile(r"`(kanonym [^`]*)`")
"""A command within a sentence."""
_SPECIAL = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\`*_[]|~#"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def render_json(summary: Summary) -> str:
    """Write a summary as one JSON object, a line for each part; infinite numbers are null."""
    parts = (
        f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False, allow_nan=False)}"
        for name, part in summary.to_dict().items()
    )
    return printable("{\n" + ",\n".join(parts) + "\n}\n")


def render_markdown(summary: Summary) -> str:
    """Write a summary as Markdown with tables; names and values are escaped.

    Charts are told by their text alternatives, and their numbers stand in tables.
    """
    return render_markdown_document(document_of(summary))


def render_markdown_document(document: Document) -> str:
    """Write a document as Markdown."""
    tiles = [f"{one.label}: {one.number} {one.note}".strip() for one in document.tiles]
    parts = [
        f"# {_text(document.title)}",
        _text(document.dated),
        *(part for banner in (document.verdict, *document.parts) for part in _banner(banner)),
        *(part for paragraph in document.lead for part in _blocks(paragraph)),
        "\n".join(f"- {_text(tile)}" for tile in tiles),
        *(part for section in document.first for part in _section(section)),
        *(part for paragraph in document.foot for part in _blocks(paragraph)),
        *(part for section in document.details for part in _section(section)),
    ]
    written = "\n\n".join(part for part in parts if part) + "\n"
    return printable(written)


def _banner(banner: Banner) -> Iterator[str]:
    yield f"**{_text(banner.words)}.** {_text(banner.note)}".strip()
    yield "\n".join(f"- {_text(warning)}" for warning in banner.warnings)


def _section(section: Section) -> Iterator[str]:
    yield f"## {_text(section.title)}"
    for block in section.blocks:
        yield from _blocks(block)


def _blocks(block: Block) -> Iterator[str]:
    """Write a block as paragraphs of Markdown."""
    match block:
        case Paragraph(text=text, lead=lead):
            yield f"**{_text(lead)}** {_text(text)}" if lead else _text(text)
        case Bullets(items=items):
            yield "\n".join(f"- {_item(lead, text)}" for lead, text in items)
        case Table(header=header, rows=rows):
            yield _table(header, rows)
        case Figure():
            yield from _figure(block)
        case Gallery(figures=figures):
            for figure in figures:
                yield from _figure(figure)
        case Collapsible(title=title, blocks=blocks):
            yield f"**{_text(title)}**"
            for inner in blocks:
                yield from _blocks(inner)
        case Code(text=text, syntax=syntax):
            safe = text.replace("`", "\\u0060" if syntax == "json" else "'")
            yield f"```{syntax}\n{safe}\n```"
        case Heading(text=text):
            yield f"### {_text(text)}"
        case Link(text=text, address=address):
            yield f"[{_text(text)}]({address})"


def _figure(figure: Figure) -> Iterator[str]:
    if figure.title:
        yield f"#### {_text(figure.title)}"
    yield _text(f"{figure.alternative} {figure.caption}".strip())
    if figure.numbers is not None:
        yield from _blocks(figure.numbers)


def _item(lead: str, text: Text) -> str:
    return f"**{_text(lead)}.** {_words(text)}" if lead else _words(text)


def _words(text: Text) -> str:
    """Write the text of a cell, its note in brackets."""
    if isinstance(text, str):
        return _text(text)
    lines = "; ".join(text.text.splitlines())
    return _text(f"{lines} ({text.note})" if text.note else lines)


def _text(text: str) -> str:
    """Escape what Markdown or HTML would read as markup."""
    parts = COMMAND.split(" ".join(text.split()))
    return "".join(
        f"`{part}`" if i % 2 else part.translate(_SPECIAL) for i, part in enumerate(parts)
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[Text]]) -> str:
    lines = [
        [_text(name) for name in header],
        ["---"] * len(header),
        *([_words(cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
