"""The sections of the report as parts of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from kanonym.language import translator
from kanonym.reporting import Cover, KnownResults, summarize
from kanonym.reporting.document import Block, Table, printable
from kanonym.reporting.parts import document_of
from kanonym.reporting.rendering.html import environment
from kanonym.workbench.work.facts import ReportPart

if TYPE_CHECKING:
    from kanonym.release import Release

_SIZE = re.compile(r' style="width:([\d.]+)px;min-width:\d+px"')
LEFT_OUT = ("repeat", "limits", "maps")
"""Sections that other pages have, or that the report alone needs."""
TILE = "tile"
"""The parts that are figures on top: the highest chance, and what was lost."""
VERDICTS = "verdicts"
"""The part that stands above the sections: verdicts beside that on the requirements."""


def parts_of(
    release: Release, known: KnownResults | None, language: str, step: Callable[[str], None]
) -> tuple[ReportPart, ...]:
    """Return verdicts and sections of the report on a release, charts drawn.

    A page of the workbench allows no style within it: the size of a chart becomes an attribute.
    """
    step("report")
    cover = Cover.of(None, "", "", language)
    document = document_of(summarize(release, cover, known or KnownResults()))
    blocks = environment(translator(language)).get_template("blocks.html").make_module()
    verdicts = "".join(map(str, map(blocks.banner, document.parts)))  # type: ignore[attr-defined]
    parts = [ReportPart(VERDICTS, "", printable(verdicts))]
    parts += [ReportPart(TILE, one.label, one.number, one.note) for one in document.tiles[2:]]
    for section in document.details:
        if section.anchor in LEFT_OUT:
            continue
        shown = [one for one in section.blocks if not _is_compared(section.anchor, one)]
        html = "".join(str(blocks.block(block)) for block in shown)  # type: ignore[attr-defined]
        html = _SIZE.sub(r' width="\1"', printable(html))
        parts.append(ReportPart(section.anchor, section.title, html))
    return tuple(parts)


def _is_compared(anchor: str, block: Block) -> bool:
    """Whether a page shows a block beside the same of the table: the figures of risk."""
    return anchor == "risk" and isinstance(block, Table) and block.style == "measures"
