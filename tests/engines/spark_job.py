"""A job on Spark that takes its time: run as a program, so that it can be killed.

    python spark_job.py MASTER TABLE RELEASE SIGNS

Each partition that is read leaves a file in the folder SIGNS and lasts a while, so that a
test can kill somebody in the middle. Their number stands in a file there before.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.files.maxPartitionBytes": "2k",
    "spark.sql.files.openCostInBytes": "0",
}


ASKED = {
    "quasi_identifiers": ["age", "city"],
    "sensitive": ["disease"],
    "others": "insensitive",
    "k": 3,
    "algorithm": "mondrian",
}
"""Of the release."""


def slowed(signs, seconds):
    """Return a function of batches that leaves a sign and waits, once a partition."""

    def slow(batches):
        Path(signs, f"{time.time_ns()}-{os.getpid()}").touch()
        time.sleep(seconds)
        yield from batches

    return slow


def main(master, table, release, signs):
    """Anonymize a table, slowly."""
    from pyspark.sql import SparkSession

    import kanonym as ka
    from engines.spark_sessions import settings, spark_home
    from kanonym.engines.spark.session import silence_logs

    spark_home()
    builder = SparkSession.builder.appName("job")
    for name, value in (settings() | SETTINGS | {"spark.master": master}).items():
        builder = builder.config(name, value)
    with silence_logs():
        session = builder.getOrCreate()
        frame = session.read.parquet(table)
        Path(signs, "partitions").write_text(str(frame.rdd.getNumPartitions()))
        frame = frame.mapInArrow(slowed(signs, 0.33), frame.schema)
    ka.anonymize(ka.engines.scan_spark(frame), **ASKED, output=release)


if __name__ == "__main__":
    main(*sys.argv[1:])
