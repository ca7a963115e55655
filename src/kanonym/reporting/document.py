"""The document that renderers take: sections, tables and rounded numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from kanonym.metrics.certainty import Coverage
    from kanonym.metrics.release_loss import InformationLoss


INSTEAD = "\N{REPLACEMENT CHARACTER}"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    r"""Replace the characters that XML 1.0 forbids by U+FFFD.

    Examples
    --------
    >>> printable("a\x00b") == "a\ufffdb"
    True

    """
    return _FORBIDDEN.sub(INSTEAD, text)


FINEST = 0.001
"""Finest step of a share: a report shows tenths of a percent."""
_STEPS = (1, 2, 5)


def round_count(number: float, base: int) -> int:
    """Round a number of records to a multiple of `base`, halves up."""
    return base * math.floor(number / base + 0.5)


def step_of_shares(rows: int, floor: int) -> float:
    """Return the step to which shares are rounded: `floor` persons, as 1, 2 or 5 times 10^-n.

    At least 0.001: a report shows tenths of a percent.
    """
    least = max(floor / max(rows, 1), FINEST)
    power = math.floor(math.log10(least))
    steps = (digit * 10.0**exponent for exponent in (power, power + 1) for digit in _STEPS)
    return min(next(round(step, 9) for step in steps if step >= least * (1 - 1e-9)), 0.5)


def round_share(share: float, step: float = FINEST) -> float:
    """Round a share to a multiple of `step`."""
    return round(round(share / step) * step, 9) if math.isfinite(share) else share


def round_amount(amount: float, step: float) -> float:
    """Round a number to as many digits as shares have with `step`, one to three."""
    if not amount or not math.isfinite(amount):
        return amount
    digits = max(1, min(3, math.floor(-math.log10(step) + 1e-9)))
    return float(f"{amount:.{digits}g}")


def coarse_amount(amount: float | None, step: float) -> float | None:
    """Round a number that may be missing, as `round_amount` does."""
    return None if amount is None else round_amount(amount, step)


def coarse_utility(utility: InformationLoss, step: float) -> dict[str, Any]:
    """Return the losses in tenths of a percent, and errors in few digits."""
    form = dict(utility.to_dict())
    for name in ("span_loss", "gcp", "loss", "loss_arithmetic"):
        if form.get(name) is not None:
            form[name] = round_share(form[name])
    covered = coarse_coverage(utility, step)
    form["coverage"] = {name: coverage.to_dict() for name, coverage in covered.items()}
    form["ncp"] = {name: round_share(loss) for name, loss in form["ncp"].items()}
    form["rmse"] = {name: round_amount(error, step) for name, error in form["rmse"].items()}
    return form


def coarse_coverage(utility: InformationLoss, step: float) -> dict[str, Coverage]:
    """Return what labels cover: shares in tenths of a percent, numbers in few digits."""
    return {
        name: replace(
            coverage,
            loss=round_share(coverage.loss),
            span=round_share(coverage.span),
            listed=round_share(coverage.listed),
            values=round_amount(coverage.values, step),
        )
        for name, coverage in utility.coverage.items()
    }


def coarse_account(algorithm: Mapping[str, Any], floor: int) -> dict[str, Any]:
    """Return what the algorithm tells, with numbers of suppressed cells rounded."""
    account = dict(algorithm)
    if "cells" in account:
        account["cells"] = {name: round_count(n, floor) for name, n in account["cells"].items()}
        account["suppressed_cells"] = round_count(account["suppressed_cells"], floor)
        for name in ("lower_bound", "gap"):
            if name in account:
                account[name] = round_count(account[name], floor)
    return account


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
