"""A quasi-identifier after recoding: what every class of a partition releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr

if TYPE_CHECKING:
    from kanonym.data.schema import Recoding


@dataclass(frozen=True, slots=True, repr=False)
class RecodedAttribute(ShortRepr):
    """One quasi-identifier after recoding, kept by class.

    label_of_class: (n_classes,) int32, the entry of `columns` that each class gets.
    low, high: (n_classes,) int32, the smallest and largest code in each class; where the algorithm
    chose levels, in the subtree of the class's label.
    loss: (n_classes,) float64 in [0, 1], the normalized certainty penalty of the class.
    """

    _shown: ClassVar[tuple[str, ...]] = (
        "name",
        "recoding",
    )

    name: str
    recoding: Recoding | Literal["value"]
    columns: tuple[pl.Series, ...]
    label_of_class: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    loss: NDArray[np.float64]
