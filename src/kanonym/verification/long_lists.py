"""Labels that list many values: they show the values of people where a range would cover them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.hierarchy.labels import list_lengths
from kanonym.verification.verdict import VerificationWarning

MANY = 10
"""A label that lists more values is warned of."""


def long_list_warnings(
    columns: Sequence[pl.Series], counts: NDArray[np.int64] | None = None
) -> list[VerificationWarning]:
    """Return a warning for each released column of which a label lists many values.

    columns: the labels of rows, or of classes.

    counts: (n,) records of each; None for one each.
    """
    found = []
    texts = pl.DataFrame([column for column in columns if column.dtype == pl.String])
    lists = texts.select(pl.all().str.starts_with("{").any())
    for column in (one for one in texts if lists[one.name].any()):
        lengths = list_lengths(column)
        many = lengths > MANY
        if not many.any():
            continue
        longest = int(lengths.max())
        n = int(many.sum() if counts is None else counts[many].sum())
        found.append(
            VerificationWarning(
                "long-list",
                (column.name,),
                f"{column.name}: labels of {n:,} records list more than {MANY} values, up to "
                f"{longest:,}: every listed value is somebody's. Give the column a hierarchy, or "
                "recode it as intervals",
                {"longest": longest, "records": n},
            )
        )
    return found
