"""Run work that releases the interpreter lock (kernels, polars) on every core."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def parallel(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a function to every item, side by side; results stand in the order of the items."""
    items = list(items)
    if len(items) < 2 or cores() < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(cores(), len(items))) as pool:
        return list(pool.map(function, items))


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
