"""Hierarchies in CSV files, a row for each value."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.files.disk import decode, refuse_url
from kanonym.data.hierarchy.base import Hierarchy, with_null
from kanonym.data.hierarchy.builders.base import neighbour_runs
from kanonym.data.hierarchy.labels import has_null, parse_leaves, quote_first
from kanonym.data.results import ShortRepr
from kanonym.data.text_encoding import to_utf8
from kanonym.kernels.arrays import Int32s, Ints

Row = Sequence[str | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows(ShortRepr):
    """Checked rows of a hierarchy: the labels of one value from level 0 to the root.

    codes: (n_levels, n_rows) int32, the label index of each row at each level.
    """

    origin: str
    numbers: tuple[int, ...]
    labels: tuple[tuple[str | None, ...], ...]
    codes: Int32s

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
        """Return the hierarchy over a column, see `HierarchySource.bind`."""
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

    def _order(self, leaves: pl.Series) -> Ints:
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


def _number_labels(column: Row) -> tuple[tuple[str | None, ...], Int32s]:
    """Return the distinct labels in order of first appearance, and each row's index in them."""
    index: dict[str | None, int] = {}
    codes = [index.setdefault(label, len(index)) for label in column]
    return tuple(index), np.array(codes, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class FromFile:
    r"""A hierarchy from a CSV file, read and checked at once and bound to a column later.

    ARX's format: no header, one row a value, the columns are the levels, from the
    value itself to the root, which is the same in every row. UTF-8 or UTF-16, with or without
    a byte order mark; fields may be quoted. A line that stands there twice is read once.

    Values are matched in the column's own type: the row `39` is 39 in a column of integers and 39.0
    in one of floats, `true` a Boolean, `2020-05-17` a date. Values that the data does not have stay
    in the tree. An empty first cell is null, whose other labels must be its own; without such a
    row, null becomes a branch below the root where the data has it.

    Parameters
    ----------
    path
        The file.
    separator
        One character. None: `;` or `,`, whichever cuts the first row into more cells.
    encoding
        Of a file that is not UTF-8, such as `windows-1252`.
    folder
        What a relative path is relative to; `to_dict` leaves it out.

    Raises
    ------
    HierarchyError
        The file cannot be read, is empty or no hierarchy: names file and row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "age.csv")
    ...     _ = path.write_text("7;0-9;*\n12;10-19;*\n15;10-19;*\n")
    ...     age = hierarchy.from_file(path).bind(pl.Series("age", [15, 7]))
    >>> age.values.to_list(), age.generalize(1)
    ([7, 12, 15], ['0-9', '10-19', '10-19'])
    """

    kind: ClassVar[str] = "file"

    path: str | Path
    separator: str | None = None
    encoding: str | None = None
    folder: str | Path = "."
    rows: Rows = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise HierarchyError(f"separator must be one character, not {self.separator!r}")
        refuse_url(self.path)
        path = Path(self.folder, self.path)
        origin = f"hierarchy {path}"
        try:
            text = decode(to_utf8(path.read_bytes(), origin, self.encoding), origin)
        except OSError as error:
            raise HierarchyError(f"{origin} cannot be read: {error.strerror}") from error
        except DataError as error:
            raise HierarchyError(str(error)) from None
        numbers, rows = _read(text, self.separator or _separator(text), origin)
        object.__setattr__(self, "rows", Rows.check(rows, numbers, origin))

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Return the hierarchy over a column: see `HierarchySource.bind`."""
        del counts  # a file does not depend on them
        return self.rows.bind(values)

    def to_dict(self) -> dict[str, Any]:
        """Return the policy's form, `{"file": path}`."""
        given = {"separator": self.separator, "encoding": self.encoding}
        said = {name: value for name, value in given.items() if value is not None}
        return {"file": {"path": str(self.path), **said} if said else str(self.path)}


def _read(text: str, separator: str, origin: str) -> tuple[list[int], list[Row]]:
    """Return the line numbers and cells of different rows that are not blank; None is empty."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    numbers: list[int] = []
    rows: list[Row] = []
    seen: set[tuple[str, ...]] = set()
    try:
        for row in reader:
            if row and tuple(row) not in seen:
                seen.add(tuple(row))
                numbers.append(reader.line_num)
                rows.append([cell or None for cell in row])
    except csv.Error as error:
        raise HierarchyError(f"{origin}, row {reader.line_num}: {error}") from error
    return numbers, rows


def _separator(text: str) -> str:
    """Return the separator that cuts the first row into more cells; `;` if both do."""
    first = re.sub(r'"[^"]*"', "", text).lstrip().partition("\n")[0]
    return max(";,", key=first.count)
