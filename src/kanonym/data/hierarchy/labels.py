"""Labels of a hierarchy, their leaves, and values drawn of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice

import numpy as np
import polars as pl

from kanonym.data.columns.values import moment_texts
from kanonym.data.errors import HierarchyError
from kanonym.kernels.arrays import Int32s, Ints

Labels = tuple[tuple[str | None, ...], ...]


def draw(labels: Labels, codes: Int32s, children: int, lines: int) -> str:
    """Return the tree as text: see `Hierarchy.show`."""
    top, span = len(labels) - 1, (0, codes.shape[1])
    drawn = list(islice(_branch(labels, codes, top, span, children), lines))
    if len(drawn) == lines:
        drawn = list(_branch(labels, codes, top, span, children, open_all=False))
    return "\n".join([f"{labels[top][0]} ({codes.shape[1]})", *drawn])


def _branch(
    labels: Labels,
    codes: Int32s,
    level: int,
    span: tuple[int, int],
    children: int,
    *,
    open_all: bool = True,
) -> Iterator[str]:
    """Draw what lies below the label of `level` that covers the leaves of `span`."""
    if level == 0 or span[0] == span[1]:
        return
    row = codes[level - 1]
    first, last = int(row[span[0]]), int(row[span[1] - 1])
    shown = range(first, min(last + 1, first + children))
    for code in shown:
        end = code == last
        below = (int(np.searchsorted(row, code)), int(np.searchsorted(row, code, "right")))
        name = labels[level - 1][code]
        size = "" if level == 1 else f" ({below[1] - below[0]})"
        yield f"{'└' if end else '├'}── {'null' if name is None else name}{size}"
        if open_all or code == first:
            margin = "    " if end else "│   "
            for line in _branch(labels, codes, level - 1, below, children, open_all=open_all):
                yield margin + line
    if shown.stop <= last:
        yield f"└── … {last + 1 - shown.stop} more"


def set_label(members: list[str | None]) -> str | None:
    """Return the label of a set of values, null as None: one alone as itself, `{a, b}`."""
    if len(members) == 1:
        return members[0]
    return (
        "{"
        + ", ".join("null" if member is None else _quote_member(member) for member in members)
        + "}"
    )


def members_of(text: str) -> list[str | None] | None:
    """Return the members of a set as recoding writes it, null as None; None for no set.

    Examples
    --------
    >>> members_of('{Köln, "a, b", null}')
    ['Köln', 'a, b', None]
    """
    if not (text.startswith("{") and text.endswith("}")) or len(text) <= 2:
        return None
    members: list[str | None] = []
    rest = text[1:-1]
    while True:
        if rest.startswith('"'):
            try:
                member, end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError:
                return None
            members.append(member)
        else:
            end = rest.find(", ") if ", " in rest else len(rest)
            members.append(None if rest[:end] == "null" else rest[:end])
        if end == len(rest):
            return members
        if not rest.startswith(", ", end):
            return None
        rest = rest[end + 2 :]


def list_lengths(labels: pl.Series) -> Ints:
    """Return (n,) int64: how many values each label lists, 1 for one that is no set.

    Examples
    --------
    >>> list_lengths(pl.Series(["Köln", '{Köln, "a, b", null}', "{Köln, Bonn}", None])).tolist()
    [1, 3, 2, 1]
    """
    if labels.dtype != pl.String:
        return np.ones(len(labels), np.int64)
    frame, label = labels.to_frame("label"), pl.col("label")
    is_set = (label.str.starts_with("{") & label.str.ends_with("}")).fill_null(value=False)
    if not frame.select(is_set.any()).item():
        return np.ones(len(labels), np.int64)
    commas = label.str.count_matches(", ", literal=True)
    found = frame.select(
        pl.when(is_set).then(commas + 1).otherwise(1).cast(pl.Int64).alias("length"),
        label.str.contains('"', literal=True).fill_null(value=False).alias("quoted"),
    )
    lengths = found["length"].to_numpy().copy()
    # A comma within quotes parts no members.
    for i in np.flatnonzero((lengths > 1) & found["quoted"].to_numpy()).tolist():
        lengths[i] = len(members_of(labels[i]) or [None])
    return lengths


def _quote_member(text: str) -> str:
    """Quote a value that would read as something else inside a set."""
    alone = text and text != "null" and text == text.strip() and text.isprintable()
    return text if alone and not set(text) & set(',{}"') else json.dumps(text, ensure_ascii=False)


_WITH_TEXT = (
    pl.String,
    pl.Categorical,
    pl.Enum,
    pl.Boolean,
    pl.Date,
    pl.Datetime,
    pl.Time,
    pl.Null,
)
_DATETIMES = (
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
)
_OFFSET_DATETIMES = ("%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%:z")


def has_null(values: pl.Series) -> bool:
    """Whether a column holds null; NaN is null."""
    return values.has_nulls() or (values.dtype.is_float() and bool(values.is_nan().any()))


def require_text(values: pl.Series) -> None:
    """Refuse a column whose values have no text of their own."""
    if not (values.dtype.is_numeric() or values.dtype in _WITH_TEXT):
        raise HierarchyError(
            f"column {values.name!r} holds {values.dtype}, over which there is no hierarchy"
        )


def value_texts(values: pl.Series) -> pl.Series:
    """Return the values as text, as level 0 shows them: ISO dates, `true` and `false`."""
    return moment_texts(values, "iso") if values.dtype == pl.Datetime else values.cast(pl.String)


def parse_leaves(leaves: pl.Series, dtype: pl.DataType, where: Callable[[int], str]) -> pl.Series:
    """Return leaf texts as values of a column's type.

    `39` and `39.0` are the same whole number.
    """
    require_text(pl.Series(leaves.name, [], dtype=dtype))
    values = parse_values(leaves, dtype)
    if values.dtype.is_float():
        values = values.fill_nan(None)
    bad = (values.is_null() & leaves.is_not_null()).arg_true()
    if len(bad):
        raise HierarchyError(
            f"{where(bad[0])}: {leaves[bad[0]]!r} is no {dtype}, which column {leaves.name!r} "
            "holds; null is written as an empty cell"
        )
    twice = (~values.is_first_distinct()).arg_true()
    if len(twice):
        first = values.index_of(values[twice[0]]) or 0
        raise HierarchyError(
            f"{where(twice[0])}: the value {quote_first([leaves[twice[0]]])} occurs a second time, "
            f"after {where(first)}"
        )
    return values


def parse_values(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as values of a type, or of a wider one of its kind; null where one is none."""
    if dtype in (pl.String, pl.Categorical, pl.Null):
        return leaves if dtype == pl.Null else leaves.cast(dtype)
    if isinstance(dtype, pl.Enum):
        known = dtype.categories.to_list()
        more = leaves.drop_nulls().unique(maintain_order=True).to_list()
        return leaves.cast(pl.Enum([*known, *(text for text in more if text not in set(known))]))
    stripped = leaves.str.strip_chars()
    if dtype == pl.Boolean:
        lower = stripped.str.to_lowercase()
        truth = {"true": True, "1": True, "false": False, "0": False}
        return lower.replace_strict(truth, default=None, return_dtype=pl.Boolean)
    if dtype == pl.Date:
        return stripped.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        return _datetimes(stripped, dtype)
    if dtype == pl.Time:
        return stripped.str.to_time("%H:%M:%S%.f", strict=False)
    if dtype.is_integer():
        return _integers(stripped, dtype)
    return stripped.cast(dtype, strict=False)


def _integers(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Parse whole numbers, of which `39.0` is one."""
    whole = leaves.cast(pl.Int128, strict=False)
    if whole.null_count() > leaves.null_count():
        reals = leaves.cast(pl.Float64, strict=False)
        rounded = reals.cast(pl.Int128, strict=False)
        same = (rounded.cast(pl.Float64) == reals).fill_null(value=False)
        whole = whole.zip_with(whole.is_not_null() | ~same, rounded)
    for kind in (dtype, pl.Int64(), pl.Int128()):
        fitting = whole.cast(kind, strict=False)
        if fitting.null_count() == whole.null_count():
            break
    return fitting


def parse_times(values: pl.Series) -> pl.Series:
    """Return ISO texts as dates and times, null where a text is none."""
    return _datetimes(values.str.strip_chars(), pl.Datetime("us"))


def _datetimes(leaves: pl.Series, dtype: pl.Datetime) -> pl.Series:
    """Parse ISO dates and times, each in any of the usual forms."""
    zone, unit = dtype.time_zone, dtype.time_unit
    parsed = pl.Series(leaves.name, [None] * len(leaves), dtype=dtype)
    if not leaves.str.contains(r"\d-").any():  # in each form it follows the year
        return parsed
    for form in _DATETIMES:
        naive = leaves.str.to_datetime(form, strict=False, time_unit=unit)
        local = naive if zone is None else naive.dt.replace_time_zone(zone, ambiguous="earliest")
        parsed = parsed.zip_with(parsed.is_not_null(), local)
    for form in _OFFSET_DATETIMES if zone else ():
        fixed = leaves.str.to_datetime(form, strict=False, time_unit=unit, time_zone="UTC")
        parsed = parsed.zip_with(parsed.is_not_null(), fixed.dt.convert_time_zone(zone or "UTC"))
    return parsed


def plain_text(value: object) -> str | None:
    """Return a value of Python as a file would hold it; None is null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def quote_first(values: Sequence[object]) -> str:
    """Return the first of some values as an error names it, and how many more there are."""
    named = "null" if values[0] is None else f"'{values[0]}'"
    more = len(values) - 1
    return f"{named} and {more} more (--show-values names them)" if more else named


def count_phrase(n: int, noun: str) -> str:
    """Return `1 value is` or `3 values are`."""
    return f"1 {noun} is" if n == 1 else f"{n} {noun}s are"
