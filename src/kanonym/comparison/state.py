"""What a comparison has found so far, in a file: an interrupted one goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from io import BufferedRandom
from os import PathLike, fsync
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from kanonym.data import files, frames
from kanonym.data.columns.frame_types import Frame
from kanonym.data.errors import DataError
from kanonym.policy import Policy
from kanonym.policy.referenced_files import input_files
from kanonym.release import versions

MARK = b'{"kanonym comparison": '
"""How each line starts."""

FORMAT = 1


class State:
    """Rows by key, in memory and in a file of JSON Lines.

    A line is written whole as soon as its row is there. A last line that was cut off, as by a
    power failure, is taken away. No value of a table stands in the file.
    """

    def __init__(self, file: BufferedRandom | None) -> None:
        self._file = file
        self._lock = Lock()
        self._rows: dict[str, dict[str, Any]] = {}
        if file is not None:
            *lines, rest = file.read().split(b"\n")
            if _parse_row(rest) is None:
                file.seek(-len(rest), 2)
                file.truncate()
            else:
                file.write(b"\n")
            for line in (*lines, rest):
                found = _parse_row(line)
                if found is not None:
                    self._rows[found["key"]] = found["row"]

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the row of a key, if it is known."""
        return self._rows.get(key)

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Note a row; it is on the disk when this returns."""
        if self._file is None:
            return
        said = {"kanonym comparison": FORMAT, "key": key, "row": row}
        with self._lock:
            self._file.write(json.dumps(said, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            fsync(self._file.fileno())


@contextmanager
def open_state(path: str | Path | None) -> Iterator[State]:
    """Open a state, new or not; without a path nothing is kept."""
    if path is None:
        yield State(None)
        return
    files.check_output(path)
    try:
        with Path(path).open("a+b") as file:
            file.seek(0)
            start = file.read(len(MARK))
            if not MARK.startswith(start):
                raise DataError(
                    f"{path} holds something else than a comparison: name another file to resume "
                    "from, or a new one"
                )
            file.seek(0)
            yield State(file)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error


def _parse_row(line: bytes) -> dict[str, Any] | None:
    """Return what a line says, None where it is not whole or of another format."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("kanonym comparison") != FORMAT:
        return None
    whole = isinstance(found.get("key"), str) and isinstance(found.get("row"), dict)
    return found if whole else None


def key_of(table: str, policy: Policy, measures: Sequence[str]) -> str:
    """Return the key of a row: equal for the same table, policy, measures and versions.

    Files that the policy reads and population tables count by what they hold. table: of
    `table_digest`.
    """
    population = policy.population
    in_memory = [] if population is None or isinstance(population, str | PathLike) else [population]
    contents = [
        *(files.sha256(path) for path in input_files(policy).values()),
        *(table_digest(persons) for persons in in_memory),
    ]
    parts = [table, repr(policy.to_dict()), *contents, repr(sorted(measures)), repr(versions())]
    return sha256("\0".join(parts).encode()).hexdigest()


def table_digest(frame: Frame) -> str:
    """Return the SHA-256 of a table: names, types and values of its columns in order.

    Columns that hold something else than values (lists, structures) count by name. Cost: a pass
    over the table.
    """
    native = frames.to_eager(frame)
    whole = sha256(str(frames.n_rows(native)).encode())
    for name in frames.column_names(native):
        whole.update(f"\0{name}\0".encode())
        try:
            column = frames.column(native, name)
        except DataError:
            continue
        whole.update(str(column.dtype).encode())
        whole.update(np.packbits(column.is_null().to_numpy()).tobytes())
        texts = column.cast(str).fill_null("")
        whole.update(texts.str.len_bytes().to_numpy().tobytes())
        whole.update((texts.str.join("").item() or "").encode())
    return whole.hexdigest()
