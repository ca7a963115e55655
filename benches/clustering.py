"""Clustering: loss and seconds of k-member, the k-d tree and k-means, beside segmentation.

Adult needs ../shared/data beside the checkout: Adult's eight quasi-identifiers, text
as sets without hierarchies and as labels with them. One polars group_by is the floor.

    python benches/clustering.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"


def numbers(n_rows: int, n_columns: int) -> pl.DataFrame:
    """Return standard normal columns."""
    values = np.random.default_rng(0).standard_normal((n_columns, n_rows))
    return pl.DataFrame({f"c{a}": column for a, column in enumerate(values)})


def timed(title: str, frame: Any, algorithm: Any, **asked: Any) -> None:
    """Print the seconds of the algorithm, the loss and the classes of a release."""
    known = asked.pop("quasi_identifiers", frame.columns)
    start = time.perf_counter()
    frame.group_by(known).len()
    floor = time.perf_counter() - start
    release = ka.anonymize(
        frame, quasi_identifiers=known, others="insensitive", algorithm=algorithm, **asked
    )
    print(
        f"{title:<34}{algorithm.type:<14}{floor:>9.3f} s{release.seconds['algorithm']:>9.3f} s"
        f"  GCP {release.utility.gcp:.4f}{release.verification.n_classes:>9} classes",
        flush=True,
    )


def main() -> None:
    """Compile on a small table, then time every case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the large tables")
    quick = parser.parse_args().quick
    small = numbers(300, 2)
    for algorithm in (
        ka.algorithms.KMember(),
        ka.algorithms.KDTree(),
        ka.Segmentation(),
        ka.Mondrian(),
    ):
        ka.anonymize(small, quasi_identifiers=small.columns, k=5, algorithm=algorithm)
    kind = ka.algorithms.KMeans(2)
    ka.anonymize(small, quasi_identifiers=small.columns, k=5, algorithm=kind)
    print(f"{'':<48}{'group_by':>11}{'algorithm':>11}")
    if DATA.exists():
        adult = ka.read_table(DATA / "adult.csv")
        names = [name for name in adult.columns if name != "salary-class"]
        trees = {name: ka.hierarchy.from_file(DATA / f"hierarchy_{name}.csv") for name in names}
        for title, hierarchies in (("sets", {}), ("hierarchies", trees)):
            for k in (5, 10, 50):
                for algorithm in (ka.algorithms.KMember(), ka.Segmentation(), ka.Mondrian()):
                    timed(
                        f"Adult, {title}, k={k}",
                        adult,
                        algorithm,
                        quasi_identifiers=names,
                        hierarchies=hierarchies,
                        k=k,
                    )
    timed("normal 10,000 x 4, k=5", numbers(10_000, 4), ka.algorithms.KMember(), k=5)
    timed("normal 20,000 x 4, k=5", numbers(20_000, 4), ka.algorithms.KMember(), k=5)
    timed("normal 5,000 x 4, 100 clusters", numbers(5000, 4), ka.algorithms.KMeans(100))
    if not quick:
        timed("normal 20,000 x 4, 200 clusters", numbers(20_000, 4), ka.algorithms.KMeans(200))
        timed("normal 50,000 x 4, 500 clusters", numbers(50_000, 4), ka.algorithms.KMeans(500))
        timed("normal 1,000,000 x 2, k=5", numbers(1_000_000, 2), ka.algorithms.KDTree(), k=5)
        for per_column in (False, True):
            kind = ka.algorithms.KMeans(8, per_column=per_column)
            timed(f"normal 1,000,000 x 4{', columns' * per_column}", numbers(1_000_000, 4), kind)


if __name__ == "__main__":
    main()
