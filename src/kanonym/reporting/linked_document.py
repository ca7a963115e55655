"""The report on a release of linked tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from kanonym.reporting.parts.first_page import COLOURS, part_banners
from kanonym.reporting.summary_builder import finding_text
from kanonym.verification.verdict import Finding

_MEANINGS = ("persons_k", "persons_by_set_k", "persons_by_multiset_k", "persons_by_count_k")


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
    note = says.text(f"linked.{'satisfied' if satisfied else 'failed'}")
    if verification.findings and satisfied:
        count = len(verification.findings)
        note = says.text("verdict.findings", count, findings=says.count(count))
    elif verification.verdict == "not assessed":
        note = says.text("verdict.not-assessed.note")
    n = len(verification.checks)
    key = "satisfied" if satisfied else "failed"
    two = key == "satisfied" and n == 2
    words = says.text("verdict.satisfied.two" if two else f"verdict.{key}", n, requirements=n)
    measured = release.verification.measured
    policy = banded_policy(release.policy)
    counted = [name for name in policy.order[1:] if policy.tables[name].known]
    lead = "linked.lead.set" if policy.counting == "set" else "linked.lead"
    lead = lead if counted else "linked.lead.own"
    places = [facts[name]["place"] for name in ("input", "output") if name in facts]
    dated = [" → ".join(places), f"kanonym {versions()['kanonym']}", author, purpose]
    return Document(
        language=says.code,
        title=title or says.text("linked.title"),
        verdict=Banner(colour, words, note),
        parts=part_banners(
            verification.parts,
            [(finding.part, _sentence(finding, says)) for finding in verification.findings],
            says,
        ),
        dated=" · ".join(one for one in dated if one),
        signed=(),
        tiles=(
            Tile(says.text("linked.persons"), says.count(measured.persons)),
            Tile(says.text("linked.k"), says.count(verification.k)),
            Tile(says.text("linked.suppressed"), says.count(release.suppressed)),
            Tile(says.text("linked.loss"), says.percent(release.algorithm["score"])),
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
        contents=says.text("contents"),
    )


def _sentence(finding: Finding, says: Translator) -> str:
    """Return the sentence of a finding about persons with rows in several tables."""
    names = says.names(list(finding.columns))
    key = f"linked.finding.{finding.kind}"
    if key in says.sentences:
        return says.text(key, columns=names)
    return finding_text(says, finding)


def _requirements(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(says.text(f"linked.{one}") for one in ("model", "required", "achieved"))
    rows = tuple(
        (
            check.type if check.attribute is None else f"{check.type}: {check.attribute}",
            says.value(check.required),
            says.value(check.achieved),
        )
        for check in release.verification.checks
    )
    return Section(
        "requirements",
        says.text("linked.requirements"),
        (Table(header, rows, frozenset({1, 2})),),
    )


def _tables(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(says.text(f"linked.{one}") for one in ("table", "rows.in", "rows.out", "merged"))
    rows = tuple(
        (
            name,
            "–" if count is None else says.count(count),
            says.count(release.rows_out[name])
            if name in release.rows_out
            else says.text("linked.not-released"),
            says.count(release.merged[name].rows) if name in release.merged else "–",
        )
        for name, count in release.told_rows_in.items()
    )
    notes = [says.text("linked.tables.note")]
    for name, one in release.merged.items():
        count, lost = says.count(one.different), says.count(one.lost)
        notes.append(says.text("linked.merged.note", table=name, different=count, lost=lost))
    blocks = (Paragraph(note, tone="note") for note in notes)
    table = Table(header, rows, frozenset({1, 2, 3}))
    return Section("tables", says.text("linked.tables"), (table, *blocks))


def _levels(release: LinkedRelease, says: Translator) -> Section:
    algorithm = release.algorithm
    header = (says.text("linked.column"), says.text("linked.level"))
    rows = tuple(
        (name, says.text("linked.level.of", level=level, highest=algorithm["highest_levels"][name]))
        for name, level in release.levels.items()
    )
    proof = says.text("linked.optimal" if algorithm["optimal"] else "linked.not-optimal")
    told = says.text(
        "linked.levels.note",
        checked=says.count(algorithm["nodes_checked"]),
        size=says.count(algorithm["lattice_size"]),
        proof=proof,
    )
    blocks: list[Block] = [Table(header, rows), Paragraph(told, tone="note")]
    if "built_hierarchies" in algorithm:
        names = says.names(list(algorithm["built_hierarchies"]))
        blocks.append(Paragraph(says.text("linked.built", names=names), tone="note"))
    return Section("levels", says.text("linked.levels"), tuple(blocks))


def _knowledge(release: LinkedRelease, says: Translator) -> Section:
    measured = release.verification.measured
    told = measured.to_dict()
    header = (says.text("linked.known"), says.text("linked.class"))
    rows = tuple(
        (says.text(f"linked.{meaning}"), says.count(told[meaning])) for meaning in _MEANINGS
    )
    alone = measured.unique_persons
    names = ("table", "one-row", "two-rows", "all-rows", "most")
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
        says.text("linked.knows"),
        (
            Table(header, rows, frozenset({1})),
            Paragraph(says.text("linked.alone", alone, alone=says.count(alone))),
            Heading(says.text("linked.by-table")),
            Table(
                tuple(says.text(f"linked.{one}") for one in names), each, frozenset({1, 2, 3, 4})
            ),
            Paragraph(says.text("linked.numbers"), tone="note"),
        ),
    )


def _keys(release: LinkedRelease, says: Translator) -> Section:
    header = tuple(says.text(f"linked.{one}") for one in ("space", "values", "pseudonyms"))
    rows = tuple(
        (
            key["space"],
            says.count(key["values"]),
            says.text("linked.none")
            if key["pseudonyms"] == "none"
            else ", ".join(key["pseudonyms"]),
        )
        for key in release.keys
    )
    note = Paragraph(says.text("linked.keys.note"), tone="note")
    return Section("keys", says.text("linked.keys"), (Table(header, rows, frozenset({1})), note))


def _limits(release: LinkedRelease, says: Translator) -> Section:
    notes = [says.translate(note) for note in release.verification.notes]
    notes += [says.text(f"linked.limit.{one}") for one in ("dates", "links", "next")]
    return Section(
        "limits",
        says.text("linked.limits"),
        (Bullets(tuple(("", note) for note in notes)),),
    )
