"""Parquet that is written from the numbers of enumerations holds the texts of its rows, and all."""

from __future__ import annotations

import datetime as dt
import errno
import os
from functools import partial

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from kanonym.data.errors import DataError
from kanonym.engines.database.values import fingerprint_of, require_same
from kanonym.engines.duckdb import files, scan_duckdb
from kanonym.engines.duckdb.files import fingerprint_of_file, write_parquet

pytestmark = pytest.mark.xdist_group("duckdb")


def reader_of(rows, size):
    """Return what gives the rows of a frame, so many at a time, its enumerations by numbers."""
    table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))


@given(
    words=st.lists(st.sampled_from(["a", "ü", "", None, "long " * 20]), max_size=40),
    size=st.integers(1, 40),
    together=st.integers(1, 40),
)
@settings(max_examples=50)
def test_files_hold_the_rows_that_were_streamed(tmp_path_factory, words, size, together):
    """However rows come, the file holds them in order, with the fingerprint of their texts."""
    rows = pl.DataFrame(
        {
            "word": pl.Series(words, dtype=pl.Enum(["", "a", "long " * 20, "never", "ü"])),
            "day": pl.Series([dt.date(2020, 2, 29)] * len(words), dtype=pl.Date),
            "real": pl.Series([float("nan")] * len(words), dtype=pl.Float64),
        }
    )
    texts = rows.cast({"word": pl.String})
    path = tmp_path_factory.mktemp("written") / "rows.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BATCH_ROWS", together)
        written = write_parquet(reader_of(rows, size), path)
        found = fingerprint_of_file(path, ["word"])
    assert written.rows == len(words)
    require_same(written, fingerprint_of([texts]), "texts")
    require_same(written, found, "file")
    assert_frame_equal(pl.read_parquet(path), texts)
    assert b"never" not in path.read_bytes()


def test_enumerations_of_a_table_do_not_reach_its_release(tmp_path):
    """Values of an enumeration that no released row has stand nowhere in the file."""
    with duckdb.connect() as connection:
        rows = connection.sql("SELECT 'b'::ENUM('a', 'b', 'forgotten') AS a, 1::UTINYINT AS n")
        source = scan_duckdb(rows)
        place = tmp_path / "release.parquet"
        source.store.stage(source.query, str(place)).publish()
        source.store.close()
    assert pl.read_parquet(place).to_dict(as_series=False) == {"a": ["b"], "n": [1]}
    assert b"forgotten" not in place.read_bytes()
    assert pyarrow.parquet.read_schema(place).field("a").type == pa.string()


def test_files_that_hold_other_rows_are_refused(tmp_path, monkeypatch):
    """A file that does not come back as it was streamed is never given out."""

    def drop_words(column):
        return pa.nulls(len(column), column.type) if pa.types.is_dictionary(column.type) else column

    monkeypatch.setattr(files, "_without_unused", drop_words)
    rows = pl.DataFrame({"word": ["a", "b"], "n": [2, 3]})
    store = scan_duckdb(rows).store
    with pytest.raises(DataError, match="'word' is not read back"):
        store.stage(store.repeat(store.put(rows), "n"), str(tmp_path / "release.parquet"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_written", [True, False])
def test_values_that_fail_while_rows_are_streamed_are_not_shown(tmp_path, is_written):
    """An error of DuckDB in the middle of a stream is told without the value that it quotes."""
    with duckdb.connect() as connection:
        rows = connection.sql(
            "SELECT CASE WHEN i = 900000 THEN error('secret') ELSE i END::BIGINT AS a"
            " FROM range(1000000) t(i)"
        )
        source = scan_duckdb(rows)
        store, place = source.store, str(tmp_path / "release.parquet")
        read = partial(store.stage, source.query, place) if is_written else None
        with pytest.raises(DataError, match="could not be read") as raised:
            read() if read else list(store.frames(source.query))
    assert "secret" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    """A file that the system cannot write is an error with its place, and leaves nothing."""

    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "_without_unused", refuse)
    source = scan_duckdb(pl.DataFrame({"a": [1]}))
    with pytest.raises(DataError, match=r"release\.parquet cannot be written: No space"):
        source.store.stage(source.query, str(tmp_path / "release.parquet"))
    assert not list(tmp_path.iterdir())
