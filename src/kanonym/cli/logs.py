"""What every command tells on standard error, and how much of it: --verbose, --quiet, --threads."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

FLAGS = ("--debug", "--quiet", "--show-values", "--verbose", "--version")
SHORT = ("-v", "-vv")
VALUED = ("--threads", "--encoding", "--columns")

THREAD_VARIABLES = (
    "KANONYM_THREADS",
    "POLARS_MAX_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)
"""Read by this package and the libraries below it, when they are loaded."""


def common_options_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the options of every command in front of the command.

    After `--` nothing is moved, and after `sigo` no `-v`, which has another meaning in the tool
    that it replaces.
    """
    front: list[str] = []
    rest: list[str] = []
    pending = list(arguments)
    while pending:
        argument = pending.pop(0)
        if argument == "--":
            rest += [argument, *pending]
            break
        flags = FLAGS if "sigo" in rest else FLAGS + SHORT
        if argument in flags or argument.startswith(tuple(f"{option}=" for option in VALUED)):
            front.append(argument)
        elif argument in VALUED and pending:
            front += [argument, pending.pop(0)]
        else:
            rest.append(argument)
    return [*front, *rest]


def configure(verbose: int, *, quiet: bool) -> None:
    """Send the log of the package to standard error.

    verbose: 0 for warnings, 1 for stages and their seconds, 2 for details. quiet: errors alone.
    """
    logger = logging.getLogger("kanonym")
    for handler in list(logger.handlers):
        if isinstance(handler, _ToStandardError):
            logger.removeHandler(handler)
    handler = _ToStandardError()
    handler.setFormatter(logging.Formatter("kanonym: %(message)s"))
    logger.addHandler(handler)
    levels = (logging.WARNING, logging.INFO, logging.DEBUG)
    logger.setLevel(logging.ERROR if quiet else levels[min(verbose, 2)])


def limit_threads(number: int) -> None:
    """Limit the threads of this process; libraries that are loaded already keep theirs."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(number)


class _ToStandardError(logging.Handler):
    """Write records to what standard error is at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        sys.stderr.write(f"{self.format(record)}\n")
