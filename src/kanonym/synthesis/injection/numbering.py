"""Columns that number their records: an added one would repeat a number, and give itself away."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.synthesis.columns.numbers import Grid, plain_numbers

REPEATED = 5.0
"""Values that chance would repeat if they were drawn freely, from which on none is no chance."""

FAR = 4.0
"""Fewer repeated values by so many standard deviations are no chance either."""


def refuse_numbering(columns: Iterable[pl.Series]) -> None:
    """Refuse columns of numbers or times that hardly repeat although their range is crowded.

    A serial number, or an identifier of a short range, also where a record or two stand in the
    table twice. Were n numbers drawn freely of m possible ones, n - m · (1 - exp(-n / m)) would
    repeat another one. That none does where five are expected, or that so many fewer do,
    happens in less than one of a hundred tables.
    """
    for column in columns:
        dtype, held = column.dtype, column.drop_nulls()
        if not (dtype.is_numeric() or dtype.is_temporal()) or len(held) < 2:
            continue
        n, different = len(held), held.n_unique()
        if 2 * different < n:
            continue  # most values are those of several records: they number nothing
        possible = max(Grid.of(np.unique(plain_numbers(held))).size, different)
        expected = n + possible * math.expm1(-n / possible)
        few = max(expected - FAR * math.sqrt(expected), 0.0)
        if expected >= REPEATED and n - different <= few:
            raise SchemaError(
                f"column {column.name!r} numbers the records: {different} of its {n} values are "
                f"different, of {possible} that lie in their range, so an added record would "
                "repeat one. Drop it, or number the records anew afterwards"
            )
