"""Processes that were forked: the threads of their parent do not come along."""

from __future__ import annotations

import os

from kanonym.data.errors import KanonymError

_used_in: list[int] = []


def require_own_threads() -> None:
    """Refuse to work in a process that was forked after a table was read in its parent.

    The threads of polars stay in the parent, so the first call that needs one would hang.
    """
    if not _used_in:
        _used_in.append(os.getpid())
    if _used_in[0] != os.getpid():
        raise KanonymError(
            "this process was forked from one in which kanonym had been used, and its threads did "
            "not come along: start processes by multiprocessing.get_context('spawn')"
        )
