"""A release that an engine has written, and that is still to be verified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from kanonym.data.columns.value_texts import text_of
from kanonym.data.errors import DataError
from kanonym.data.files import typed_texts
from kanonym.data.person_key import columns_of
from kanonym.engines.run import Run
from kanonym.engines.sql.column_values import VALUE, column_values
from kanonym.engines.sql.frequencies import Frequencies, counted_rows, fetch_frequencies
from kanonym.engines.sql.statements import free_name, rename_columns
from kanonym.engines.sql.store import MOST_TUPLES, Query, Source, StagedTable
from kanonym.verification.released_classes import (
    ColumnValues,
    FrequencySet,
    values_and_repeats,
)


@dataclass(frozen=True)
class SqlRelease:
    """A released table on an engine."""

    rows: ClassVar[None] = None

    run: Run
    source: Source
    staged: StagedTable
    columns: list[str]
    labels: Collection[str]
    texts: Collection[str]
    entities: Sequence[str] = ()
    persons: Sequence[str] = ()
    with_persons: Callable[[], Query] | None = None

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the frequency set of some columns, as they were written.

        Who is who is not written: persons are counted in the query of the release, and its
        classes must be those that were written.
        """
        asked = [name for name in names if name in self.persons]
        if not asked or self.with_persons is None:
            return self._read(self._count_written(names))
        found = self._count_rows(self.with_persons(), names)
        labels = [name for name in names if name in self.labels]
        if labels and not _have_same_records(
            self._read(self._count_written(labels)), self._read(found), labels
        ):
            raise DataError(
                "the classes that were written are not those in which persons were counted: the "
                "table was changed in the meantime. Nothing is released; run again, or work on a "
                "copy "
                "that stays as it is"
            )
        return self._read(found)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a released column are repeated, by persons if counted."""
        if self.entities:
            who = self.entities[0]
            found = self.take([name, who])
            return values_and_repeats(found.column, name, found.column(who), found.counts)
        query = rename_columns(self.staged.query, {name: VALUE})
        return column_values(self.source, query, name)

    def publish(self) -> Any:
        """Put the release in its place, whole, and return it."""
        with self.run.watch.stage("write"):
            return self.staged.publish()

    def discard(self) -> None:
        """Take everything away that was written."""
        self.staged.discard()

    def _count_written(self, names: Sequence[str]) -> Frequencies:
        """Count what was written."""
        if self.staged.rows is not None:
            return counted_rows(self.staged.rows(), names)
        return self._count_rows(self.staged.query, names)

    def _count_rows(self, query: Query, names: Sequence[str]) -> Frequencies:
        """Count the rows of a query by columns of their own names."""
        aliases = {name: f"c{place}" for place, name in enumerate(columns_of(names))}
        most = max(self.source.most_tuples, MOST_TUPLES)
        wide = replace(self.source, most_tuples=most)
        found = fetch_frequencies(wide, rename_columns(query, aliases), aliases)
        if found is None:
            raise DataError(
                f"the release has more than {most} different rows in the columns that are "
                "verified: give the source a larger most_tuples, or ask for larger classes"
            )
        return found

    def _read(self, found: Frequencies) -> FrequencySet:
        if self.source.readings and found.table.width:
            read = replace(self.source, released=True, typed=frozenset(), text=False, iso=False)
            found = Frequencies(found.raw, read.read(found.table), found.counts)

        def column(name: str) -> pl.Series:
            # The form that was written may know texts alone.
            values = found.column(name)
            known = name in self.labels or name in self.texts or name in self.persons
            return values if known else typed_texts(values)

        return FrequencySet(column, len(found.counts), found.counts)


def _have_same_records(left: FrequencySet, right: FrequencySet, names: Sequence[str]) -> bool:
    """Say whether two frequency sets have the same records in some columns."""
    number = free_name(names)

    def count(found: FrequencySet) -> pl.DataFrame:
        columns = [text_of(found.column(name)).alias(name) for name in names]
        rows = pl.DataFrame([*columns, pl.Series(number, found.counts)])
        return rows.group_by(names).agg(pl.col(number).sum()).sort(*names, nulls_last=True)

    return count(left).equals(count(right))
