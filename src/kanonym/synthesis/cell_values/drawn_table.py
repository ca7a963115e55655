"""A release with one value per cell, and what its verification still says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from kanonym.data import files
from kanonym.data.results.result import Result, ResultTable
from kanonym.policy import Policy
from kanonym.policy.listed_values import without_values
from kanonym.release import versions
from kanonym.verification.verdict import Verification

By = Literal["label", "class"]
"""What values are drawn by."""

UNCHANGED = "No cell has several values to choose from: these are the values that were verified."

MEANING: Mapping[By, str] = {
    "label": (
        "Each cell with a label holds one of the values that the label leaves open, all alike. "
        "The models of the policy were verified on the labels and do not hold for these values: "
        "records that share them are together by chance. Whoever has this table learns no more "
        "than the labels say."
    ),
    "class": (
        "Each quasi-identifier of a record holds a value of the record's class, as frequent as "
        "among its records. The models of the policy were verified on the labels and do not hold "
        "for these values: records that share them are together by chance. This table tells more "
        "than the labels: how frequent each value is within a class."
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class DrawnTable(Result):
    """A release with one value per cell.

    Attributes
    ----------
    frame
        The table, of the type of the released one, its records in the same order.
    by
        What values were drawn by: `label` or `class`.
    seed
        Of what was drawn; None for one that was not kept.
    columns
        Columns of which cells were drawn.
    cells
        Cells with several values to choose from.
    constraints
        What holds in every record.
    verification
        Of the labels: the verdict is on them, not on this table.
    policy
        That of the labels.
    k_of_values
        Records of the smallest class of equal values in this table.

    """

    _shown: ClassVar[tuple[str, ...]] = ("by", "cells", "k_of_values")

    frame: Any = field(repr=False)
    by: By
    seed: int | None
    columns: tuple[str, ...]
    cells: int
    constraints: tuple[str, ...]
    verification: Verification = field(repr=False)
    policy: Policy = field(repr=False)
    k_of_values: int

    @property
    def meaning(self) -> str:
        """What verification of the labels means for this table."""
        return MEANING[self.by] if self.cells else UNCHANGED

    def to_dict(self) -> dict[str, Any]:
        """Return how the table was drawn, and which table was verified, in JSON form."""
        return {
            "by": self.by,
            "seed": self.seed,
            "columns": list(self.columns),
            "cells": self.cells,
            "constraints": list(self.constraints),
            "verified": {
                "table": "labels",
                "verdict": self.verification.verdict,
                "k": self.verification.k,
            },
            "values": {"verified": not self.cells, "k": self.k_of_values},
            "meaning": self.meaning,
        }

    def tables(self) -> list[ResultTable]:
        """Return the same, a fact a row."""
        rows = (
            ("cells drawn", f"{self.cells:,} in {', '.join(self.columns) or 'no column'}"),
            ("by", self.by),
            *(("constraint", constraint) for constraint in self.constraints),
            ("labels", f"{self.verification.verdict}, k = {self.verification.k:,}"),
            *([("values", f"not verified, k = {self.k_of_values:,}")] if self.cells else []),
        )
        return [ResultTable(("one value per cell", ""), rows, notes=(self.meaning,))]

    def manifest(
        self, path: str | Path, *, released: files.Content | None, drawn: files.Content | None
    ) -> None:
        """Write how the table was drawn, and which table was verified, as JSON.

        Parameters
        ----------
        path
            Where to.
        released, drawn
            The files of the labels and of this table; their SHA-256 goes in.

        """
        known = {"input": released, "output": drawn}
        hashes = {
            name: {"file": content.name, "sha256": content.sha256}
            for name, content in known.items()
            if content is not None
        }
        told = ("satisfied", "verdict", "parts", "k", "classes", "models", "findings")
        checked = self.verification.to_dict()
        parts = {
            "versions": versions(),
            "policy": without_values(self.policy.to_dict()),
            **hashes,
            "drawn": {**self.to_dict(), **hashes.get("output", {})},
            "verification": {key: checked[key] for key in told if key in checked},
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")
