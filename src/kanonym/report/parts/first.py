"""The first page: question, answer, and the evidence in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kanonym.report.attacked import foremost, ranked
from kanonym.report.document import Block, Bullets, Cell, Code, Paragraph, Section, Table, Tile
from kanonym.report.parts.attacks import attacked_table, title_of
from kanonym.report.parts.attributes import fate_of, role_of
from kanonym.report.parts.privacy import requirements_table

if TYPE_CHECKING:
    from kanonym.report.language import Speech
    from kanonym.report.summary import Summary

MOST_ATTACKS = 5
MOST_REQUIREMENTS = 3
LETTERS = 80
"""From so many letters on, further names are counted only."""
HASH_SHOWN = 16
ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")


def verdict(summary: Summary, says: Speech) -> tuple[Literal["satisfied", "failed"], str, str]:
    """Say in a few words how the policy came out."""
    if not summary.rows_out:
        return "failed", says.say("verdict.empty"), ""
    key = {True: "satisfied", False: "failed", None: "none"}[summary.satisfied]
    tone: Literal["satisfied", "failed"] = "satisfied" if summary.satisfied else "failed"
    return tone, says.say(f"verdict.{key}"), says.say(f"verdict.{key}.note")


def tiles(summary: Summary, says: Speech) -> tuple[Tile, ...]:
    """Return the four numbers on top."""
    met = sum(one.satisfied for one in summary.requirements)
    return (
        Tile(
            says.say("tile.released"),
            says.count(summary.rows_out),
            says.say("of", part="", whole=says.count(summary.rows_in)).strip(),
        ),
        Tile(
            says.say("tile.met"),
            says.count(met) if summary.requirements else "–",
            says.say("of", part="", whole=says.count(len(summary.requirements))).strip(),
        ),
        Tile(says.say("tile.found"), says.percent(summary.risk["prosecutor"]["highest"])),
        Tile(says.say("tile.lost"), says.percent(summary.utility["gcp"])),
    )


def lead(summary: Summary, says: Speech) -> tuple[Paragraph, ...]:
    """Return question and answer."""
    told = [summary.answer[0]]
    tried = [one for one in ranked(summary.attacks) if one.attempts]
    if tried and summary.rows_out:
        most = tried[0]
        told.append(
            says.say(
                "answer.attacked",
                attacks=says.things(len(tried), "attack"),
                title=title_of(most, says),
                rate=says.finely(most.rate),
                chance=says.finely(most.chance),
            )
        )
    elif summary.rows_out:
        told.append(
            says.say(
                "answer.found",
                highest=says.chance(summary.risk["prosecutor"]["highest"]),
                blind=says.chance(1 / max(summary.rows_in, 1)),
            )
        )
    if summary.rows_out and summary.attributes:
        told.append(says.say("answer.lost", gcp=says.percent(summary.utility["gcp"])))
    return (
        Paragraph(says.say("question"), lead=says.say("heading.question")),
        Paragraph(" ".join(told), lead=says.say("heading.answer")),
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
        records=says.things(summary.rows_out, "record"),
        columns=says.things(summary.columns_out, "column"),
        source=summary.provenance.source or says.say("first.table"),
        records_in=says.things(summary.rows_in, "record"),
        columns_in=says.things(summary.columns_in, "column"),
    )
    order = [f"{role}{end}" for role in ROLES for end in ("", ", changed")]
    rows = tuple(
        (role_of(role, says), says.names(names, LETTERS), fate_of(role, summary, says))
        for role in order
        if (names := summary.named(role))
    )
    header = (says.say("head.role"), says.say("head.attributes"), says.say("head.fate"))
    return Paragraph(made), Table(header, rows, style="roles")


def _required(summary: Summary, says: Speech) -> tuple[Block, ...]:
    note = Paragraph(says.say("class"), "note")
    if not summary.requirements:
        return Paragraph(says.say("nothing"), "strong"), note
    blocks: tuple[Block, ...] = (requirements_table(summary, says, MOST_REQUIREMENTS),)
    further = len(summary.requirements) - MOST_REQUIREMENTS
    if further > 0:
        blocks += (_further(further, "privacy", says),)
    return *blocks, note


def _intruder(summary: Summary, says: Speech) -> tuple[Block, ...]:
    tried = [one for one in ranked(summary.attacks) if one.attempts]
    if not summary.rows_out:
        return (Paragraph(says.say("answer.empty")),)
    if not tried:
        risk = summary.risk["prosecutor"]
        rows = tuple(
            (says.say(f"attacks.sizes.{key}"), says.chance(chance))
            for key, chance in (
                ("most", risk["highest"]),
                ("mean", risk["average"]),
                ("blind", 1 / max(summary.rows_in, 1)),
            )
        )
        return (
            Paragraph(says.say("attacks.sizes")),
            Table(("", ""), rows, style="plain"),
            Paragraph(says.say("attacks.none"), "note"),
        )
    blocks: list[Block] = [attacked_table(foremost(tried, MOST_ATTACKS), says)]
    further = len(tried) - MOST_ATTACKS
    if further > 0:
        blocks.append(_further(further, "attacks", says))
    return tuple(blocks)


def _further(number: int, section: str, says: Speech) -> Paragraph:
    """Say where the rest of a table is."""
    named = says.say(f"section.{section}")
    return Paragraph(says.say("further", number=says.count(number), section=named), "note")


def _lost(summary: Summary, says: Speech) -> tuple[Block, ...]:
    dropped = summary.named("identifier")
    gone = (says.say("price.identifiers", names=says.names(dropped, LETTERS)),) if dropped else ()
    return (Bullets(tuple(("", one) for one in (*summary.price, *gone))),)


def _repeat(summary: Summary, says: Speech) -> tuple[Block, ...]:
    made = summary.provenance
    rows: list[tuple[str | Cell, ...]] = [(says.say("repeat.seed"), str(summary.seed))]
    if "kanonym" in summary.versions:
        rows.append((says.say("repeat.versions"), f"kanonym {summary.versions['kanonym']}"))
    rows += [
        (says.say(f"repeat.{key}"), Cell(f"{digest[:HASH_SHOWN]}…", "code"))
        for key, digest in (
            ("input-hash", made.input_hash),
            ("policy-hash", made.policy_hash),
            ("release-hash", made.release_hash),
        )
        if digest
    ]
    return (
        Paragraph(says.say("first.repeated")),
        Code(made.command),
        Table(("", ""), tuple(rows), style="plain"),
        Paragraph(says.say("first.printed", section=says.say("section.repeat")), "note"),
    )
