"""How to repeat and check a release."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kanonym.reporting.document import Cell, Code, Paragraph, Section, Table, Text
from kanonym.reporting.known.provenance import PRINTED, Provenance

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary


def seed_of(summary: Summary, says: Translator) -> str:
    """Return the policy's seed, or the words for one that was drawn and is kept nowhere."""
    return says.text("seed.drawn") if summary.origin.seed is None else str(summary.origin.seed)


def sentence_on_checks(made: Provenance, says: Translator) -> str:
    """Return what the commands after the first one do."""
    verifies = any(check.startswith("kanonym verify") for check in made.checks)
    return says.text("repeat.checks" if verifies else "repeat.unchecked")


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the last section: command, algorithm, seed, versions, SHA-256, policy."""
    origin = summary.origin
    made = origin.provenance
    rows: list[tuple[Text, ...]] = [
        (says.text("repeat.date"), summary.cover.date),
        (says.text("repeat.algorithm"), says.pairs(origin.algorithm)),
        (says.text("repeat.seed"), seed_of(summary, says)),
        (says.text("repeat.versions"), says.pairs(origin.versions)),
        (says.text("repeat.seconds"), says.durations(origin.seconds)),
    ]
    rows += [
        (says.text(f"repeat.{key}"), text)
        for key, text in (("input", made.source), ("output", made.output))
        if text
    ]
    rows += [
        (says.text(f"repeat.{key}"), Cell(digest, "code"))
        for key, digest in (
            ("input-hash", made.input_hash),
            ("output-hash", made.output_hash),
            ("release-hash", made.release_hash),
            ("policy-hash", made.policy_hash),
        )
        if digest
    ]
    policy = json.dumps(origin.policy, ensure_ascii=False, indent=2)
    listing = says.text("repeat.listing")
    if made.policy_printed:
        listing = f"{says.text('repeat.save', file=PRINTED)} {listing}"
    blocks = (
        Paragraph(
            says.text(
                "repeat.sentence" if origin.repeatable else "repeat.drawn",
                checks=sentence_on_checks(made, says),
            )
        ),
        Code("\n".join((made.command, *made.checks))),
        Table(("", ""), tuple(rows), style="plain"),
        Paragraph(listing, "note", lead=says.text("repeat.policy")),
        Code(policy, "json"),
    )
    return (Section("repeat", says.text("section.repeat"), blocks),)
