"""Kernels: functions that numba compiles, and is loaded for, when one of them is first called."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

Int: TypeAlias = int | np.int64
"""An integer of a kernel. A literal handed on to another kernel would compile it again."""

Function = TypeVar("Function", bound=Callable[..., object])

TOLD: list[Callable[[], None]] = []
"""Whom the start of the next compilation is told."""
_lock = threading.RLock()


def kernel(function: Function) -> Function:
    """Compile a function when it is first called; keep the machine code for later processes.

    Division by zero follows numpy (infinity or NaN) and the interpreter lock is
    released, so kernels run side by side in threads.
    """
    return cast("Function", _Kernel(function, is_part=False))


def part(function: Function) -> Function:
    """Compile a function that kernels call: it becomes a part of their machine code.

    numba would make machine code of the part alone, too, which nobody runs: a third of
    the time of a first run. Called from Python, as tests do, a part is compiled by
    itself, anew in each process.
    """
    return cast("Function", _Kernel(function, is_part=True))


@contextmanager
def announce_compilation(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` once if anything is compiled (not loaded from disk) inside the block."""
    TOLD.append(callback)
    try:
        yield
    finally:
        if callback in TOLD:
            TOLD.remove(callback)


class _Kernel:
    """A function, and what numba makes of it when Python or another kernel first calls it."""

    def __init__(self, function: Callable[..., object], *, is_part: bool) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._is_part = is_part
        self._compiled: Any = None

    def __call__(self, *arguments: object, **named: object) -> object:
        """Run the machine code."""
        compiled: Any = self._compiled or self.dispatcher
        return compiled(*arguments, **named)

    @property
    def dispatcher(self) -> object:
        """What numba makes of the function."""
        with _lock:
            if self._compiled is None:
                # It loads numba; and by this line it is in the stamp of each kernel.
                from kanonym.kernels.machine_code import dispatcher_of  # noqa: PLC0415

                self._compiled = dispatcher_of(self._function, is_part=self._is_part)
            return self._compiled

    @property
    def _numba_type_(self) -> object:
        """The type by which numba knows a function that a kernel calls."""
        compiled: Any = self.dispatcher
        return compiled._numba_type_
