"""The categories of a column: those that it holds, or those that a policy names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.perturbation.places import move_values, rows_of
from kanonym.data.columns.value_texts import text_of
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.table import encode_column


class Categories(NamedTuple):
    """A column as categories.

    rows: (m,) int64, the rows that have a value.
    codes: (m,) int64, the category of each.
    labels: (n_categories,) of the column's type.
    """

    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    labels: pl.Series

    def column(self, values: pl.Series, codes: NDArray[np.int64]) -> pl.Series:
        """Return the column with other (m,) codes."""
        index = np.full(len(values), len(self.labels))
        index[self.rows] = codes
        return self.labels.extend_constant(None, 1).gather(index).alias(values.name)


def observed_categories(values: pl.Series) -> Categories:
    """Return the values that a column holds as its categories, in their order."""
    domain, codes = encode_column(values, by_value=True)
    rows = rows_of(values)
    return Categories(rows, codes[rows].astype(np.int64), _labels_in_type(domain.values, values))


def declared_categories(values: pl.Series, labels: Sequence[object], action: str) -> Categories:
    """Return a column with named categories, in the order in which they are named."""
    dtype = values.dtype
    if dtype.is_temporal():
        raise SchemaError(
            f"column {values.name!r} holds {dtype}: {action} accepts categories by name only for "
            f"text, numbers and booleans"
        )
    typed = _labels_in_type(
        pl.Series(values.name, [_text(label) for label in labels], pl.String), values
    )
    if typed.null_count():
        wrong = labels[int(typed.is_null().arg_max() or 0)]
        raise PolicyError(
            f"{action} of column {values.name!r}: {wrong!r} is no value of {dtype}, the column's "
            "type; correct it"
        )
    places = {text: code for code, text in enumerate(text_of(typed).to_list())}
    if len(places) < len(labels):
        raise PolicyError(
            f"{action} of column {values.name!r} names a category twice; name it once"
        )
    categories = observed_categories(values)
    known = [places.get(text, -1) for text in text_of(categories.labels).to_list()]
    codes = np.array(known, np.int64)[categories.codes] if known else categories.codes
    if (codes < 0).any():
        row = int(categories.rows[int((codes < 0).argmax())])
        raise DataError(
            f"column {values.name!r}, row {row + 1}: {str(values[row])!r} is none of the values "
            f"that {action} names; add it to them"
        )
    return Categories(categories.rows, codes, typed)


def redraw_values(values: pl.Series, held: Categories, origins: NDArray[np.int64]) -> pl.Series:
    """Return the column with the values of (m,) other records, counted among those with one."""
    return move_values(values, held.rows, held.rows[origins])


def _labels_in_type(labels: pl.Series, values: pl.Series) -> pl.Series:
    """Return labels in the type of a column, null for those that it cannot have."""
    if labels.dtype == values.dtype:
        return labels
    if values.dtype == pl.Boolean:
        known = {"true": True, "false": False}
        return pl.Series(values.name, [known.get(text) for text in labels], pl.Boolean)
    return labels.cast(values.dtype, strict=False)


def _text(label: object) -> str:
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return label.isoformat() if isinstance(label, date) else str(label)
