"""The first page: question, answer, and the evidence in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kanonym.data.errors import Sentence, ngettext
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.sentences import joint_verdict
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
from kanonym.reporting.known.attacks import rank_attacks
from kanonym.reporting.parts.attacks import attack_summary, intruder_blocks, more_rows_note
from kanonym.reporting.parts.attributes import role_of, role_treatment
from kanonym.reporting.parts.privacy import requirements_table, worst_classes
from kanonym.reporting.parts.repeat import seed_of, sentence_on_checks
from kanonym.reporting.wording import ANSWERS

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.summary import Summary
    from kanonym.verification.verdict import Part, PartName, Verdict

MOST_REQUIREMENTS = 3
LETTERS = 80
"""From so many letters on, further names are counted only."""
COLOURS: Mapping[Verdict, Colour] = {
    "satisfied": "satisfied",
    "satisfied with findings": "warned",
    "not assessed": "nothing",
    "violated": "failed",
    "not private": "failed",
    "nothing required": "nothing",
}
ROLES = ("identifier", "quasi-identifier", "sensitive", "set", "insensitive")


QUESTIONS = {
    "released": _("What was released?"),
    "required": _("Which requirement was set, and was it met?"),
    "intruder": _("What can an intruder do with it, compared with chance?"),
    "lost": _("What was lost?"),
    "repeat": _("How can it be reproduced and checked?"),
}
"""The heads of the first page."""

VERDICTS = {
    "satisfied": ngettext(
        "The chosen requirement is met", "The {requirements} chosen requirements are met"
    ),
    "failed": _("Policy NOT satisfied"),
    "not-private": _("NOT private: a seed was given"),
    "none": _("No requirement was set"),
}

VERDICT_NOTES = {
    "satisfied": _("Not a legal finding of anonymity: see what an intruder can still do (3)"),
    "failed": _("do not publish this table"),
    "not-private": _("do not publish this table"),
    "none": _("check the smallest class before you publish"),
}

TILES = {
    "": _("highest chance of picking a record by its quasi-identifiers"),
    ".persons": _(
        "highest chance of picking a person in a class by the quasi-identifiers of one record"
    ),
    ".items": _("highest chance of picking a person’s record by what the requirement covers"),
}

CHANCES = {
    "": _(
        "Somebody who knows the quasi-identifiers of a record of the table picks this record with "
        "a chance of at most {highest}; without any knowledge, {blind}."
    ),
    ".persons": _(
        "Somebody who knows the quasi-identifiers of one record of a person picks this person "
        "among those of the class with a chance of at most {highest}. Who has several records is "
        "easier to find."
    ),
    ".items": _(
        "Somebody who knows as many items of a person in the table as the requirement assumes "
        "picks the right record with a chance of at most {highest}; without any knowledge, {blind}."
    ),
}

PARTS = {
    "identity": (_("Identity"), _("Can a person be found in the table?")),
    "attributes": (_("Attributes"), _("What is learned about a person?")),
    "persons": (_("Persons"), _("Are persons what was counted?")),
}
"""The parts of the verdict, and the question of each."""
ASSESSMENTS = {
    "checked": _("checked"),
    "by construction": _("by construction"),
    "not assessed": _("not assessed"),
    "violated": _("violated"),
}


def verdict_words(key: str, requirements: int) -> Sentence:
    """Return the sentence of a verdict on so many requirements."""
    if key == "satisfied" and requirements == 2:
        return _("Both chosen requirements are met")
    return VERDICTS[key]


def verdict(summary: Summary, says: Translator) -> Banner:
    """Say in a few words how the policy came out; green only where nothing warns."""
    figures = summary.privacy.verification
    if not summary.size.rows_out:
        return Banner(COLOURS[figures.verdict], says.text(_("No record was released")), "")
    key, n = ANSWERS[figures.verdict], len(figures.models)
    words = says.text(verdict_words(key, n), n, requirements=n)
    note = says.text(VERDICT_NOTES[key])
    if figures.verdict == "satisfied with findings":
        f = len(figures.findings)
        note = says.text(
            ngettext(
                "but there is one finding: read it before you publish",
                "but there are {findings} findings: read them before you publish",
            ),
            f,
            findings=says.count(f),
        )
    elif figures.verdict == "not assessed":
        note = says.text(_("but not everything was assessed: see below"))
    colour = COLOURS[figures.verdict]
    if colour == "satisfied" and joint_verdict(summary.limit_checks) == "exceeded":
        colour, note = (
            "warned",
            says.text(_("but an attack exceeds its limit: do not publish this table as it is")),
        )
    return Banner(colour, words, note)


def part_banners(
    parts: Sequence[Part], findings: Sequence[tuple[PartName, str]], says: Translator
) -> tuple[Banner, ...]:
    """Say of each part of the verdict what it rests on, with the sentences of its findings."""
    banners = []
    for one in parts:
        sentences = tuple(sentence for part, sentence in findings if part == one.name)
        colour: Colour = "satisfied" if one.assessed else "nothing"
        if one.verdict == "violated":
            colour = "failed"
        elif sentences:
            colour = "warned"
        words = f"{says.text(PARTS[one.name][0])}: {says.text(ASSESSMENTS[one.verdict])}"
        basis = says.translate(one.rests_on)
        if not one.rests_on.template.startswith("{"):  # else it begins with a name
            basis = basis[:1].upper() + basis[1:]
        note = f"{says.text(PARTS[one.name][1])} {basis}."
        banners.append(Banner(colour, words, note, sentences))
    return tuple(banners)


def date_line(summary: Summary, says: Translator) -> str:
    """Say of what day, which tables, which version and which seed this is."""
    made = summary.origin.provenance
    told = [says.text(_("Report of {date}"), date=summary.cover.date)]
    if made.source and made.output:
        told.append(
            says.text(_("{output}, made from {source}"), output=made.output, source=made.source)
        )
    if "kanonym" in summary.origin.versions:
        told.append(f"kanonym {summary.origin.versions['kanonym']}")
    if summary.cover.author:
        told.append(says.text(_("by {author}"), author=summary.cover.author))
    return " · ".join((*told, says.text(_("seed {seed}"), seed=seed_of(summary, says))))


def tiles(summary: Summary, says: Translator) -> tuple[Tile, ...]:
    """Return the four numbers on top."""
    models = summary.privacy.verification.models
    met = sum(model.satisfied for model in models)
    highest, smallest = summary.privacy.risk.highest, summary.privacy.class_sizes.smallest
    # Persons may be counted rather than records.
    as_sizes = 0 < highest < 1 and round(1 / highest) == smallest
    note = says.text(
        _("(smallest class: {records})"),
        records=says.plural(smallest, ngettext("record", "records")),
    )
    return (
        Tile(
            says.text(_("records released")),
            says.count(summary.size.rows_out),
            says.text(
                _("{part} of {whole}"), part="", whole=says.count(summary.size.rows_in)
            ).strip(),
        ),
        Tile(
            says.text(_("requirements met")),
            says.count(met) if models else "–",
            says.text(_("{part} of {whole}"), part="", whole=says.count(len(models))).strip(),
        ),
        Tile(
            says.text(TILES[_counted(summary)]),
            says.text(_("1 in {number}"), number=says.count(1 / highest))
            if 0 < highest < 1
            else says.chance(highest),
            note if as_sizes else "",
        ),
        _lost_tile(summary, says),
    )


def _lost_tile(summary: Summary, says: Translator) -> Tile:
    """Return what was lost: of quasi-identifiers, or of items where there are none."""
    items = summary.origin.algorithm.get("items")
    if items and not summary.loss.attributes:
        return Tile(
            says.text(_("of its hierarchy was lost by an item, on average (NCP)")),
            says.tenths(items["loss"]),
        )
    return Tile(
        says.text(_("of its column’s range is covered by a released value (span loss)")),
        says.tenths(summary.loss.utility["span_loss"]),
    )


def has_sets(summary: Summary) -> bool:
    """Whether the table has sets of items."""
    return "set" in summary.columns.roles.values()


def _counted(summary: Summary) -> str:
    """Return the end of the keys of sentences on chances: what is picked."""
    return ".items" if has_sets(summary) else ".persons" if summary.counts_persons else ""


def lead(summary: Summary, says: Translator) -> tuple[Paragraph, ...]:
    """Return question and answer, and the words that the page needs."""
    told = [summary.privacy.answer[0]]
    tried = [attack for attack in rank_attacks(summary.attacks) if attack.attempts]
    if tried and summary.size.rows_out:
        told.append(attack_summary(tried, says))
    elif summary.size.rows_out:
        told.append(
            says.text(
                CHANCES[_counted(summary)],
                highest=says.chance(summary.privacy.risk.highest),
                blind=says.chance(1 / max(summary.size.rows_in, 1)),
            )
        )
    if summary.size.rows_out and summary.loss.attributes:
        told.append(
            says.text(
                _("On average, a released value covers {share} of its column’s range."),
                share=says.tenths(summary.loss.utility["span_loss"]),
            )
        )
    purpose = summary.cover.purpose
    return (
        *((Paragraph(purpose, lead=says.text(_("Purpose."))),) if purpose else ()),
        Paragraph(
            says.text(
                _(
                    "Does the released table meet its requirements, what can somebody still find "
                    "out, and what was lost?"
                )
            ),
            lead=says.text(_("Question.")),
        ),
        Paragraph(" ".join(told), lead=says.text(_("Answer."))),
        Paragraph(
            says.text(
                _(
                    "Quasi-identifiers are the columns that somebody may know about a person. All "
                    "released records with the same values in them form a class: nobody can "
                    "distinguish them by these columns alone."
                )
            ),
            "note",
            lead=says.text(_("Terms.")),
        ),
    )


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the evidence: what was released, required, attacked, lost, and how to repeat it."""
    return tuple(
        Section(f"first-{key}", f"{number} · {says.text(QUESTIONS[key])}", blocks)
        for number, (key, blocks) in enumerate(
            (
                ("released", _release_blocks(summary, says)),
                ("required", _requirement_blocks(summary, says)),
                ("intruder", intruder_blocks(summary, says)),
                ("lost", _loss_blocks(summary, says)),
                ("repeat", _repeat_blocks(summary, says)),
            ),
            1,
        )
    )


def foot(summary: Summary, says: Translator) -> tuple[Paragraph, ...]:
    """Return what the first page does not say."""
    general = [heading for heading, _ in summary.limits if ": " not in heading]
    short = says.text(
        _("Not covered: {headings}. The reasons are under “{section}”."),
        headings=", ".join(general),
        section=says.text(_("Limits: what this does not protect against")).partition(":")[0],
    )
    return (
        Paragraph(short, "note"),
        Paragraph(
            says.text(_("It shows distributions of the original table next to the released ones.")),
            "note",
            lead=says.text(_("Internal: do not publish this report.")),
        ),
    )


def _release_blocks(summary: Summary, says: Translator) -> tuple[Block, ...]:
    made = says.text(
        _(
            "Released: {records} with {columns}, made from {source} with {records_in} and "
            "{columns_in}."
        ),
        records=says.plural(summary.size.rows_out, ngettext("record", "records")),
        columns=says.plural(summary.size.columns_out, ngettext("column", "columns")),
        source=summary.origin.provenance.source or says.text(_("a table")),
        records_in=says.plural(summary.size.rows_in, ngettext("record", "records")),
        columns_in=says.plural(summary.size.columns_in, ngettext("column", "columns")),
    )
    order = [f"{role}{end}" for role in ROLES for end in ("", ", changed")]
    rows = tuple(
        (role_of(role, says), says.names(names, LETTERS), role_treatment(role, summary, says))
        for role in order
        if (names := summary.columns.of_role(role))
    )
    header = (says.text(_("role")), says.text(_("attributes")), says.text(_("released")))
    return Paragraph(made), Table(header, rows, style="roles")


def _requirement_blocks(summary: Summary, says: Translator) -> tuple[Block, ...]:
    models = summary.privacy.verification.models
    if not models:
        return (
            Paragraph(says.text(_("No requirement was set, so nothing is guaranteed.")), "strong"),
        )
    blocks: tuple[Block, ...] = (requirements_table(summary, says, MOST_REQUIREMENTS),)
    further = len(models) - MOST_REQUIREMENTS
    if further > 0:
        blocks += (more_rows_note(further, _("Privacy: required and achieved"), says),)
    worst = worst_classes(summary, says)[:MOST_REQUIREMENTS]
    return (*blocks, *(Paragraph(one, "note") for one in worst), *_unmet_thresholds(summary, says))


def _unmet_thresholds(summary: Summary, says: Translator) -> tuple[Paragraph, ...]:
    """Name the thresholds of authorities that the release does not meet."""
    presets = summary.assessed.presets if summary.assessed else ()
    unmet = [says.translate(preset.title) for preset in presets if preset.met is False]
    if not unmet:
        return ()
    words = says.text(
        _("Published thresholds that are not met (none is law): {names}. See “{section}”."),
        names=says.names(unmet, LETTERS),
        section=says.text(_("Risk in figures")),
    )
    return (Paragraph(words, "note"),)


def _loss_blocks(summary: Summary, says: Translator) -> tuple[Block, ...]:
    dropped = summary.columns.of_role("identifier")
    kept = [name for name, role in summary.columns.roles.items() if role.startswith("sensitive")]
    uncounted = [
        says.text(sentence, names=says.names(names, LETTERS))
        for sentence, names in (
            (_("sensitive columns ({names})"), kept),
            (_("dropped columns ({names})"), dropped),
        )
        if names
    ]
    told = list(summary.loss.price)
    if uncounted and summary.loss.attributes:
        told.append(says.text(_("Not counted here: {names}."), names=says.names(uncounted)))
    return (Bullets(tuple(("", one) for one in told)),)


def _repeat_blocks(summary: Summary, says: Translator) -> tuple[Block, ...]:
    made = summary.origin.provenance
    release = made.output_hash or made.release_hash
    form = made.output if made.output_hash else says.text(_("as CSV"))
    rows = tuple(
        (says.text(key), name or "", Cell(digest, "code"))
        for key, name, digest in (
            (_("SHA-256 of the input"), made.source, made.input_hash),
            (_("SHA-256 of the policy"), says.text(_("as JSON, keys sorted")), made.policy_hash),
            (_("SHA-256 of the release"), form, release),
        )
        if digest
    )
    repeated = (
        _(
            "With the same table, policy, seed and versions, the first command gives the same "
            "release, byte for byte. {checks} The policy and all versions are listed under "
            "“{section}”."
        )
        if summary.origin.repeatable
        else _(
            "A seed was drawn and is kept nowhere: with the same table, policy and versions, the "
            "first command gives a release of the same kind; its classes, the order of its rows "
            "and random values may differ. {checks} The policy and all versions are listed under "
            "“{section}”."
        )
    )
    return (
        Paragraph(
            says.text(
                repeated,
                checks=sentence_on_checks(made, says),
                section=says.text(_("How to reproduce it")),
            )
        ),
        Code("\n".join((made.command, *made.checks))),
        Table(("", "", ""), rows, style="hashes"),
    )
