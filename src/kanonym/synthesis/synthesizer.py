"""What learns a table and draws another one from what it learned: one interface for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import polars as pl

from kanonym.synthesis.columns import Constraint


class Learned(Protocol):
    """What a synthesizer learned of a table."""

    def sample(self, n: int, random: np.random.Generator) -> Sequence[pl.Series]:
        """Return n records: the table's columns, in its order, their types and names."""
        ...


class Synthesizer(Protocol):
    """Frozen parameters, and a way to learn a table by them.

    Attributes
    ----------
    name
        As in the JSON contract and on the command line.

    """

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> Learned:
        """Learn a table.

        Parameters
        ----------
        columns
            (n,) each: numbers, times, Booleans, text and categories, with nulls.
        constraints
            What holds in every record. Who cannot keep them draws records that break
            some; these are drawn again.
        random
            Of what is drawn while learning.

        Raises
        ------
        SchemaError, DataError
            A column cannot be imitated, as free text, or a record breaks a constraint.

        """
        ...
