"""The Spark session: the one that is there, or a local one with settings that are safe."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

from kanonym.engines.spark import java
from kanonym.engines.spark.faults import translate_errors

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
        java.provide_java()
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
