"""What a report consists of, in whatever form it is written: sections of a few kinds of blocks.

The page and the Markdown are written from the same document, so they say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

Tone = Literal["", "met", "unmet", "note", "code", "strong"]
Colour = Literal["satisfied", "warned", "failed", "nothing"]
"""Of the banner: green, amber, red, grey."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table, or of a list, that is not plain."""

    text: str
    tone: Tone = ""
    note: str = ""
    language: str = ""
    note_language: str = ""


Text = str | Cell


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; `lead` stands before them in bold."""

    kind: ClassVar[str] = "paragraph"
    text: str
    tone: Tone = ""
    lead: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list: `(lead, text)` each, the lead in bold or empty."""

    kind: ClassVar[str] = "bullets"
    items: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `numeric` are the columns of numbers, counted from 0; `style` a class of CSS."""

    kind: ClassVar[str] = "table"
    header: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    numeric: frozenset[int] = frozenset()
    style: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its text alternative, and the numbers that it shows."""

    kind: ClassVar[str] = "figure"
    title: str
    alternative: str
    draw: Callable[[], str] = field(compare=False)
    caption: str = ""
    numbers: Table | None = None


@dataclass(frozen=True, slots=True)
class Gallery:
    """Charts side by side where there is room; `key` explains their colours: (class, text)."""

    kind: ClassVar[str] = "gallery"
    figures: tuple[Figure, ...]
    key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Collapsible:
    """Blocks that a reader unfolds; not printed unless they are open."""

    kind: ClassVar[str] = "folded"
    title: str
    blocks: tuple[Block, ...]
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Text to be copied as it is."""

    kind: ClassVar[str] = "code"
    text: str
    syntax: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A source that a reader may look up."""

    kind: ClassVar[str] = "link"
    text: str
    address: str


Block = Paragraph | Bullets | Table | Figure | Gallery | Collapsible | Code | Heading | Link


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under a heading; `anchor` is its name within the page."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """One number at the top of the page."""

    label: str
    number: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Banner:
    """How the policy came out, in a few words; `warnings` are sentences."""

    colour: Colour
    words: str
    note: str
    warnings: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        """A sign for those who do not see colours."""
        return {"satisfied": "✓", "warned": "!", "failed": "✗", "nothing": "–"}[self.colour]


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    language: str
    title: str
    verdict: Banner
    dated: str
    signed: tuple[str, ...]
    tiles: tuple[Tile, ...]
    lead: tuple[Paragraph, ...]
    first: tuple[Section, ...]
    foot: tuple[Paragraph, ...]
    details: tuple[Section, ...]
    contents: str
    parts: tuple[Banner, ...] = ()
