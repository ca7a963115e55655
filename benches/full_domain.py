"""The lattice search alone, beside one polars group_by of the same columns.

Needs ../shared/data beside the checkout. The seconds of ARX 3.9.2 are those of its search
alone, warm, on a machine with two cores like the one that these were first run on.

    python benches/full_domain.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

import kanonym as ka
from kanonym.algorithms.full_domain import FullDomain, find_best_node
from kanonym.algorithms.full_domain.search import SearchResult
from kanonym.data.table import EncodedTable, encode

DATA = Path(__file__).parents[2] / "shared" / "data"
FIVE = [ka.KAnonymity(5)]
ADULT: list[tuple[str, float, float]] = [
    ("loss", 0.0, 0.030),
    ("loss", 0.02, 0.59),
    ("loss", 0.05, 0.71),
    ("loss", 1.0, 2.5),
    ("non-uniform-entropy", 1.0, 4.8),
]
"""Metric, suppression limit, seconds of ARX."""

Result = TypeVar("Result")


def timed(function: Callable[[], Result], times: int = 5) -> tuple[Result, float]:
    """Return a result and the median seconds of some calls after a first one."""
    function()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        result = function()
        taken.append(time.perf_counter() - start)
    return result, statistics.median(taken)


def encoded(frame: pl.DataFrame, folder: str, names: Sequence[str]) -> EncodedTable:
    """Return a table with the hierarchies of a folder."""
    known: list[tuple[pl.Series, Any]] = [
        (frame[name], ka.hierarchy.from_file(DATA / folder / f"hierarchy_{name}.csv"))
        for name in names
    ]
    return encode(known, [], len(frame))


def line(
    table: str,
    metric: str,
    limit: float,
    found: SearchResult,
    took: float,
    floor: float,
    arx: float,
) -> None:
    """Print one search: its result, its seconds, and their ratio to group_by and to ARX."""
    proven = "proven" if found.bound >= found.best.score else f"none below {found.bound:.4f}"
    print(
        f"{table:<12}{metric:<21}{limit:<6}{found.best.score:<14.6g}{proven:<20}"
        f"{found.checked:>8} nodes {took:>8.3f} s {took / floor:>8.1f}x group_by"
        + (f" {took / arx:>7.3f}x ARX" if arx else ""),
        flush=True,
    )


def search(
    table: EncodedTable, limit: float, times: int = 5, **parameters: Any
) -> tuple[SearchResult, float]:
    """Search a table for the best node with k = 5; preparation is part of the time."""
    algorithm = FullDomain(**parameters)
    return timed(lambda: find_best_node(algorithm, algorithm.space(table, FIVE, limit)), times)


def main() -> None:
    """Print every search that the issue tracker asks a figure for."""
    if not DATA.exists():
        print("skipped: no ../shared/data beside the checkout")
        return
    frame = pl.read_csv(DATA / "adult" / "adult.csv", separator=";", infer_schema=False)
    table = encoded(frame, "adult", frame.columns)
    _, floor = timed(lambda: frame.group_by(frame.columns).len())
    for metric, limit, arx in ADULT:
        found, took = search(table, limit, metric=metric)
        line("adult", metric, limit, found, took, floor, arx)

    frame = pl.read_csv(DATA / "creditcard" / "creditcard.csv", separator=";", infer_schema=False)
    names = frame.columns[:11]
    table = encoded(frame, "creditcard", names)
    _, floor = timed(lambda: frame.group_by(names).len())
    line("creditcard", "loss", 0.02, *search(table, 0.02, times=1), floor, 0)

    frame = pl.read_csv(DATA / "mach2019" / "mach2019.csv", separator=";", infer_schema=False)
    table = encoded(frame, "mach2019", frame.columns)
    _, floor = timed(lambda: frame.group_by(frame.columns).len())
    line("mach2019", "loss", 0.0, *search(table, 0.0, times=1), floor, 0)
    for kind, seconds in (("best-first", 30), ("genetic", 30), ("optimal", 10), ("optimal", None)):
        algorithm = FullDomain(search=kind, seconds=seconds)  # type: ignore[arg-type]
        start = time.perf_counter()
        found = find_best_node(algorithm, algorithm.space(table, FIVE, 0.02))
        line(f"{kind}", "loss", 0.02, found, time.perf_counter() - start, floor, 0)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ihis.csv"
        subprocess.run([sys.executable, DATA / "ihis_like.py", path], check=True)  # noqa: S603
        frame = pl.read_csv(path, separator=";", infer_schema=False)
    table = encoded(frame, "ihis", frame.columns)
    _, floor = timed(lambda: frame.group_by(frame.columns).len(), 3)
    for limit, arx in ((0.0, 10.4), (0.02, 135.0)):
        line("ihis-like", "loss", limit, *search(table, limit, times=1), floor, arx)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory of this process, all tables: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
