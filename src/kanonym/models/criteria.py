"""Criteria of models, the answers they give, and the released table they look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.kernels.classes import disclosure

if TYPE_CHECKING:
    from kanonym.data.item_sets import ItemTree
    from kanonym.data.partition import Classes


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a model says of a released table.

    failing: (n_classes,) bool, the classes to blame; None where the model blames no class.
    """

    achieved: float
    satisfied: bool
    failing: NDArray[np.bool_] | None = None
    itemsets: tuple[tuple[int | None, tuple[int, ...], int], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedSets:
    """The sets of items of a released table, of all attributes side by side.

    offsets, labels: (n_rows + 1,) int64 and int32: the labels of each row, ascending and distinct.
    class_of_row: (n_rows,) int32, the equivalence class of each row.
    """

    tree: ItemTree
    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    class_of_row: NDArray[np.int32]


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedTable:
    """What a model may look at in a released table.

    rows: gives (n_rows, n_columns) int32 codes of the released quasi-identifiers: equal values of a
    column have equal codes.
    counts: (n_rows,) int64 records that each row stands for; None for one each.
    """

    classes: Classes
    beyond: Classes
    rows: Callable[[], NDArray[np.int32]]
    counts: NDArray[np.int64] | None = None
    sets: ReleasedSets | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One compiled condition on a class; a model is met where all of its own hold.

    Attributes
    ----------
    measure
        A measure of `kernels.classes.disclosure` (its integer constant).
    attribute
        The sensitive attribute that it looks at; None for the class size alone.
    threshold
        The required value.
    relation
        `>=`, `<=` or `<`: how the measured value must relate to the threshold.
    argument
        A further integer of the measure (l of recursive (c, l)-diversity), else 0.

    """

    measure: int
    attribute: str | None
    threshold: float
    relation: str
    argument: int = 0

    def measure_classes(self, classes: Classes) -> NDArray[np.float64]:
        """Return (n_classes,) float64: the measure of every class."""
        if self.attribute is None:
            return classes.sizes.astype(np.float64)
        distribution = classes.distributions[self.attribute]
        if self.measure == disclosure.ALPHA and distribution.totals is not None:
            most = np.zeros(len(distribution.totals), np.int64)
            owners = np.repeat(np.arange(len(most)), np.diff(distribution.offsets))
            np.maximum.at(most, owners, distribution.counts)
            return np.asarray(most / np.maximum(distribution.totals, 1))
        ancestors = distribution.ancestors
        if self.measure == disclosure.T_HIERARCHICAL and not len(ancestors):
            raise PolicyError(
                f"t-closeness with hierarchical distance needs a hierarchy of {self.attribute!r}"
            )
        return disclosure.measure_classes(
            self.measure,
            distribution.offsets,
            distribution.values,
            distribution.counts,
            classes.sizes,
            disclosure.reference_shares(distribution.table, ancestors),
            ancestors,
            self.argument,
        )

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes meet the condition."""
        relation = disclosure.RELATIONS[self.relation]
        return disclosure.hold_all(self.measure_classes(classes), relation, float(self.threshold))


MEASURES: dict[str, int] = {
    "records": disclosure.SIZE,
    "distinct": disclosure.DISTINCT,
    "entropy": disclosure.ENTROPY,
    "largest-share": disclosure.ALPHA,
    "t-equal": disclosure.T_EQUAL,
    "t-ordered": disclosure.T_ORDERED,
    "t-hierarchical": disclosure.T_HIERARCHICAL,
    "largest-difference": disclosure.TOTAL_VARIATION,
    "kullback-leibler": disclosure.KL,
    "basic-beta": disclosure.BETA_BASIC,
    "enhanced-beta": disclosure.BETA_ENHANCED,
    "delta": disclosure.DELTA,
    "diversity-percent": disclosure.DIVERSITY_PERCENT,
}
"""What a `Criterion` may measure of a class; definitions in `kernels.classes.disclosure`."""
