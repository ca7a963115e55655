"""Laws of threads: order, errors, calls within calls, forked processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from kanonym.kernels import parallel as threads
from kanonym.kernels.parallel import parallel

FORKED = """
import os
from kanonym.kernels import parallel as threads
threads.cores = lambda: 2
assert threads.parallel(abs, [-1, -2]) == [1, 2]
child = os.fork()
if not child:
    os._exit(threads.parallel(abs, [-3, -4]) != [3, 4])
raise SystemExit(os.waitpid(child, 0)[1])
"""


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    """Let two threads run, however many cores there are."""
    monkeypatch.setattr(threads, "cores", lambda: 2)


def test_results_stand_in_the_order_of_the_items():
    """However long each item takes."""
    done = parallel(lambda one: time.sleep(0.01 * (5 - one)) or one, range(5))
    assert done == list(range(5))


def test_calls_within_calls_do_not_wait_for_each_other():
    """Each item of a full pool may have parallel work of its own, to any depth."""

    def sums(depth):
        return 1 if not depth else sum(parallel(sums, [depth - 1] * 3))

    assert sums(3) == 27


def test_an_error_waits_for_what_has_begun():
    """Nobody writes into an array any more when the error is there, and the next call works."""
    written = []

    def write(one):
        if not one:
            raise ValueError("first")
        time.sleep(0.05)
        written.append(one)

    with pytest.raises(ValueError, match="first"):
        parallel(write, range(6))
    before = list(written)
    time.sleep(0.1)
    assert written == before
    assert len(written) < 5
    assert parallel(abs, [-1, -2]) == [1, 2]


def test_threads_are_kept():
    """A second call starts no thread."""
    parallel(abs, [1, 2])
    before = threading.active_count()
    for _ in range(5):
        parallel(abs, [1, 2])
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own():
    """A process that is forked after a call has none of its threads, and starts new ones."""
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    assert subprocess.run(command, check=False, timeout=60).returncode == 0
