"""What a model says of a released table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a model says of a released table.

    failing: (n_classes,) bool, the classes to blame; None where the model blames no class.
    """

    achieved: float
    satisfied: bool
    failing: NDArray[np.bool_] | None = None
    itemsets: tuple[tuple[int | None, tuple[int, ...], int], ...] = ()
