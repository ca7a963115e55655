"""What a model may look at in a released table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kanonym.data.item_tree import ItemTree
    from kanonym.data.partition import Classes


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
