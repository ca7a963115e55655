"""Parquet and Arrow files (Feather version 2, IPC file and stream): columns with types."""

from __future__ import annotations

import glob
import io
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.files.text_cells import CellTexts, differing_floats
from kanonym.data.loading import LazyModule

pa: Any = LazyModule("pyarrow")

OF_TYPES = frozenset({"ARROW:schema", "pandas"})
"""Metadata in which programs keep the types of the columns."""


def read_parquet(data: bytes, where: str) -> pl.DataFrame:
    """Read a Parquet file."""
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_unreadable(where, "a Parquet file", error)) from None


def read_feather(data: bytes, where: str) -> pl.DataFrame:
    """Read an Arrow file: Feather version 2, IPC file or IPC stream."""
    if data.startswith(b"FEA1"):
        raise DataError(f"{where} is a Feather file of version 1; write it as version 2")
    try:
        if data.startswith(b"ARROW1"):
            return pl.read_ipc(io.BytesIO(data))
        return pl.read_ipc_stream(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_unreadable(where, "an Arrow or Feather file", error)) from None


def told_apart(frame: pl.DataFrame, data: bytes, texts: dict[str, pl.Series]) -> None:
    """Keep what readers of a Parquet or Arrow file tell apart: NaN and null, 0.0 and -0.0."""
    texts |= differing_floats(frame)
    if isinstance(texts, CellTexts):
        texts.unread += _sentences(_metadata(data))


def unread_parts(path: str) -> list[str]:
    """Return what Parquet files at a path, or at a pattern of several, have beside their table."""
    keys: set[str] = set()
    for one in [path, *glob.glob(path, recursive=True)]:  # noqa: PTH207 - a pattern from the root, too
        with suppress(OSError, pl.exceptions.PolarsError):
            keys.update(pl.read_parquet_metadata(one))
    return _sentences(keys)


def _sentences(keys: Iterable[str]) -> list[str]:
    """Return a phrase for each key of metadata, but those that programs write of types."""
    return [
        f"metadata {key!r}"
        for key in sorted(set(keys) - OF_TYPES)
        if not key.startswith("org.apache.")
    ]


def _metadata(data: bytes) -> list[str]:
    if data.startswith(b"PAR1"):
        return list(pl.read_parquet_metadata(io.BytesIO(data)))
    opened = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    return [key.decode("utf-8", "replace") for key in opened(data).schema.metadata or ()]


def write_parquet(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write a Parquet file (zstd), and return the table."""
    _refuse_long_integers(frame, "Parquet")
    frame.write_parquet(target)
    return frame


def write_feather(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write a Feather file of version 2 (lz4) in widely read types; return the table."""
    _refuse_long_integers(frame, "Feather")
    frame.write_ipc(target, compression="lz4", compat_level=pl.CompatLevel.oldest())
    return frame


def _refuse_long_integers(frame: pl.DataFrame, form: str) -> None:
    for name, dtype in frame.schema.items():
        if dtype in (pl.Int128, pl.UInt128):
            raise DataError(
                f"column {name!r} holds {dtype}, which other readers of {form} do not know; "
                "convert it to text or to 64 bits"
            )


def _unreadable(where: str, kind: str, error: Exception) -> str:
    reason = str(error).partition("\n")[0]
    return f"{where} cannot be read as {kind}: {reason}"
