"""Cell suppression in both readings of null: blanked cells and warm time.

Needs ../shared/data/adult beside the checkout. For Adult's five keys, with null as a
wildcard, kAnon of sdcMicro 5.8.1 blanks 7,883 cells in 39 s.

    python benches/cell_suppression.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from kanonym.algorithms.base import Problem
from kanonym.algorithms.cell_suppression import CellSuppression
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"
FIVE = ["age", "education", "marital-status", "race", "sex"]
NO_COSTS = certainty_costs([], [])


def seconds(function: Callable[[], object]) -> float:
    """Return the median seconds of five calls after a first one."""
    function()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def generated() -> pl.DataFrame:
    """Return 100,000 records of six skewed attributes."""
    rng = np.random.default_rng(0)
    shares = [0.05, 0.2, 0.2, 0.3, 0.4, 0.5]
    columns = [np.minimum(rng.geometric(share, 100_000), 60) for share in shares]
    return pl.DataFrame({f"q{a}": column for a, column in enumerate(columns)})


def main() -> None:
    """Print blanked cells, their bound, k and milliseconds by table, nulls and subsets."""
    tables = {"generated, 6 keys": (generated(), [f"q{a}" for a in range(6)])}
    if DATA.exists():
        adult = pl.read_csv(DATA / "adult.csv", separator=";")
        tables = {"Adult, 5 keys": (adult, FIVE), "Adult, 9 keys": (adult, adult.columns)} | tables
    else:
        print(f"Adult skipped: no {DATA.name} table beside the checkout")
    print(f"{'table':<20}{'nulls':<10}{'subsets':>8}{'cells':>9}{'bound':>9}{'k':>5}{'ms':>8}")
    for label, (frame, names) in tables.items():
        known = frame.select(names)
        floor = seconds(lambda: known.group_by(names).len())  # noqa: B023, called at once
        print(f"{label:<20}{'polars group_by of the same columns':<32}{floor * 1000:>8.0f}")
        table = encode([(column, None) for column in known], [], len(known))
        for subsets in (None, 2, 3):
            for nulls in ("value", "wildcard"):
                algorithm = CellSuppression(subsets=subsets, nulls=nulls)
                told = algorithm.partition(Problem(table, NO_COSTS, [KAnonymity(5)])).account
                took = seconds(
                    lambda: algorithm.partition(Problem(table, NO_COSTS, [KAnonymity(5)]))  # noqa: B023
                )
                reached = told if subsets is None else told["subsets"]
                k = reached["k" if nulls == "value" else "k_wildcard"]
                print(
                    f"{label:<20}{nulls:<10}{subsets or 'all':>8}{told['suppressed_cells']:>9}"
                    f"{told.get('lower_bound', '-'):>9}{k:>5}{took * 1000:>8.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
