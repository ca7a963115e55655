"""MDAV on standard normal columns: seconds, ratios to sdcMicro's, and growth with the table.

Beside each time stands one polars group_by of the same columns, in the same run. `algorithm`
is the partition alone, `anonymize` the whole job with verification. sdcMicro's times were
taken elsewhere, with its compiled MDAV on standard normal columns on a comparable
machine. The loan table needs ../shared/data beside the checkout; 5.6 s is the best time of the
pandas code that it is taken from.

    python benches/microaggregation.py [--quick]
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import time
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka

LOANS = Path(__file__).parents[2] / "shared" / "data" / "credit_like.py"
PEER = {
    ("normal", 50_000, 5): 5.0,
    ("normal", 100_000, 5): 25.0,
    ("normal", 50_000, 500): 0.10,
    ("normal", 100_000, 500): 0.36,
    ("loans", 307_511, 500): 5.6,
}
"""Seconds of others by table, records and k."""

CASES = [
    *(("normal", n, k) for n in (10_000, 50_000, 100_000, 300_000) for k in (5, 500)),
    ("loans", 307_511, 500),
    *(("normal", 1_000_000, k) for k in (5, 500)),
]
COLUMNS = ["a", "b", "c", "d"]


def table(name: str, n_rows: int) -> pl.DataFrame:
    """Return a table of four numeric columns."""
    if name == "loans":
        return pl.from_pandas(runpy.run_path(str(LOANS))["make"](n_rows))
    values = np.random.default_rng(0).standard_normal((4, n_rows))
    return pl.DataFrame(dict(zip(COLUMNS, values, strict=True)))


def group(frame: pl.DataFrame) -> float:
    """Return the seconds of grouping all columns once: the floor."""
    start = time.perf_counter()
    frame.group_by(frame.columns).len()
    return time.perf_counter() - start


def main() -> None:
    """Time every case; k and the records left out are the release's own account."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tables of up to 100,000 records")
    quick = parser.parse_args().quick
    ka.anonymize(table("normal", 100), quasi_identifiers=COLUMNS, k=5, algorithm="mdav")
    print(
        f"{'table':<20}{'k':>5}{'group_by':>10}{'algorithm':>11}{'anonymize':>11}"
        f"{'others':>9}{'ratio':>7}{'SSE/SST':>10}"
    )
    for name, n_rows, k in CASES:
        if (quick and n_rows > 100_000) or (name == "loans" and not LOANS.is_file()):
            continue
        frame = table(name, n_rows)
        floor, whole, part = [], [], []
        for _ in range(3 if n_rows <= 100_000 else 1):
            floor.append(group(frame))
            start = time.perf_counter()
            release = ka.anonymize(
                frame,
                quasi_identifiers=frame.columns,
                k=k,
                algorithm=ka.MDAV(standardize=name == "normal"),
                keep_order=True,
            )
            whole.append(time.perf_counter() - start)
            part.append(release.seconds["algorithm"])
        lost = statistics.fmean(
            ((frame[one] - release.frame[one]) ** 2).mean() / frame[one].var(ddof=0)
            for one in frame.columns
        )
        base, job, own = map(statistics.median, (floor, whole, part))
        other = PEER.get((name, n_rows, k))
        peer = f"{other:>8.2f}s{own / other:>7.3f}" if other else " " * 16
        print(
            f"{f'{name} {n_rows:,} x 4':<20}{k:>5}{base:>9.3f}s{own:>10.3f}s{job:>10.3f}s"
            f"{peer}{lost:>10.4%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
