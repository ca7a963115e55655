"""What was found out about a column that identifies persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanonym.profiling.reasons import Reason
from kanonym.profiling.safe_harbor import safe_harbor

By = Literal["name", "values", "both"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to hold a column for a direct identifier."""

    kind: str
    reasons: tuple[Reason, ...]
    share: float
    by: By
    safe_harbor: str | None

    @property
    def evidence(self) -> str:
        """The reasons in English; no value of the table is in them."""
        return "; ".join(reason.to_text() for reason in self.reasons)


def finding_by_values(kind: str, share: float, *reasons: Reason) -> Finding:
    """Return a finding that the values gave."""
    return Finding(kind, reasons, share, "values", safe_harbor(kind))


def share_reason(kind: str, share: float, *terms: str) -> Reason:
    """Return a reason that a share of the values gives."""
    return Reason(kind, shares={"share": share}, terms=terms)
