"""Accuracy of a forest on released records, with weights and without: California Housing.

The protocol of k-AnonML (Slijepčević et al. 2021, Computers & Security 111, 102488): the whole
table is released, a forest is trained on 70 % of the released records and tested on the rest.
Numbers are the middles of their ranges. The data is that of the benchmark, beside the checkout in
../shared/data/kanonml; its best published method has 84.1 % for k = 51.

    python benches/kanonml.py [--k 51] [--weight 3] [--algorithm k-member mondrian ...]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "kanonml" / "cahousing.csv"
PLACE = ["longitude", "latitude"]
KNOWN = [*PLACE, "housing_median_age", "median_income", "median_house_value"]
KEPT = ["mean_rooms", "mean_bedrooms", "population", "households"]
TARGET = "ocean_proximity"
ALGORITHMS = ["mondrian", "segmentation", "k-member", "auto", "mdav"]


def accuracy(table: pl.DataFrame) -> float:
    """Return the share of test records that a forest classifies right, in percent."""
    features = MinMaxScaler().fit_transform(table.select(KNOWN + KEPT).to_numpy())
    split = train_test_split(features, table[TARGET].to_numpy(), test_size=0.3, random_state=42)
    train, test, train_labels, test_labels = split
    forest = RandomForestClassifier(300, max_depth=10, min_samples_split=5, random_state=10)
    return 100 * float(forest.fit(train, train_labels).score(test, test_labels))


def weights_by_importance(table: pl.DataFrame) -> dict[str, float]:
    """Return what a forest loses without each quasi-identifier, by training records alone.

    Cross-fitted: a forest of one half of them is asked about the other. 0.01 is the least.
    """
    training, _ = train_test_split(table, test_size=0.3, random_state=42)
    halves = [training.gather_every(2, start) for start in (0, 1)]
    lost = np.zeros(len(KNOWN))
    for learned, asked in (halves, halves[::-1]):
        forest = RandomForestClassifier(100, max_depth=10, min_samples_split=5, random_state=0)
        forest.fit(learned[KNOWN].to_numpy(), learned[TARGET].to_numpy())
        sample = asked[KNOWN].to_numpy(), asked[TARGET].to_numpy()
        found = permutation_importance(forest, *sample, n_repeats=3, random_state=0)
        lost += found.importances_mean / 2
    return dict(zip(KNOWN, np.maximum(lost, 0.01).round(3).tolist(), strict=True))


def released(
    table: pl.DataFrame, k: int, name: str, weights: dict[str, float]
) -> tuple[float, float]:
    """Return the accuracy on released records, and the GCP of the release."""
    release = ka.anonymize(
        table.drop("ID"),
        quasi_identifiers=KNOWN,
        others="insensitive",
        recoding="mean" if name == "mdav" else "range",
        k=k,
        algorithm={"type": name, "weights": weights},
        keep_order=True,
        seed=1,
    )
    frame = release.frame
    if name != "mdav":
        frame = frame.with_columns(
            ((pl.col(f"{one}_min") + pl.col(f"{one}_max")) / 2).alias(one) for one in KNOWN
        )
    return accuracy(frame), release.utility.gcp


def main() -> None:
    """Print a line for each algorithm and weight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, default=51)
    parser.add_argument("--weight", type=float, nargs="+", default=[1, 3])
    parser.add_argument("--algorithm", nargs="+", default=ALGORITHMS)
    asked = parser.parse_args()
    table = pl.read_csv(DATA, separator=";")
    print(f"{'unchanged':<28}{accuracy(table):>7.2f} %", flush=True)  # in the order of the file
    table = table.sort("ID")
    weights = {f"place × {weight:g}": dict.fromkeys(PLACE, weight) for weight in asked.weight}
    weights["by importance"] = weights_by_importance(table)
    print(weights["by importance"], flush=True)
    for name in asked.algorithm:
        for title, given in weights.items():
            start = time.process_time()
            right, gcp = released(table, asked.k, name, given)
            took = time.process_time() - start
            print(
                f"{name + ', ' + title:<28}{right:>7.2f} %  GCP {gcp:.4f}{took:>8.1f} CPU s",
                flush=True,
            )


if __name__ == "__main__":
    main()
