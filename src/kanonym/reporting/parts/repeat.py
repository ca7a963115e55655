"""How to repeat and check a release."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.reporting.document import Cell, Code, Paragraph, Section, Table, Text
from kanonym.reporting.known.provenance import PRINTED, Provenance

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary


def seed_of(summary: Summary, says: Translator) -> str:
    """Return the policy's seed, or the words for one that was drawn and is kept nowhere."""
    return (
        says.text(_("random, not stored"))
        if summary.origin.seed is None
        else str(summary.origin.seed)
    )


def sentence_on_checks(made: Provenance, says: Translator) -> str:
    """Return what the commands after the first one do."""
    verifies = any(check.startswith("kanonym verify") for check in made.checks)
    return says.text(
        _(
            "`kanonym verify` checks a released file by itself, whatever tool made it; `kanonym "
            "attack` attacks it."
        )
        if verifies
        else _(
            "`kanonym attack` attacks a released file. `kanonym verify` cannot check this one: "
            "persons were counted by an identifier that it no longer has, and no manifest of a "
            "file has their number."
        )
    )


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the last section: command, algorithm, seed, versions, SHA-256, policy."""
    origin = summary.origin
    made = origin.provenance
    rows: list[tuple[Text, ...]] = [
        (says.text(_("date of this report")), summary.cover.date),
        (says.text(_("algorithm")), says.pairs(origin.algorithm)),
        (says.text(_("seed")), seed_of(summary, says)),
        (says.text(_("versions")), says.pairs(origin.versions)),
        (says.text(_("seconds")), says.durations(origin.seconds)),
    ]
    rows += [
        (says.text(key), text)
        for key, text in ((_("input"), made.source), (_("output"), made.output))
        if text
    ]
    rows += [
        (says.text(key), Cell(digest, "code"))
        for key, digest in (
            (_("SHA-256 of the input"), made.input_hash),
            (_("SHA-256 of the output"), made.output_hash),
            (_("SHA-256 of the release"), made.release_hash),
            (_("SHA-256 of the policy"), made.policy_hash),
        )
        if digest
    ]
    policy = json.dumps(origin.policy, ensure_ascii=False, indent=2)
    listing = says.text(
        _(
            "Values listed in hierarchies and actions are replaced by their SHA-256, because they "
            "may come from the table."
        )
    )
    if made.policy_printed:
        save = says.text(_("To run the commands with {file}, save this as {file}."), file=PRINTED)
        listing = f"{save} {listing}"
    blocks = (
        Paragraph(
            says.text(
                _(
                    "Run the first command on the same input. The release, written as CSV, has the "
                    "SHA-256 below; that of the policy is of its JSON form with sorted keys. "
                    "{checks}"
                )
                if origin.repeatable
                else _(
                    "A seed was drawn and is kept nowhere: the first command gives a release of "
                    "the same kind; its classes, the order of its rows and random values may "
                    "differ. The SHA-256 below is that of this release, written as CSV; that of "
                    "the policy is of its JSON form with sorted keys. {checks}"
                ),
                checks=sentence_on_checks(made, says),
            )
        ),
        Code("\n".join((made.command, *made.checks))),
        Table(("", ""), tuple(rows), style="plain"),
        Paragraph(listing, "note", lead=says.text(_("Policy."))),
        Code(policy, "json"),
    )
    return (Section("repeat", says.text(_("How to reproduce it")), blocks),)
