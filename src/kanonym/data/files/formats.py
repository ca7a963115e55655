"""File formats by name and content."""

from __future__ import annotations

import glob
import hashlib
import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.files.disk import sha256
from kanonym.data.files.text_cells import CellTexts, differing_floats
from kanonym.data.loading import LazyModule


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file as they were read or written."""

    name: str
    sha256: str

    @classmethod
    def from_bytes(cls, path: str | Path, data: bytes) -> Content:
        """Return the content of a file whose bytes are at hand."""
        return cls(Path(path).name, hashlib.sha256(data).hexdigest())

    @classmethod
    def of(cls, file: str | Path | Content) -> Content:
        """Return the content of a file as it is now, or the one that is given."""
        return file if isinstance(file, Content) else cls(Path(file).name, sha256(file))


FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "excel",
    ".xls": "excel",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss",
    ".dta": "stata",
    ".xpt": "sas",
    ".sas7bdat": "sas",
}

TEXT = ("csv", "tsv", "jsonl", "json")
BOM = b"\xef\xbb\xbf"


def format_of(path: str | Path, given: str | None) -> str | None:
    """Return the format asked for, or that of the extension; None where there is none."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise DataError(f"format {given!r} is unknown; it is one of {', '.join(known)}")
        return given
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    if packed:
        suffixes.pop()
    if not suffixes:
        return None
    kind = FORMATS.get(suffixes[-1])
    if kind is None or (packed and kind not in TEXT):
        raise DataError(
            f"{path}: unknown extension; name the format ({', '.join(known)}) "
            f"or use one of {', '.join(FORMATS)}"
        )
    return kind


def is_text(path: str | Path, given: str | None) -> bool:
    """Whether a table may be a text file: by the format asked for, or by its extension."""
    return (format_of(path, given) or "csv") in TEXT


def is_statistical(path: str | Path) -> bool:
    """Whether the extension is one of SPSS, Stata or SAS."""
    return FORMATS.get(Path(path).suffix.lower()) in ("spss", "stata", "sas")


def sniff_format(data: bytes) -> str:
    """Return the format that the first bytes of a file tell."""
    for magic, kind in (
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
        (b"\xff\xff\xff\xff", "feather"),
        (b"PK\x03\x04", "excel"),
        (b"\xd0\xcf\x11\xe0", "excel"),
        (b"$FL2", "spss"),
        (b"$FL3", "spss"),
        (b"<stata_dta>", "stata"),
        (b"HEADER RECORD", "sas"),
    ):
        if data.startswith(magic):
            return kind
    if b"SPSSPORT" in data[:600]:
        return "spss"
    first = data.removeprefix(BOM)[:4096].lstrip()[:1]
    return {b"[": "json", b"{": "jsonl"}.get(first, "csv")


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
