"""From the columns to minimize to the matrix of a decision tree, the same for later records."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Feature, categories_of
from kanonym.algorithms.minimization.search import Minimization
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy import Flat, FromMapping, HierarchySource, Intervals
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Floats
from kanonym.minimization.model import Records

_WORDS = (pl.String, pl.Categorical, pl.Enum, pl.Boolean)
_LARGEST = float(np.finfo(np.float32).max)  # scikit-learn's trees compare in single precision


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Numbers(ShortRepr):
    """A column of numbers."""

    name: str
    low: float
    high: float
    null: float | None
    whole: bool

    @classmethod
    def of(cls, column: pl.Series) -> Numbers:
        """Learn the domain of a column."""
        numbers = _numbers(column)
        present = numbers[~np.isnan(numbers)]
        if not len(present):
            raise DataError(f"column {column.name!r} holds no value; leave it out of the features")
        low, high = float(present.min()), float(present.max())
        # Far enough below for the tree, which compares in single precision.
        null = low - max(high - low, 1.0, abs(low))
        if max(-null, high) > _LARGEST:
            raise DataError(
                f"column {column.name!r} holds numbers beyond what a decision tree can compare; "
                "divide it by a power of ten"
            )
        return cls(
            column.name,
            low,
            high,
            null if len(present) < len(numbers) else None,
            column.dtype.is_integer(),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that hold the feature."""
        return (self.name,)

    def matrix(self, records: Records) -> Floats:
        """Return (n, 1) float64; numbers out of the fitted range as its ends, so above null."""
        numbers = np.clip(_numbers(records.column(self.name)), self.low, self.high)
        missing = np.isnan(numbers)
        if missing.any():
            if self.null is None:
                raise DataError(
                    f"row {int(missing.argmax()) + 1}, column {self.name!r}: no value, and no "
                    "record that the Minimizer was fitted on lacks one. Fill it, or fit with "
                    "such records"
                )
            numbers = np.where(missing, self.null, numbers)
        return numbers[:, None]

    def feature(self, first: int) -> Feature:
        """Return what a matrix holds of it from a column on."""
        return Feature(first, low=self.low, high=self.high, null=self.null)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Categories(ShortRepr):
    """A column of categories, one column of the matrix each.

    values: (n_categories,) the values of the fitted records, ascending; null last.
    """

    name: str
    values: pl.Series

    @classmethod
    def of(cls, column: pl.Series) -> Categories:
        """Learn the categories of a column."""
        return cls(column.name, _plain(column).unique().sort(nulls_last=True))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that hold the feature."""
        return (self.name,)

    @property
    def categories(self) -> list[Any]:
        """The categories as Python's values."""
        return self.values.to_list()

    def matrix(self, records: Records) -> Floats:
        """Return (n, n_categories) float64: 1 for the category of a record, of an unseen none."""
        column = _plain(records.column(self.name))
        # Another type than fitted, as of integers once a null joined them, is no other value.
        both = pl.concat(
            [pl.DataFrame({"value": values}) for values in (self.values, column)],
            how="vertical_relaxed",
        )
        frame = both[: len(self.values)].with_row_index("code")
        codes = both[len(self.values) :].join(
            frame, on="value", how="left", nulls_equal=True, maintain_order="left"
        )["code"]
        places = codes.cast(pl.Int64).fill_null(-1).to_numpy()
        return np.asarray(places[:, None] == np.arange(len(self.values)), dtype=np.float64)

    def feature(self, first: int) -> Feature:
        """Return what a matrix holds of it from a column on."""
        return Feature(first, len(self.values), nominal=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneHot(ShortRepr):
    """Columns of which a record has 1 in exactly one: the categories of one feature."""

    name: str
    columns: tuple[str, ...]

    @property
    def categories(self) -> list[Any]:
        """The columns, which are the categories."""
        return list(self.columns)

    def matrix(self, records: Records) -> Floats:
        """Return (n, n_columns) float64."""
        cells = np.column_stack([_numbers(records.column(name)) for name in self.columns])
        wrong = ~np.isin(cells, (0.0, 1.0))
        if wrong.any():
            row, place = (int(found) for found in np.argwhere(wrong)[0])
            raise DataError(
                f"row {row + 1}, column {self.columns[place]!r}: a column of the one-hot group "
                f"{self.name!r} holds 0 and 1 only"
            )
        several = cells.sum(axis=1) > 1
        if several.any():
            raise DataError(
                f"row {int(several.argmax()) + 1}: more than one column of the one-hot group "
                f"{self.name!r} ({', '.join(self.columns)}) is 1"
            )
        return cells

    def require_one_hot(self, records: Records) -> OneHot:
        """Return itself, once every record has 1 in one of the columns."""
        nowhere = ~self.matrix(records).any(axis=1)
        if nowhere.any():
            raise DataError(
                f"row {int(nowhere.argmax()) + 1}: no column of the one-hot group {self.name!r} "
                f"({', '.join(self.columns)}) is 1; a category that was dropped needs a column too"
            )
        return self

    def feature(self, first: int) -> Feature:
        """Return what a matrix holds of it from a column on."""
        return Feature(first, len(self.columns), nominal=True)


Kind = Numbers | Categories | OneHot


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Encoding(ShortRepr):
    """The features to minimize, and where the matrix holds them."""

    kinds: tuple[Kind, ...]

    @property
    def features(self) -> list[Feature]:
        """What the columns of the matrix hold."""
        found: list[Feature] = []
        first = 0
        for kind in self.kinds:
            found.append(kind.feature(first))
            first += found[-1].n_columns
        return found

    def matrix(self, records: Records) -> Floats:
        """Return (n, n_columns) float64."""
        return np.hstack([kind.matrix(records) for kind in self.kinds])

    def columns(self, exempted: Bools) -> list[str]:
        """Return the names of the columns of the features that are not exempted."""
        kept = zip(self.kinds, exempted.tolist(), strict=True)
        return [name for kind, left_out in kept if not left_out for name in kind.columns]


def encoding_of(
    records: Records,
    features: Sequence[Any] | None,
    categorical: Sequence[Any] | None,
    one_hot: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None,
) -> Encoding:
    """Learn how the features to minimize are written as numbers."""
    known = {name: _list_names(records, columns) for name, columns in _groups(one_hot).items()}
    owner: dict[str, str] = {}
    for group, columns in known.items():
        if group in records.names and group not in columns:
            raise SchemaError(f"one-hot group {group!r} has the name of a column; rename it")
        for name in columns:
            if name in owner:
                raise SchemaError(f"column {name!r} is in the one-hot groups twice")
            owner[name] = group
    chosen = _features(records, features, known, owner)
    nominal = _list_names(records, categorical or [])
    kinds: list[Kind] = []
    for name in chosen:
        if name in known:
            kinds.append(OneHot(name, tuple(known[name])).require_one_hot(records))
            continue
        column = records.column(name)
        if name in nominal or column.dtype in _WORDS:
            kinds.append(Categories.of(column))
        elif column.dtype.is_numeric():
            kinds.append(Numbers.of(column))
        else:
            raise DataError(
                f"column {name!r} holds {column.dtype}: convert it to numbers, name it in "
                "categorical, or leave it out of the features"
            )
    return Encoding(tuple(kinds))


def _groups(
    given: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None,
) -> dict[str, Sequence[Any]]:
    """Return one-hot groups by name; one without a name is called by its columns."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    return {" + ".join(map(str, columns)): columns for columns in given}


def _features(
    records: Records,
    given: Sequence[Any] | None,
    groups: Mapping[str, list[str]],
    owner: Mapping[str, str],
) -> list[str]:
    """Return the features to minimize, one-hot groups once, in the order given."""
    if given is None:
        return list(dict.fromkeys(owner.get(name, name) for name in records.names))
    if isinstance(given, str):
        raise SchemaError(f"a list of columns is expected, not {given!r}")
    named: list[str] = []
    for one in given:
        named += groups[one] if one in groups else _list_names(records, [one])
    if not named:
        raise SchemaError("features is empty: name the columns to minimize, or None for all")
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise SchemaError(f"feature {twice!r} is named twice")
    for group, columns in groups.items():
        missing = [name for name in columns if name not in named]
        if missing and len(missing) < len(columns):
            raise SchemaError(
                f"one-hot group {group!r} is minimized as a whole: {', '.join(missing)} missing "
                "in features"
            )
    return list(dict.fromkeys(owner.get(name, name) for name in named))


def _list_names(records: Records, given: Sequence[Any]) -> list[str]:
    """Return names of columns; of an array, positions name them too."""
    if isinstance(given, str):
        raise SchemaError(f"a list of columns is expected, not {given!r}")
    names = []
    for one in given:
        is_place = isinstance(one, (int, np.integer)) and not isinstance(one, bool)
        name = f"x{int(one)}" if is_place and records.kind == "an array" else one
        if name not in records.names:
            near = difflib.get_close_matches(str(name), records.names, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise SchemaError(
                f"no such column: {one!r}{hint}. There are {', '.join(records.names)}"
            )
        names.append(str(name))
    return names


def _numbers(column: pl.Series) -> Floats:
    """Return (n,) float64, NaN for null."""
    empty = column.null_count() == len(column)  # without a value its type says nothing
    if not (empty or column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise DataError(
            f"column {column.name!r} holds {column.dtype}, where the Minimizer expects numbers"
        )
    numbers = column.cast(pl.Float64).to_numpy()
    infinite = np.isinf(numbers)
    if infinite.any():
        raise DataError(
            f"row {int(infinite.argmax()) + 1}, column {column.name!r}: infinite numbers have no "
            "range"
        )
    return numbers


def _plain(column: pl.Series) -> pl.Series:
    """Return categories as their texts: the order of their codes is none of the data's."""
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column


_CLOSE = 1e-6  # share of the domain that a bound may differ from the tree's threshold


def names_of(encoding: Encoding) -> list[str]:
    """Return the features to minimize, in the order of the search."""
    return [kind.name for kind in encoding.kinds]


def generalizations_of(encoding: Encoding, found: Minimization, names: list[str]) -> dict[str, Any]:
    """Return `ranges`, `categories` and `untouched`, as `Minimizer.generalizations_` says.

    names: all columns of the data.
    """
    inner = found.nodes.above(found.cells)
    ranges: dict[str, list[float]] = {}
    categories: dict[str, list[list[Any]]] = {}
    minimized: set[str] = set()
    for place, (kind, feature) in enumerate(zip(encoding.kinds, encoding.features, strict=True)):
        if place in found.exempted:
            continue
        minimized.update(kind.columns)
        if isinstance(kind, Numbers):
            ranges[kind.name] = thresholds(found, feature, inner).tolist()
        else:
            alone = separable_categories(found, feature, inner)
            both = zip(kind.categories, alone.tolist(), strict=True)
            rest = [one for one, single in both if not single]
            both = zip(kind.categories, alone.tolist(), strict=True)
            categories[kind.name] = [[one] for one, single in both if single]
            if rest:
                categories[kind.name].append(rest)
    exempted = [name for f in found.exempted for name in encoding.kinds[f].columns]
    others = [name for name in names if name not in minimized and name not in exempted]
    return {"ranges": ranges, "categories": categories, "untouched": [*exempted, *others]}


def cells_of(
    encoding: Encoding, found: Minimization, representatives: Records, classes: Any
) -> list[dict[str, Any]]:
    """Return what each cell holds, as `Minimizer.cells_` says."""
    features = encoding.features
    labels = None if classes is None else classes.tolist()
    columns = {
        name: representatives.column(name).to_list()
        for kind in encoding.kinds
        for name in kind.columns
    }
    cells = []
    for place, node in enumerate(found.cells.tolist()):
        cell: dict[str, Any] = {
            "records": int(found.counts[place]),
            "prediction": None if labels is None else labels[found.majority[place]],
            "ranges": {},
            "categories": {},
            "representative": {},
        }
        for f, (kind, feature) in enumerate(zip(encoding.kinds, features, strict=True)):
            if f in found.exempted:
                continue
            if isinstance(kind, Numbers):
                bounds = (float(found.boxes.low[node, f]), float(found.boxes.high[node, f]))
                low, high = (bound if np.isfinite(bound) else None for bound in bounds)
                cell["ranges"][kind.name] = (low, high)
            else:
                left = categories_of(found.nodes, feature, node).tolist()
                both = zip(kind.categories, left, strict=True)
                cell["categories"][kind.name] = [one for one, inside in both if inside]
            cell["representative"] |= {name: columns[name][place] for name in kind.columns}
        cells.append(cell)
    return cells


def hierarchies_of(
    encoding: Encoding, found: Minimization, matrix: Floats
) -> dict[str, HierarchySource]:
    """Return a hierarchy a column, as `Minimizer.hierarchies` says; matrix: the fitted records."""
    levels = [found.nodes.above(cells) for cells in (found.cells, *found.coarser)]
    sources: dict[str, HierarchySource] = {}
    for place, (kind, feature) in enumerate(zip(encoding.kinds, encoding.features, strict=True)):
        if place in found.exempted:
            continue
        if isinstance(kind, Numbers):
            cuts = [thresholds(found, feature, inner) for inner in levels]
            sources[kind.name] = _intervals(kind, cuts, matrix[:, feature.first])
        elif isinstance(kind, Categories):
            alone = [separable_categories(found, feature, inner) for inner in levels]
            sources[kind.name] = _group_hierarchy(kind, alone)
        elif isinstance(kind, OneHot):
            # A group of categories is no group of one column's values.
            sources |= {name: Flat() for name in kind.columns}
    return sources


def thresholds(found: Minimization, feature: Feature, inner: Bools) -> Floats:
    """Return the numbers, ascending, at which some cell below the inner nodes ends."""
    here = inner & (found.nodes.column == feature.first)
    cuts: Floats = np.unique(found.nodes.threshold[here])
    return cuts[cuts >= np.float32(feature.low)]


def separable_categories(found: Minimization, feature: Feature, inner: Bools) -> Bools:
    """Return (n_categories,) bool: the categories that some cell tells from all others.

    A split parts one category from the rest of its node, so those that are never
    split off are in the same cells.
    """
    alone = np.zeros(feature.n_columns, np.bool_)
    columns = found.nodes.column[inner] - feature.first
    alone[columns[(columns >= 0) & (columns < feature.n_columns)]] = True
    return alone


def _intervals(kind: Numbers, cuts: list[Floats], numbers: Floats) -> HierarchySource:
    values = np.unique(numbers)
    single = values.astype(np.float32)  # the tree compares in single precision
    bounds: list[list[float]] = []
    for level in cuts:
        kept = sorted({_bound(kind, cut, values, single) for cut in level.tolist()})
        if kept and (not bounds or kept != bounds[-1]):
            bounds.append(kept)
    return Intervals(bounds=bounds) if bounds else Flat()


def _bound(kind: Numbers, cut: float, values: Floats, single: NDArray[np.float32]) -> float:
    """Return where an interval starts that holds the numbers above a threshold.

    Fitted values fall on the same side as in the tree; of the numbers that part them so
    it is the shortest one near the threshold, for a label that people can read.
    """
    after = int(np.searchsorted(single, cut, side="right"))
    below, above = float(values[after - 1]), float(values[min(after, len(values) - 1)])
    if kind.whole:
        return int(min(max(np.floor(cut), below) + 1, above))
    near = _CLOSE * (kind.high - kind.low)
    for digits in range(1, 18):
        bound = float(f"{cut:.{digits}g}")
        if abs(bound - cut) <= near and below < bound <= above:
            return bound
    return above


def _group_hierarchy(kind: Categories, levels: list[Bools]) -> HierarchySource:
    labels: dict[Any, list[str]] = {value: [] for value in kind.categories if value is not None}
    texts = {value: _text(value) for value in labels}
    before = None
    for alone in levels:
        singles = dict(zip(kind.categories, alone.tolist(), strict=True))
        rest = [value for value in labels if not singles[value]]
        if len(rest) < 2 or len(rest) == len(labels) or rest == before:
            continue
        before = rest
        merged = "{" + ", ".join(texts[value] for value in rest) + "}"
        for value, above in labels.items():
            above.append(texts[value] if singles[value] else merged)
    return FromMapping(labels) if before else Flat()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
