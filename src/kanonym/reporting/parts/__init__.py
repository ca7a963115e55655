"""The parts of a report: each turns a piece of the summary into sections of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.language import translator
from kanonym.reporting.document import Document
from kanonym.reporting.parts import (
    alternatives,
    attacks,
    attributes,
    first_page,
    limits,
    privacy,
    protection,
    repeat,
    risk,
    utility,
)

if TYPE_CHECKING:
    from kanonym.reporting.summary import Summary

__all__ = ["document_of"]


def document_of(summary: Summary) -> Document:
    """Put a report together, in the language of the summary."""
    says = translator(summary.cover.language)
    details = (
        *attributes.sections(summary, says),
        *privacy.sections(summary, says),
        *attacks.sections(summary, says),
        *protection.sections(summary, says),
        *risk.sections(summary, says),
        *utility.sections(summary, says),
        *alternatives.sections(summary, says),
        *limits.sections(summary, says),
        *repeat.sections(summary, says),
    )
    return Document(
        language=says.code,
        title=summary.cover.title,
        verdict=first_page.verdict(summary, says),
        dated=first_page.date_line(summary, says),
        signed=tuple(says.text(key) for key in (_("name"), _("date"), _("signature"))),
        tiles=first_page.tiles(summary, says),
        lead=first_page.lead(summary, says),
        first=first_page.sections(summary, says),
        foot=first_page.foot(summary, says),
        details=details,
        contents=says.text(_("Contents")),
        parts=(
            *first_page.part_banners(
                summary.privacy.verification.parts,
                [
                    (finding.part, finding.sentence)
                    for finding in summary.privacy.verification.findings
                ],
                says,
            ),
            *((attacks.limits_banner(summary, says),) if summary.size.rows_out else ()),
        ),
    )
