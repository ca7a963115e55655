"""Whether what was written is what is read back, row for row, in whatever order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from kanonym.data.errors import DataError

SEED = 0x5EED
_WRAP = (1 << 64) - 1


@dataclass
class Fingerprint:
    """Sums of hashes over the rows of a table, which do not depend on their order.

    Two tables of different rows have the same sums with a chance of about 2 to the power of -64.
    """

    rows: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    records: int = 0

    def add(self, part: pl.DataFrame) -> None:
        """Add the rows of a part of the table."""
        self.add_hashes(pl.DataFrame([column.hash(seed=SEED) for column in part]))

    def add_hashes(self, hashes: pl.DataFrame) -> None:
        """Add the rows of a part of the table, of whose values the hashes with `SEED` are given."""
        self.rows += len(hashes)
        for column in hashes:
            self.columns[column.name] = _add_hashes(self.columns.get(column.name, 0), column)
        self.records = _add_hashes(self.records, hashes.hash_rows(seed=SEED))


def fingerprint_of(parts: Iterable[pl.DataFrame]) -> Fingerprint:
    """Return the fingerprint of a table that comes in parts."""
    fingerprint = Fingerprint()
    for part in parts:
        fingerprint.add(part)
    return fingerprint


def require_same(written: Fingerprint, found: Fingerprint, where: str) -> None:
    """Refuse a table that does not come back as it was written.

    where: the file or table, as it may be shown.
    """
    if found == written or found.rows == written.rows == 0:  # which may come in no part at all
        return
    if found.rows != written.rows:
        raise DataError(
            f"{where}: {written.rows} rows were written and {found.rows} are read back; nothing "
            "was released"
        )
    other = [name for name, total in written.columns.items() if found.columns.get(name) != total]
    column = f"column {other[0]!r}" if other else "its rows"
    raise DataError(
        f"{where}: {column} is not read back as it was written; nothing was released. Convert the "
        "column to text, or choose another format"
    )


def _add_hashes(total: int, hashes: pl.Series) -> int:
    return (total + int(hashes.to_numpy().sum(dtype=np.uint64))) & _WRAP  # it wraps, too
