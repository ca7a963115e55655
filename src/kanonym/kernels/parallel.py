"""Run work that releases the interpreter lock (kernels, polars) on every core."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_thread = threading.local()


def parallel(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a function to every item, side by side; results stand in the order of the items.

    Threads are kept for later calls: to start them takes as long as the work on a small table.
    A call within another one has threads of its own, as it would wait for itself otherwise.
    """
    items = list(items)
    if len(items) < 2 or cores() < 2:
        return [function(item) for item in items]
    if getattr(_thread, "is_worker", False):
        with _threads(min(cores(), len(items))) as own:
            return list(own.map(function, items))
    futures = [_kept_threads(os.getpid(), cores()).submit(function, item) for item in items]
    try:
        return [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        wait(futures)
        raise


@cache
def _kept_threads(_process: int, number: int) -> ThreadPoolExecutor:
    """Return the threads of a process; one that was forked has none of its parent's."""
    return _threads(number)


def _threads(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(number, initializer=setattr, initargs=(_thread, "is_worker", True))


def cores() -> int:
    """Return how many cores this process may use, at most the variable KANONYM_THREADS."""
    most = os.environ.get("KANONYM_THREADS", "")
    if most.isdecimal() and int(most):
        return min(int(most), _available())
    return _available()


def _available() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
