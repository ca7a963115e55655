"""What a model may look at in a released table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kanonym.data.partition import Classes


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedTable:
    """What a model may look at in a released table.

    Attributes
    ----------
    classes
        Its equivalence classes.
    beyond
        Persons of the population table of whom the release has no record, as classes.
    rows
        Gives (n_rows, n_columns) int32 codes of the released quasi-identifiers: equal values
        of a column have equal codes.
    counts
        (n_rows,) int64 records that each row stands for; None for one each.

    """

    classes: Classes
    beyond: Classes
    rows: Callable[[], NDArray[np.int32]]
    counts: NDArray[np.int64] | None = None
