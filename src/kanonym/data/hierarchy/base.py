"""The generalization hierarchy: one label a value at every level, one root."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.labels import count_phrase, draw, has_null, parse_leaves, quote_first
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Int32s, Ints

ROOT = "*"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy(ShortRepr):
    """A tree over the values of one attribute, all leaves at the same depth.

    Leaves stand in depth-first order, so every label covers an interval of leaves.

    Attributes
    ----------
    values
        (size,) leaf values in depth-first order, in the column's own type once
        bound (a wider integer or a longer enumeration where the hierarchy knows
        values that the column's type cannot hold); null, where present, last. Leaves of
        exceptions, which are no values of that type, are null as well, before it.
    labels
        One tuple a level: the label texts, by label index. Level 0 has one label a
        leaf; the last level has one label, the root. None is the label of null,
        which is a branch of its own at every level below the root.
    codes
        (n_levels, size) int32, C order, the label index of every leaf at every
        level; non-decreasing along each level; row 0 counts up, the last row is 0.

    Raises
    ------
    HierarchyError
        The parts do not make a tree of this form.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_levels",)

    values: pl.Series
    labels: tuple[tuple[str | None, ...], ...]
    codes: Int32s

    def __post_init__(self) -> None:
        fault = _fault(self)
        if fault:
            raise HierarchyError(f"hierarchy of {self.values.name!r}: {fault}")

    def plot(self, language: str = "en") -> Any:
        """Return an Altair chart of the tree, from the values to the root."""
        from kanonym.reporting.plots import plot_hierarchy  # noqa: PLC0415 - reports stand above

        return plot_hierarchy(self, language)

    @property
    def n_levels(self) -> int:
        """Number of levels, from the values (0) to the root (`n_levels` - 1)."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """Number of leaves, null included."""
        return len(self.values)

    @property
    def has_null(self) -> bool:
        """Whether null is a leaf; it is then the last one."""
        return self.size > 0 and self.labels[0][-1] is None

    def label(self, level: int, leaf: int) -> str | None:
        """Return the label of one leaf at one level."""
        return self.labels[level][int(self.codes[level, leaf])]

    def generalize(self, level: int) -> list[str | None]:
        """Return the label of every leaf at one level."""
        names = self.labels[level]
        return [names[code] for code in self.codes[level].tolist()]

    def leaf_counts(self, level: int) -> Ints:
        """Return (n_labels,) int64: how many leaves each label of a level covers."""
        return np.bincount(self.codes[level], minlength=len(self.labels[level])).astype(np.int64)

    def meet(self, low: Int32s, high: Int32s) -> Int32s:
        """Return (n,) int32: the level of the lowest common ancestor of each pair of leaves."""
        levels = np.zeros(len(low), np.int32)
        apart = low != high
        for codes in self.codes[1:]:
            levels[apart] += 1
            apart &= codes[low] != codes[high]
        return levels

    def subtree(self, low: Int32s, high: Int32s) -> tuple[Int32s, Int32s]:
        """Return the first and last leaf below the lowest common ancestor of each pair."""
        first, last = low.copy(), high.copy()
        levels = self.meet(low, high)
        for level in range(1, self.n_levels):
            met = levels == level
            label = self.codes[level, low[met]]
            first[met] = np.searchsorted(self.codes[level], label)
            last[met] = np.searchsorted(self.codes[level], label, side="right") - 1
        return first, last

    def leaf_of(self, values: pl.Series) -> Int32s:
        """Return (len(values),) int32: the leaf of each value, -1 for a value that is none.

        NaN is null. Cost: one hash join.
        """
        column = values.fill_nan(None) if values.dtype.is_float() else values
        kind = _comparable(self.values.dtype, column.dtype)
        is_value = self.values.is_not_null()
        if self.has_null:
            is_value |= pl.Series(np.arange(self.size) == self.size - 1)
        leaves = pl.LazyFrame(
            {
                "value": self.values.cast(kind).filter(is_value),
                "leaf": np.arange(self.size, dtype=np.int32)[is_value.to_numpy()],
            }
        )
        frame = (
            pl.LazyFrame({"value": column.cast(kind)})
            .join(leaves, on="value", how="left", nulls_equal=True, maintain_order="left")
            .select(pl.col("leaf").fill_null(-1))
            .collect()
        )
        return frame["leaf"].to_numpy()

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Return this hierarchy over a column: leaves in the column's type, all values known.

        Parameters and errors are those of `HierarchySource.bind`; a null that the
        hierarchy does not know gets a branch of its own.
        """
        del counts  # a built hierarchy does not depend on them
        bound = self
        if values.dtype not in (self.values.dtype, pl.Null):
            leaves = pl.Series(values.name, self.labels[0], dtype=pl.String)
            bound = replace(
                self, values=parse_leaves(leaves, values.dtype, lambda _: "its hierarchy")
            )
        if has_null(values) and not self.has_null:
            bound = with_null(bound)
        return bound.require_leaves(values, "its hierarchy")

    def require_leaves(self, values: pl.Series, origin: str) -> Hierarchy:
        """Return the hierarchy itself, once every one of `values` is a leaf of it.

        Raises
        ------
        HierarchyError
            Names the first value that is no leaf, and has all in `values`; `origin` says of what.
        """
        unknown = self.leaf_of(values) < 0
        if unknown.any():
            missing = values.filter(unknown).unique(maintain_order=True)
            raise HierarchyError(
                f"column {values.name!r}: {count_phrase(len(missing), 'value')} not in {origin}: "
                f"{quote_first(missing.to_list())}. Add a row for each",
                values=missing.to_list(),
            )
        return self

    def restrict(self, leaves: Bools) -> Hierarchy:
        """Return the hierarchy of some of its leaves, with the labels above them.

        leaves: (size,) bool. The root stays, whatever is left below it.
        """
        if leaves.all():
            return self
        labels, codes = [], []
        for names, row in zip(self.labels[:-1], self.codes[:-1], strict=True):
            held, places = np.unique(row[leaves], return_inverse=True)
            labels.append(tuple(names[code] for code in held.tolist()))
            codes.append(places)
        return Hierarchy(
            values=self.values.filter(pl.Series(leaves)),
            labels=(*labels, self.labels[-1]),
            codes=np.ascontiguousarray([*codes, self.codes[-1][leaves]], np.int32),
        )

    def without_repeated_levels(self, used: Collection[int]) -> tuple[Hierarchy, Ints]:
        """Return the hierarchy without levels that group what the one below does.

        used: levels that stay beside the values, whatever they group.

        Returns
        -------
        The hierarchy, and (n_levels,) int64, the place in it of each level.
        """
        kept, places = [0], [0]
        for level in range(1, self.n_levels):
            shown = level in used and len(kept) == 1
            is_root = level == self.n_levels - 1
            if is_root or shown or len(self.labels[level]) < len(self.labels[kept[-1]]):
                kept.append(level)
            places.append(len(kept) - 1)
        labels = tuple(self.labels[level] for level in kept)
        return Hierarchy(self.values, labels, self.codes[kept]), np.array(places)

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Yield the labels of each leaf, from level 0 to the root."""
        return zip(*(self.generalize(level) for level in range(self.n_levels)), strict=True)

    def to_rows(self) -> list[list[str]]:
        """Return one row a leaf: its labels from level 0 to the root, null as an empty text."""
        return [[label or "" for label in row] for row in self.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return the policy's form: a mapping from each value to its labels above.

        Null stands in it only where it has labels of its own; without them `bind`
        gives it its branch.
        """
        named = (row for row in self.rows() if any(label is not None for label in row[:-1]))
        return {"mapping": {leaf: list(above) for leaf, *above in named}}

    def write(self, path: str | Path, separator: str = ";") -> None:
        """Write ARX's CSV form, which `from_file` reads: no header, one row a leaf.

        Null becomes an empty cell; so does an empty text, which reads back as null.
        """
        # The csv module of Python 3.11 leaves a lone carriage return unquoted.
        broken = any("\r" in name for names in self.labels for name in names if name)
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            csv.writer(
                file,
                delimiter=separator,
                lineterminator="\n",
                quoting=csv.QUOTE_ALL if broken else csv.QUOTE_MINIMAL,
            ).writerows(self.to_rows())

    def show(self, children: int = 5, lines: int = 60) -> str:
        """Return the tree as text, with the number of leaves below each label.

        Parameters
        ----------
        children
            How many children are drawn below a label; the rest is counted.
        lines
            Where the tree would be longer, only the first child of each label is
            drawn with what lies below it.

        Examples
        --------
        >>> from kanonym.data import hierarchy
        >>> tree = hierarchy.from_mapping({"*": {"warm": ["red", "orange"], "cold": ["blue"]}})
        >>> print(tree.bind(pl.Series("colour", ["red", "blue"])).show())
        * (3)
        ├── warm (2)
        │   ├── red
        │   └── orange
        └── cold (1)
            └── blue
        """
        return draw(self.labels, self.codes, children, lines)


def with_null(known: Hierarchy) -> Hierarchy:
    """Return a hierarchy with null as one more leaf: the last, a branch of its own."""
    null = np.array([[len(names)] for names in known.labels[:-1]] + [[0]], dtype=np.int32)
    return Hierarchy(
        values=known.values.extend_constant(None, 1),
        labels=(*((*names, None) for names in known.labels[:-1]), known.labels[-1]),
        codes=np.ascontiguousarray(np.hstack([known.codes, null])),
    )


def with_exceptions(known: Hierarchy, labels: Sequence[str]) -> Hierarchy:
    """Return a hierarchy with exceptions as leaves behind its values, each a branch of its own."""
    n = known.size - known.has_null
    values, codes = known.values.head(n), known.codes[:, :n]
    names = [level[: len(level) - known.has_null] for level in known.labels[:-1]]
    further = [[len(level) + i for i in range(len(labels))] for level in names]
    built = Hierarchy(
        values.extend_constant(None, len(labels)),
        (*((*level, *labels) for level in names), known.labels[-1]),
        np.ascontiguousarray(np.hstack([codes, np.array([*further, [0] * len(labels)], np.int32)])),
    )
    return with_null(built) if known.has_null else built


def _comparable(a: pl.DataType, b: pl.DataType) -> pl.DataType:
    """Return the type in which values of two types are compared."""
    if a == b and a not in (pl.Categorical, pl.Null):
        return a
    if a.is_integer() and b.is_integer():
        return pl.Int128()
    return pl.Float64() if a.is_numeric() and b.is_numeric() else pl.String()


def _fault(known: Hierarchy) -> str:
    """Return what keeps three arrays from being a hierarchy, or an empty text."""
    n, labels, codes = len(known.values), known.labels, known.codes
    if codes.dtype != np.int32 or not codes.flags.c_contiguous:
        return "codes must be int32 in C order"
    if codes.shape != (len(labels), n) or len(labels) < 2:
        return f"codes of shape {codes.shape} for {len(labels)} levels and {n} leaves"
    if len(labels[-1]) != 1:
        return f"{len(labels[-1])} roots"
    if len(labels[0]) != n or (codes[0] != np.arange(n)).any():
        return "level 0 must have one label per leaf"
    for level, names in enumerate(labels):
        steps = np.diff(codes[level])
        if n and (codes[level, 0] or codes[level, -1] + 1 != len(names) or (steps >> 1).any()):
            return f"codes of level {level} must count up from 0 along the leaves"
        if len(set(names)) != len(names):
            texts = sorted(name for name in names if name is not None)
            twice = next(name for name, after in pairwise(texts) if name == after)
            return f"two branches of level {level} are both called {twice!r}"
        if level and ((np.diff(codes[level - 1]) == 0) & (steps != 0)).any():
            return f"a label of level {level - 1} has two parents"
    return ""


@runtime_checkable
class HierarchySource(Protocol):
    """A built hierarchy, or a builder that makes one from a column's values."""

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Return the hierarchy over a column.

        Parameters
        ----------
        values
            The distinct values of the column, null included where present; its name
            is the column's name. A bound hierarchy covers at least these.
        counts
            (len(values),) number of records of each value. None: `values` is the
            column itself, and is counted here.

        Raises
        ------
        HierarchyError
            A value is missing (up to ten are named), or cannot be generalized.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it, such as `{"file": "age.csv"}`."""
        ...
