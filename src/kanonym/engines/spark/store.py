"""Spark as a store: temporary views, and queries over them; Connect and classic alike."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import polars as pl
from pyspark.sql import SparkSession

from kanonym.engines.spark import columns
from kanonym.engines.spark.session import translate_errors
from kanonym.engines.spark.staging import require_place, stage_frame
from kanonym.engines.sql.statements import table_query
from kanonym.engines.sql.store import Query, StagedTable

Frame: TypeAlias = Any  # pyspark carries no types

BY_CASE = "spark.sql.caseSensitive"
"""The setting that tells columns apart which differ in upper and lower case only."""

_SMALL = 1 << 22
_BROADCAST = 1 << 27
"""Bytes of tables of this process that each worker gets whole where they are joined to a large
one; of smaller tables Spark sees it by itself."""


class SparkStore:
    """A Spark session that holds tables as temporary views."""

    name = "spark"
    dialect = "spark"

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._token = secrets.token_hex(4)
        self._views: list[str] = []
        self._held: list[Frame] = []
        self._shown = False

    def __repr__(self) -> str:
        """Say what it is; the address of a cluster may hold a token."""
        return "SparkStore()"

    def frame(self, query: Query) -> Frame:
        """Return the DataFrame of a query; nothing is computed."""
        with translate_errors("read this table"):
            return self.session.sql(query.sql(dialect=self.dialect))

    def view(self, frame: Frame) -> Query:
        """Return what reads a DataFrame."""
        name = f"kanonym_{self._token}_{len(self._views)}"
        with translate_errors("take this table"):
            frame.createOrReplaceTempView(name)
        self._views.append(name)
        return table_query(name)

    def fetch(self, query: Query) -> pl.DataFrame:
        """Return the rows of a query: as `Store.fetch`, in Arrow batches."""
        frame = self.frame(query)
        with translate_errors("compute this table"):
            return columns.from_arrow(frame.toArrow())

    def put(self, table: pl.DataFrame) -> Query:
        """Give Spark a table of this process: as `Store.put`, its order kept."""
        arrow, struct = columns.to_spark(table)
        with translate_errors("take a table from here"):
            columns.check_names(table.columns, by_case=self._is_set(BY_CASE))
            frame = self.session.createDataFrame(arrow, schema=struct)
        return self.view(frame.hint("broadcast") if _SMALL < arrow.nbytes <= _BROADCAST else frame)

    def hold(self, query: Query) -> Query:
        """Compute a query once: as `Store.hold`, when it is first read."""
        frame = self.frame(query)
        with translate_errors("hold this table"):
            frame = frame.persist()
        self._held.append(frame)
        return self.view(frame)

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its column says: as `Store.repeat`, in the same order."""
        frame = self.frame(query)
        with translate_errors("repeat rows"):
            return self.view(columns.repeat_rows(frame, times))

    def by_group(
        self,
        query: Query,
        group: str,
        function: Callable[[pl.DataFrame], pl.DataFrame],
        schema: Mapping[str, pl.DataType],
    ) -> Query:
        """Apply a function to each group, on the workers: as `Store.by_group`."""
        frame = self.frame(query)
        with translate_errors("apply a function to groups"):
            names = list(frame.columns)
            awaited = columns.arrow_schema(
                schema, large=self._is_set("spark.sql.execution.arrow.useLargeVarTypes")
            )
            # PySpark looks the columns up again, by names that must be plain ones.
            plain = frame.toDF(*[f"c{place}" for place in range(len(names))])
            applied = plain.groupBy(f"c{names.index(group)}").applyInArrow(
                _arrow_function(function, names, awaited), columns.struct_of(schema)
            )
            return self.view(applied)

    def require_place(self, place: str | None) -> None:
        """Refuse a folder that exists, and what cannot be written."""
        if place is not None:
            require_place(self.session, place, remote=is_remote(self.session))

    def stage(self, query: Query, place: str | None) -> StagedTable:
        """Write the rows of a query, unseen: as `Store.stage`; see `staging`."""
        self._shown = self._shown or place is None
        without = query.copy()
        order = without.args.pop("order", None)
        frame = self.frame(without)
        with translate_errors("order rows"):
            if order is not None:
                frame = (
                    columns.order_rows(frame) if columns.is_groupable(frame) else self.frame(query)
                )
        remote = is_remote(self.session)
        return stage_frame(self.session, frame, place, self.view, remote=remote)

    def close(self) -> None:
        """Drop the views and what is held."""
        if self._shown and is_remote(self.session):
            return
        with translate_errors("tidy up"):
            for frame in self._held:
                frame.unpersist()
            for name in self._views:
                self.session.catalog.dropTempView(name)
        self._held.clear()
        self._views.clear()

    def _is_set(self, setting: str) -> bool:
        return is_set(self.session, setting)


def is_remote(session: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def is_set(session: SparkSession, setting: str) -> bool:
    """Whether a setting of a session is true."""
    return str(session.conf.get(setting, "false")).lower() == "true"


def _arrow_function(
    function: Callable[[pl.DataFrame], pl.DataFrame], names: list[str], schema: columns.ArrowSchema
) -> Callable[[columns.ArrowTable], columns.ArrowTable]:
    """Return a function of Arrow tables, for the workers, from one of polars frames.

    names: of the columns. schema: of the result, as Arrow.
    """

    def apply(group: columns.ArrowTable) -> columns.ArrowTable:
        arrow, _ = columns.to_spark(function(columns.from_arrow(group.rename_columns(names))))
        return arrow.cast(schema)

    return apply
