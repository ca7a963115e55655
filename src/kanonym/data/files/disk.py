"""Files on disk: locks, hidden writing, and replacement at once."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kanonym.data.errors import DataError
from kanonym.data.loading import LazyModule
from kanonym.data.replacing import REPLACING


def hidden_path(folder: Path) -> Path:
    """Return a path in a folder that is free, after removing what dead processes left there."""
    remove_stale(folder)
    return folder / f"{_process_start()}{os.getpid()}-{secrets.token_hex(8)}.tmp"


def remove_stale(folder: Path) -> None:
    """Remove hidden files and folders of processes of this machine that are no more."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{_process_start()}*-*.tmp"):
            number = path.name.removeprefix(_process_start()).partition("-")[0]
            if number.isdecimal() and not _is_alive(int(number)):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _process_start() -> str:
    numbered = ""
    with contextlib.suppress(OSError):  # where a system has no such spaces
        numbered = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - a name, not a path
    place = f"{socket.gethostname()} {numbered}"
    return f".kanonym-{hashlib.sha256(place.encode()).hexdigest()[:8]}-"


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # where signal 0 is no question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is someone else's
        return True
    return True


_CREDENTIALS = re.compile(r":[^@]*@|pass(word|wd)?=|pwd=", re.IGNORECASE)


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, or of standard input for `-`."""
    refuse_url(path)
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except FileNotFoundError:
        raise DataError(_missing_message(Path(path))) from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder, not a file") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def refuse_url(path: str | Path) -> None:
    """Refuse a URL by its scheme alone: what follows may be a password."""
    scheme, mark, _ = str(path).partition("://")
    if mark:
        raise DataError(
            f"{scheme}:// is not supported here: name a file of this machine. Tables are read from "
            "https://, s3://, gs:// and az://, and from databases (docs/engines.md); databases "
            "are written to, too"
        )
    if _CREDENTIALS.search(str(path)) and not Path(path).exists():
        raise DataError(
            "no such file; its name is not shown, because it looks like a URL with a password. A "
            "URL "
            "has :// after its scheme"
        )


def decode(data: bytes, where: str) -> str:
    """Return bytes as text, without byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped = len(data) - len(data.removeprefix(codecs.BOM_UTF8))
        place = skipped + error.start
        line = data.count(b"\n", 0, place) + 1
        raise DataError(
            f"{where} is not UTF-8: line {line}, byte {place + 1} of the file. Save it as UTF-8, "
            "or say how it is encoded, for example --encoding windows-1252 (in Python "
            "encoding=)"
        ) from None


def sha256(path: str | Path) -> str:
    """Return the SHA-256 hash of a file, in hexadecimal."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError(_missing_message(Path(path))) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


def check_output(path: str | Path) -> None:
    """Refuse an output that could never be written, before any work is done for it.

    A command does not replace a file either, unless it wrote it itself (`Replacing`).
    """
    if str(path) == "-":
        return
    refuse_url(path)
    final = Path(path).resolve()
    if final.is_dir():
        raise DataError(f"{path} cannot be written: it is a folder; add a file name")
    if not final.parent.is_dir():
        raise DataError(
            f"{path} cannot be written: the folder {Path(path).parent} does not exist; create it"
        )
    if not os.access(final if final.exists() else final.parent, os.W_OK):
        raise DataError(f"{path} cannot be written: permission denied")
    replacing = REPLACING.get()
    if replacing is not None:
        replacing.check(path, final)


@contextmanager
def hidden_place(path: str | Path, folder: Path) -> Iterator[Path]:
    """Yield a hidden path for what becomes the file or folder `path`, or else is removed."""
    temporary = hidden_path(folder)
    try:
        yield temporary
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}; nothing was written"
        ) from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Write a file whole or not at all.

    Yields a hidden path in the same folder, where the caller writes. When the block ends, that file
    takes the place of `path`; when the block fails, it is removed and `path` stays as it was. What
    a killed process left, the next one that writes into the folder removes (see `hidden_path`). A
    device or a pipe gets the finished bytes copied instead, for it cannot be replaced.
    """
    check_output(path)
    final = Path(path).resolve()
    special = final.exists() and not final.is_file()
    folder = Path(tempfile.gettempdir()) if special else final.parent
    with hidden_place(path, folder) as temporary:
        yield temporary
        if special:
            with temporary.open("rb") as source, final.open("wb") as target:
                shutil.copyfileobj(source, target)
        else:
            _flush(temporary)
            if final.exists():
                shutil.copymode(final, temporary)
            temporary.replace(final)
            _settle(final)


def write_text(path: str | Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all; `-` is standard output."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write bytes, whole or not at all; `-` is standard output."""
    if str(path) != "-":
        if REPLACING.get() is not None and _holds(Path(path), data):
            return
        with atomic_write(path) as temporary:
            temporary.write_bytes(data)
        return
    try:
        sys.stdout.flush()
        _write_all(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise DataError(f"standard output cannot be written: {error.strerror or error}") from error


def _holds(path: Path, data: bytes) -> bool:
    """Whether a file has these very bytes: then there is nothing to replace."""
    return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data


def _settle(final: Path) -> None:
    """Let the command that runs write a file again."""
    replacing = REPLACING.get()
    if replacing is not None:
        replacing.settled.add(final)


def _write_all(data: bytes) -> None:
    """Write to standard output until it has every byte: unbuffered, it may take a part of them."""
    rest = memoryview(data)
    while rest:
        written = sys.stdout.buffer.write(rest)
        if not written:  # a pipe that does not wait for its reader
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[written:]


def _flush(path: Path) -> None:
    """Have the bytes on the disk before the name: a crash in between leaves the old file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def require_file(path: str | Path) -> None:
    """Refuse a file that is not there."""
    if not Path(path).is_file():
        raise DataError(_missing_message(Path(path)))


def _missing_message(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"no file {path}: the folder {folder} does not exist"
    with contextlib.suppress(OSError):
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
        near = difflib.get_close_matches(path.name, names, n=1)
        if near:
            return f"no file {path}; did you mean {folder / near[0]}?"
    return f"no file {path}"


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
    _settle(final)  # it is brought up to date, not replaced
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
