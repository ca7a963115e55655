"""Segmentation beside Mondrian: information loss and warm time, on Adult and on a million records.

`ratio` is the time of the algorithm to that of Mondrian in the same run; one polars group_by
of the quasi-identifiers is the floor. Adult needs ../shared/data/adult beside the checkout:
eight quasi-identifiers without hierarchies, text released as sets.

    python benches/segmentation.py [--quick]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"
SMALL = 100_000
"""Larger tables are timed once."""

ALGORITHMS = {
    "mondrian": ka.Mondrian(),
    **{
        name: ka.Segmentation(name)
        for name in ("lexicographic", "serpentine", "hilbert", "kd", "auto")
    },
}


def mixed(n_rows: int) -> pl.DataFrame:
    """Return four numeric and four nominal attributes, and a sensitive one."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {
        f"number{a}": np.round(rng.normal(50, 15, n_rows)).astype(int) for a in range(4)
    }
    for size in (2, 5, 12, 40):
        drawn = np.minimum(rng.geometric(min(0.6, 2.5 / size), n_rows), size)
        columns[f"text{size}"] = pl.Series(drawn).cast(pl.String)
    columns["secret"] = rng.integers(0, 10, n_rows)
    return pl.DataFrame(columns)


def models(secret: str) -> dict[str, list[Any]]:
    """Return the requirements that are compared, about one sensitive attribute."""
    return {
        "k=5": [ka.KAnonymity(5)],
        "k=10": [ka.KAnonymity(10)],
        "k=5, 3 distinct values": [ka.KAnonymity(5), ka.LDiversity(secret, 3)],
        "k=5, entropy l=3": [ka.KAnonymity(5), ka.LDiversity(secret, 3, "entropy")],
        "k=5, t=0.2": [ka.KAnonymity(5), ka.TCloseness(secret, 0.2)],
        "k=5, t=0.3": [ka.KAnonymity(5), ka.TCloseness(secret, 0.3)],
    }


def compare(frame: pl.DataFrame, known: list[str], asked: list[Any], secret: str) -> None:
    """Print loss, classes and seconds of every algorithm for one requirement."""
    start = time.perf_counter()
    frame.group_by(known).len()
    print(f"  {'polars group_by':<15}{time.perf_counter() - start:>43.3f} s")
    attributes: dict[str, Any] = {name: ka.QuasiIdentifier() for name in known}
    if secret not in known:
        attributes[secret] = ka.Sensitive()
    base = 0.0
    for name, algorithm in ALGORITHMS.items():
        policy = ka.Policy(
            attributes=attributes, others="insensitive", models=asked, algorithm=algorithm
        )
        own, whole = [], []
        for _ in range(1 if len(frame) > SMALL else 5):
            start = time.perf_counter()
            release = ka.anonymize(frame, policy)
            whole.append(time.perf_counter() - start)
            own.append(release.seconds["algorithm"])
        took = statistics.median(own)
        base = base or took
        print(
            f"  {name:<15}GCP {release.utility.gcp:.5f}{release.verification.n_classes:>9} classes"
            f"{took:>9.3f} s{took / base:>6.1f}x{statistics.median(whole):>9.3f} s in all"
            f"  {release.algorithm.get('order', '')}, {release.algorithm.get('cut', '')}",
            flush=True,
        )


def main() -> None:
    """Compare on Adult and on a million records; small releases compile everything first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the million records")
    quick = parser.parse_args().quick
    print("first releases, to compile")
    for asked in models("secret").values():
        compare(mixed(1000), mixed(1).columns[:-1], asked, "secret")
    if DATA.exists():
        adult = ka.read_table(DATA / "adult.csv")
        names = [name for name in adult.columns if name != "salary-class"]
        for title, asked in models("occupation").items():
            sensitive = len(asked) > 1
            secret = "salary-class" if "t=0.2" in title else "occupation"
            known = [name for name in names if not (sensitive and name == secret)]
            print(f"Adult, {len(known)} attributes, {title}")
            compare(adult, known, models(secret)[title], secret)
    if not quick:
        frame = mixed(1_000_000)
        for title, asked in models("secret").items():
            print(f"1,000,000 x 8, {title}")
            compare(frame, frame.columns[:-1], asked, "secret")


if __name__ == "__main__":
    main()
