"""Marks: which records were injected, told only to whoever has the key."""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanonym.actions.pseudonymization.keyed_pseudonyms import LEAST_BYTES, check_source, read_key
from kanonym.data import files, frames
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.files.disk import read_bytes
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools
from kanonym.synthesis.injection.records import record_texts

Key = bytes | str | Path | Mapping[str, str | Path]

OWNER = "inject"
_KEY, _COLUMNS, _RECORD = b"kanonym key", b"kanonym columns", b"kanonym record"
_HEXADECIMAL = 64


@dataclass(frozen=True, slots=True, repr=False)
class Marks(ShortRepr):
    """Keyed hashes of injected records.

    Without the key they tell nothing but how many there are. Equal records have different
    marks, for each is hashed together with how many equal ones stand before it.

    Attributes
    ----------
    key
        Tag by which a wrong key is noticed: 64 hexadecimal digits.
    columns
        Tag by which a table of other columns is noticed.
    records
        One mark an injected record, ascending: their order tells nothing.
    """

    key: str
    columns: str
    records: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, which is what a file of marks holds."""
        return {"key": self.key, "columns": self.columns, "records": list(self.records)}

    def write(self, path: str | Path) -> None:
        """Write a file of marks, whole or not at all; `-` is standard output.

        Raises
        ------
        DataError
            It cannot be written.
        """
        files.write_text(path, json.dumps(self.to_dict(), indent=0) + "\n")

    @classmethod
    def read(cls, path: str | Path) -> Marks:
        """Read a file of marks.

        Raises
        ------
        DataError
            There is no such file, or it holds no marks.
        """
        content = read_bytes(path)
        try:
            found = json.loads(content)
            marks = cls(found["key"], found["columns"], tuple(found["records"]))
        except (ValueError, KeyError, TypeError):
            raise _no_marks_error(path) from None
        if not all(map(_is_hash, (marks.key, marks.columns, *marks.records))):
            raise _no_marks_error(path)
        return marks


def marks_of(columns: list[pl.Series], injected: Bools, key: bytes) -> Marks:
    """Return the marks of a table's injected records.

    HMAC-SHA256 (RFC 2104) of the record's content and a number: of c injected records that are
    equal, the numbers from 0 to c - 1. Cost 2 µs an injected record.

    columns: (n,) columns of the whole table.
    injected: (n,) bool.
    """
    texts = record_texts([column.filter(injected) for column in columns])
    hashes = [_mark(key, text, place) for text, place in _number_equal(texts)]
    tags = _tags(key, [column.name for column in columns])
    return Marks(*tags, tuple(sorted(hashes)))


def injected_rows(frame: Any, marks: Marks | str | Path, key: Key) -> Bools:
    """Find the injected records of a table again.

    Parameters
    ----------
    frame
        The table, in any order of rows and columns, also after it was written to CSV and
        read back; some rows may be missing. A pandas or polars DataFrame, a polars LazyFrame or
        a pyarrow Table.
    marks
        Those of the injection, or the file that holds them.
    key
        The one that the injection was given: bytes, or the file (or `{env: NAME}`) that holds it.

    Returns
    -------
    (n_rows,) bool, True for injected records. Records that are equal in all columns are
    interchangeable: of m equal ones of which c were injected, the first c are True.

    Raises
    ------
    PolicyError
        The key is missing, too short, or not the one of the marks.
    DataError
        The file holds no marks, or the table has other columns than the marked one.

    Notes
    -----
    Values are compared by their text (`synthesis.injection.records`).
    """
    known = marks if isinstance(marks, Marks) else Marks.read(marks)
    secret = key_of(key)
    table = frames.to_eager(frame)
    names = frames.column_names(table)
    tags = _tags(secret, names)
    if not hmac.compare_digest(tags[0], known.key):
        raise PolicyError("the key is not the one that these marks were made with")
    if not hmac.compare_digest(tags[1], known.columns):
        raise DataError(
            "the marks are of a table with other columns; give the table as it was injected into. "
            f"This one has: {', '.join(names)}"
        )
    held = set(known.records)
    texts = record_texts([frames.column(table, name) for name in names])
    found = [_mark(secret, text, place) in held for text, place in _number_equal(texts)]
    return np.array(found, np.bool_)


def key_of(key: Key) -> bytes:
    """Return the bytes of a key: itself, or what the file or variable that is named holds."""
    if isinstance(key, bytes):
        if len(key) < LEAST_BYTES:
            raise PolicyError(
                f"{OWNER}: the key has fewer than {LEAST_BYTES} bytes: it can be guessed"
            )
        return key
    if isinstance(key, Mapping):
        check_source(OWNER, key)
        return read_key(OWNER, key)
    if not isinstance(key, str | Path):
        raise PolicyError(
            f"{OWNER}: marks need a key: bytes, the path of the file that holds it, or "
            "{env: NAME}"
        )
    if isinstance(key, str) and not os.path.exists(key):  # noqa: PTH110 - a Path may refuse it
        raise PolicyError(
            f"{OWNER}: the key is a text and names no file; give the path of the key file, or the "
            "key itself as bytes"
        )
    return read_key(OWNER, {"file": key})


def _number_equal(texts: pl.Series) -> list[tuple[str, int]]:
    """Return each text with how many equal ones stand before it."""
    places = texts.alias("text").to_frame().select(pl.int_range(pl.len()).over("text"))
    return list(zip(texts.to_list(), places.to_series().to_list(), strict=True))


def _mark(key: bytes, text: str, place: int) -> str:
    return hmac.digest(key, b"%b %d\n%b" % (_RECORD, place, text.encode()), "sha256").hex()


def _tags(key: bytes, names: list[str]) -> tuple[str, str]:
    """Return the tags of a key and of the names of columns, in any order."""
    columns = json.dumps(sorted(names)).encode()
    both = _KEY, _COLUMNS + columns
    first, second = (hmac.digest(key, content, "sha256").hex() for content in both)
    return first, second


def _is_hash(text: object) -> bool:
    return (
        isinstance(text, str) and len(text) == _HEXADECIMAL and not text.strip("0123456789abcdef")
    )


def _no_marks_error(path: str | Path) -> DataError:
    return DataError(f"{path} holds no marks of injected records; give the file that inject wrote")
