"""How good and how safe a synthetic table is, by the project's own measures and attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanonym.evaluation.attacks.result import AttackResults
from kanonym.evaluation.attacks.table_attacks import attack
from kanonym.evaluation.utility.models.detection import detection
from kanonym.evaluation.utility.table_utility import Utility, utility
from kanonym.metrics.measured_value import MeasuredValue

MEASURES = (
    "total-variation",
    "hellinger",
    "jensen-shannon",
    "wasserstein",
    "pairwise-total-variation",
    "k-marginal",
    "correlation-difference",
    "cramers-v-difference",
    "correlation-ratio-difference",
    "interval-overlap",
    "interval-overlap-regression",
    "query-error",
    "pmse",
)
"""Measures of two tables whose records are not the same persons."""

ATTACKS = ("singling-out", "linkability", "inference", "membership")
"""Attacks on a table that was not recoded and has no record of anybody on purpose."""


@dataclass(frozen=True, slots=True)
class Copies:
    """How many synthetic records are equal to one of a real person."""

    learned: float
    held_out: float | None = None
    learned_as_many: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return {
            "learned": self.learned,
            "held_out": self.held_out,
            "learned_as_many": self.learned_as_many,
        }


def count_copies(
    learned: pl.DataFrame,
    synthetic: pl.DataFrame,
    held_out: pl.DataFrame | None,
    random: np.random.Generator,
) -> Copies:
    """Count synthetic records that equal real ones, null equal to null. Cost O(records)."""

    def share(real: pl.DataFrame) -> float:
        frame = synthetic.join(real.unique(), on=real.columns, how="semi", nulls_equal=True)
        return len(frame) / len(synthetic)

    if held_out is None:
        return Copies(share(learned))
    size = min(len(held_out), len(learned))
    rows = np.sort(random.choice(len(learned), size, replace=False))
    return Copies(share(learned), share(held_out), share(learned[rows]))


def measure_detection(
    learned: pl.DataFrame, synthetic: pl.DataFrame, random: np.random.Generator
) -> MeasuredValue:
    """Measure how well a classifier tells synthetic records from those learned from."""
    return detection(learned.get_columns(), synthetic.get_columns(), random)


def utility_of(learned: pl.DataFrame, synthetic: pl.DataFrame, seed: int) -> Utility:
    """Measure what the synthetic table is good for beside the one learned from."""
    return utility(learned, synthetic, aligned=False, measures=MEASURES, seed=seed)


def attack_synthetic(
    learned: pl.DataFrame,
    synthetic: pl.DataFrame,
    held_out: pl.DataFrame | None,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    seed: int,
) -> AttackResults:
    """Attack a synthetic table as a release of the records that were learned from.

    Where no quasi-identifier is named, the intruder knows every column that is not sensitive.
    Records that were held out are the control.
    """
    known = list(quasi_identifiers)
    known = known or [name for name in learned.columns if name not in sensitive]
    return attack(
        learned,
        synthetic,
        quasi_identifiers=known,
        sensitive=list(sensitive),
        control=held_out,
        aligned=False,
        attacks=ATTACKS,
        seed=seed,
    )
