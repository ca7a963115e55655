"""Labels that list many values: they show the values of people where a range would cover them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.labels import list_lengths
from kanonym.verification.verdict import VerificationWarning

MANY = 10
"""A label that lists more values is warned of."""


def long_lists(
    columns: Sequence[pl.Series], counts: NDArray[np.int64] | None = None
) -> list[VerificationWarning]:
    """Return a warning for each released column of which a label lists many values.

    counts: (n_rows,) records of each row; None for one each.
    """
    found = []
    for column in columns:
        if column.dtype != pl.String or not len(column):
            continue
        records = pl.len() if counts is None else pl.col("n").sum()
        frame = pl.DataFrame({"label": column})
        if counts is not None:
            frame = frame.with_columns(pl.Series("n", counts))
        labels = frame.group_by("label").agg(records.alias("records"))
        lengths = list_lengths(labels["label"])
        many = lengths > MANY
        if not many.any():
            continue
        longest, n = int(lengths.max()), int(labels["records"].to_numpy()[many].sum())
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
