"""Cells of text files, and texts that spreadsheets take for formulas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl
from polars import selectors

from kanonym.data.errors import DataError
from kanonym.data.loading import LazyModule


class CellTexts(dict[str, pl.Series]):
    """Columns of a file as texts, where several of them are read as one value."""

    def __init__(self) -> None:
        super().__init__()
        self.unread: list[str] = []


def keep_differing(
    texts: dict[str, pl.Series], columns: Iterable[tuple[pl.Series, pl.Series]]
) -> None:
    """Keep the columns, given as texts beside their values, in which texts tell more apart."""
    for given, values in columns:
        if given.n_unique() > _count_values(values):
            texts[values.name] = given.alias(values.name)


def _count_values(values: pl.Series) -> int:
    if values.dtype.is_nested() or values.dtype == pl.Object:
        return len({repr(value) for value in values.to_list()})
    if values.dtype.is_float():
        values = values.fill_nan(None) + 0.0
    return values.n_unique()


def float_texts(column: pl.Series) -> pl.Series:
    """Return floating-point numbers as texts: NaN is not null, and -0.0 is not 0.0."""
    text = column.cast(pl.String)
    negative = (column == 0) & (1 / column < 0)
    return pl.select(
        pl.when(column.is_nan()).then(pl.lit("NaN")).when(negative).then(pl.lit("-0.0"))
        .otherwise(text)
    ).to_series().alias(column.name)  # fmt: skip


def differing_floats(columns: Iterable[pl.Series]) -> dict[str, pl.Series]:
    """Return as texts the columns with both NaN and null, or both 0.0 and -0.0."""
    found: dict[str, pl.Series] = {}
    floats = [
        column
        for column in columns
        if column.dtype.is_float() and ((column.is_nan() | (1 / column == float("-inf"))).any())
    ]
    keep_differing(found, ((float_texts(one), one) for one in floats))
    return found


_SIGNS = "=+\\-@\t\r\n＝＋－＠"  # noqa: RUF001 - the wide forms are meant
_FORMULA = f"^[{_SIGNS}]"
_TO_MARK = f"^'*[{_SIGNS}]"  # a cell that is marked already gets one more: none become equal
_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def formula_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns that have a text, or a name, which a spreadsheet would run."""
    found = [column.name for column in _texts(frame) if _matches(column, _FORMULA).any()]
    named = [name for name in frame.columns if re.match(_FORMULA, name)]
    return list(dict.fromkeys([*found, *named]))


def with_safe_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts and names are no formulas: an apostrophe stands before them.

    Different texts stay different.
    """
    marked = [
        pl.select(pl.when(_matches(column, _TO_MARK)).then("'" + column).otherwise(column))
        .to_series()
        .alias(column.name)
        for column in _texts(frame)
    ]
    safe = frame.with_columns(marked)
    safe.columns = [f"'{name}" if re.match(_TO_MARK, name) else name for name in frame.columns]
    return safe


def _texts(frame: pl.DataFrame) -> list[pl.Series]:
    kinds = (pl.String, pl.Categorical, pl.Enum)
    return [column.cast(pl.String) for column in frame if column.dtype in kinds]


def _matches(texts: pl.Series, pattern: str) -> pl.Series:
    return texts.str.contains(pattern) & ~texts.str.contains(_NUMBER)


pa: Any = LazyModule("pyarrow")
compute: Any = LazyModule("pyarrow.compute")

ArrowArray: TypeAlias = Any  # pyarrow carries no types

_SAMPLE = 1000
_EXACT = 2**53  # floats hold every smaller integer

_FEW = 50  # by chance, as many fractions of three digits have one that ends in 0
_GROUPS = r"^-?[1-9][0-9]{0,2}(\.[0-9]{3})?$"
_NOT_A_FLOAT = r"^(\+|-?0[0-9])"
_LONG_INTEGER = r"^-?[0-9]{16,}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:"
_TIMES = [f"%Y-%m-%d{mark}%H:%M{seconds}" for mark in "T " for seconds in (":%S%.f", "")]


def infer_type(texts: ArrowArray) -> pl.Series:
    """Return the column with the type that all of its cells have, or as it is.

    texts: (n,) pyarrow chunked array of text, null where the file has null.
    Returns: polars.Series (n,) int64, float64, boolean, date, datetime or text.
    """
    if _arrow_integers(texts.slice(0, _SAMPLE)) is not None:
        values = _arrow_integers(texts)  # the common case, before any cell is copied
        if values is not None:
            return values
    return _convert_texts(pl.Series(texts), (_integers, _floats, _booleans, _dates, _times))


def typed_texts(column: pl.Series) -> pl.Series:
    """Return a column of texts with the type that all of its cells have; others as they are."""
    if column.dtype != pl.String:
        return column
    return infer_type(
        pa.chunked_array([column.to_arrow(compat_level=pl.CompatLevel.oldest())])
    ).alias(column.name)


def typed_cells(texts: ArrowArray) -> pl.Series:
    """Return a column of a text file, as `infer_type`; as text where `may_be_thousands`."""
    values = infer_type(texts)
    return pl.Series(texts) if may_be_thousands(texts, values) else values


def values_of_file(column: pl.Series) -> pl.Series:
    """Return a column of texts, which another reader took from a file, as `typed_cells`."""
    if column.dtype != pl.String:
        return column
    texts = pa.chunked_array([column.to_arrow(compat_level=pl.CompatLevel.oldest())])
    return typed_cells(texts).alias(column.name)


def may_be_thousands(texts: ArrowArray, values: pl.Series) -> bool:
    """Tell whether the points in a column of floats may part thousands: `900` and `1.200`.

    That is open where each number has one to three digits that do not begin with 0, then nothing
    or a point and three digits. Numbers that people computed drop a 0 at their end: where
    many fractions have three digits and none ends in 0, these are fractions.

    texts: (n,) pyarrow chunked array of text, null where the file has null.
    values: (n,) what `infer_type` reads in it.
    """
    if not values.dtype.is_float():
        return False
    sample = _strip_decoration(pl.Series(texts.slice(0, _SAMPLE))).drop_nulls()
    if not (sample.str.contains(_GROUPS) | (sample == "0")).all():
        return False
    cells = _strip_decoration(pl.Series(texts)).drop_nulls().unique()
    parted = cells.filter(cells.str.contains(".", literal=True))
    if not len(parted) or not (cells.str.contains(_GROUPS) | (cells == "0")).all():
        return False
    return len(parted) < _FEW or bool(parted.str.ends_with("0").any())


class NumberShape(NamedTuple):
    """How the fractions of a column are written.

    decimals: how many all of them have, where some end in 0; else 0. bare: one that begins with
    its point.
    """

    decimals: int
    bare: str | None


def number_shape(texts: ArrowArray, values: pl.Series) -> NumberShape:
    """Return how a column of floats is written, by a sample of its cells.

    texts, values: as of `may_be_thousands`.
    """
    if not values.dtype.is_float():
        return NumberShape(0, None)
    sample = _strip_decoration(pl.Series(texts.slice(0, _SAMPLE))).drop_nulls()
    bare = sample.filter(sample.str.contains(r"^-?\."))
    digits = sample.str.extract(r"\.([0-9]+)$", 1).str.len_chars().unique()
    fixed = len(digits) == 1 and sample.str.ends_with("0").any()
    return NumberShape(int(digits[0] or 0) if fixed else 0, bare[0] if len(bare) else None)


def differing_texts(texts: pl.Series, values: pl.Series, *, json: bool = False) -> pl.Series | None:
    """Return the texts of a column if several of them read as one value, else None.

    A reader of text tells `1` and `1.0`, or two forms of one instant, apart; one of JSON (json) a
    text and a number as well, and null and a key that is not there.
    """
    if json:
        texts = texts.fill_null("")
        return texts if texts.n_unique() > values.n_unique() else None
    if values.dtype == pl.String or texts.dtype != pl.String:
        return None
    return texts if texts.n_unique() > values.n_unique() else None


def parse_temporal(texts: pl.Series) -> pl.Series:
    """Return the column as dates or times where all of its cells are, or as it is.

    For formats that mark numbers and booleans, but write dates as text (JSON).
    """
    return _convert_texts(texts, (_dates, _times))


def require_printable(frame: pl.DataFrame, kind: str, *, nested: bool = False) -> pl.DataFrame:
    """Refuse what a text format cannot hold, and spell durations in ISO 8601."""
    for name, dtype in frame.schema.items():
        if dtype in (pl.Binary, pl.Object) or (dtype.is_nested() and not nested):
            raise DataError(
                f"column {name!r} holds {dtype}, which {kind} cannot; "
                "drop or convert it, or write Parquet"
            )
    return frame.with_columns(selectors.duration().dt.to_string("iso"))


def convert_decimals(column: pl.Series) -> pl.Series:
    """Return a column of decimals as floats where these hold every digit, else as texts."""
    floats = column.cast(pl.Float64, strict=False)
    exact = floats.cast(column.dtype, strict=False).eq_missing(column).all()
    return floats if exact else column.cast(pl.String)


def _convert_texts(
    texts: pl.Series, conversions: tuple[Callable[[pl.Series], pl.Series | None], ...]
) -> pl.Series:
    # A few cells rule out most types; a type that fits them is tried on all.
    sample = _strip_decoration(texts.drop_nulls().head(_SAMPLE))
    if sample.is_null().all():
        sample = _strip_decoration(texts)
    for convert in conversions:
        if convert(sample) is None:
            continue
        values = convert(texts)
        if values is None:
            values = convert(_strip_decoration(texts))
        if values is not None:
            return values
    return texts


def _strip_decoration(texts: pl.Series) -> pl.Series:
    bare = texts.str.strip_chars()
    return bare.set(bare == "", None)


def _is_complete(values: pl.Series, texts: pl.Series) -> bool:
    """Tell whether each text has a value, and there is one at all."""
    return values.null_count() == texts.null_count() < len(texts)


def _integers(texts: pl.Series) -> pl.Series | None:
    return _arrow_integers(texts.to_arrow())


def _arrow_integers(texts: ArrowArray) -> pl.Series | None:
    try:
        values = pl.Series(texts.cast("int64"))
    except pa.ArrowInvalid:
        return None
    # A number starts with another digit than 0, after a minus or not; else it is 0.
    # The length is compared by polars: pyarrow loads pandas to take a number from Python.
    starts = pl.Series(compute.starts_with(texts, "0"))
    lossy = starts & (pl.Series(compute.binary_length(texts)) > 1)
    lossy |= pl.Series(compute.starts_with(texts, "-0"))
    return None if lossy.any() or values.is_null().all() else values


def _floats(texts: pl.Series) -> pl.Series | None:
    values = texts.cast(pl.Float64, strict=False)
    if not _is_complete(values, texts) or not values.is_finite().any():
        return None
    if texts.str.contains(_NOT_A_FLOAT).any():
        return None
    if (values.abs() >= _EXACT).any() and texts.str.contains(_LONG_INTEGER).any():
        return None
    return values.fill_nan(None)


def _booleans(texts: pl.Series) -> pl.Series | None:
    if not texts.is_in(["true", "false"]).all() or texts.null_count() == len(texts):
        return None
    return texts == "true"


def _dates(texts: pl.Series) -> pl.Series | None:
    values = texts.str.to_date("%Y-%m-%d", strict=False)
    if not _is_complete(values, texts) or not (values.cast(pl.String) == texts).all():
        return None
    return values


def _times(texts: pl.Series) -> pl.Series | None:
    if not texts.str.contains(_TIME).all():
        return None
    unit: Literal["ns", "us"] = "ns" if texts.str.contains(r"\.[0-9]{7}").any() else "us"
    for form in _TIMES:
        values = texts.str.to_datetime(form, time_unit=unit, strict=False)
        if _is_complete(values, texts):
            return values
        values = texts.str.to_datetime(f"{form}%#z", time_unit=unit, strict=False)
        if _is_complete(values, texts):
            return values
    return None
