"""The role of a column, and the evidence for it in plain sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kanonym.data.schema import Role
from kanonym.profiling.columns import Content
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.words import Hint

FEW_NUMBERS = 20
"""A sensitive number has at most so many values: classes of incomes, not amounts."""
MOST_SENSITIVE = 0.5
"""A sensitive attribute has at most so many values for each record."""
OWN_TEXT = 0.95
"""Texts that differ in so many records name them, in a table of"""
OWN_TEXT_RECORDS = 50
"""at least so many records."""

Reasons = tuple[str, ...]


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

    Parameters
    ----------
    content
        What the column holds.
    findings
        What of direct identifiers was found in it.
    hinted
        What its name says.
    named
        Whether the caller says that it is a quasi-identifier.

    """
    if named:
        return Role.QUASI_IDENTIFIER, ("said to be a quasi-identifier", *_telling(content))
    if content.trouble:
        return Role.IDENTIFIER, (
            f"{content.trouble}; as an identifier it is dropped until that is done",
        )
    found = _identifying(content, findings, hinted)
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


def _identifying(
    content: Content, findings: Sequence[Finding], hinted: Collection[Hint]
) -> Reasons:
    """Return why a column names persons; empty where nothing says so."""
    counted, sentences = content.counted, [finding.evidence for finding in findings]
    if "running" in content.traits and not _is_attribute(hinted):
        each = "records" if counted.distinct == counted.records else "groups of records"
        sentences.append(
            f"its numbers count up without a gap: it numbers {each}, such as persons or households"
        )
    own = counted.distinct - (content.nulls > 0)
    if (
        not sentences
        and content.type in ("text", "categories")
        and not content.traits & {"dates as text", "dates as other text", "numbers as text"}
        and counted.records >= OWN_TEXT_RECORDS
        and own >= OWN_TEXT * counted.records
    ):
        sentences.append(f"{own:,} of {counted.records:,} records have a text of their own")
    if sentences and 1 < counted.distinct < counted.records - content.nulls:
        sentences.append(
            f"{counted.distinct:,} values for {counted.records:,} records: where it names persons "
            "or households with several records, it is their entity"
        )
    return tuple(sentences)


def _is_attribute(hinted: Collection[Hint]) -> bool:
    """Whether a name says that ascending numbers are ages or the like, and number nothing."""
    if any(hint.role is Role.IDENTIFIER for hint in hinted):
        return False
    return any(hint.sure and hint.what != "household" for hint in hinted)


def _constant(sensitive: Collection[str]) -> tuple[Role, Reasons]:
    if not sensitive:
        return Role.INSENSITIVE, ("the same in every record: it tells nobody apart",)
    all_have_it = (
        "the same in every record: who is known to be in the table is known to have it, and no "
        "recoding of other columns changes that"
    )
    return Role.SENSITIVE, (_named(sensitive), all_have_it)


def _sensitive(
    content: Content, sensitive: Collection[str], known: Collection[str]
) -> tuple[Role, Reasons]:
    """Return the role of a column whose name says that it is sensitive."""
    counted, why = content.counted, _named(sensitive)
    but = ""
    if content.is_number and counted.distinct > FEW_NUMBERS:
        but = (
            f"but an amount with {counted.distinct:,} values, released unchanged, names who is "
            "known to have it: recoded as a quasi-identifier, it does not"
        )
    elif counted.distinct > MOST_SENSITIVE * counted.records:
        but = (
            f"but {counted.distinct:,} values for {counted.records:,} records, released "
            "unchanged, name the records"
        )
    elif set(known) - {"income"}:
        but = "but people who meet a person may know it, too"
        if set(known) != set(sensitive):
            but += f" ({_list(known)})"
    if but:
        return Role.QUASI_IDENTIFIER, (why, but, *_telling(content))
    share = content.largest / counted.records
    return Role.SENSITIVE, (
        why,
        f"{counted.distinct:,} values, the most frequent one in {_percent(share)} of the records",
    )


def _quasi_identifying(content: Content, hinted: Collection[Hint]) -> Reasons:
    """Return what makes a column a quasi-identifier that is nothing else."""
    known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
    weights = any(hint.role is Role.INSENSITIVE for hint in hinted)
    sentences = [f"its name says: {_list(known)}"] if known else []
    if weights and "positive" in content.traits:
        sentences.append(
            "a sampling weight, it seems: weights differ by the strata of a survey and so tell "
            "them; insensitive only where the strata are no secret"
        )
    elif not known:
        sentences.append("nothing says that an intruder cannot know it")
    return (*sentences, *_telling(content))


def _telling(content: Content) -> Reasons:
    """Return how far a column tells records apart."""
    counted = content.counted
    if not counted.records or not counted.distinct:
        return ()
    one, several = "; one record is alone with its own", " records are alone with theirs"
    alone = f"; {counted.uniques:,}{several}" if counted.uniques > 1 else one * counted.uniques
    share = _percent(counted.separation)
    return (f"{_values(counted.distinct)} {share} of the pairs of records apart{alone}",)


def _values(distinct: int) -> str:
    return "1 value tells" if distinct == 1 else f"{distinct:,} values tell"


def _named(whats: Collection[str]) -> str:
    return f"its name says: {_list(whats)}, which is sensitive"


def _list(whats: Collection[str]) -> str:
    return ", ".join(sorted(whats))


def _percent(share: float) -> str:
    """Return a share as people write it, 100 % and 0 % only for all and nothing."""
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(max(round(100 * share, 2), 0.01), 99.99):g} %"
