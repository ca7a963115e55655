"""Swapping within classes: each class keeps its values, and chance says who has which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.places import move_values, rows_of
from kanonym.data.errors import PolicyError
from kanonym.data.message import Message


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """Rearrange the values of a column at random within each equivalence class.

    Each class has the same values as before, so all that is counted by classes stays. Each
    column is rearranged on its own: relations between columns within a class are lost.
    As SIGO's `swapping`, but seeded.

    Notes
    -----
    Every rearrangement of a class is equally likely, the one that changes nothing
    included. Cost: two sorts of the records.

    References
    ----------
    Dalenius and Reiss (1982), "Data-swapping: a technique for disclosure control", in its
    simplest form; Fienberg and McIntyre (2004), "Data swapping: variations on a theme by
    Dalenius and Reiss".

    Examples
    --------
    >>> Swap()
    Swap()

    """

    type: ClassVar[str] = "swap"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Within its class, a value is no longer tied to its record, nor to the record's values "
        "in other columns."
    )
    exposes: ClassVar[str] = Message(
        "Every value is released exactly and stays in its class: what all records of a class share "
        "is known for each of them, and combinations of values remain distinct, so "
        "swapping alone is not k-anonymity."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column rearranged, its type untouched.

        Raises
        ------
        PolicyError
            There are no classes.

        """
        if context.classes is None:
            raise PolicyError(
                f"{self.type} of column {values.name!r} needs equivalence classes, and there are "
                "none before the algorithm; apply it after, or use shuffle for the whole table"
            )
        rows = rows_of(values)
        drawn = context.random.permutation(rows)
        # Both lists have the records of a class in the same places, one in random order.
        targets = rows[np.argsort(context.classes[rows], kind="stable")]
        origins = drawn[np.argsort(context.classes[drawn], kind="stable")]
        return move_values(values, targets, origins)
