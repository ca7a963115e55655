"""What Spark says when something fails, without the values and credentials that it quotes."""

from __future__ import annotations

import contextlib
import logging
import re
import warnings
from collections.abc import Iterator

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from kanonym.data import errors
from kanonym.data.errors import DataError, KanonymError

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
_RAISED = re.compile(
    r"^(?:kanonym\.data\.errors\.)?(\w+(?:Error|Exception))(?:: (.*))?$", re.MULTILINE
)
_USER = re.compile(r"//[^@\s]*@")
_QUERY = re.compile(r"(://[^\s?;]*)[?;][^\s]+")

_HINTS = {
    "maxResultSize": (
        "more rows came to the driver than spark.driver.maxResultSize allows: raise it, or lower "
        "most_tuples"
    ),
    "OutOfMemoryError": "Spark ran out of memory: give its driver or executors more",
    "MALFORMED": "a row of the file does not have the cells of its header",
    "ClassNotFoundException": "Spark lacks a library for this path or format: add its package",
    "No FileSystem for scheme": "Spark lacks a library for this kind of path: add its package",
}


@contextlib.contextmanager
def translate_errors(doing: str) -> Iterator[None]:
    """Turn what Spark raises into a `DataError` that quotes no value.

    doing: what is tried, as in "Spark cannot <doing>".
    """
    try:
        with silence_logs():
            yield
    except (PySparkException, Py4JError) as error:
        raise _kanonym_error(error) or DataError(
            f"Spark cannot {doing}: {_reason(error)}"
        ) from None


@contextlib.contextmanager
def silence_logs() -> Iterator[None]:
    """Keep back what PySpark logs (it quotes values) and warns of (it is about pandas 3)."""
    logger = logging.getLogger("SQLQueryContextLogger")
    before, logger.disabled = logger.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield
    finally:
        logger.disabled = before


def without_credentials(text: str) -> str:
    """Return a text without the users, passwords and parameters of the addresses in it."""
    return _QUERY.sub(r"\1", _USER.sub("//", text))


def _reason(error: Exception) -> str:
    text = str(error)
    if isinstance(error, AnalysisException):  # names of tables, columns and paths only
        first = next((line for line in text.splitlines() if line.strip()), "")
        return without_credentials(first.partition(" SQLSTATE")[0].strip())
    for mark, hint in _HINTS.items():
        if mark in text:
            return hint
    raised = _RAISED.findall(text) if "Python worker" in text else []
    if raised:
        kind, message = raised[-1]
        if kind == "ModuleNotFoundError":
            return (
                f"{message.strip()} in the Python of a worker: install kanonym there, and name "
                "that Python as spark.pyspark.python"
            )
        return f"{kind} in a function on a worker"
    match = _CONDITION.search(text)
    return f"{match[1] if match else type(error).__name__} (Spark's log says more)"


def _kanonym_error(error: Exception) -> KanonymError | None:
    """Return the error of ours that a function raised on a worker, if it was one."""
    for kind, message in reversed(_RAISED.findall(str(error))):
        known = getattr(errors, kind, None)
        if isinstance(known, type) and issubclass(known, KanonymError):
            return known(message)
    return None
