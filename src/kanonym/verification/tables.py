"""What a verification shows of itself: a row for each model, and the verdict with its reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from kanonym.data.results import MOST, ResultTable, format_number, format_percent
from kanonym.metrics.disclosure import both_readings

if TYPE_CHECKING:
    from kanonym.verification.verdict import LargestShare, ModelCheck, Verification

FINDINGS = 6
"""Findings that are shown one by one."""


def model_name(check: ModelCheck) -> str:
    """Return a model with what it is about, and how it was counted."""
    counting = check.counting
    return "".join(
        (
            check.type,
            f" of {check.attribute}" if check.attribute else "",
            f", every {counting.subsets} attributes" if counting and counting.subsets else "",
            ", as recorded" if check.recorded else "",
            ", null as a wildcard" if counting and counting.nulls == "wildcard" else "",
        )
    )


def required_text(check: ModelCheck) -> str:
    """Return what a model requires."""
    return f"{'< ' if check.strict else ''}{format_number(check.required)}"


def achieved_text(check: ModelCheck) -> str:
    """Return what a table achieves; nothing where that is without a bound."""
    return format_number(check.achieved if math.isfinite(check.achieved) else None)


def models_table(checks: Sequence[ModelCheck], lead: str = "", *, assessed: bool) -> ResultTable:
    """Return a row for each model; assessed: whether there is a record that it could fail."""
    rows = [
        (
            model_name(check),
            required_text(check),
            achieved_text(check),
            "NO" if not check.satisfied else "yes" if assessed else "–",
        )
        for check in checks
    ]
    table = ResultTable(
        ("model", "required", "achieved", "satisfied"), rows, frozenset({1, 2, 3}), lead
    )
    return table.first(order=[check.satisfied for check in checks])


def verdict_table(verified: Verification) -> ResultTable:
    """Return the verdict with its parts, the worst class of each attribute, and the findings."""
    shares = verified.largest_shares
    if len(shares) > MOST:
        shares = tuple(sorted(shares, key=attrgetter("share"))[-1:])
    more = len(verified.findings) - FINDINGS
    smallest = f"smallest class: {verified.k:,} record{'' if verified.k == 1 else 's'}"
    proofs = (one.rests_on for one in verified.checks if one.verdict == "by construction")
    rows = [
        *([] if verified.checks else [("models", f"none was required; {smallest}")]),
        ("verdict", verified.verdict),
        *((f"  {part.name}", f"{part.verdict}: {part.rests_on}") for part in verified.parts),
        *(("rests on", proof) for proof in proofs if proof),
        *(("worst class", _largest_share(one)) for one in shares),
        *(("finding", finding.message) for finding in verified.findings[:FINDINGS]),
        *([("findings", f"{more} more: the JSON form has all")] if more > 0 else []),
    ]
    if verified.text_columns:
        rows.append(("counted as", both_readings(verified.text_columns)))
    return ResultTable((), rows)


def _largest_share(one: LargestShare) -> str:
    records = f"{format_number(one.records)} record{'' if one.records == 1 else 's'}"
    return (
        f"{format_percent(one.share)} of {records} share one {one.attribute}; "
        f"in the whole table {format_percent(one.table_share)}"
    )
