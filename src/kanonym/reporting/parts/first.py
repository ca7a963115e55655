"""The first page: question, answer, and the evidence in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kanonym.reporting.document import (
    Banner,
    Block,
    Bullets,
    Cell,
    Code,
    Colour,
    Paragraph,
    Section,
    Table,
    Tile,
)
from kanonym.reporting.known.attacked import foremost, ranked
from kanonym.reporting.parts.attacks import attacked_table, title_of
from kanonym.reporting.parts.attributes import fate_of, role_of
from kanonym.reporting.parts.privacy import requirements_table, worst_classes
from kanonym.reporting.parts.repeat import seed_of
from kanonym.reporting.wording import ANSWERS

if TYPE_CHECKING:
    from kanonym.language import Speech
    from kanonym.reporting.summary import Summary
    from kanonym.verification import Verdict

MOST_ATTACKS = 4
MOST_REQUIREMENTS = 3
LETTERS = 80
"""From so many letters on, further names are counted only."""
COLOURS: Mapping[Verdict, Colour] = {
    "satisfied": "satisfied",
    "satisfied with warnings": "warned",
    "violated": "failed",
    "nothing required": "nothing",
}
ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")


def verdict(summary: Summary, says: Speech) -> Banner:
    """Say in a few words how the policy came out; green only where nothing warns."""
    found = summary.privacy.verification
    if not summary.size.rows_out:
        return Banner("failed", says.say("verdict.empty"), "")
    key, n = ANSWERS[found.verdict], len(found.models)
    words = says.say(
        "verdict.satisfied.two" if key == "satisfied" and n == 2 else f"verdict.{key}",
        n,
        requirements=n,
    )
    note = says.say(f"verdict.{key}.note")
    if found.verdict == "satisfied with warnings":
        w = len(found.warnings)
        note = says.say("verdict.warned", w, warnings=says.count(w))
    sentences = tuple(one.sentence for one in found.warnings)
    return Banner(COLOURS[found.verdict], words, note, sentences)


def dated(summary: Summary, says: Speech) -> str:
    """Say of what day, which tables, which version and which seed this is."""
    made = summary.origin.provenance
    told = [says.say("made.dated", date=summary.cover.date)]
    if made.source and made.output:
        told.append(says.say("made.tables", output=made.output, source=made.source))
    if "kanonym" in summary.origin.versions:
        told.append(f"kanonym {summary.origin.versions['kanonym']}")
    if summary.cover.author:
        told.append(says.say("made.author", author=summary.cover.author))
    return " · ".join((*told, says.say("made.seed", seed=seed_of(summary, says))))


def tiles(summary: Summary, says: Speech) -> tuple[Tile, ...]:
    """Return the four numbers on top."""
    models = summary.privacy.verification.models
    met = sum(one.satisfied for one in models)
    highest, smallest = summary.privacy.risk.highest, summary.privacy.class_sizes.smallest
    # Persons may be counted rather than records.
    as_sizes = 0 < highest < 1 and round(1 / highest) == smallest
    note = says.say("tile.found.note", records=says.things(smallest, "record"))
    return (
        Tile(
            says.say("tile.released"),
            says.count(summary.size.rows_out),
            says.say("of", part="", whole=says.count(summary.size.rows_in)).strip(),
        ),
        Tile(
            says.say("tile.met"),
            says.count(met) if models else "–",
            says.say("of", part="", whole=says.count(len(models))).strip(),
        ),
        Tile(
            says.say("tile.found"),
            says.say("one-in.short", number=says.count(1 / highest))
            if 0 < highest < 1
            else says.chance(highest),
            note if as_sizes else "",
        ),
        Tile(says.say("tile.lost"), says.tenths(summary.loss.utility["span_loss"])),
    )


def lead(summary: Summary, says: Speech) -> tuple[Paragraph, ...]:
    """Return question and answer, and the words that the page needs."""
    told = [summary.privacy.answer[0]]
    tried = [one for one in ranked(summary.attacks) if one.attempts]
    if tried and summary.size.rows_out:
        most = tried[0]
        told.append(
            says.say(
                "answer.attacked",
                attacks=says.things(len(tried), "attack"),
                title=title_of(most, says),
                rate=says.tenths(most.targets.rate),
                chance=says.tenths(most.chance.rate),
                risk=says.tenths(most.risk),
            )
        )
    elif summary.size.rows_out:
        told.append(
            says.say(
                "answer.found",
                highest=says.chance(summary.privacy.risk.highest),
                blind=says.chance(1 / max(summary.size.rows_in, 1)),
            )
        )
    if summary.size.rows_out and summary.loss.attributes:
        told.append(says.say("answer.lost", share=says.tenths(summary.loss.utility["span_loss"])))
    purpose = summary.cover.purpose
    return (
        *((Paragraph(purpose, lead=says.say("heading.purpose")),) if purpose else ()),
        Paragraph(says.say("question"), lead=says.say("heading.question")),
        Paragraph(" ".join(told), lead=says.say("heading.answer")),
        Paragraph(says.say("class"), "note", lead=says.say("heading.terms")),
    )


def sections(summary: Summary, says: Speech) -> tuple[Section, ...]:
    """Return the evidence: what was released, required, attacked, lost, and how to repeat it."""
    return tuple(
        Section(f"first-{key}", f"{number} · {says.say(f'first.{key}')}", blocks)
        for number, (key, blocks) in enumerate(
            (
                ("released", _released(summary, says)),
                ("required", _required(summary, says)),
                ("intruder", _intruder(summary, says)),
                ("lost", _lost(summary, says)),
                ("repeat", _repeat(summary, says)),
            ),
            1,
        )
    )


def foot(summary: Summary, says: Speech) -> tuple[Paragraph, ...]:
    """Return what the first page does not say."""
    general = [heading for heading, _ in summary.limits if ": " not in heading]
    short = says.say(
        "limits.short",
        headings=", ".join(general),
        section=says.say("section.limits").partition(":")[0],
    )
    return (
        Paragraph(short, "note"),
        Paragraph(says.say("inside.note"), "note", lead=says.say("inside")),
    )


def _released(summary: Summary, says: Speech) -> tuple[Block, ...]:
    made = says.say(
        "first.made",
        records=says.things(summary.size.rows_out, "record"),
        columns=says.things(summary.size.columns_out, "column"),
        source=summary.origin.provenance.source or says.say("first.table"),
        records_in=says.things(summary.size.rows_in, "record"),
        columns_in=says.things(summary.size.columns_in, "column"),
    )
    order = [f"{role}{end}" for role in ROLES for end in ("", ", changed")]
    rows = tuple(
        (role_of(role, says), says.names(names, LETTERS), fate_of(role, summary, says))
        for role in order
        if (names := summary.columns.of_role(role))
    )
    header = (says.say("head.role"), says.say("head.attributes"), says.say("head.fate"))
    return Paragraph(made), Table(header, rows, style="roles")


def _required(summary: Summary, says: Speech) -> tuple[Block, ...]:
    models = summary.privacy.verification.models
    if not models:
        return (Paragraph(says.say("nothing"), "strong"),)
    blocks: tuple[Block, ...] = (requirements_table(summary, says, MOST_REQUIREMENTS),)
    further = len(models) - MOST_REQUIREMENTS
    if further > 0:
        blocks += (_further(further, "privacy", says),)
    worst = worst_classes(summary, says)[:MOST_REQUIREMENTS]
    return (*blocks, *(Paragraph(one, "note") for one in worst))


def _intruder(summary: Summary, says: Speech) -> tuple[Block, ...]:
    tried = [one for one in ranked(summary.attacks) if one.attempts]
    if not summary.size.rows_out:
        return (Paragraph(says.say("answer.empty")),)
    if not tried:
        risk = summary.privacy.risk
        rows = tuple(
            (says.say(f"attacks.sizes.{key}"), says.chance(chance))
            for key, chance in (
                ("most", risk.highest),
                ("mean", risk.average),
                ("blind", 1 / max(summary.size.rows_in, 1)),
            )
        )
        return (
            Paragraph(says.say("attacks.sizes")),
            Table(("", ""), rows, style="plain"),
            Paragraph(says.say("attacks.none"), "note"),
        )
    reading = says.say("attacks.reading", confidence=says.percent(tried[0].confidence))
    further = len(tried) - MOST_ATTACKS
    if further > 0:
        reading += f" {_further(further, 'attacks', says).text}"
    return (
        attacked_table(summary, foremost(tried, MOST_ATTACKS), says),
        Paragraph(reading, "note"),
    )


def _further(number: int, section: str, says: Speech) -> Paragraph:
    """Say where the rest of a table is."""
    named = says.say(f"section.{section}")
    return Paragraph(says.say("further", number=says.count(number), section=named), "note")


def _lost(summary: Summary, says: Speech) -> tuple[Block, ...]:
    dropped = summary.columns.of_role("identifier")
    kept = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    uncounted = [
        says.say(f"price.{key}", names=says.names(names, LETTERS))
        for key, names in (("kept", kept), ("dropped", dropped))
        if names
    ]
    told = list(summary.loss.price)
    if uncounted and summary.loss.attributes:
        told.append(says.say("price.uncounted", names=says.names(uncounted)))
    return (Bullets(tuple(("", one) for one in told)),)


def _repeat(summary: Summary, says: Speech) -> tuple[Block, ...]:
    made = summary.origin.provenance
    release = made.output_hash or made.release_hash
    form = made.output if made.output_hash else says.say("repeat.release-form")
    rows = tuple(
        (says.say(f"repeat.{key}"), name or "", Cell(digest, "code"))
        for key, name, digest in (
            ("input-hash", made.source, made.input_hash),
            ("policy-hash", says.say("repeat.policy-form"), made.policy_hash),
            ("release-hash", form, release),
        )
        if digest
    )
    repeated = "first.repeated" if summary.origin.seed is not None else "first.drawn"
    return (
        Paragraph(says.say(repeated, section=says.say("section.repeat"))),
        Code("\n".join((made.command, *made.checks))),
        Table(("", "", ""), rows, style="hashes"),
    )
