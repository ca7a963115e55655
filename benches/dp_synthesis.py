"""Differentially private synthesis: error, time and memory, beside the reference implementation's.

Adult (30,162 records of nine columns, age in 20 bins of 0 to 99, other domains from the hierarchy
files, δ = 1e-9): mean total variation over all pairs and over all triples of columns, mean of
several runs, beside the figures of mbi in ../shared/golden/dp_synthesis.csv. Needs ../shared beside
the checkout.

    python benches/dp_synthesis.py [--seeds 5]    Adult
    python benches/dp_synthesis.py --nist         K-marginal of national2019's ten columns, ε = 1
    python benches/dp_synthesis.py --growth       more columns, more records
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kanonym as ka
from kanonym.data import hierarchy

SHARED = Path(__file__).parents[2] / "shared"
ADULT = SHARED / "data" / "adult"
EPSILONS = (0.5, 1, 3, 10)


def adult() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return Adult and the public domain of each column; no value is missing."""
    table = pl.read_csv(ADULT / "adult.csv", separator=";")
    policy: dict[str, Any] = {
        name: ka.QuasiIdentifier(
            hierarchy=hierarchy.from_file(ADULT / f"hierarchy_{name}.csv"),
            domain=ka.Domain(nulls=False),
        )
        for name in table.columns
        if name != "age"
    }
    policy["age"] = ka.QuasiIdentifier(domain=ka.Domain(minimum=0, maximum=99, nulls=False))
    return table, policy


def cells(table: pl.DataFrame) -> pl.DataFrame:
    """Return Adult with ages in their bins."""
    return table.with_columns(pl.col("age") // 5)


def distance(one: pl.DataFrame, other: pl.DataFrame, width: int) -> float:
    """Return the mean total variation over all sets of so many columns."""
    found = []
    for names in combinations(one.columns, width):
        shares = [
            table.group_by(names).agg(pl.len().alias(name) / len(table))
            for name, table in (("a", one), ("b", other))
        ]
        both = shares[0].join(shares[1], on=names, how="full", nulls_equal=True).fill_null(0)
        found.append(0.5 * float((both["a"] - both["b"]).abs().sum()))
    return float(np.mean(found))


def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what work gives, its CPU seconds, and by how many MB the process grew at most."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = work()
    seconds = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return found, seconds, grown


def adult_run(asked: tuple[str, float]) -> tuple[float, float, float, float]:
    """Return the errors of pairs and triples, the seconds and the memory of one run."""
    method, epsilon = asked
    table, policy = adult()
    ka.synthesize(table.head(100), epsilon=1, policy=policy, method="mst")  # loads what is needed
    made, seconds, grown = measured(
        lambda: ka.synthesize(table, epsilon=epsilon, policy=policy, method=method).frame
    )
    one, two = cells(table), cells(made)
    return distance(one, two, 2), distance(one, two, 3), seconds, grown


def alone(work: Callable[[Any], Any], asked: Sequence[Any]) -> list[Any]:
    """Run work on each of many in a process of its own, one after the other."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        return pool.map(work, asked, chunksize=1)


def print_adult(seeds: int) -> None:
    """Print our figures, and those of the reference implementation."""
    print(f"{'mechanism':<34}{'ε':>6}{'pairs':>9}{'triples':>9}{'CPU s':>8}{'MB':>7}")
    for method in ("aim", "mst"):
        for epsilon in EPSILONS:
            found = np.array(alone(adult_run, [(method, epsilon)] * seeds))
            pairs, triples, seconds = found[:, :3].mean(axis=0)
            most = found[:, 3].max()
            name = f"kanonym {method}, mean of {seeds}"
            print(
                f"{name:<34}{epsilon:>6g}{pairs:>9.4f}{triples:>9.4f}{seconds:>8.1f}{most:>7.0f}",
                flush=True,
            )
    for row in pl.read_csv(SHARED / "golden" / "dp_synthesis.csv").to_dicts():
        if "mbi" in row["implementation"]:
            print(
                f"{row['mechanism'] + ', mbi':<34}{row['epsilon']:>6g}{row['tv_2way']:>9.4f}"
                f"{row['tv_3way']:>9.4f}{row['cpu_seconds']:>8.1f}{row['memory_mb']:>7.0f}"
            )


def print_nist() -> None:
    """Print the K-marginal score of national2019's ten columns at ε = 1."""
    from inputs import nist  # noqa: PLC0415 - only this part needs it

    table = pl.read_csv(nist.TABLE, infer_schema=False).select(nist.DEMOGRAPHIC)
    ages = {"minimum": 0, "maximum": 99, "bins": 33, "nulls": False}
    policy: dict[str, Any] = {name: nist_domain(name) for name in nist.DEMOGRAPHIC}
    policy["AGEP"] = ka.QuasiIdentifier(domain=ka.Domain(**ages))
    for method in ("aim", "mst"):
        start = time.process_time()
        made = ka.synthesize(table, epsilon=1, policy=policy, method=method).frame
        seconds = time.process_time() - start
        texts = made.with_columns(pl.all().cast(pl.String))
        print(f"{method}: K-marginal {nist_score(table, texts):.1f}, {seconds:.1f} CPU seconds")


NIST_VALUES = {
    "SEX": range(1, 3),
    "MSP": ["N", *range(1, 7)],
    "RAC1P": range(1, 10),
    "HOUSING_TYPE": range(1, 4),
    "OWN_RENT": range(3),
    "EDU": ["N", *range(1, 13)],
    "PINCP_DECILE": ["N", *range(10)],
    "DVET": ["N", *range(1, 7)],
    "DEYE": range(1, 3),
}
"""Codes of the data dictionary."""


def nist_domain(name: str) -> Any:
    """Return the domain of a column of codes, from the dictionary."""
    values = list(map(str, NIST_VALUES.get(name, ["N"])))
    return ka.QuasiIdentifier(domain=ka.Domain(values=values, nulls=False))


def nist_score(table: pl.DataFrame, made: pl.DataFrame) -> float:
    """Return the K-marginal score: 1,000 where all pairs of binned columns have equal shares."""
    edges = np.unique(
        np.percentile(table["AGEP"].cast(pl.Int64), range(0, 100, 5), method="higher")
    )

    def binned(one: pl.DataFrame) -> pl.DataFrame:
        ages = np.searchsorted(edges[1:], one["AGEP"].cast(pl.Int64).to_numpy(), side="left")
        return one.with_columns(AGEP=pl.Series(ages.astype(str)))

    return 1000 * (1 - distance(binned(table), binned(made), 2))


def print_growth() -> None:
    """Print seconds and memory for more columns, and for more records."""
    print(f"{'records':>10}{'columns':>9}{'CPU s':>8}{'MB':>7}{'pairs, error':>14}")
    sizes = [(30_000, 10), (1_000_000, 10), (30_000, 25), (30_000, 50), (30_000, 100)]
    for n, d in [*sizes, (1_000_000, 100)]:
        error, seconds, grown = alone(growth_run, [(n, d)])[0]
        print(f"{n:>10,}{d:>9}{seconds:>8.1f}{grown:>7.0f}{error:>14.4f}", flush=True)


def growth_run(asked: tuple[int, int]) -> tuple[float, float, float]:
    """Return error, seconds and memory for a chain of columns of ten values each."""
    n, d = asked
    random = np.random.default_rng(0)
    columns = [random.integers(0, 10, n, np.int8)]
    for _ in range(d - 1):
        kept = random.random(n) < 0.7
        columns.append(np.where(kept, columns[-1], random.integers(0, 10, n, np.int8)))
    table = pl.DataFrame({f"c{place}": one for place, one in enumerate(columns)})
    listed = ka.Domain(values=list(range(10)), nulls=False)
    policy = {name: ka.QuasiIdentifier(domain=listed) for name in table.columns}
    made, seconds, grown = measured(lambda: ka.synthesize(table, epsilon=1, policy=policy).frame)
    some = table.columns[:10]
    return distance(table.select(some), made.select(some), 2), seconds, grown


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--nist", action="store_true")
    parser.add_argument("--growth", action="store_true")
    asked = parser.parse_args()
    if asked.nist:
        print_nist()
    elif asked.growth:
        print_growth()
    else:
        print_adult(asked.seeds)


if __name__ == "__main__":
    main()
