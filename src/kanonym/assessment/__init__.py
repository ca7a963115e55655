"""Judging a table: what it gives away, and what a release of it is still good for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanonym.assessment.of_risk import TableRisk, risk
from kanonym.assessment.of_utility import TableUtility, utility
from kanonym.data.hierarchy import HierarchySource
from kanonym.metrics.measured import Measured
from kanonym.policy import Policy

__all__ = ["Assessment", "TableRisk", "TableUtility", "assess", "risk", "utility"]


@dataclass(frozen=True, slots=True)
class Assessment:
    """Risk of a release, and its utility beside the original; `print` shows both."""

    risk: TableRisk
    utility: TableUtility

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {"risk": self.risk.to_dict(), "utility": self.utility.to_dict()}

    def __str__(self) -> str:
        """Return every number on a line of its own, those of its parts below it.

        Parts that are pairs of columns are left out; `to_dict` has them.
        """
        measured = self.risk.measurement
        alone = f"records alone in their class {measured.uniques:,}"
        counts = f"records {measured.rows:,} · classes {measured.classes:,} · k {measured.k:,}"
        lines = [f"{counts} · {alone}"]
        for heading, entries in (
            ("risk", self.risk.entries()),
            ("utility", self.utility.entries()),
        ):
            lines += ["", f"{heading:34}{'value':>14}   better"]
            for name, one in entries.items():
                lines += _lines(name, one)
        return "\n".join(lines)


def _lines(name: str, one: Measured) -> list[str]:
    if one.value is None:
        return [f"{name:34}{'–':>14}   {one.reason}"]
    parts = [f"  {part:32}{value:>14.6g}" for part, value in one.parts.items() if " × " not in part]
    return [f"{name:34}{one.value:>14.6g}   {one.meaning.better}", *parts]


def assess(
    original: Any,
    released: Any,
    policy: Policy | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    aligned: bool | None = None,
    target: str | None = None,
    measures: Sequence[str] | None = None,
    seed: int = 0,
    **of_risk: Any,
) -> Assessment:
    """Assess a release: its risk, and its utility beside the original.

    Parameters and errors are those of `risk` (of the release; `of_risk` are its further
    ones) and of `utility`.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"age": [23, 25, 41, 42]})
    >>> after = pl.DataFrame({"age": ["[23, 25]", "[23, 25]", "[41, 42]", "[41, 42]"]})
    >>> found = assess(before, after, quasi_identifiers=["age"])
    >>> found.risk.measurement.k, round(found.utility.measured["gcp"].value, 4)
    (2, 0.0789)

    """
    shared: dict[str, Any] = {
        "quasi_identifiers": quasi_identifiers,
        "hierarchies": hierarchies,
        "seed": seed,
    }
    return Assessment(
        risk(released, policy, sensitive=sensitive, **shared, **of_risk),
        utility(
            original,
            released,
            policy,
            aligned=aligned,
            target=target,
            measures=measures,
            **shared,
        ),
    )
