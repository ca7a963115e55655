"""Files that are written beside their place and get its name at the end, or are removed."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from kanonym.data.errors import DataError
from kanonym.data.files import check_table_output, write_table
from kanonym.data.files.disk import hidden_path
from kanonym.engines.sql.store import Query

BATCH_ROWS = 1 << 17  # rows of a file that are in this process at a time
_CSV_BLOCK = 1 << 24  # bytes: the longest row, as the local reader has it


@dataclass(frozen=True)
class HiddenFile:
    """A file that is written, but not yet in its place."""

    place: str
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        check_table_output(self.place)
        final = Path(self.place).resolve()
        aside = self.place == "-" or (final.exists() and not final.is_file())
        folder = Path(tempfile.gettempdir()) if aside else final.parent
        object.__setattr__(self, "path", hidden_path(folder))

    def publish(self) -> str:
        """Give the file its name, in one step; a device or a pipe gets its bytes."""
        final = Path(self.place).resolve()
        try:
            if self.place == "-":
                sys.stdout.flush()
                with self.path.open("rb") as source:
                    shutil.copyfileobj(source, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            elif final.exists() and not final.is_file():
                with self.path.open("rb") as source, final.open("wb") as target:
                    shutil.copyfileobj(source, target)
            else:
                # The bytes are on the disk before the name: a crash leaves the old file.
                with self.path.open("rb+") as file:
                    os.fsync(file.fileno())
                if final.exists():
                    shutil.copymode(final, self.path)
                self.path.replace(final)
        except OSError as error:
            raise DataError(
                f"{self.place} cannot be written: {error.strerror or error}; nothing was written"
            ) from None
        finally:
            self.discard()
        return self.place

    @contextlib.contextmanager
    def open_for_writing(self) -> Iterator[Path]:
        """Give the path to write to; an error names the place, and takes the file away."""
        try:
            yield self.path
        except DataError as error:
            self.discard()
            told = str(error).replace(str(self.path), self.place)
            raise DataError(told) from error.__cause__
        except OSError as error:
            self.discard()
            raise DataError(
                f"{self.place} cannot be written: {error.strerror or error}; nothing was written"
            ) from None
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove the file, if it is still hidden."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def write_hidden(frame: pl.DataFrame, path: Path, kind: str, *, packed: bool) -> None:
    """Write a whole table in a format of `data.files` to a hidden file."""
    write_table(frame, path, kind)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def rows_of_file(path: Path, kind: str, schema: pl.Schema) -> Iterator[pl.DataFrame]:
    """Yield the rows of a Parquet, CSV or TSV file, some at a time.

    Read by pyarrow, which has no code in common with what writes the text.
    schema: the types of the columns, which a text file does not tell.
    """
    try:
        if kind == "parquet":
            for batch in pyarrow.parquet.ParquetFile(path).iter_batches(BATCH_ROWS):
                yield _to_schema(pa.Table.from_batches([batch]), schema)
            return
        types = pl.DataFrame(schema=schema).to_arrow(compat_level=pl.CompatLevel.oldest()).schema
        with pyarrow.csv.open_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(block_size=_CSV_BLOCK),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter="\t" if kind == "tsv" else ",",
                newlines_in_values=True,
                ignore_empty_lines=False,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        ) as reader:
            for batch in reader:
                yield _to_schema(pa.Table.from_batches([batch]), schema)
    except (pa.ArrowException, pl.exceptions.PolarsError):  # their texts quote values
        raise DataError(
            f"what was written as {kind} cannot be read back; nothing was released. Choose "
            "another format"
        ) from None


def _to_schema(table: Any, schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame([pl.Series(name, table.column(name)) for name in schema]).cast(schema)


@dataclass
class StagedRows:
    """A release that is written but not yet in its place: see `sql.store.StagedTable`."""

    query: Query
    publishing: Callable[[], object]
    discarding: Callable[[], None]
    rows: Callable[[], Iterable[pl.DataFrame]] | None = None

    def publish(self) -> object:
        """Put the release in its place, whole, and return it."""
        return self.publishing()

    def discard(self) -> None:
        """Take everything away that was written."""
        self.discarding()
