"""Microaggregation: seconds, ratios to sdcMicro's, growth with the table, and squared errors.

Beside each time stands one polars group_by of the same columns, in the same run. `algorithm`
is the partition alone, `anonymize` the whole job with verification. sdcMicro's times were
taken elsewhere, with its compiled MDAV on standard normal columns on a comparable
machine. The loans and the reference tables need ../shared/data beside the checkout; 5.6 s is
the best time of the pandas code that the loans are taken from.

    python benches/microaggregation.py [--quick | --bounds]
"""

from __future__ import annotations

import argparse
import functools
import itertools
import runpy
import statistics
import time
from pathlib import Path

import numpy as np
import polars as pl

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data"
PEER = {
    ("mdav", "normal", 50_000, 5): 5.0,
    ("mdav", "normal", 100_000, 5): 25.0,
    ("mdav", "normal", 50_000, 500): 0.10,
    ("mdav", "normal", 100_000, 500): 0.36,
    ("mdav", "loans", 307_511, 500): 5.6,
}
"""Seconds of others by algorithm, table, records and k."""

SIZES = (10_000, 50_000, 100_000, 300_000, 1_000_000)
CASES = [
    *(("mdav", "normal", n, k) for n in SIZES for k in (5, 500)),
    ("mdav", "loans", 307_511, 500),
    *((name, "normal", n, 5) for name in ("mona",) for n in SIZES),
    *(("ona", "normal", n, 5) for n in SIZES[:3]),
]
REFERENCE = {
    "CASCrefmicrodata": None,
    "Tarragona": None,
    "EIA": ["UTILITYID", "RESREVENUE", "TOTSALES"],
}
"""The tables of the literature: all columns, or one and those between two."""

COLUMNS = ["a", "b", "c", "d"]


def table(name: str, n_rows: int) -> pl.DataFrame:
    """Return a table of four numeric columns."""
    if name == "loans":
        return pl.from_pandas(runpy.run_path(str(DATA / "credit_like.py"))["make"](n_rows))
    values = np.random.default_rng(0).standard_normal((4, n_rows))
    return pl.DataFrame(dict(zip(COLUMNS, values, strict=True)))


def group(frame: pl.DataFrame) -> float:
    """Return the seconds of grouping all columns once: the floor."""
    start = time.perf_counter()
    frame.group_by(frame.columns).len()
    return time.perf_counter() - start


def lost(frame: pl.DataFrame, release: ka.Release) -> float:
    """Return SSE/SST of standardized columns."""
    return statistics.fmean(
        release.utility.rmse[one] ** 2 / frame[one].cast(float).var(ddof=0) for one in frame.columns
    )


def reference() -> None:
    """Print SSE/SST of the reference tables, in percent."""
    names = ("mdav", "ona", "mona")
    heads = (*names, "bound", "ona's gap")
    print(f"{'SSE/SST, %':<20}{'k':>5}" + "".join(f"{head:>10}" for head in heads))
    for name, chosen in REFERENCE.items():
        frame = pl.read_csv(DATA / "microaggregation" / f"{name}.csv")
        if chosen:
            first, start, stop = (frame.columns.index(one) for one in chosen)
            frame = frame[:, [first, *range(start, stop + 1)]]
        for k in (3, 4, 5, 10):
            releases = [
                ka.anonymize(frame, quasi_identifiers=frame.columns, k=k, algorithm=one)
                for one in names
            ]
            found = [lost(frame, one) for one in releases]
            best = releases[names.index("ona")].algorithm
            found += [best["lower_bound"], best["gap"]]
            print(f"{name:<20}{k:>5}" + "".join(f"{100 * one:>10.4f}" for one in found), flush=True)


def least(values: np.ndarray, k: int) -> float:
    """Return the least SSE/SST of all divisions of a few records into classes of k."""

    @functools.cache
    def of(records: tuple[int, ...]) -> float:
        if len(records) < 2 * k:
            return len(records) * values[list(records)].var(axis=0).sum() if records else 0.0
        first, *rest = records
        sizes = [size for size in range(k, 2 * k) if len(records) - size >= k]
        return min(
            len(own) * values[[first, *own[1:]]].var(axis=0).sum()
            + of(tuple(one for one in rest if one not in own))
            for size in sizes
            for own in ((first, *further) for further in itertools.combinations(rest, size - 1))
        )

    return of(tuple(range(len(values)))) / (len(values) * values.var(axis=0).sum())


def nearness() -> None:
    """Print the lower bound as a share of the proven optimum, where that can be found."""
    rng = np.random.default_rng(0)
    for k in (3, 5, 10):
        frame = pl.DataFrame({"a": rng.standard_normal(1000)})
        one, other = (
            ka.anonymize(frame, quasi_identifiers=["a"], k=k, algorithm=algorithm).algorithm
            for algorithm in (ka.algorithms.IndividualRanking(k), "mdav")
        )
        share = other["lower_bound"] / one["squared_error"]
        print(f"bound, 1,000 x 1, k={k}: {share:.1%} of the optimum", flush=True)
    for columns in (2, 4, 8):
        shares, gains = [], []
        for _ in range(10):
            values = rng.standard_normal((12, columns))
            frame = pl.DataFrame(
                values / values.std(axis=0), schema=[f"c{i}" for i in range(columns)]
            )
            found = ka.anonymize(frame, quasi_identifiers=frame.columns, k=3, algorithm="ona")
            optimum = least(frame.to_numpy(), 3)
            shares.append(found.algorithm["lower_bound"] / optimum)
            gains.append(found.algorithm["squared_error"] / optimum)
        print(
            f"bound, 12 x {columns}, k=3: {statistics.fmean(shares):.1%} of the optimum; "
            f"ona {statistics.fmean(gains):.1%}, in the mean of ten tables",
            flush=True,
        )


def one_column(*, quick: bool) -> None:
    """Print the seconds of one column cut at its optimum."""
    frame = table("normal", 100_000 if quick else 1_000_000).select("a")
    for k in (5, 500, 20_000):
        policy = ka.Policy(
            attributes={"a": ka.QuasiIdentifier()},
            models=[],
            algorithm=ka.algorithms.IndividualRanking(k),
        )
        took = ka.anonymize(frame, policy).seconds["algorithm"]
        print(f"individual-ranking, {len(frame):,} values, k={k}: {took:.3f} s", flush=True)


def main() -> None:
    """Time every case; k and the records left out are the release's own account."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tables of up to 100,000 records")
    parser.add_argument(
        "--bounds", action="store_true", help="the reference tables and bounds alone"
    )
    arguments = parser.parse_args()
    if arguments.bounds:
        if DATA.is_dir():
            reference()
        nearness()
        return
    quick = arguments.quick
    for name in ("mdav", "ona", "mona"):  # compile
        ka.anonymize(table("normal", 1000), quasi_identifiers=COLUMNS, k=5, algorithm=name)
    print(
        f"{'':<8}{'table':<20}{'k':>5}{'group_by':>10}{'algorithm':>11}{'anonymize':>11}"
        f"{'others':>9}{'ratio':>7}{'SSE/SST':>10}"
    )
    for algorithm, name, n_rows, k in CASES:
        if (quick and n_rows > 100_000) or (name == "loans" and not DATA.is_dir()):
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
                algorithm={"type": algorithm, "standardize": name == "normal"},
                keep_order=True,
            )
            whole.append(time.perf_counter() - start)
            part.append(release.seconds["algorithm"])
        base, job, own = map(statistics.median, (floor, whole, part))
        other = PEER.get((algorithm, name, n_rows, k))
        peer = f"{other:>8.2f}s{own / other:>7.3f}" if other else " " * 16
        print(
            f"{algorithm:<8}{f'{name} {n_rows:,} x 4':<20}{k:>5}{base:>9.3f}s{own:>10.3f}s"
            f"{job:>10.3f}s{peer}{lost(frame, release):>10.4%}",
            flush=True,
        )
    if DATA.is_dir():
        reference()
    nearness()
    one_column(quick=quick)


if __name__ == "__main__":
    main()
