"""Parquet and Arrow files (Feather version 2, IPC file and stream): columns with types."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from kanonym.data.errors import DataError


def read_parquet(data: bytes, where: str) -> pl.DataFrame:
    """Read a Parquet file.

    Raises
    ------
    DataError
        It is none, is damaged, or has two columns of one name.

    """
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_unreadable(where, "a Parquet file", error)) from None


def read_feather(data: bytes, where: str) -> pl.DataFrame:
    """Read an Arrow file: Feather version 2, IPC file or IPC stream.

    Raises
    ------
    DataError
        It is none (Feather version 1 neither), is damaged, or has two columns of
        one name.

    """
    if data.startswith(b"FEA1"):
        raise DataError(f"{where} is a Feather file of version 1; write it as version 2")
    try:
        if data.startswith(b"ARROW1"):
            return pl.read_ipc(io.BytesIO(data))
        return pl.read_ipc_stream(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(_unreadable(where, "an Arrow or Feather file", error)) from None


def write_parquet(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write a Parquet file (zstd), and return the table.

    Raises
    ------
    DataError
        A column of integers of 128 bits.

    """
    _refuse_long_integers(frame, "Parquet")
    frame.write_parquet(target)
    return frame


def write_feather(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write a Feather file of version 2 (lz4) in types that every reader knows; return the table.

    Raises
    ------
    DataError
        A column of integers of 128 bits.

    """
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
