"""The role of a column, and the reasons for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kanonym.data.schema import Role
from kanonym.profiling.columns import Content
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import Hint

FEW_NUMBERS = 20
"""A sensitive number has at most so many values: classes of incomes, not amounts."""
MOST_SENSITIVE = 0.5
"""A sensitive attribute has at most so many values for each record."""
OWN_TEXT = 0.95
"""Texts that differ in so many records name them, in a table of"""
OWN_TEXT_RECORDS = 50
"""at least so many records."""

Reasons = tuple[Reason, ...]


def role_of(
    content: Content,
    findings: Sequence[Finding],
    hinted: Collection[Hint],
    *,
    named: bool = False,
) -> tuple[Role, Reasons]:
    """Return the role of a column and why.

    In doubt a column is a quasi-identifier: wrongly so, it costs information; wrongly not,
    it costs somebody's privacy. Insensitive is only what is the same in every record.
    """
    if named:
        return Role.QUASI_IDENTIFIER, (Reason("given"), *_separation_reasons(content))
    if content.trouble:
        return Role.IDENTIFIER, (Reason("trouble", detail=content.trouble),)
    found = _identifier_reasons(content, findings, hinted)
    if found:
        return Role.IDENTIFIER, found
    hinted = [hint for hint in hinted if hint.sure]
    sensitive = {hint.what for hint in hinted if hint.role is Role.SENSITIVE}
    if content.constant:
        return _constant(sensitive)
    if sensitive:
        known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
        return _sensitive(content, sensitive, known)
    return Role.QUASI_IDENTIFIER, _quasi_identifying(content, hinted)


def _identifier_reasons(
    content: Content, findings: Sequence[Finding], hinted: Collection[Hint]
) -> Reasons:
    """Return why a column names persons; empty where nothing says so."""
    counted, reasons = content.counted, [one for found in findings for one in found.reasons]
    if "running" in content.traits and not _is_attribute(hinted):
        each = "records" if counted.distinct == counted.records else "groups"
        reasons.append(Reason(f"counts-{each}"))
    own = counted.distinct - (content.nulls > 0)
    if (
        not reasons
        and content.type in ("text", "categories")
        and not content.traits & {"dates as text", "dates as other text", "numbers as text"}
        and counted.records >= OWN_TEXT_RECORDS
        and own >= OWN_TEXT * counted.records
    ):
        reasons.append(Reason("own-text", {"own": own, "records": counted.records}))
    if reasons and 1 < counted.distinct < counted.records - content.nulls:
        counts = {"values": counted.distinct, "records": counted.records}
        reasons.append(Reason("entity", counts))
    return tuple(reasons)


def _is_attribute(hinted: Collection[Hint]) -> bool:
    """Whether a name says that ascending numbers are ages or the like, and number nothing."""
    if any(hint.role is Role.IDENTIFIER for hint in hinted):
        return False
    return any(hint.sure and hint.what != "household" for hint in hinted)


def _constant(sensitive: Collection[str]) -> tuple[Role, Reasons]:
    if not sensitive:
        return Role.INSENSITIVE, (Reason("constant"),)
    return Role.SENSITIVE, (_name_reason(sensitive), Reason("constant-sensitive"))


def _sensitive(
    content: Content, sensitive: Collection[str], known: Collection[str]
) -> tuple[Role, Reasons]:
    """Return the role of a column whose name says that it is sensitive."""
    counted, why = content.counted, _name_reason(sensitive)
    but = None
    if content.is_number and counted.distinct > FEW_NUMBERS:
        but = Reason("amount", {"values": counted.distinct})
    elif counted.distinct > MOST_SENSITIVE * counted.records:
        but = Reason("many-values", {"values": counted.distinct, "records": counted.records})
    elif set(known) - {"income"}:
        but = (
            Reason("seen")
            if set(known) == set(sensitive)
            else Reason("seen-as", terms=tuple(sorted(known)))
        )
    if but is not None:
        return Role.QUASI_IDENTIFIER, (why, but, *_separation_reasons(content))
    share = content.largest / counted.records
    return Role.SENSITIVE, (
        why,
        Reason("most-frequent", {"values": counted.distinct}, {"share": share}),
    )


def _quasi_identifying(content: Content, hinted: Collection[Hint]) -> Reasons:
    """Return what makes a column a quasi-identifier that is nothing else."""
    known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
    weights = any(hint.role is Role.INSENSITIVE for hint in hinted)
    reasons = [Reason("name", terms=tuple(sorted(known)))] if known else []
    if weights and "positive" in content.traits:
        reasons.append(Reason("weight"))
    elif not known:
        reasons.append(Reason("unknown"))
    return (*reasons, *_separation_reasons(content))


def _separation_reasons(content: Content) -> Reasons:
    """Return how far a column tells records apart."""
    counted = content.counted
    if not counted.records or not counted.distinct:
        return ()
    values, alone = {"values": counted.distinct}, {"records": counted.uniques}
    tells = Reason("tells", values, {"share": counted.separation})
    return (tells, Reason("alone", alone)) if counted.uniques else (tells,)


def _name_reason(whats: Collection[str]) -> Reason:
    return Reason("name-sensitive", terms=tuple(sorted(whats)))
