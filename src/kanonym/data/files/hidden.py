"""Names that nobody takes for a release, and what killed processes left under them.

A hidden name starts with a dot and does not end as tables do: no pattern of files matches it.
It tells which process of which machine made it, so that a later run removes what a killed one
could not. Processes in containers may share the machine's name, but not its numbers of processes:
those of another container are never removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import socket
from pathlib import Path


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
