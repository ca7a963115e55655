"""What a model says of a released table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a model says of a released table.

    Attributes
    ----------
    achieved
        The value that the table has.
    satisfied
        Whether the table satisfies the model.
    failing
        (n_classes,) bool, the classes to blame; None where the model blames no class.
    itemsets
        Known items to blame, by class or of the whole table (None): nodes of the item tree, and
        how many records could be those of a person with them.

    """

    achieved: float
    satisfied: bool
    failing: NDArray[np.bool_] | None = None
    itemsets: tuple[tuple[int | None, tuple[int, ...], int], ...] = ()
