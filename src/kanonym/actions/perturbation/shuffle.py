"""Shuffling: the column keeps its values, in random order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.places import move_values, rows_of
from kanonym.data.message import Message


@dataclass(frozen=True, slots=True)
class Shuffle(Action):
    """Rearrange the values of a column at random over the whole table.

    The column has the same values as before, but no relation to other columns. Missing values stay
    where they are.

    Notes
    -----
    Every rearrangement is equally likely. Cost O(n). This is a plain permutation, not
    the data shuffling of Muralidhar and Sarathy (2006), which keeps rank correlations.

    Examples
    --------
    >>> Shuffle()
    Shuffle()

    """

    type: ClassVar[str] = "shuffle"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message("A value says nothing about its record.")
    exposes: ClassVar[str] = Message(
        "Every value is released exactly: a value that only one person can have still reveals that "
        "this person is in the table."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column in random order, its type untouched."""
        rows = rows_of(values)
        return move_values(values, rows, context.random.permutation(rows))
