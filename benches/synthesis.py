"""Synthesis and injection: how close drawn records come to real ones, and how long they take.

Adult, 6,000 records of nine columns, three seeds: area under the ROC curve of a classifier that
tells drawn records from real ones, NIST's K-marginal score of pairs of columns, drawn records
whose values of sex, marital status and occupation nobody in the table has together, and seconds.
Then records added until the classes of age, sex and race have ten records. Needs
../shared/data/adult beside the checkout.

    python benches/synthesis.py
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import polars as pl

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"
SEEDS = range(3)
TOGETHER = ["sex", "marital-status", "occupation"]
KNOWN = ["age", "sex", "race"]


def unseen(table: pl.DataFrame, drawn: pl.DataFrame) -> int:
    """Return how many drawn records hold values together that no record of the table does."""
    return drawn.join(table.select(TOGETHER).unique(), on=TOGETHER, how="anti").height


def main() -> None:
    """Print the figures of each seed's table and of each seed's injection, and their medians."""
    table = pl.read_csv(DATA / "adult.csv", separator=";").sample(6_000, seed=0)
    print(f"{'':<12}{'AUC':>8}{'K-marginal':>12}{'unseen':>8}{'s':>7}")
    rows = []
    for seed in SEEDS:
        start = time.perf_counter()
        made = ka.synthesize(table, quasi_identifiers=KNOWN, seed=seed)
        seconds = time.perf_counter() - start
        found = ka.utility(table, made.frame, aligned=False, measures=["k-marginal"])
        score = found.measured["k-marginal"].value
        rows.append((made.detection.value, score, unseen(table, made.frame), seconds))
    middle = [statistics.median(one) for one in zip(*rows, strict=True)]
    print(
        f"{'synthesize':<12}{middle[0]:>8.3f}{middle[1]:>12.0f}{middle[2]:>8.0f}{middle[3]:>7.1f}"
    )
    rows = []
    for seed in SEEDS:
        start = time.perf_counter()
        done = ka.inject(table, quasi_identifiers=KNOWN, size=10, seed=seed)
        seconds = time.perf_counter() - start
        rows.append((done.detection.value, done.distance.value, done.added, seconds))
    middle = [statistics.median(one) for one in zip(*rows, strict=True)]
    print(
        f"{'inject':<12}{middle[0]:>8.3f}, moved {middle[1]:.3f}, {middle[2]:,.0f} records, "
        f"{middle[3]:.1f} s"
    )


if __name__ == "__main__":
    main()
