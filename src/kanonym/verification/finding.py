"""A finding: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

PartName = Literal["identity", "attributes", "persons"]
"""A part of the verdict: can somebody be found, what is learned of them, who is counted."""

LISTED = 5
"""Columns that a message names; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a release that satisfies its models may still not protect the people in it."""

    kind: str
    part: PartName
    columns: tuple[str, ...]
    message: str
    counts: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "part": self.part,
            "columns": list(self.columns),
            "message": self.message,
            "counts": dict(self.counts),
        }


class FindingKind(ABC):
    """A kind of finding; an instance of each stands in `findings.FINDINGS`."""

    type: ClassVar[str]
    part: ClassVar[PartName]
    needs_original: ClassVar[bool] = False
    linked: ClassVar[bool] = False

    @property
    def rests_on_original(self) -> bool:
        """Whether the original tells more of it than the release."""
        return self.needs_original or self.part == "persons"

    @abstractmethod
    def find(self, view: ReleaseView) -> list[Finding]:
        """Return what a release has of this kind."""

    def finding(
        self, columns: Sequence[str], message: str, counts: Mapping[str, float] | None = None
    ) -> Finding:
        """Return a finding of this kind."""
        return Finding(self.type, self.part, tuple(columns), message, counts or {})


def column_names_text(columns: Sequence[str]) -> str:
    """Return the names of columns for a message: the first five, and how many more."""
    more = len(columns) - LISTED
    return ", ".join(columns[:LISTED]) + (f" and {more} more" if more > 0 else "")
