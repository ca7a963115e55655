"""What one column holds: type, values, nulls, codes for missing values, outliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Automatic, Suggestion
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.results import ShortRepr
from kanonym.data.table import LARGEST, encode_column
from kanonym.kernels.arrays import Ints
from kanonym.metrics.certainty import are_codes
from kanonym.profiling import extremes
from kanonym.profiling.groupings import CodedColumn
from kanonym.profiling.minimal import Separation

RUNNING = 50
"""A column that counts up along the file holds at least so many numbers, and"""
RUNNING_SHARE = 0.05
"""at least so many for each record: sorted ages are no running number."""

SCALE = range(3, 12)
"""So many answers have scales, from 0 or 1 on."""
FIRST = 100
"""Texts that are looked at before all of them are."""

_TYPES: Mapping[Any, str] = MappingProxyType(
    {
        pl.Boolean: "yes or no",
        pl.Date: "date",
        pl.Datetime: "date and time",
        pl.Time: "time",
        pl.Duration: "duration",
        pl.Categorical: "categories",
        pl.Enum: "ordered categories",
        pl.String: "text",
    }
)
_TRUE_OR_FALSE = (
    {"true", "false"},
    {"yes", "no"},
    {"y", "n"},
    {"ja", "nein"},
    {"j", "n"},
    {"ja", "nee"},
    {"sí", "no"},
    {"si", "no"},
    {"sim", "não"},
    {"oui", "non"},
    {"sì", "no"},
    {"tak", "nie"},
)
"""Words of a column of truth values, in lower case."""
_DATE_TEXT = r"^\s*\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})(\s.*)?$"
_NUMBER_TEXT = (  # thousands in groups of three: neither a version nor a pair of coordinates
    r"^\s*[+-]?(\d+([.,]\d+)?|\d{1,3}(\.\d{3})+(,\d+)?|\d{1,3}(,\d{3})+(\.\d+)?)\s*$"
)
_ZERO_TEXT = r"^0\d+$"


@dataclass(frozen=True, slots=True, repr=False)
class Content(ShortRepr):
    """What one column holds; no value of it but codes for missing values."""

    _shown: ClassVar[tuple[str, ...]] = ("name", "type")

    name: str
    type: str
    counted: Separation
    nulls: int = 0
    largest: int = 0
    sentinels: tuple[extremes.Sentinel, ...] = ()
    outliers: extremes.Outliers | None = None
    rounding: extremes.Rounding | None = None
    suggestion: Suggestion | None = None
    traits: frozenset[str] = field(default_factory=frozenset)
    trouble: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.type in ("integer", "real number")

    @property
    def constant(self) -> bool:
        """Whether all records, of two or more, have one value."""
        return self.counted.distinct == 1 < self.counted.records


def content_of(column: pl.Series) -> tuple[Content, CodedColumn]:
    """Return what a column holds, and its codes.

    column: (n_rows,) as `data.frames.column` gives it.
    """
    domain, codes = encode_column(column, by_value=True)
    counts = np.bincount(codes, minlength=domain.size)
    values, held = domain.values, counts[: len(domain.values)]
    kind, trouble = _type(column.dtype, values), ""
    sentinels: tuple[extremes.Sentinel, ...] = ()
    outliers: extremes.Outliers | None = None
    rounding: extremes.Rounding | None = None
    suggestion: Suggestion | None = None
    if column.dtype.is_numeric() and _has_infinite_squares(values):
        trouble = "it holds numbers that are infinite or beyond 1e150: replace them by nulls"
    else:
        places = extremes.sentinel_places(values, held)
        sentinels = extremes.sentinels_of(values, held, places)
        if column.dtype.is_numeric():
            numbers = values.cast(pl.Float64).to_numpy()
            outliers = extremes.outliers_of(np.delete(numbers, places), np.delete(held, places))
            rounding = extremes.rounding_of(values, held)
        suggestion = _suggest_hierarchy(values, held)
    content = Content(
        name=column.name,
        type=kind,
        counted=Separation.from_sizes(counts[counts > 0]),
        nulls=column.null_count(),
        largest=int(counts.max(initial=0)),
        sentinels=sentinels,
        outliers=outliers,
        rounding=rounding,
        suggestion=suggestion,
        traits=_traits(column, values),
        trouble=trouble,
    )
    return content, CodedColumn.of(domain, codes)


def unreadable_content(name: str, error: DataError, n_rows: int) -> Content:
    """Return the content of a column that kanonym does not read: lists, bytes, mixtures."""
    counted = Separation(n_rows, 0, 0, 0, 0)
    return Content(name, "other", counted, trouble=str(error).removeprefix(f"column {name!r} "))


def _type(dtype: pl.DataType, values: pl.Series) -> str:
    """Return what values are, in a word or two; two words for true and false are truth values."""
    if dtype in (pl.String, pl.Categorical) and len(values) == 2:
        words = {word.strip().lower() for word in values.cast(pl.String)}
        if words in _TRUE_OR_FALSE:
            return _TYPES[pl.Boolean]
    if dtype.is_numeric():
        return "integer" if dtype.is_integer() else "real number"
    return _TYPES.get(dtype.base_type(), "other")


def _has_infinite_squares(values: pl.Series) -> bool:
    """Whether one of ascending numbers is beyond what quasi-identifiers may hold."""
    return bool(len(values)) and max(-float(values[0]), float(values[-1])) > LARGEST


def _suggest_hierarchy(values: pl.Series, counts: Ints) -> Suggestion | None:
    try:
        return Automatic().suggest(values, counts) if len(values) else None
    except HierarchyError:
        return None


def _traits(column: pl.Series, values: pl.Series) -> frozenset[str]:
    if not len(values):
        return frozenset()
    if column.dtype.is_numeric():
        traits = {"positive"} if values[0] > 0 else set()
        if len(values) in SCALE and values.to_list() in (
            [*range(len(values))],
            [*range(1, len(values) + 1)],
        ):
            traits.add(f"scale from {values[0]:g} to {values[-1]:g}")
        return frozenset(
            traits | ({"running"} if _is_running_number(column, len(values)) else set())
        )
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return frozenset()
    codes = {"codes"} if are_codes(values) else set()
    return frozenset(codes | _forms(values.cast(pl.String)))


def _forms(texts: pl.Series) -> set[str]:
    """Return the traits of a column of texts that tell what they are written for."""
    if _all_match(texts, lambda some: parse_times(some).is_not_null()):
        return {"dates as text"}
    if _all_match(texts, lambda some: some.str.contains(_DATE_TEXT)):
        return {"dates as other text"}
    if not _all_match(texts, lambda some: some.str.contains(_NUMBER_TEXT)):
        return set()
    zeros = texts.str.contains(_ZERO_TEXT).any()
    return {"leading zeros" if zeros else "numbers as text"}


def _all_match(texts: pl.Series, test: Callable[[pl.Series], pl.Series]) -> bool:
    """Whether a test holds of all texts; mostly the first of them tell that it does not."""
    return bool(test(texts.head(FIRST)).all()) and bool(test(texts).all())


def _is_running_number(column: pl.Series, n_values: int) -> bool:
    """Whether integers number the records, or their groups, along the file or otherwise."""
    n = len(column)
    if not column.dtype.is_integer() or column.null_count():
        return False
    if n_values < max(RUNNING, RUNNING_SHARE * n):
        return False
    before, after = column[:-1], column[1:]
    # Exact in any type of integers: of a larger number and a smaller one, a difference that
    # wraps round is not 1.
    if ((after == before) | ((after > before) & (after - before == 1))).all():
        return True
    low, high = column.min(), column.max()
    return n_values == n and int(high) - int(low) == n - 1  # type: ignore[arg-type]
