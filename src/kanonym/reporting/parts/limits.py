"""What the release does not protect against, and how far each claim reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.reporting.document import Bullets, Cell, Section

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on limits."""
    items = tuple(
        # What actions say of themselves is English.
        (heading, Cell(text, language="en") if says.code != "en" and ": " in heading else text)
        for heading, text in summary.limits
    )
    return (
        Section(
            "limits", says.text(_("Limits: what this does not protect against")), (Bullets(items),)
        ),
    )
