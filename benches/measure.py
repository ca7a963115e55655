"""Speed of `measure`, every model at once, against one polars group_by of the columns.

Adult needs ../shared/data/adult beside the checkout: eight quasi-identifiers and two
sensitive attributes, the income and one that is drawn. pycanon's report on as many took
24 seconds; that figure is quoted, not measured here. The large table holds independent
uniform integers: hardly two records are equal, the worst case.

    python benches/measure.py [--quick]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
PYCANON = 24.0
"""Seconds of pycanon's report on Adult, eight quasi-identifiers and two sensitive attributes."""
DOMAINS = [90, 2, 1000, 16, 7, 366]
RECORDS = 10_000_000
LIMIT = 1.0
"""Times one group_by that measuring it may take, with at most one sensitive attribute."""


def seconds(function: Callable[[], object], runs: int) -> float:
    """Return the median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def drawn(n_rows: int, n_values: int = 20) -> pl.Series:
    """Return a sensitive attribute of twenty equally likely values."""
    return pl.Series("drawn", np.random.default_rng(1).integers(0, n_values, n_rows))


def line(title: str, floor: float, took: float, note: str = "") -> None:
    """Print seconds and the ratio to the group_by of the same columns."""
    print(f"{title:<44}{floor:>9.3f} s{took:>9.3f} s{took / floor:>7.1f}x  {note}", flush=True)


def adult() -> None:
    """Time Adult in a warm process, and `kanonym measure` in a fresh one."""
    table = ka.read_table(DATA)
    known = [name for name in table.columns if name != "salary-class"]
    hidden = ["salary-class", "drawn"]
    table = table.with_columns(drawn(len(table)))
    measure = partial(ka.measure, table, quasi_identifiers=known, sensitive=hidden)
    measure()
    floor = seconds(lambda: table.group_by(known).len(), 9)
    warm = seconds(measure, 9)
    line("Adult, 8 + 2 attributes", floor, warm, f"(limit 0.150 s; pycanon {PYCANON / warm:,.0f}x)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        table.write_csv(path)
        code = "import kanonym.cli; kanonym.cli.main()"
        command = [sys.executable, "-c", code, "measure", str(path)]
        command += ["-q", ",".join(known), "-s", ",".join(hidden)]
        run = partial(subprocess.run, command, check=True, capture_output=True)
        run()
        line("the same, `kanonym measure adult.csv`", floor, seconds(run, 5))


def large(n_rows: int, runs: int) -> None:
    """Time a large table without a sensitive attribute, with one and with two."""
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.integers(0, size, n_rows) for i, size in enumerate(DOMAINS)}
    table = pl.DataFrame(columns).with_columns(drawn(n_rows), other=drawn(n_rows, 2))
    known = list(columns)
    for hidden in ([], ["drawn"], ["drawn", "other"]):
        floor, took = [], []
        for _ in range(runs):
            floor.append(seconds(lambda: table.group_by(known).len(), 1))
            measure = partial(ka.measure, table, quasi_identifiers=known, sensitive=hidden)
            took.append(seconds(measure, 1))
        line(
            f"{n_rows:,} x 6, {len(hidden)} sensitive",
            statistics.median(floor),
            statistics.median(took),
            f"(limit {LIMIT:g}x)" if n_rows == RECORDS and len(hidden) < 2 else "",
        )


def main() -> None:
    """Compile on a small table, then time every case; ratios are taken within one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1,000,000 records, not 10,000,000")
    quick = parser.parse_args().quick
    small = pl.DataFrame({"a": [1, 2] * 5}).with_columns(drawn(10))
    ka.measure(small, quasi_identifiers=["a"], sensitive=["drawn"])
    print(f"{'':<44}{'group_by':>11}{'measure':>11}{'ratio':>8}")
    if DATA.exists():
        adult()
    else:
        print(f"skipped: no {DATA.name} beside the checkout")
    large(1_000_000 if quick else RECORDS, 5 if quick else 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"peak memory of this process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
