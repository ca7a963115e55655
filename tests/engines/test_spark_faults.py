"""Workers and drivers that are killed: the same release, or nothing that reads as one."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from engines import spark_sessions
from engines.spark_job import ASKED
from engines.spark_sessions import spark_cluster  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills groups of processes"),
]

_SECONDS = 240
_PARTS = 6


@pytest.fixture
def table(tmp_path):
    """Write a table of several files; return their folder."""
    random = np.random.default_rng(0)
    rows = 3000
    frame = pl.DataFrame(
        {
            "age": random.integers(0, 90, rows),
            "city": random.choice(["Bern", "Lyon", "Genève", "Ulm"], rows),
            "disease": random.choice(["flu", "gout", "none"], rows),
            "visit": random.integers(0, 1000, rows),
        }
    )
    folder = tmp_path / "table.parquet"
    folder.mkdir()
    for part in range(_PARTS):
        frame[part::_PARTS].write_parquet(folder / f"part-{part}.parquet")
    return folder


def job(tmp_path, master, table, name):
    """Start the slow job; return its process, its log, its release and the folder of its signs."""
    spark_sessions.spark_home()
    release, signs = tmp_path / "out" / f"{name}.parquet", tmp_path / f"signs-{name}"
    for folder in (release.parent, signs):
        folder.mkdir(exist_ok=True)
    log = tmp_path / f"{name}.log"
    program = Path(__file__).with_name("spark_job.py")
    process = spark_sessions.started(
        log, sys.executable, str(program), master, str(table), str(release), str(signs)
    )
    return process, log, release, signs


def wait_for(condition, process, log):
    """Wait until something is so, while a process runs."""
    ends = time.monotonic() + _SECONDS
    while not condition():
        assert process.poll() is None, log.read_text()[-5000:]
        assert time.monotonic() < ends, log.read_text()[-5000:]
        time.sleep(0.02)


def released(folder):
    """Return the rows of a release, in the order of its files."""
    return pl.read_parquet(folder / "*.parquet")


def expected(table):
    """Return the release of the same table in this process, ordered by values."""
    return ka.anonymize(pl.read_parquet(table / "*.parquet"), **ASKED).frame


def assert_same_rows(found, wanted):
    """Two releases hold the same records."""
    assert_frame_equal(found, wanted.select(found.columns), check_row_order=False)


@pytest.mark.nightly
def test_killed_workers_change_nothing(spark_cluster, table, tmp_path):  # noqa: F811
    """One worker is killed while rows are counted, another while they are recoded: same release."""
    process, log, release, signs = job(tmp_path, spark_cluster.url, table, "release")
    number = signs / "partitions"
    try:
        wait_for(lambda: number.exists() and number.read_text(), process, log)
        for passes in range(2):
            begun = passes * int(number.read_text()) + 2
            wait_for(lambda enough=begun: len(list(signs.glob("*-*"))) >= enough, process, log)
            spark_cluster.kill_a_worker()
            spark_cluster.add_a_worker()
        assert process.wait(_SECONDS) == 0, log.read_text()[-5000:]
    finally:
        spark_sessions.stop(process)
    assert [one.name for one in release.parent.iterdir()] == [release.name]
    assert_same_rows(released(release), expected(table))


@pytest.mark.nightly
def test_a_killed_driver_leaves_no_release(spark, table, tmp_path):
    """A job that is killed while it writes leaves nothing that reads as a release.

    The next job to the same place takes away what it left, and gives the release that it would
    have given.
    """
    process, log, release, _ = job(tmp_path, "local[2]", table, "release")
    folder = release.parent
    try:
        wait_for(lambda: any(folder.glob(".*/release/_temporary/**/*.parquet")), process, log)
    finally:
        spark_sessions.stop(process)
    assert not release.exists()
    assert list(folder.glob("[!.]*")) == []
    (left,) = folder.iterdir()
    assert not (left / "release" / "_SUCCESS").exists()
    ka.anonymize(ka.engines.scan_spark(spark.read.parquet(str(table))), **ASKED, output=release)
    assert [one.name for one in folder.iterdir()] == [release.name]
    assert_same_rows(released(release), expected(table))
