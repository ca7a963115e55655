"""Tables on Spark: a DataFrame, or files that Spark reads.

PySpark is an extra, and takes a second to import: nothing of it is needed before `scan_spark` is
called.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from kanonym.data.loading import require_extra

if TYPE_CHECKING:
    import polars as pl

    from kanonym.engines.sql.store import Source


def scan_spark(
    table: Any,
    *,
    session: Any = None,
    format: str | None = None,  # noqa: A002 - as of files.read_table
    most_tuples: int | None = None,
) -> Source:
    """Use a table on Spark: it is counted, recoded and written there.

    Parameters
    ----------
    table
        A Spark DataFrame, classic or of Spark Connect; or the path of files that Spark reads: a
        file, a folder or a glob.
    session
        Reads a path: a SparkSession; None takes the active one, or starts a local one.
    format
        Of a path: parquet, csv, tsv, json, jsonl, orc or delta; None goes by its extension.
    most_tuples
        A frequency set of more tuples is not taken to this process; 8,388,608 if None.

    Raises
    ------
    DataError
        PySpark or a Java runtime is not installed (the message says what to do); the path
        cannot be read; two columns have one name on Spark.

    Notes
    -----
    The session's settings stay as they are. Moments are in UTC. Ordered categories, which Spark
    does not have, are text.
    """
    with require_extra("spark"):
        from kanonym.engines.spark import columns, reading, store  # noqa: PLC0415
        from kanonym.engines.spark import session as sessions  # noqa: PLC0415
        from kanonym.engines.spark.session import translate_errors  # noqa: PLC0415
        from kanonym.engines.sql.store import MOST_TUPLES, Source  # noqa: PLC0415 - it may be absent

    text = False
    if isinstance(table, (str, os.PathLike)):
        running = sessions.session_of(session)
        frame, text = reading.read_files(running, os.fspath(table), format)
    else:
        frame, running = table, table.sparkSession
    with translate_errors("read this table"):
        columns.check_names(frame.columns, by_case=store.is_set(running, store.BY_CASE))
        frame = columns.without_void(frame)
    kept = store.SparkStore(running)
    most = MOST_TUPLES if most_tuples is None else most_tuples
    return Source(kept, kept.view(frame), text, most)


def collect_frame(frame: Any) -> pl.DataFrame:
    """Return the rows of a Spark DataFrame in this process; errors as of `scan_spark`."""
    source = scan_spark(frame)
    try:
        return source.store.fetch(source.query)
    finally:
        source.store.close()


def create_frame(table: pl.DataFrame, like: Any) -> Any:
    """Return a table of this process as a DataFrame of the session that another one is of."""
    from kanonym.engines.spark import columns, store  # noqa: PLC0415 - PySpark may be absent
    from kanonym.engines.spark.session import translate_errors  # noqa: PLC0415 - as above

    session = like.sparkSession
    arrow, struct = columns.to_spark(table)
    with translate_errors("take a table from here"):
        columns.check_names(table.columns, by_case=store.is_set(session, store.BY_CASE))
        return session.createDataFrame(arrow, schema=struct)
