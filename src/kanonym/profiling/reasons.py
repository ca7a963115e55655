"""Why a column has its role: a kind and figures, which the catalogues word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanonym.language import ENGLISH, Translator


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; no value of the table is in it."""

    kind: str
    counts: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    terms: Sequence[str] = ()
    detail: str = ""

    def to_text(self, says: Translator = ENGLISH) -> str:
        """Say it in a language.

        Examples
        --------
        >>> Reason("tells", {"values": 1072}, {"share": 0.97816}).to_text()
        '1,072 values distinguish 97.82 % of the pairs of records'

        """
        return says.text(
            f"evidence.{self.kind}",
            next(iter(self.counts.values()), None),
            **{name: says.count(number) for name, number in self.counts.items()},
            **{name: says.exact_percent(share) for name, share in self.shares.items()},
            what=says.terms(self.terms),
            detail=self.detail,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "counts": dict(self.counts),
            "shares": dict(self.shares),
            "terms": list(self.terms),
            "detail": self.detail,
        }
