"""Columns that stay on the engine, as codes: the values of each, and the labels above them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.merged_table import first_leaves
from kanonym.data.schema import Schema, Sensitive
from kanonym.data.table import Domain, encode
from kanonym.engines.sql.frequencies import Frequencies, frequencies
from kanonym.engines.sql.store import Source
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare

VALUE = "value"
"""The column of values in a table of labels; `l0`, `l1`, … are its levels."""


@dataclass(frozen=True)
class CodedKey:
    """A quasi-identifier: its values on the engine, and the leaf of each.

    raw: (n,) distinct values, as the engine has them.
    leaves, counts: (n,) int32 leaf and (n,) int64 records of each.
    """

    domain: Domain
    hierarchy: Hierarchy
    raw: pl.Series
    leaves: NDArray[np.int32]
    counts: NDArray[np.int64]
    dtype: pl.DataType
    built: dict[str, str]

    @property
    def records(self) -> NDArray[np.int64]:
        """(n_leaves,) records of each value."""
        return np.bincount(self.leaves, self.counts, self.domain.size).astype(np.int64)

    def first(self, level: int) -> NDArray[np.int32]:
        """Return (n_leaves,) int32, the first leaf with the same label."""
        return first_leaves(self.hierarchy, level)

    def null(self, level: int) -> int:
        """Return what null is at a level; without null, whatever."""
        held = self.raw.is_null().to_numpy()
        return int(self.first(level)[self.leaves[held][0]]) if held.any() else 0

    def labels(self) -> pl.DataFrame:
        """Return the codes of each value but null, by level."""
        kept = self.raw.is_not_null()
        leaves = self.leaves[kept.to_numpy()]
        return pl.DataFrame(
            [
                self.raw.filter(kept).alias(VALUE),
                *(
                    pl.Series(f"l{level}", self.first(level)[leaves])
                    for level in range(self.hierarchy.n_levels)
                ),
            ]
        )


@dataclass(frozen=True)
class CodedSensitive:
    """A sensitive attribute: its values on the engine, and the code of each.

    raw, typed: (n,) distinct values, as the engine has them, and by the rules of local tables.
    codes: (n,) int32, -1 for a null that does not count.
    """

    domain: Domain
    raw: pl.Series
    typed: pl.Series
    codes: NDArray[np.int32]

    def of(self, values: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
        """Return the codes of raw values, and the values as local tables have them."""
        frame = pl.DataFrame(
            {VALUE: self.raw, "typed": self.typed, "code": pl.Series(self.codes, dtype=pl.Int32)}
        )
        found = (
            values.alias(VALUE)
            .to_frame()
            .join(frame, on=VALUE, how="left", nulls_equal=True, maintain_order="left")
        )
        if found["code"].null_count():
            raise changed_error()
        return found["code"].to_numpy(), found["typed"]


def coded_key(
    source: Source, name: str, task: Task, dtypes: Mapping[str, pl.DataType], watch: Stopwatch
) -> CodedKey:
    """Count the values of a quasi-identifier, and bind its hierarchy to them."""
    found = values_of(source, name, dtypes)
    one = replace(task, schema=Schema({name: task.schema.attributes[name]}), models=())
    ready = prepare(one, found.column, len(found.counts), watch, found.counts)
    (domain,) = ready.table.domains
    if domain.hierarchy is None:
        raise AssertionError("levels of an attribute without a hierarchy")
    leaves = ready.table.codes[ready.table.tuple_of_row, 0]
    (dtype,) = ready.dtypes
    return CodedKey(
        domain, domain.hierarchy, found.raw[name], leaves, found.counts, dtype, ready.built
    )


def coded_sensitive(
    source: Source, name: str, task: Task, dtypes: Mapping[str, pl.DataType]
) -> CodedSensitive:
    """Count the values of a sensitive attribute."""
    found = values_of(source, name, dtypes)
    attribute = task.schema.attributes[name]
    tree, exclude = None, False
    if isinstance(attribute, Sensitive):
        tree, exclude = attribute.hierarchy, attribute.nulls == "exclude"
    typed = found.column(name)
    table = encode([], [(typed, tree, exclude)], len(typed), counts=found.counts)
    codes = table.sensitive_codes[table.tuple_of_row, 0]
    return CodedSensitive(table.sensitive[0], found.raw[name], typed, codes)


def values_of(source: Source, name: str, dtypes: Mapping[str, pl.DataType]) -> Frequencies:
    """Count the values of one column."""
    found = frequencies(source, [name], dtypes)
    if found is None:
        raise DataError(
            f"column {name!r} has more than {source.most_tuples} distinct values: generalize it "
            f"first (an action, a column of the engine), or give the source a larger most_tuples"
        )
    return found


def changed_error() -> DataError:
    """Say that somebody has written to the table meanwhile."""
    return DataError(
        "two counts of the table do not agree: a value that one query counted is not in the next. "
        "If others write to the table, work on a copy; else a view gives other rows each time"
    )
