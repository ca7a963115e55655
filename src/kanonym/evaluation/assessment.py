"""Judging a table: what it gives away, what intruders get, and what it is still good for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanonym.data.columns.rebuild import TableSource
from kanonym.data.files import table_of
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.results import Result, ResultTable
from kanonym.evaluation.attacks.models.table_membership import ModelRisk, model_membership
from kanonym.evaluation.attacks.result import AttackResults
from kanonym.evaluation.attacks.table_attacks import attack
from kanonym.evaluation.risk.table_risk import Risk, risk
from kanonym.evaluation.utility.table_utility import Utility, utility
from kanonym.metrics.measured_value import format_figure
from kanonym.policy import PolicySource

__all__ = [
    "Assessment",
    "AttackResults",
    "ModelRisk",
    "Risk",
    "Utility",
    "assess",
    "attack",
    "model_membership",
    "risk",
    "utility",
]


SUBJECTS = {
    "identity": (
        *("k", "uniques", "prosecutor_highest", "prosecutor_average", "prosecutor_at_risk"),
        *("person_uniques", "person_highest", "person_average", "person_at_risk"),
    ),
    "attributes": ("alpha", "l_distinct", "t_equal"),
    "loss": ("span_loss", "gcp", "average_class_size"),
    "likeness": ("total_variation", "pairwise_total_variation", "query_error", "pmse"),
}
"""The figures of risk and utility that a first look at an assessment shows."""


@dataclass(frozen=True, slots=True, repr=False)
class Assessment(Result):
    """Risk of a release, and its utility beside the original.

    It is shown as a short table by subject, with every measure of utility that was asked for by
    name; `risk` and `utility` show all of their figures.
    """

    risk: Risk
    utility: Utility
    measures_named: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {"risk": self.risk.to_dict(), "utility": self.utility.to_dict()}

    def tables(self) -> list[ResultTable]:
        """Return the figures of a first look, by subject."""
        entries = {**self.risk.entries(), **self.utility.entries()}
        rows: list[tuple[str, ...]] = []
        utility = {"utility": tuple(self.utility.entries())} if self.measures_named else {}
        for subject, names in (SUBJECTS | utility).items():
            shown = [name for name in names if name in entries and entries[name].value is not None]
            for name in shown:
                value = format_figure(entries[name].value or 0.0)
                first = subject if name == shown[0] else ""
                rows.append((first, name.replace("_", " "), value, entries[name].meaning.better))
                if subject == "utility":
                    parts = entries[name].parts.items()
                    rows += [("", f"  {part}", format_figure(one), "") for part, one in parts]
        measured = self.risk.measurement
        notes = (
            f"records {measured.rows:,} · classes {measured.classes:,}",
            "all figures: .risk and .utility",
        )
        heading = ("subject", "figure", "value", "better")
        return [ResultTable(heading, rows, frozenset({2}), notes=notes)]

    def __repr__(self) -> str:
        return str(self)


def assess(
    original: TableSource,
    released: TableSource,
    policy: PolicySource | None = None,
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
    """Assess a release: its risk, and its utility compared with the original.

    Parameters and errors are those of `risk` (of the release; `of_risk` are its further
    ones) and of `utility`. `released` may be a `Release`: then nothing else need be said.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"age": [23, 25, 41, 42]})
    >>> after = pl.DataFrame({"age": ["[23, 25]", "[23, 25]", "[41, 42]", "[41, 42]"]})
    >>> found = assess(before, after, quasi_identifiers=["age"])
    >>> found.risk.measurement.k, round(found.utility.measured["gcp"].value, 4)
    (2, 0.0789)
    """
    shared: dict[str, Any] = {"quasi_identifiers": quasi_identifiers}
    released = table_of(released)
    trees = hierarchies or {}
    of_known = {name: tree for name, tree in trees.items() if name not in sensitive}
    return Assessment(
        risk(released, policy, sensitive=sensitive, hierarchies=trees, **shared, **of_risk),
        utility(
            original,
            released,
            policy,
            hierarchies=of_known,
            aligned=aligned,
            target=target,
            measures=measures,
            seed=seed,
            **shared,
        ),
        measures is not None,
    )
