"""Synthesizers, and records drawn of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import polars as pl

from kanonym.data.errors import DataError
from kanonym.kernels.arrays import Bools
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


ROUNDS = 20
"""How often records that break a constraint are drawn again."""


def draw_valid_records(
    model: Learned,
    n: int,
    learned: pl.DataFrame,
    rules: Sequence[Constraint],
    random: np.random.Generator,
) -> pl.DataFrame:
    """Return n records that keep every constraint, and miss no value that none misses."""
    parts: list[pl.DataFrame] = []
    lacking, asked = n, n
    for _ in range(ROUNDS):
        drawn = pl.DataFrame(list(model.sample(asked, random)))
        if drawn.schema != learned.schema:
            raise DataError(
                f"the synthesizer drew the columns {drawn.schema}, and the table has "
                f"{learned.schema}: names, order and types must be those of the table"
            )
        fine = drawn.filter(pl.Series(_holds_what_must_hold(drawn, learned, rules)))
        # Some libraries draw alike records one after the other: the first would be a choice.
        fine = fine[random.permutation(len(fine))]
        parts.append(fine.head(lacking))
        lacking -= len(parts[-1])
        if not lacking:
            return pl.concat(parts)
        # As many as will do at this rate, and a few more; never far more than the table.
        asked = min(n, lacking * (asked // max(len(fine), 1) + 1) + 10)
    told = ", ".join(map(str, rules)) or "no missing value where the table has none"
    raise DataError(
        f"only {n - lacking} of {n} records keep what must hold ({told}) after {ROUNDS} rounds of "
        "drawing; leave a constraint out, or take the default method, which draws none that "
        "breaks it"
    )


def keeps_constraints(table: pl.DataFrame, rules: Sequence[Constraint]) -> Bools:
    """Return (n,) bool, which records keep every constraint; null keeps any."""
    keeps = np.ones(len(table), np.bool_)
    for rule in rules:
        low, high = table[rule.low], table[rule.high]
        holds = low < high if rule.strict else low <= high
        keeps &= holds.fill_null(value=True).to_numpy()
    return keeps


def _holds_what_must_hold(
    drawn: pl.DataFrame, learned: pl.DataFrame, rules: Sequence[Constraint]
) -> Bools:
    """Return (n,) bool, which drawn records keep constraints and miss no value that none misses."""
    keeps = keeps_constraints(drawn, rules)
    for column in learned.get_columns():
        if not column.null_count():
            keeps &= drawn[column.name].is_not_null().to_numpy()
    return keeps
