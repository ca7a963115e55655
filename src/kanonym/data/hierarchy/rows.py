"""Hand-made hierarchies: rows of texts, one a value, checked and bound to a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.base import Hierarchy, with_null
from kanonym.data.hierarchy.builders.base import neighbour_runs
from kanonym.data.hierarchy.leaves import has_null, parse_leaves, quote_first
from kanonym.data.results.short_repr import ShortRepr

Row = Sequence[str | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows(ShortRepr):
    """Checked rows of a hierarchy: the labels of one value from level 0 to the root.

    codes: (n_levels, n_rows) int32, the label index of each row at each level.
    """

    origin: str
    numbers: tuple[int, ...]
    labels: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.int32]

    @classmethod
    def check(cls, rows: Sequence[Row], numbers: Sequence[int], origin: str) -> Self:
        """Check rows and number their labels.

        None at level 0 is null, which is a branch of its own: its labels, where they
        are not None too, may be those of no other value, apart from the root.
        """
        if not rows:
            raise HierarchyError(f"{origin} is empty: it needs one row for each value")
        width = len(rows[0])
        for row, number in zip(rows, numbers, strict=True):
            if len(row) != width:
                raise HierarchyError(
                    f"{origin}, row {number}: {len(row)} columns, but row {numbers[0]} has "
                    f"{width}; every value needs one label per level"
                )
            if row[0] is not None and None in row:
                raise HierarchyError(
                    f"{origin}, row {number}: level {row.index(None)} of {row[0]!r} is empty"
                )
        if width == 1:
            raise HierarchyError(
                f"{origin} has one column: it needs the values and, in the last column, one root"
            )
        levels = [_number_labels(column) for column in zip(*rows, strict=True)]
        labels = tuple(names for names, _ in levels)
        checked = cls(origin, tuple(numbers), labels, np.stack([codes for _, codes in levels]))
        checked._refuse_repeats()
        checked._refuse_parents()
        checked._refuse_roots()
        checked._refuse_shared_null()
        return checked

    @property
    def null(self) -> int:
        """The row of null, or -1."""
        return self.labels[0].index(None) if None in self.labels[0] else -1

    def bind(self, values: pl.Series) -> Hierarchy:
        """Return the hierarchy over a column, see `HierarchySource.bind`.

        Leaves of numbers and dates stand by value where that keeps every label's
        leaves together, else depth first in the order of the rows.
        """
        texts = pl.Series(values.name, self.labels[0], dtype=pl.String)
        leaves = parse_leaves(texts, values.dtype, self._place)
        order = self._order(leaves)
        labels: list[tuple[str | None, ...]] = []
        codes = np.empty(self.codes.shape, dtype=np.int32)
        for level, row in enumerate(self.codes):
            starts, codes[level] = neighbour_runs(row[order])
            names = self.labels[level]
            labels.append(tuple(names[code] for code in row[order[starts]].tolist()))
        bound = Hierarchy(leaves.gather(order), tuple(labels), codes)
        if has_null(values) and self.null < 0:
            bound = with_null(bound)
        return bound.require_leaves(values, self.origin)

    def _order(self, leaves: pl.Series) -> NDArray[np.int64]:
        """Return the rows in the order of leaves, null last."""
        if leaves.dtype.is_numeric() or leaves.dtype.is_temporal():
            order = leaves.arg_sort(nulls_last=True).cast(pl.Int64).to_numpy()
            if all(
                len(neighbour_runs(row[order])[0]) == len(names)
                for row, names in zip(self.codes, self.labels, strict=True)
            ):
                return order
        not_null = np.arange(len(leaves)) == self.null
        return np.lexsort((*self.codes, not_null))

    def _place(self, row: int) -> str:
        return f"{self.origin}, row {self.numbers[row]}"

    def _refuse_repeats(self) -> None:
        seen: dict[int, int] = {}
        for row, code in enumerate(self.codes[0].tolist()):
            if seen.setdefault(code, row) != row:
                raise HierarchyError(
                    f"{self._place(row)}: {quote_first([self.labels[0][code]])} has a row already, "
                    f"row {self.numbers[seen[code]]}; every value must occur once"
                )

    def _refuse_parents(self) -> None:
        for level in range(1, len(self.labels)):
            lower, upper = self.codes[level - 1], self.codes[level]
            labels, first = np.unique(lower, return_index=True)
            parents = np.empty(len(labels), dtype=np.int32)
            parents[labels] = upper[first]
            wrong = np.flatnonzero(parents[lower] != upper)
            if len(wrong):
                row = int(wrong[0])
                before = int(first[lower[row]])
                raise HierarchyError(
                    f"{self._place(row)}: {quote_first([self.labels[level - 1][lower[row]]])} of "
                    f"level {level - 1} has two parents at level {level}: the label in this row, "
                    f"and another one in row {self.numbers[before]}"
                )

    def _refuse_roots(self) -> None:
        if len(self.labels[-1]) > 1:
            row = int(np.flatnonzero(self.codes[-1])[0])
            raise HierarchyError(
                f"{self._place(row)}: the last level must be one root, but it is "
                f"{quote_first([self.labels[-1][1]])} here and another label in row "
                f"{self.numbers[0]}{self._header_hint()}"
            )
        if None in self.labels[-1]:
            raise HierarchyError(f"{self._place(0)}: the root of null is empty")

    def _header_hint(self) -> str:
        """Return a hint where the first row alone has another root: it is a header."""
        header = len(self.labels[-1]) == 2 and (self.codes[-1][1:] == 1).all()
        return "; a hierarchy file has no header" if header and len(self.numbers) > 2 else ""

    def _refuse_shared_null(self) -> None:
        for level in range(1, len(self.labels) - 1 if self.null >= 0 else 0):
            row = self.codes[level]
            others = np.flatnonzero(row == row[self.null])
            if len(others) > 1:
                other = int(others[others != self.null][0])
                raise HierarchyError(
                    f"{self._place(self.null)}: null is a branch of its own below the root, but "
                    f"it shares {quote_first([self.labels[level][row[other]]])} of level {level} "
                    f"with row {self.numbers[other]}"
                )


def _number_labels(column: Row) -> tuple[tuple[str | None, ...], NDArray[np.int32]]:
    """Return the distinct labels in order of first appearance, and each row's index in them."""
    index: dict[str | None, int] = {}
    codes = [index.setdefault(label, len(index)) for label in column]
    return tuple(index), np.array(codes, dtype=np.int32)
