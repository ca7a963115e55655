"""Reading a released column without its original: the values are those that its labels name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import FromFile, FromMapping, Hierarchy, HierarchySource
from kanonym.data.hierarchy.labels import members_of, parse_times
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.reading.categories import read_categories
from kanonym.evaluation.pair.reading.hierarchical import read_labels
from kanonym.evaluation.pair.reading.numbers import read_numbers
from kanonym.evaluation.pair.reading.texts import (
    Cells,
    Span,
    encode_distinct,
    period_of,
    says_nothing,
    span_of,
)
from kanonym.evaluation.pair.tables import Column
from kanonym.kernels.arrays import Bools

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?(?:[eE][-+]?\d+)?")


class _ReleasedCells(Cells):
    """Released cells beside the values that they name."""

    def unreadable(self, row: int, column: int = 0) -> SchemaError:
        """Return the error about a label that names no values."""
        values = self.released[column]
        return SchemaError(
            f"column {values.name!r}, row {row + 1}: the label {str(values[row])!r} does not say "
            f"which values it stands for. Give the hierarchy of {self.name!r} as a file in the "
            "policy (`kanonym hierarchy` writes one); or draw from the release by the values of "
            "each class (anonymize --drawn FILE --drawn-by class)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedColumn(ShortRepr):
    """What each cell of a released column leaves open.

    high_open: (n_released,) bool, whether the upper end of an interval is none of its values.
    """

    column: Column
    values: pl.Series
    high_open: Bools


def read_released(
    name: str,
    released: Sequence[pl.Series],
    source: HierarchySource | None = None,
    *,
    dates: bool = False,
    nulls: bool = True,
) -> ReleasedColumn:
    """Read a released column of a quasi-identifier.

    A label of a hierarchy that is written down (a file, a mapping) leaves its leaves open. An
    interval leaves open all numbers or dates between its ends; a set its members; `*` the values
    that other labels of the column name, null where there are none.

    released: one (n,) column, or two of lowest and highest values.
    """
    texts = pl.concat([one.cast(pl.String) for one in released]).drop_nulls().unique().to_list()
    as_texts = all(column.dtype == pl.String for column in released)
    leaves = _leaves(source) if as_texts else None
    if not as_texts:
        frames = [one.alias(name).drop_nulls().to_frame() for one in released]
        values = pl.concat(frames, how="vertical_relaxed").to_series()
    elif leaves is not None and set(texts) <= _all_labels(source) | {"*"}:
        values = pl.Series(name, leaves, dtype=pl.String)
    else:
        leaves = None
        of_dates = dates or getattr(source, "kind", None) == "dates"
        values = _named_values(texts, dates=of_dates, ends=len(released) > 1)
    listed = any(None in (members_of(text) or ()) for text in texts) or not len(values)
    n_null = max(column.null_count() for column in released) if nulls else 0
    values = values.extend_constant(None, max(n_null, int(listed)))
    cells = _ReleasedCells(
        values.alias(name),
        tuple(released),
        None,
        np.zeros(len(released[0]), np.int32),
        recoded=True,
        labelled=leaves is not None,
    )
    numeric = values.dtype.is_numeric() or values.dtype.is_temporal()
    read = None if leaves is None or source is None else read_labels(cells, source)
    if leaves is None and not numeric:
        unknown = _names_no_values(released)
        if unknown.any():
            raise cells.unreadable(int(unknown.argmax()))
    if read is None:
        read = read_numbers(cells) if numeric else read_categories(cells)
    high_open = np.zeros(len(released[0]), np.bool_)
    if as_texts and numeric and len(released) == 1:
        distinct, place = encode_distinct(released[0])
        spans = [_span(text, dates=values.dtype.is_temporal()) for text in distinct.to_list()]
        ends = [span is not None and span.high_open for span in spans]
        high_open = np.array([*ends, False], np.bool_)[place]
    return ReleasedColumn(read.column, values.alias(name), high_open)


def _names_no_values(released: Sequence[pl.Series]) -> Bools:
    """Return (n,) bool: masks, and intervals of categories, whose order nobody told."""
    texts = released[0].cast(pl.String)
    if len(released) > 1:
        return texts.is_not_null().to_numpy()
    masked = texts.str.contains("*", literal=True) & texts.str.contains(r"[^*]")
    sets = texts.str.starts_with("{") & texts.str.ends_with("}")
    spans = texts.str.contains(r"(?s)^\[.+, .+\]$")
    return ((masked & ~sets) | spans).fill_null(value=False).to_numpy()


def _leaves(source: HierarchySource | None) -> list[str | None] | None:
    """Return the values of a hierarchy that is written down; None of one built from a table."""
    if isinstance(source, FromFile | FromMapping):
        return list(source.rows.labels[0])
    return list(source.labels[0]) if isinstance(source, Hierarchy) else None


def _all_labels(source: HierarchySource | None) -> set[str | None]:
    """Return the labels of all levels of a hierarchy that is written down."""
    held = source.rows if isinstance(source, FromFile | FromMapping) else source
    return {label for level in getattr(held, "labels", ()) for label in level}


def _named_values(texts: Sequence[str], *, dates: bool, ends: bool) -> pl.Series:
    """Return the values that labels name: numbers or times where there are intervals of them.

    ends: whether the texts are the ends of intervals.
    """
    categories = pl.Series(_distinct_names(texts, dates=None), dtype=pl.String)
    others = [text for text in texts if _NUMBER.fullmatch(text) is None]
    lists = not ends and not any(_span(text, dates=True) for text in others)
    named = _distinct_names(texts, dates=dates)
    if not named or (lists and not dates):
        return categories
    numbers = [_NUMBER.fullmatch(one) for one in named]
    if all(numbers) and not dates:
        whole = all(number is not None and number[0].lstrip("-").isdecimal() for number in numbers)
        return pl.Series(named).cast(pl.Int64 if whole else pl.Float64)
    times = parse_times(pl.Series(_distinct_names(texts, dates=True), dtype=pl.String))
    if times.null_count():
        return categories  # such as <=50K
    return times.cast(pl.Date) if (times == times.dt.truncate("1d")).all() else times


def _distinct_names(texts: Sequence[str], *, dates: bool | None) -> list[str]:
    return list(dict.fromkeys(name for text in texts for name in _names(text, dates=dates)))


def _names(text: str, *, dates: bool | None) -> Iterator[str]:
    """Yield the values that a label names; dates: None where no interval is one."""
    members = members_of(text)
    span = None if dates is None else _span(text, dates=dates)
    if members is not None:
        yield from (member for member in members if member is not None)
    elif span is not None:
        yield from (end for end in (span.low, span.high) if end is not None)
    elif "*" not in text:
        yield text


def _span(text: str, *, dates: bool) -> Span | None:
    if says_nothing(text):
        return None
    return (period_of(text) if dates else None) or span_of(text)
