"""What was found out about a column that identifies persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanonym.profiling.safe_harbor import safe_harbor

By = Literal["name", "values", "both"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to hold a column for a direct identifier.

    Attributes
    ----------
    kind
        What the column holds, such as `e-mail address` or `national number`.
    evidence
        One sentence for a reader; no value of the table is in it.
    share
        Of the column's values that are there, those that have the form, 0 to 1; where only
        the name tells, those that at least could be such values.
    by
        What tells it: the column's name, the form of its values, or both.
    safe_harbor
        The category of HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)(i), or None.

    """

    kind: str
    evidence: str
    share: float
    by: By
    safe_harbor: str | None


def by_values(kind: str, evidence: str, share: float) -> Finding:
    """Return a finding that the values gave."""
    return Finding(kind, evidence, share, "values", safe_harbor(kind))


def percent(share: float) -> str:
    """Return a share as people write it, never 100 % for less than all.

    Examples
    --------
    >>> percent(1.0), percent(0.9999), percent(0.0)
    ('all', '99.9 % of the', 'none of the')

    """
    if share >= 1:
        return "all"
    return "none of the" if share <= 0 else f"{min(round(100 * share, 1), 99.9):g} % of the"
