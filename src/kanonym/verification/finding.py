"""A finding: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

PartName = Literal["identity", "attributes", "persons"]
"""A part of the verdict: can somebody be found, what is learned of them, who is counted."""

LISTED = 5
"""Columns that a message names; further ones are counted."""

Evidence = tuple[Sequence[str], str, Mapping[str, float]]
"""What a search yields for each finding: its columns, its message, its counts."""


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

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Finding:
        """Return what `to_dict` wrote."""
        columns, counts = tuple(form["columns"]), dict(form["counts"])
        return cls(form["kind"], form["part"], columns, str(form["message"]), counts)


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding, of which `search` yields what a release has; see `findings.FINDINGS`."""

    type: str
    part: PartName
    search: Callable[[ReleaseView], Iterable[Evidence]]
    needs_original: bool = False
    linked: bool = False

    @property
    def rests_on_original(self) -> bool:
        """Whether the original tells more of it than the release."""
        return self.needs_original or self.part == "persons"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return what a release has of this kind."""
        return [
            Finding(self.type, self.part, tuple(columns), message, counts)
            for columns, message, counts in self.search(view)
        ]


def finding_kind(
    type_: str, part: PartName, *, needs_original: bool = False, linked: bool = False
) -> Callable[[Callable[[ReleaseView], Iterable[Evidence]]], FindingKind]:
    """Make a kind of a search; linked: it is looked for in linked tables alone."""
    return lambda search: FindingKind(type_, part, search, needs_original, linked)


def column_names_text(columns: Sequence[str]) -> str:
    """Return the names of columns for a message: the first five, and how many more."""
    more = len(columns) - LISTED
    return ", ".join(columns[:LISTED]) + (f" and {more} more" if more > 0 else "")
