"""The parts of a report: each turns a piece of the summary into sections of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.language import speech
from kanonym.reporting.document import Document
from kanonym.reporting.parts import (
    alternatives,
    attacks,
    attributes,
    first,
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
    says = speech(summary.cover.language)
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
        verdict=first.verdict(summary, says),
        dated=first.dated(summary, says),
        signed=tuple(says.say(f"signed.{key}") for key in ("name", "date", "signature")),
        tiles=first.tiles(summary, says),
        lead=first.lead(summary, says),
        first=first.sections(summary, says),
        foot=first.foot(summary, says),
        details=details,
        contents=says.say("contents"),
    )
