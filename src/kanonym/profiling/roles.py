"""The role of a column, and the reasons for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kanonym.data.schema import Role
from kanonym.profiling.columns import Content
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import Hint, name_words

MOST_SENSITIVE = 0.5
"""A sensitive attribute of texts has at most so many values for each record."""
OWN_TEXT = 0.95
"""Texts that differ in so many records name them, in a table of"""
OWN_TEXT_RECORDS = 50
"""at least so many records."""

EVENTS = {"diagnosis", "operation"}
FEW_CODES = 20
"""More numbers of these are no codes: they tell when it was."""
NUMBERED = {"id", "ids", "key"}
"""Words of names that number something: `test_id` is no result."""

Reasons = tuple[Reason, ...]


def role_of(
    content: Content,
    findings: Sequence[Finding],
    hinted: Collection[Hint],
    *,
    named: bool = False,
    beside: Reason | None = None,
) -> tuple[Role, Reasons]:
    """Return the role of a column and why.

    In doubt a column is a quasi-identifier: wrongly so, it costs information; wrongly not,
    it costs somebody's privacy. Insensitive is only what is the same in every record. `beside`
    is what the other columns say of one whose name says nothing.
    """
    if named:
        return Role.QUASI_IDENTIFIER, (Reason("given"), *_separation_reasons(content))
    if content.trouble:
        return Role.IDENTIFIER, (Reason("trouble", detail=content.trouble),)
    reasons = _identifier_reasons(content, findings, hinted)
    if reasons:
        return Role.IDENTIFIER, reasons
    hinted = [hint for hint in hinted if hint.sure]
    sensitive = {hint.what for hint in hinted if hint.role is Role.SENSITIVE}
    if NUMBERED & set(name_words(content.name)):
        sensitive, beside = set(), None
    if content.constant:
        return _constant(sensitive)
    if sensitive:
        known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
        return _sensitive(content, sensitive, known)
    if beside is not None and not _tells_dates(content):
        return Role.SENSITIVE, (beside, *_value_reasons(content))
    return Role.QUASI_IDENTIFIER, _quasi_identifying(content, hinted)


def _identifier_reasons(
    content: Content, findings: Sequence[Finding], hinted: Collection[Hint]
) -> Reasons:
    """Return why a column names persons; empty where nothing says so."""
    counted, reasons = (
        content.counted,
        [reason for finding in findings for reason in finding.reasons],
    )
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
        and not _is_known(hinted)
    ):
        reasons.append(Reason("own-text", {"own": own, "records": counted.records}))
    if reasons and 1 < counted.distinct < counted.records - content.nulls:
        counts = {"values": counted.distinct, "records": counted.records}
        reasons.append(Reason("entity", counts))
    return tuple(reasons)


def _is_known(hinted: Collection[Hint]) -> bool:
    """Whether a name says for sure that others know its values, as those of a postal code."""
    return any(hint.sure and hint.role is Role.QUASI_IDENTIFIER for hint in hinted)


def _is_attribute(hinted: Collection[Hint]) -> bool:
    """Whether a name says that ascending numbers are ages or the like, and number nothing."""
    if any(hint.role is Role.IDENTIFIER for hint in hinted):
        return False
    return any(hint.sure and hint.what != "household" for hint in hinted)


def _constant(sensitive: Collection[str]) -> tuple[Role, Reasons]:
    if not sensitive:
        return Role.INSENSITIVE, (Reason("constant"),)
    return Role.SENSITIVE, (_name_reason(sensitive), Reason("constant-sensitive"))


def _sensitive(content: Content, sensitive: set[str], known: set[str]) -> tuple[Role, Reasons]:
    """Return the role of a column whose name says that it is sensitive."""
    counted, why = content.counted, _name_reason(sensitive)
    but = None
    # A blood pressure at discharge: the name says when it was taken.
    dated = known == {"date"} and sensitive == {"test result"} and not _tells_dates(content)
    if known and not dated:
        but = (
            Reason("seen") if known == sensitive else Reason("seen-as", terms=tuple(sorted(known)))
        )
    elif _tells_dates(content) or (
        sensitive <= EVENTS and content.is_number and counted.distinct > FEW_CODES
    ):
        but = Reason("seen-as", terms=("date",))
    elif not content.is_number and counted.distinct > MOST_SENSITIVE * counted.records:
        but = Reason("many-values", {"values": counted.distinct, "records": counted.records})
    if but is not None:
        return Role.QUASI_IDENTIFIER, (why, but, *_separation_reasons(content))
    return Role.SENSITIVE, (why, *_value_reasons(content))


def _tells_dates(content: Content) -> bool:
    """Whether values are days or moments, which others know whatever happened on them."""
    return content.type in ("date", "date and time") or bool(
        content.traits & {"dates as text", "dates as other text"}
    )


def _value_reasons(content: Content) -> Reasons:
    """Return what the values of a sensitive column say of whoever has them."""
    counts = {"values": content.counted.distinct}
    share = content.largest / max(content.counted.records, 1)
    reasons = (Reason("most-frequent", counts, {"share": share}),)
    if content.rounding is None:
        return reasons
    return (*reasons, Reason("amount", {"records": content.counted.uniques}))


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
