"""A lock on a file that several runs update; it works on Windows, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kanonym.data.errors import DataError
from kanonym.data.files.disk import check_output
from kanonym.data.loading.lazy_module import LazyModule

filelock: Any = LazyModule("filelock")

PATIENCE = 600.0
"""Seconds to wait for another run."""


@contextmanager
def lock_file(path: str | Path) -> Iterator[None]:
    """Wait until no other run updates a file, and keep others waiting.

    The lock is on an empty file `.NAME.lock` beside it, and ends with the process, however that
    ends.
    """
    final = Path(path).resolve()
    check_output(path)
    lock = filelock.FileLock(final.with_name(f".{final.name}.lock"), timeout=PATIENCE, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise DataError(
            f"{path} is locked by another run, which has not ended in {PATIENCE:.0f} s; wait for it"
        ) from None
    except (OSError, NotImplementedError) as error:
        raise DataError(
            f"{path} cannot be locked ({error}), and without a lock another run could update it "
            "at the same time; put it on a local disk, in a folder that you can write to"
        ) from None
    try:
        yield
    finally:
        lock.release()
