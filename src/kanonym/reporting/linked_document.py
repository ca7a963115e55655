"""The report on a release of linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.language import Translator
from kanonym.linked import LinkedRelease
from kanonym.linked.given_tables import banded_policy
from kanonym.release import versions
from kanonym.reporting.document import (
    Banner,
    Block,
    Bullets,
    Document,
    Heading,
    Paragraph,
    Section,
    Table,
    Tile,
)
from kanonym.reporting.parts.first_page import COLOURS, part_banners, verdict_words
from kanonym.reporting.summary_builder import finding_text
from kanonym.verification.verdict import Finding

FINDINGS = {
    "unprotected-sensitive": _("{columns}: no model bounds what a class discloses of it."),
    "dominant-value": _(
        "{columns}: nearly all persons of a class have one value; it is practically known of "
        "everybody there."
    ),
}
"""What is said of persons with rows in several tables, where it differs."""

MEANINGS = {
    "persons_k": _("only the table of persons"),
    "persons_by_set_k": _("all rows, not how often each occurs"),
    "persons_by_multiset_k": _("all rows, and how often each occurs"),
    "persons_by_count_k": _("the number of rows in each table"),
}


def linked_document(
    release: LinkedRelease,
    says: Translator,
    *,
    facts: Mapping[str, Any],
    title: str | None,
    purpose: str,
    author: str,
) -> Document:
    """Put the report on a release of linked tables together.

    facts: places of what was read and written, as of the manifest.
    """
    verification = release.verification
    colour = COLOURS[verification.verdict]
    satisfied = verification.satisfied is not False
    note = says.text(
        _("persons are alike with all rows that an intruder may know by the policy")
        if satisfied
        else _("do not publish these tables")
    )
    if verification.findings and satisfied:
        count = len(verification.findings)
        note = says.text(
            ngettext(
                "but there is one finding: read it before you publish",
                "but there are {findings} findings: read them before you publish",
            ),
            count,
            findings=says.count(count),
        )
    elif verification.verdict == "not assessed":
        note = says.text(_("but not everything was assessed: see below"))
    n = len(verification.checks)
    words = says.text(verdict_words("satisfied" if satisfied else "failed", n), n, requirements=n)
    measured = release.verification.measured
    policy = banded_policy(release.policy)
    counted = [name for name in policy.order[1:] if policy.tables[name].known]
    lead = (
        _(
            "Somebody who knows the quasi-identifiers of a person, and which rows the person has "
            "in {tables} but not how often, cannot tell the person from at least {others} others. "
            "This was counted on the released tables themselves, joined by their keys."
        )
        if policy.counting == "set"
        else _(
            "Somebody who knows the quasi-identifiers of a person, and all of the person’s rows in "
            "{tables} with how often each occurs, cannot tell the person from at least {others} "
            "others. This was counted on the released tables themselves, joined by their keys."
        )
    )
    lead = (
        lead
        if counted
        else _(
            "Somebody who knows the quasi-identifiers of a person cannot tell the person from at "
            "least {others} others. This was counted on the released tables themselves; rows of "
            "other tables are not counted."
        )
    )
    places = [facts[name]["place"] for name in ("input", "output") if name in facts]
    dated = [" → ".join(places), f"kanonym {versions()['kanonym']}", author, purpose]
    return Document(
        language=says.code,
        title=title or says.text(_("Release of linked tables")),
        verdict=Banner(colour, words, note),
        parts=part_banners(
            verification.parts,
            [(finding.part, _sentence(finding, says)) for finding in verification.findings],
            says,
        ),
        dated=" · ".join(one for one in dated if one),
        signed=(),
        tiles=(
            Tile(says.text(_("Persons")), says.count(measured.persons)),
            Tile(says.text(_("Smallest class")), says.count(verification.k)),
            Tile(says.text(_("Suppressed persons")), says.count(release.suppressed)),
            Tile(says.text(_("Span loss")), says.percent(release.algorithm["score"])),
        ),
        lead=(
            Paragraph(
                says.text(
                    lead, others=says.count(max(verification.k - 1, 0)), tables=says.names(counted)
                )
            ),
        ),
        first=(),
        foot=(),
        details=(
            _requirements(release, says),
            _tables(release, says),
            _levels(release, says),
            _knowledge(release, says),
            _keys(release, says),
            _limits(release, says),
        ),
        contents=says.text(_("Contents")),
    )


def _sentence(finding: Finding, says: Translator) -> str:
    """Return the sentence of a finding about persons with rows in several tables."""
    names = says.names(list(finding.columns))
    if finding.kind in FINDINGS:
        return says.text(FINDINGS[finding.kind], columns=names)
    return finding_text(says, finding)


def _requirements(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(says.text(one) for one in (_("model"), _("required"), _("achieved")))
    rows = tuple(
        (
            check.type if check.attribute is None else f"{check.type}: {check.attribute}",
            says.value(check.required),
            says.value(check.achieved),
        )
        for check in release.verification.checks
    )
    return Section(
        "requirements", says.text(_("Requirements")), (Table(header, rows, frozenset({1, 2})),)
    )


def _tables(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(
        says.text(one) for one in (_("table"), _("rows in"), _("rows out"), _("rows merged"))
    )
    rows = tuple(
        (
            name,
            "–" if count is None else says.count(count),
            says.count(release.rows_out[name])
            if name in release.rows_out
            else says.text(_("not released")),
            says.count(release.merged[name].rows) if name in release.merged else "–",
        )
        for name, count in release.told_rows_in.items()
    )
    notes = [
        says.text(
            _(
                "A suppressed person takes all rows along; each reference leads to a row that was "
                "released, or is empty."
            )
        )
    ]
    for name, one in release.merged.items():
        count, lost = says.count(one.different), says.count(one.lost)
        notes.append(
            says.text(
                _(
                    "Merged rows of {table} have the person and every released value of a row that "
                    "stays, to which the rows below them now refer. Of {different} different rows "
                    "of persons, {lost} were lost."
                ),
                table=name,
                different=count,
                lost=lost,
            )
        )
    blocks = (Paragraph(note, tone="note") for note in notes)
    table = Table(header, rows, frozenset({1, 2, 3}))
    return Section("tables", says.text(_("Tables")), (table, *blocks))


def _levels(release: LinkedRelease, says: Translator) -> Section:
    algorithm = release.published_algorithm
    header = (says.text(_("quasi-identifier")), says.text(_("level")))
    highest = algorithm.get("highest_levels", {})
    rows = tuple(
        (
            name,
            says.text(_("{level} of {highest}"), level=level, highest=highest[name])
            if name in highest
            else says.count(level),
        )
        for name, level in release.levels.items()
    )
    proof = says.text(
        _("none loses less") if algorithm["optimal"] else _("one that loses less may exist")
    )
    told = says.text(_("Each column has one level in all rows; {proof}."), proof=proof)
    if "lattice_size" in algorithm:
        told = says.text(
            _(
                "Each column has one level in all rows. {checked} of {size} combinations of levels "
                "were tried; {proof}."
            ),
            checked=says.count(algorithm["nodes_checked"]),
            size=says.count(algorithm["lattice_size"]),
            proof=proof,
        )
    blocks: list[Block] = [Table(header, rows), Paragraph(told, tone="note")]
    if "built_hierarchies" in algorithm:
        names = says.names(list(algorithm["built_hierarchies"]))
        blocks.append(
            Paragraph(
                says.text(
                    _("Hierarchies that were built because none was given: {names}."), names=names
                ),
                tone="note",
            )
        )
    return Section("levels", says.text(_("Levels")), tuple(blocks))


def _knowledge(release: LinkedRelease, says: Translator) -> Section:
    measured = release.verification.measured
    told = measured.to_dict()
    header = (says.text(_("an intruder knows")), says.text(_("persons in the smallest class")))
    rows = tuple(
        (says.text(sentence), says.count(told[name])) for name, sentence in MEANINGS.items()
    )
    alone = measured.unique_persons
    header_by_table = (
        _("table"),
        _("one known row"),
        _("two known rows"),
        _("number of rows"),
        _("most rows of a person"),
    )
    each = tuple(
        (
            name,
            *map(says.value, counts.known_rows_k.values()),
            says.count(counts.by_count_k),
            says.count(counts.most_rows),
        )
        for name, counts in measured.by_table.items()
    )
    return Section(
        "knowledge",
        says.text(_("What an intruder knows")),
        (
            Table(header, rows, frozenset({1})),
            Paragraph(
                says.text(
                    ngettext(
                        "One person is alone in a class by all rows.",
                        "{alone} persons are alone in a class by all rows.",
                    ),
                    alone,
                    alone=says.count(alone),
                )
            ),
            Heading(says.text(_("The same for each table"))),
            Table(tuple(map(says.text, header_by_table)), each, frozenset({1, 2, 3, 4})),
            Paragraph(
                says.text(
                    _(
                        "Numbers of rows identify: a person with many rows is rare. In the policy, "
                        "cap, merge and band bound them."
                    )
                ),
                tone="note",
            ),
        ),
    )


def _keys(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(says.text(one) for one in (_("key"), _("values"), _("pseudonyms")))
    rows = tuple(
        (
            key["space"],
            says.count(key["values"]),
            says.text(_("released as they are"))
            if key["pseudonyms"] == "none"
            else ", ".join(key["pseudonyms"]),
        )
        for key in release.keys
    )
    note = Paragraph(
        says.text(
            _(
                "Pseudonyms by a key (keyed-hash) are the same in every release under this key: "
                "whoever has two releases can follow a person from one to the other. Numbers "
                "(surrogate) are drawn anew for each release."
            )
        ),
        tone="note",
    )
    return Section("keys", says.text(_("Keys")), (Table(header, rows, frozenset({1})), note))


def _limits(release: LinkedRelease, says: Translator) -> Section:
    notes = [says.translate(note) for note in release.verification.notes]
    notes += [
        says.text(one)
        for one in (
            _(
                "Dates that are shifted by person keep the time between them, which can identify; "
                "one known date reveals all the others of the person."
            ),
            _("Free text, and columns that the policy calls insensitive, are not counted."),
            _("A further release about the same persons must be judged together with this one."),
        )
    ]
    return Section(
        "limits",
        says.text(_("What this does not say")),
        (Bullets(tuple(("", note) for note in notes)),),
    )
