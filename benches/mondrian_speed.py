"""Speed of `anonymize` and of the partition alone, against one polars group_by of the columns.

Prints, for each table, CPU seconds of the median of several runs, and the ratio to the
floor: grouping the same columns once, which any engine has to do at least. Beside it the seconds
that went by. Hardly two records of the first two tables are equal. The limits are those that the
project holds itself to.

    python benches/mondrian_speed.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

import kanonym as ka

TABLES = {
    "1,000,000 x 8": (1_000_000, [90, 2, 16, 7, 5, 41, 500, 14], 5.0, 3.0, 5),
    "1,000,000 x 8, narrow": (1_000_000, [90, 2, 16, 7, 5, 41, 5, 14], 5.0, 3.0, 5),
    "10,000,000 x 6": (10_000_000, [90, 2, 1000, 16, 7, 366], 5.0, 1.5, 3),
}


class Took(NamedTuple):
    """CPU seconds of all threads, and seconds that went by."""

    cpu: float
    wall: float


def measure(function: Callable[[], object], runs: int = 1) -> Took:
    """Return the medians of several runs."""
    found = []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        function()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return Took(*map(statistics.median, zip(*found, strict=True)))


def table(n_rows: int, domains: list[int]) -> pl.DataFrame:
    """Return independent uniform integers: records hardly repeat, the worst case."""
    rng = np.random.default_rng(0)
    return pl.DataFrame({f"c{i}": rng.integers(0, size, n_rows) for i, size in enumerate(domains)})


def group(frame: pl.DataFrame) -> pl.DataFrame:
    """Group all columns once: the floor."""
    return frame.group_by(frame.columns).len()


def anonymize(frame: pl.DataFrame, release: list[ka.Release[pl.DataFrame]]) -> None:
    """Append a release of a table."""
    release.append(ka.anonymize(frame, quasi_identifiers=frame.columns, k=5))


def main() -> None:
    """Time both tables; every ratio is taken within one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small table only")
    quick = parser.parse_args().quick
    for n_rows in (20, 600_000):  # small and large tables are cut by different kernels
        warm = table(n_rows, [90, 2, 16])
        ka.anonymize(warm, quasi_identifiers=warm.columns, k=2)
    print(f"{'CPU seconds':<22}{'group_by':>10}{'anonymize':>11}{'ratio':>8}{'partition':>11}")
    for name, (n_rows, domains, whole_limit, kernel_limit, runs) in TABLES.items():
        if quick and n_rows > 1_000_000:
            continue
        frame = table(n_rows, domains)
        whole, partition, floor = [], [], []
        for _ in range(runs):
            floor.append(measure(partial(group, frame), 3))
            release = []
            whole.append(measure(partial(anonymize, frame, release)))
            problem, _ = release.pop().decision.refinement
            partition.append(measure(partial(ka.Mondrian().partition, problem)))
        base, all_, part = (
            Took(*map(statistics.median, zip(*times, strict=True)))
            for times in (floor, whole, partition)
        )
        print(
            f"{name:<22}{base.cpu:>9.2f}s{all_.cpu:>10.2f}s{all_.cpu / base.cpu:>7.1f}x"
            f"{part.cpu:>10.2f}s{part.cpu / base.cpu:>7.1f}x   "
            f"(limits {whole_limit:g}x, {kernel_limit:g}x; by the clock {base.wall:.2f}, "
            f"{all_.wall:.2f} and {part.wall:.2f} s)",
            flush=True,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak memory of this process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
