"""SUDA: seconds to score every record, beside one group_by for every set of attributes.

The floor is what any search by levels has to do: polars groups the table by each set of
attributes that is tried. Adult needs ../shared/data/adult beside the checkout; the other
tables have attributes of 2 to 100 values that depend on each other.

    python benches/suda.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import kanonym as ka
from kanonym.evaluation.risk.suda import suda

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"
VALUES = [2, 3, 5, 9, 16, 40, 100]


def seconds(function: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def coded(frame: pl.DataFrame) -> NDArray[np.int32]:
    """Return the codes of all columns."""
    codes = frame.select(pl.all().cast(pl.String).rank("dense").cast(pl.Int32) - 1)
    return codes.to_numpy(order="c")


def dependent(n_rows: int, d: int) -> NDArray[np.int32]:
    """Return attributes that depend on three hidden numbers of each record."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n_rows, 3))
    codes = np.empty((n_rows, d), np.int32)
    for a in range(d):
        size = VALUES[a % len(VALUES)]
        seen = 0.7 * (hidden[:, a % 3] + rng.standard_normal(n_rows))
        codes[:, a] = np.clip((seen + 2.5) / 5 * size, 0, size - 1)
    return codes


def timed(title: str, codes: NDArray[np.int32], largest: int, runs: int) -> None:
    """Print the seconds of the floor and of SUDA, and what was found."""
    d = codes.shape[1]
    names = [f"q{a}" for a in range(d)]
    frame = pl.DataFrame(codes, schema=names, orient="row")
    sets = [chosen for k in range(1, largest + 1) for chosen in combinations(names, k)]
    step = max(1, len(sets) // 256)  # a sample of many
    sample = sets[::step]
    floor = seconds(lambda: [frame.group_by(chosen).len() for chosen in sample], 1)
    floor *= len(sets) / len(sample)
    found = suda(codes, names, largest=largest)
    took = seconds(lambda: suda(codes, names, largest=largest), runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{title:<34}{len(sets):>6}{floor:>9.2f} s{took:>9.3f} s{took / floor:>8.3f}"
        f"{found.counts.sum():>12,}{peak:>9.0f} MB",
        flush=True,
    )


def main() -> None:
    """Compile on a small table, then time every case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the large tables")
    quick = parser.parse_args().quick
    suda(dependent(100, 3), ["a", "b", "c"])
    print(f"{'':<34}{'sets':>6}{'group_by':>11}{'SUDA':>11}{'ratio':>8}{'found':>12}{'peak':>12}")
    if DATA.exists():
        adult = ka.read_table(DATA / "adult.csv").drop("salary-class")
        for largest in (8, 3):
            timed(f"Adult, 8 attributes, up to {largest}", coded(adult), largest, 5)
    timed("30,000 x 12, up to 4", dependent(30_000, 12), 4, 1)
    if not quick:
        for n_rows, d, largest in ((30_000, 12, 12), (100_000, 12, 4), (100_000, 16, 4)):
            timed(f"{n_rows:,} x {d}, up to {largest}", dependent(n_rows, d), largest, 1)


if __name__ == "__main__":
    main()
