"""The release of a table that stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from kanonym.data.errors import DataError
from kanonym.metrics.utility import Utility
from kanonym.release import Release


@dataclass(frozen=True, repr=False)
class ReleaseElsewhere(Release):
    """A released table on an engine, verified there, and everything measured about it.

    `frame` is the engine's own table (a DuckDB relation, a Spark DataFrame), or where it was
    written: a path, a table's name. There are no `rows`: who is who is not asked of an engine.

    Attributes
    ----------
    engine
        What holds the table: `duckdb`, `spark`, `postgresql`, `sqlite`.
    names
        The released columns, in order.
    counted
        Whether the frequency set came to this process, as it is or at levels.
    measured
        What the release lost, where the outcome does not tell; else None.
    writer
        Writes the release once more, verifies what was written, and says where it is.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "engine",
        "rows_in",
        "rows_out",
        "suppressed",
        "verification.k",
        "verification.verdict",
    )

    engine: str = field(kw_only=True)
    names: tuple[str, ...] = field(kw_only=True)
    counted: bool = field(kw_only=True, default=True)
    measured: Utility | None = field(kw_only=True, default=None)
    writer: Callable[[str], Any] = field(kw_only=True, repr=False)

    @property
    def utility(self) -> Utility:
        """What the release lost."""
        return super().utility if self.measured is None else self.measured

    def report(self, path: str | Path, **parts: Any) -> None:
        """Write the report: see `Release.report`.

        Raises
        ------
        DataError
            The frequency set stayed on the engine: there is nothing to draw.

        """
        if not self.counted:
            raise DataError(
                f"a report draws the frequency set, which stayed on {self.engine}: give the source "
                "a larger most_tuples, or take the manifest"
            )
        super().report(path, **parts)

    def write(self, path: str | Path, *, read_back: bool = True, safe_cells: bool = False) -> None:
        """Write the released table, whole or not at all, verified from what was written.

        `read_back` and `safe_cells` are for tables of this process: an engine always counts
        what it wrote.

        Raises
        ------
        DataError
            The engine cannot write there, or safe cells are asked for.

        """
        if safe_cells or not read_back:
            raise DataError(
                f"{self.engine} has no safe cells, and always reads back; leave both out"
            )
        self.writer(str(path))

    def aggregate(self) -> Any:
        """Refuse: the aggregate form is for tables of this process.

        Raises
        ------
        DataError
            Always.

        """
        raise DataError(
            f"the aggregate form is not written by {self.engine}: group the release there by "
            "its columns, and count"
        )

    @property
    def _columns_out(self) -> int:
        return len(self.names)

    @property
    def _where(self) -> dict[str, Any]:
        return {"engine": self.engine}

    @property
    def _order(self) -> str:
        return "by the released values; no seed takes part"

    def _hash_as_csv(self) -> str | None:
        return None
