"""A hierarchy from a CSV file in ARX's format."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.files.disk import decode, refuse_url
from kanonym.data.hierarchy.base import Hierarchy
from kanonym.data.hierarchy.rows import Row, Rows
from kanonym.data.text_encoding import to_utf8


@dataclass(frozen=True, slots=True)
class FromFile:
    r"""A hierarchy from a CSV file, read and checked at once and bound to a column later.

    ARX's format: no header, one row a value, the columns are the levels, from the
    value itself to the root, which is the same in every row. UTF-8 or UTF-16, with or without
    a byte order mark; fields may be quoted. A line that stands there twice is read once.

    Values are matched in the column's own type: the row `39` is 39 in a column of
    integers and 39.0 in one of floats, `true` a Boolean, `2020-05-17` a date. Values
    that the data does not have stay in the tree. An empty first cell is null, whose
    other labels must be its own; without such a row, null becomes a branch below the
    root where the data has it.

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

    def bind(self, values: pl.Series, counts: NDArray[np.int64] | None = None) -> Hierarchy:
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
