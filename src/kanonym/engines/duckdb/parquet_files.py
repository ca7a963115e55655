"""Parquet written from what DuckDB streams: the numbers of enumerations, never their texts.

DuckDB 2.0.0 itself writes wrong values of an enumeration of millions of rows, in about every
third file; and to write and compare the texts takes three times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.engines.database.fingerprints import SEED, Fingerprint
from kanonym.engines.database.staging import BATCH_ROWS

ArrowBatch: TypeAlias = Any  # pyarrow carries no types
ArrowColumn: TypeAlias = Any
ArrowReader: TypeAlias = Any

EXACT = frozenset(
    {"enum", "boolean", "double", "float", "date"}
    | {f"{sign}{kind}int" for sign in ("", "u") for kind in ("tiny", "small", "", "big")}
    | {"integer", "uinteger"}
)
"""Types whose values Parquet holds whoever writes them."""


def write_parquet(reader: ArrowReader, path: Path) -> Fingerprint:
    """Write what a reader gives, a group of rows a batch, and return its fingerprint.

    reader: of columns of the types `EXACT`; its enumerations are dictionaries of texts. The file
    holds texts, and of each enumeration only those that its rows have.
    """
    fingerprint = Fingerprint()
    with pyarrow.parquet.ParquetWriter(
        path, reader.schema, compression="zstd", store_schema=False
    ) as writer:
        for batch in _joined(reader):
            fingerprint.add_hashes(_hashes(batch))
            columns = [_without_unused(column) for column in batch.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=reader.schema))
    return fingerprint


def fingerprint_of_file(path: Path, coded: Iterable[str]) -> Fingerprint:
    """Return the fingerprint of a Parquet file, as pyarrow reads it.

    coded: columns of texts with few different values.
    """
    fingerprint = Fingerprint()
    try:
        file = pyarrow.parquet.ParquetFile(path, read_dictionary=list(coded))
        for batch in _joined(file.iter_batches(BATCH_ROWS)):
            fingerprint.add_hashes(_hashes(batch))
    except pa.ArrowException:  # its texts quote values
        raise DataError(
            "what was written as parquet cannot be read back; nothing was released. Choose "
            "another format"
        ) from None
    return fingerprint


def _joined(batches: Iterable[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Yield the same rows in larger batches: DuckDB streams few at a time."""
    waiting: list[ArrowBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(len(one) for one in waiting) >= BATCH_ROWS:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def _hashes(batch: ArrowBatch) -> pl.DataFrame:
    """Return the hash of each value; of enumerations, each text is hashed once."""
    hashes = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            words = pl.Series([*column.dictionary.to_pylist(), None], dtype=pl.String)
            own = pl.Series(words.hash(seed=SEED).to_numpy()[_codes(column)])
        else:
            own = pl.Series(column).hash(seed=SEED)
        hashes.append(own.alias(name))
    return pl.DataFrame(hashes)


def _codes(column: ArrowColumn) -> NDArray[np.intp]:
    """Return the numbers of an enumeration's values; of null, the one behind the last."""
    codes = pl.Series(column.indices)
    if codes.null_count():
        codes = codes.cast(pl.Int64).fill_null(len(column.dictionary))
    return codes.to_numpy().astype(np.intp, copy=False)


def _without_unused(column: ArrowColumn) -> ArrowColumn:
    """Return a column; if an enumeration, without the texts that none of its values has."""
    if not pa.types.is_dictionary(column.type):
        return column
    codes, n = _codes(column), len(column.dictionary)
    is_used = np.zeros(n + 1, bool)
    is_used[codes] = True
    used = np.flatnonzero(is_used[:n])
    place = np.zeros(n + 1, column.type.index_type.to_pandas_dtype())
    place[used] = np.arange(len(used))
    indices = pa.array(place[codes], mask=codes == n if column.null_count else None)
    return pa.DictionaryArray.from_arrays(indices, column.dictionary.take(pa.array(used)))
