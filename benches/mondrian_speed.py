"""Speed of `anonymize` and of the partition alone, against one polars group_by of the columns.

Prints, for each table, seconds of the median of several runs and the ratio to the
floor: grouping the same columns once, which any engine has to do at least. Hardly two
records of the first two tables are equal. The limits are those that the project holds itself to.

    python benches/mondrian_speed.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl

import kanonym as ka

TABLES = {
    "1,000,000 x 8": (1_000_000, [90, 2, 16, 7, 5, 41, 500, 14], 5.0, 3.0, 5),
    "1,000,000 x 8, narrow": (1_000_000, [90, 2, 16, 7, 5, 41, 5, 14], 5.0, 3.0, 5),
    "10,000,000 x 6": (10_000_000, [90, 2, 1000, 16, 7, 366], 5.0, 1.5, 3),
}


def seconds(function: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def table(n_rows: int, domains: list[int]) -> pl.DataFrame:
    """Return independent uniform integers: records hardly repeat, the worst case."""
    rng = np.random.default_rng(0)
    return pl.DataFrame({f"c{i}": rng.integers(0, size, n_rows) for i, size in enumerate(domains)})


def group(frame: pl.DataFrame) -> pl.DataFrame:
    """Group all columns once: the floor."""
    return frame.group_by(frame.columns).len()


def main() -> None:
    """Time both tables; every ratio is taken within one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small table only")
    quick = parser.parse_args().quick
    warm = pl.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [1, 2] * 10})
    ka.anonymize(warm, quasi_identifiers=["a", "b"], k=2)
    print(
        f"{'table':<22}{'group_by':>10}{'anonymize':>11}{'ratio':>8}{'partition':>11}{'ratio':>8}"
    )
    for name, (n_rows, domains, whole_limit, kernel_limit, runs) in TABLES.items():
        if quick and n_rows > 1_000_000:
            continue
        frame = table(n_rows, domains)
        whole, partition, floor = [], [], []
        for _ in range(runs):
            floor.append(seconds(partial(group, frame), 3))
            start = time.perf_counter()
            release = ka.anonymize(frame, quasi_identifiers=frame.columns, k=5)
            whole.append(time.perf_counter() - start)
            partition.append(release.seconds["algorithm"])
            del release
        base, all_, part = map(statistics.median, (floor, whole, partition))
        print(
            f"{name:<22}{base:>9.2f}s{all_:>10.2f}s{all_ / base:>7.1f}x{part:>10.2f}s"
            f"{part / base:>7.1f}x   (limits {whole_limit:g}x, {kernel_limit:g}x)",
            flush=True,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak memory of this process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
