"""Columns that number their records: an added one would repeat a number, and give itself away."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.transforms.copula.numbers import Grid, plain_numbers

PAIRS = 5.0
"""Equal pairs that chance would make of values drawn freely, from which on none is no chance."""


def refuse_numbering(columns: Iterable[pl.Series]) -> None:
    """Refuse columns of numbers or times that all differ although their range is crowded.

    A serial number, or an identifier of a short range. Were n numbers drawn freely of m possible
    ones, about n² / 2m pairs would be equal; that there is none where five are expected happens
    in less than one of a hundred tables.

    Raises
    ------
    SchemaError
        A column does: what to do about it.

    """
    for column in columns:
        dtype, held = column.dtype, column.drop_nulls()
        if not (dtype.is_numeric() or dtype.is_temporal()) or held.n_unique() < max(len(held), 2):
            continue
        possible = Grid.of(plain_numbers(held.sort())).size
        if len(held) ** 2 / (2 * possible) >= PAIRS:
            raise SchemaError(
                f"column {column.name!r} numbers the records: its {len(held)} values are all "
                f"different, of {possible} that lie in their range, so an added record would "
                "repeat one. Drop it, or number the records anew afterwards"
            )
