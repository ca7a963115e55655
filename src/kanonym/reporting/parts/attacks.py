"""What attacks achieved, against baseline and control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kanonym.data.errors import Sentence, ngettext
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.result import CONFIDENCE
from kanonym.evaluation.attacks.sentences import (
    LimitVerdict,
    figures_sentence,
    finding_sentence,
    joint_verdict,
    knowledge_sentence,
    limit_sentence,
    question_of,
    title_of,
)
from kanonym.reporting.document import (
    Banner,
    Block,
    Bullets,
    Cell,
    Collapsible,
    Colour,
    Figure,
    Paragraph,
    Section,
    Table,
    Text,
)
from kanonym.reporting.known.attacks import (
    PARTS,
    UNIT_NAMES,
    Part,
    guessed_column,
    part_of,
    rank_attacks,
    top_attacks,
)

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary

MOST_ATTACKS = 4
MOST_PARTS = 40
COLOURS: Mapping[LimitVerdict | None, Colour] = {
    "kept": "satisfied",
    "undecided": "warned",
    "exceeded": "failed",
    "not run": "nothing",
    None: "nothing",
}


VERDICTS = {
    "kept": ngettext("Attacks: the limit is kept", "Attacks: all {limits} limits are kept"),
    "exceeded": ngettext("Attacks: the limit is exceeded", "Attacks: a limit is exceeded"),
    "undecided": _("Attacks: undecided"),
    "not run": _("Attacks: not assessed"),
}
"""What the limits of the policy came to."""

MODES = {
    "univariate": _("descriptions using one column"),
    "multivariate": _("descriptions using several columns"),
    "whole records": _("descriptions using all columns"),
    "multivariate one-sided": _("descriptions using one end of ranges"),
}
"""What descriptions of singling out use."""


def limits_banner(summary: Summary, says: Translator) -> Banner:
    """Say whether attacks keep the limits of the policy; grey where none was set or run."""
    checks, tried = summary.limit_checks, [attack for attack in summary.attacks if attack.attempts]
    verdict = joint_verdict(checks)
    if verdict is None:
        note = says.text(
            _("What intruders achieve has no verdict; a policy sets limits by attack_limits")
            if tried
            else _("No attack was run either; a policy sets limits by attack_limits")
        )
        return Banner("nothing", says.text(_("Attacks: no limit was set")), f"{note}.")
    words = says.text(VERDICTS[verdict], len(checks), limits=says.count(len(checks)))
    note = says.text(
        _("Limits of the policy, judged by {confidence} confidence intervals"),
        confidence=says.percent(CONFIDENCE),
    )
    others = len({one.type for one in tried} - {check.type for check in checks})
    if others:
        note = says.text(
            ngettext(
                "{note}; {others} other attack has no limit",
                "{note}; {others} other attacks have no limit",
            ),
            others,
            note=note,
            others=says.count(others),
        )
    told = tuple(limit_sentence(check, says, title_of(check.type, says)) for check in checks)
    return Banner(COLOURS[verdict], words, f"{note}.", told)


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on attacks."""
    title = says.text(_("Attacks: success compared with chance"))
    if not summary.attacks:
        return ()
    tried = [attack for attack in rank_attacks(summary.attacks) if attack.attempts]
    blocks: list[Block] = [
        Paragraph(
            says.text(
                _(
                    "Each attack was run on the release. An attempt is right if what the intruder "
                    "says about a person is true. Chance is the success of the same intruder on "
                    "people who are not in the table (control) or, without a control, the success "
                    "without the release (baseline)."
                )
            )
        )
    ]
    if summary.limit_checks:
        banner = limits_banner(summary, says)
        blocks.append(Paragraph(banner.note, lead=f"{banner.sign} {banner.words}:"))
        blocks.append(Bullets(tuple(("", warning) for warning in banner.warnings)))
    if tried:
        blocks.append(_chart(tried, says))
    blocks.append(_details(rank_attacks(summary.attacks), says))
    confidence = says.percent(summary.attacks[0].confidence)
    blocks.append(
        Paragraph(
            says.text(
                _(
                    "Beyond chance: (right − chance) / (1 − chance), the share that succeeds with "
                    "the release among the attempts that fail by chance; with its {confidence} "
                    "confidence interval. The release helps an intruder where this interval lies "
                    "above 0."
                ),
                confidence=confidence,
            ),
            "note",
        )
    )
    blocks += _parts(summary, says)
    return (Section("attacks", title, tuple(blocks)),)


def attack_table(summary: Summary, attacks: Sequence[AttackResult], says: Translator) -> Table:
    """Return what each attack wants, how often it was right or is by chance, and beyond it."""
    hidden = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    header = tuple(
        says.text(key)
        for key in (
            _("what the intruder wants to know and already knows"),
            _("right"),
            _("by chance"),
            _("beyond chance"),
        )
    )
    rows = tuple(
        (
            Cell(
                f"{title_of(attack.type, says)}: "
                f"{question_of(attack, says, guessed_column(attack, hidden))}",
                note=f"{knowledge_sentence(attack, says)} {finding_sentence(attack, says)}".strip(),
            ),
            Cell(
                says.tenths(attack.targets.rate),
                note=says.text(
                    _("of {attempts}"), attempts=says.plural(attack.attempts, attack.unit)
                ),
            ),
            says.tenths(attack.chance.rate),
            _beyond(attack, says),
        )
        for attack in attacks
    )
    return Table(header, rows, frozenset({1, 2, 3}), "attacks")


def _chart(tried: Sequence[AttackResult], says: Translator) -> Figure:
    titles = [title_of(one.type, says) for one in tried]
    most = tried[0]

    def draw() -> str:
        from kanonym.reporting.charts.bars import attacks_chart  # noqa: PLC0415 - half a second

        return attacks_chart(tried, titles, says).to_svg()

    alternative = says.text(
        _(
            "Chart of {attacks}: the success rate of each, with its interval, baseline and "
            "control. The first is {title}: {rate}; by chance {chance}."
        ),
        attacks=says.plural(len(tried), ngettext("attack", "attacks")),
        title=title_of(most.type, says),
        rate=says.tenths(most.targets.rate),
        chance=says.tenths(most.chance.rate),
    )
    return Figure("", alternative, draw)


def _details(attacks: Sequence[AttackResult], says: Translator) -> Table:
    header = tuple(
        says.text(key)
        for key in (
            _("attack"),
            _("attempts"),
            _("right"),
            _("baseline"),
            _("control"),
            _("beyond chance"),
        )
    )
    return Table(
        header,
        tuple(_row(attack, says) for attack in attacks),
        frozenset({1, 2, 3, 4, 5}),
        "attacks",
    )


def _row(one: AttackResult, says: Translator) -> tuple[Text, ...]:
    title = title_of(one.type, says)
    if not one.attempts:
        untried = says.text(_("{title}: not run"), title=title)
        why = Cell(untried, note=says.translate(one.reason or ""))
        return why, "0", "–", "–", "–", "–"
    low, high = one.targets.interval(one.confidence)
    return (
        Cell(title, note=f"{question_of(one, says)} {finding_sentence(one, says)}"),
        says.plural(one.attempts, one.unit),
        Cell(says.tenths(one.targets.rate), note=interval(low, high, says)),
        says.tenths(one.baseline.rate),
        says.tenths(one.control.rate) if one.control and one.control.attempts else "–",
        _beyond(one, says),
    )


def _beyond(one: AttackResult, says: Translator) -> Cell:
    return Cell(says.tenths(one.risk), note=interval(*one.interval, says))


def interval(low: float, high: float, says: Translator) -> str:
    """Write both ends of an interval of shares."""
    return says.text(_("{low} to {high}"), low=says.tenths(low), high=says.tenths(high))


def _part(part: Part, value: float, says: Translator) -> tuple[str, str, str]:
    """Return what a detail is, its value, and its unit."""
    subject = says.translate(MODES.get(part.subject, part.subject))
    written = says.tenths(value) if part.share else says.value(value)
    return (
        says.text(PARTS[part.kind][1], subject=subject),
        written,
        says.text(UNIT_NAMES[part.unit]),
    )


def _parts(summary: Summary, says: Translator) -> tuple[Block, ...]:
    every = [
        (title_of(attack.type, says), *_part(part_of(attack.type, name), value, says))
        for attack in summary.attacks
        for name, value in attack.parts.items()
    ]
    if not every:
        return ()
    header = tuple(says.text(key) for key in (_("attack"), _("part"), _("value"), _("unit")))
    blocks: tuple[Block, ...] = (Table(header, tuple(every[:MOST_PARTS]), frozenset({2})),)
    if len(every) > MOST_PARTS:
        kept = says.text(
            _("The first {shown} of {all} parts."), shown=MOST_PARTS, all=says.count(len(every))
        )
        blocks += (Paragraph(kept, "note"),)
    return (Collapsible(says.text(_("Parts")), blocks),)


def attack_summary(tried: Sequence[AttackResult], says: Translator) -> str:
    """Say how many attacks succeed beyond chance, and how the first of them came out."""
    n = sum(result.finding == "beyond" for result in tried)
    unknown = [title_of(attack.type, says) for attack in tried if attack.hidden_by is not None]
    key, attacks = (
        ngettext(
            "Of {attacks} run, {number} surely succeeds more often than by chance.",
            "Of {attacks} run, {number} surely succeed more often than by chance.",
        )
        if n
        else _("None of {attacks} run surely succeeds more often than by chance."),
        says.plural(len(tried), ngettext("attack", "attacks")),
    )
    told = [says.text(key, n, attacks=attacks, number=says.count(n))]
    if unknown:
        told.append(
            says.text(
                _("It is unknown whether the release helps in: {attacks}."),
                attacks=says.names(unknown),
            )
        )
    if n:
        title = title_of(tried[0].type, says)
        told.append(
            says.text(
                _("The clearest is “{title}”. {told}"),
                title=title,
                told=figures_sentence(tried[0], says),
            )
        )
    return " ".join(told)


def intruder_blocks(summary: Summary, says: Translator) -> tuple[Block, ...]:
    """Return the part of the first page about intruders."""
    tried = [attack for attack in rank_attacks(summary.attacks) if attack.attempts]
    if not summary.size.rows_out:
        return (
            Paragraph(
                says.text(
                    _("No record was released: there is nothing to find out, and nothing to use.")
                )
            ),
        )
    if not tried:
        risk = summary.privacy.risk
        rows = tuple(
            (says.text(key), says.chance(chance))
            for key, chance in (
                (_("at most"), risk.highest),
                (_("on average"), risk.average),
                (_("at random, without any knowledge"), 1 / max(summary.size.rows_in, 1)),
            )[: 2 if summary.counts_persons else 3]
        )
        sizes = (
            _(
                "Chance that somebody who knows the quasi-identifiers of one record of a person "
                "picks this person among those of the class (who has several records is easier to "
                "find):"
            )
            if summary.counts_persons
            else _(
                "Chance that somebody who knows the quasi-identifiers of a record of the table "
                "picks this record:"
            )
        )
        return (
            Paragraph(says.text(sizes)),
            Table(("", ""), rows, style="plain"),
            Paragraph(
                says.text(
                    _(
                        "No attack was run on this release. To run them: `kanonym attack ORIGINAL "
                        "RELEASED --policy POLICY`."
                    )
                ),
                "note",
            ),
        )
    reading = says.text(
        _(
            "By chance: without the release, or on people who are not in the table. Beyond chance: "
            "of the attempts that fail by chance, the share that the release makes succeed; below, "
            "its {confidence} interval."
        ),
        confidence=says.percent(tried[0].confidence),
    )
    shown = top_attacks(tried, MOST_ATTACKS)
    further = len(tried) - len(shown)
    if further > 0:
        if shown != tried[: len(shown)]:
            chosen = says.text(_("The table has the most successful attack on each question."))
            reading += f" {chosen}"
        more = more_rows_note(further, _("Attacks: success compared with chance"), says)
        reading += f" {more.text}"
    omitted = [title_of(attack.type, says) for attack in summary.attacks if not attack.attempts]
    notes = [reading]
    if omitted:
        notes.append(
            says.text(
                _("Not run, so what they would find is unknown: {attacks}."),
                attacks=says.names(omitted),
            )
        )
    return attack_table(summary, shown, says), *(Paragraph(note, "note") for note in notes)


def more_rows_note(number: int, section: Sentence, says: Translator) -> Paragraph:
    """Say where the rest of a table is."""
    named = says.text(section)
    return Paragraph(
        says.text(_("{number} more under “{section}”."), number=says.count(number), section=named),
        "note",
    )
