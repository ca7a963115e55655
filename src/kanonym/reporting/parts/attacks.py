"""What attacks achieved, against baseline and control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.reporting.document import (
    Block,
    Cell,
    Collapsible,
    Figure,
    Paragraph,
    Section,
    Table,
    Text,
)
from kanonym.reporting.known.attack_parts import Part, part_of
from kanonym.reporting.known.attacks import guessed_column, rank_attacks

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary

MOST_PARTS = 40


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on attacks."""
    title = says.text("section.attacks")
    if not summary.attacks:
        return ()
    tried = [one for one in rank_attacks(summary.attacks) if one.attempts]
    blocks: list[Block] = [Paragraph(says.text("attacks.intro"))]
    if tried:
        blocks.append(_chart(tried, says))
    blocks.append(_details(rank_attacks(summary.attacks), says))
    confidence = says.percent(summary.attacks[0].confidence)
    blocks.append(Paragraph(says.text("attacks.note", confidence=confidence), "note"))
    blocks += _parts(summary, says)
    return (Section("attacks", title, tuple(blocks)),)


def title_of(one: AttackResult, says: Translator) -> str:
    """Name an attack."""
    return says.text_or(f"attack.{one.type}", one.type)


def question_of(one: AttackResult, says: Translator, column: str | None = None) -> str:
    """Say in few words what an intruder wants to know; `column` is the one in question."""
    key = f"attack.{one.type}.question"
    if column is not None and f"{key}.of" in says.sentences:
        return says.text(f"{key}.of", name=column)
    return says.text_or(key, one.question)


def attack_sentence(one: AttackResult, says: Translator) -> str:
    """Say what an intruder knows, and what came out in a hundred attempts; may be empty."""
    key = f"attack.{one.type}.told"
    if key not in says.sentences:
        return ""
    return says.text(
        key, right=says.per_hundred(one.targets.rate), chance=says.per_hundred(one.chance.rate)
    )


def attack_table(summary: Summary, attacks: Sequence[AttackResult], says: Translator) -> Table:
    """Return what each attack wants, how often it was right or is by chance, and its gain."""
    hidden = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    header = tuple(says.text(f"head.{key}") for key in ("wants", "right", "chance", "gain"))
    rows = tuple(
        (
            Cell(
                f"{title_of(one, says)}: {question_of(one, says, guessed_column(one, hidden))}",
                note=_note(attack_sentence(one, says), one, says),
            ),
            Cell(
                says.tenths(one.targets.rate),
                note=says.text("attacks.tried", attempts=says.count(one.attempts)),
            ),
            says.tenths(one.chance.rate),
            _gain(one, says),
        )
        for one in attacks
    )
    return Table(header, rows, frozenset({1, 2, 3}), "attacks")


def _chart(tried: Sequence[AttackResult], says: Translator) -> Figure:
    titles = [title_of(one, says) for one in tried]
    most = tried[0]

    def draw() -> str:
        from kanonym.reporting.charts.attacks import attacks_chart  # noqa: PLC0415 - half a second

        return attacks_chart(tried, titles, says).to_svg()

    alternative = says.text(
        "alt.attacks",
        attacks=says.plural(len(tried), "attack"),
        title=title_of(most, says),
        rate=says.tenths(most.targets.rate),
        chance=says.tenths(most.chance.rate),
    )
    return Figure("", alternative, draw)


def _details(attacks: Sequence[AttackResult], says: Translator) -> Table:
    header = tuple(
        says.text(f"head.{key}")
        for key in ("attack", "attempts", "right", "baseline", "control", "gain")
    )
    return Table(
        header, tuple(_row(one, says) for one in attacks), frozenset({1, 2, 3, 4, 5}), "attacks"
    )


def _row(one: AttackResult, says: Translator) -> tuple[Text, ...]:
    title = title_of(one, says)
    if not one.attempts:
        untried = says.text("attacks.untried", title=title)
        why = Cell(untried, note=says.translate(one.reason or ""))
        return why, "0", "–", "–", "–", "–"
    asked = one.question if says.code == "en" and one.question else question_of(one, says)
    low, high = one.targets.interval(one.confidence)
    return (
        Cell(title, note=_note(asked, one, says)),
        says.count(one.attempts),
        Cell(says.tenths(one.targets.rate), note=interval(low, high, says)),
        says.tenths(one.baseline.rate),
        says.tenths(one.control.rate) if one.control and one.control.attempts else "–",
        _gain(one, says),
    )


def _gain(one: AttackResult, says: Translator) -> Cell:
    return Cell(says.tenths(one.risk), note=interval(*one.interval, says))


def _note(told: str, one: AttackResult, says: Translator) -> str:
    """Return what stands below an attack's name, and what keeps its gain from being told."""
    hidden = says.text(f"attacks.hidden.{one.hidden_by}") if one.hidden_by else ""
    return " ".join(filter(None, (told, hidden)))


def interval(low: float, high: float, says: Translator) -> str:
    """Write both ends of an interval of shares."""
    return says.text("interval", low=says.tenths(low), high=says.tenths(high))


def _part(part: Part, value: float, says: Translator) -> tuple[str, str, str]:
    """Return what a detail is, its value, and its unit."""
    subject = says.text_or(f"mode.{part.subject}", part.subject)
    written = says.tenths(value) if part.share else says.value(value)
    return (
        says.text(f"attacks.part.{part.kind}", subject=subject),
        written,
        says.text(f"unit.{part.unit}"),
    )


def _parts(summary: Summary, says: Translator) -> tuple[Block, ...]:
    every = [
        (title_of(one, says), *_part(part_of(one.type, name), value, says))
        for one in summary.attacks
        for name, value in one.parts.items()
    ]
    if not every:
        return ()
    header = tuple(says.text(f"head.{key}") for key in ("attack", "part", "value", "unit"))
    blocks: tuple[Block, ...] = (Table(header, tuple(every[:MOST_PARTS]), frozenset({2})),)
    if len(every) > MOST_PARTS:
        kept = says.text("attacks.kept", shown=MOST_PARTS, all=says.count(len(every)))
        blocks += (Paragraph(kept, "note"),)
    return (Collapsible(says.text("attacks.parts"), blocks),)
