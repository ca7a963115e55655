"""Accuracy against k: what models learn from releases that a target guides, and from others.

Two thirds of Adult are released, and boosted trees that learn from the release predict the
salary class of the other third, as it is in the original. A label teaches a value drawn from it;
what its middle teaches stands beside it. `--speed` times a million records instead. Adult needs
../shared/data/adult beside the checkout.

    python benches/workload.py [--splits 5] [--k 5,10,25,50,100,250] [--speed]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from threadpoolctl import threadpool_limits

import kanonym as ka
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import TablePair
from kanonym.evaluation.utility.models.learning import Features, features_of
from kanonym.evaluation.utility.models.prediction import BOOSTING

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult"
TARGET = "salary-class"
ALGORITHMS = {
    "mondrian": ka.Mondrian(),
    "mondrian, target": ka.Mondrian(target=TARGET),
    "segmentation": ka.Segmentation(),
    "segmentation, target": ka.Segmentation(target=TARGET),
    "segmentation, guided": ka.Segmentation("guided", target=TARGET),
}
Scores = tuple[float, float, float]


def beside(before: pl.DataFrame, after: pl.DataFrame, known: list[str]) -> TablePair:
    """Put a release of some records beside the whole table, which has every value."""
    names = [*known, TARGET]
    columns = ({name: one[name] for name in names} for one in (before, after))
    return read_pair(*columns, known, aligned=False)


def likely(features: np.ndarray, taught: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return how likely boosted trees hold the higher class."""
    with threadpool_limits(1):
        model = HistGradientBoostingClassifier(random_state=0, **BOOSTING).fit(features, taught)
    return model.predict_proba(asked)[:, 1]


def score(said: np.ndarray, truth: np.ndarray) -> Scores:
    """Return accuracy, balanced accuracy and area under the ROC curve."""
    found = said > 0.5
    return (
        float(np.mean(found == truth)),
        float(balanced_accuracy_score(truth, found)),
        float(roc_auc_score(truth, said)),
    )


def learned(
    whole: pl.DataFrame, held: pl.Series, released: pl.DataFrame, known: list[str]
) -> dict[str, Scores]:
    """Return the scores of what is learned from a release, about persons held out of it."""
    pair = beside(whole, released, known)
    features: Features = features_of([one for one in pair.columns if one.name != TARGET])
    asked = features.original(np.flatnonzero(held.to_numpy()))
    truth, taught = ((one[TARGET] == ">50K").to_numpy() for one in (whole.filter(held), released))
    rows = np.arange(len(released))
    middle = likely(features.released(rows), taught, asked)
    drawn = likely(features.sample(rows, np.random.default_rng(0)), taught, asked)
    said = {"drawn": drawn, "middle": middle}
    return {way: score(one, truth) for way, one in said.items()}


def accuracy(sizes: list[int], splits: int) -> None:
    """Print accuracy against k, mean and extremes over several splits."""
    table = ka.read_table(DATA / "adult.csv")
    known = [name for name in table.columns if name != TARGET]
    found: dict[tuple[str, int], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for split in range(splits):
        held = pl.Series(np.random.default_rng(split).random(len(table)) < 1 / 3)
        train = table.filter(~held)
        for way, one in learned(table, held, train, known).items():
            found["original", 0][way].append((*one, 0.0))
        for k in sizes:
            for name, algorithm in ALGORITHMS.items():
                release = ka.anonymize(
                    train, quasi_identifiers=known, others="insensitive", k=k, algorithm=algorithm
                )
                for way, one in learned(table, held, release.frame, known).items():
                    found[name, k][way].append((*one, release.utility.gcp))
    print(f"Adult, {len(known)} quasi-identifiers, {splits} splits; accuracy of held-out originals")
    print(
        f"{'k':>4}  {'learned from':<22}{'accuracy':>9}{'least':>8}{'most':>8}"
        f"{'balanced':>10}{'AUC':>8}{'GCP':>8}{'middle':>9}"
    )
    for (name, k), ways in sorted(found.items(), key=lambda one: one[0][1]):
        means = {way: np.mean(runs, axis=0).tolist() for way, runs in ways.items()}
        accuracies = [run[0] for run in ways["drawn"]]
        mean, balanced, area, loss = means["drawn"]
        print(
            f"{k or '':>4}  {name:<22}{mean:>9.4f}{min(accuracies):>8.4f}"
            f"{max(accuracies):>8.4f}{balanced:>10.4f}{area:>8.4f}{loss:>8.4f}"
            f"{means['middle'][0]:>9.4f}",
            flush=True,
        )


def speed() -> None:
    """Print the seconds of a million records in eight attributes, with a target and without."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    columns: dict[str, Any] = {
        f"number{a}": np.round(rng.normal(50, 15, n)).astype(int) for a in range(4)
    }
    for size in (2, 5, 12, 40):
        drawn = np.minimum(rng.geometric(min(0.6, 2.5 / size), n), size)
        columns[f"text{size}"] = pl.Series(drawn).cast(pl.String)
    known = list(columns)
    chance = 1 / (1 + np.exp(-(columns["number0"] + columns["number1"] - 100) / 15))
    columns["label"] = np.where(rng.random(n) < chance, "yes", "no")
    columns["income"] = np.exp(rng.normal(size=n) + chance)
    frame = pl.DataFrame(columns)
    for target in ("label", "income"):  # to compile
        for algorithm in (ka.Mondrian(target=target), ka.Segmentation("guided", target=target)):
            ka.anonymize(
                frame.head(5000),
                quasi_identifiers=known,
                others="insensitive",
                k=5,
                algorithm=algorithm,
            )
    for k in (5, 50):
        for target in (None, "label", "income"):
            for algorithm in (
                ka.Mondrian(target=target),
                ka.Segmentation("guided" if target else "kd", target=target),
            ):
                start, spent = time.perf_counter(), time.process_time()
                release = ka.anonymize(
                    frame, quasi_identifiers=known, others="insensitive", k=k, algorithm=algorithm
                )
                took = time.perf_counter() - start
                spent = time.process_time() - spent
                left = release.algorithm.get("impurity")
                print(
                    f"1,000,000 x 8, k={k:<3} {algorithm.type:<13}{target or 'no target':<10}"
                    f"{release.seconds['algorithm']:>7.2f} s, {took:>6.2f} s in all, "
                    f"{spent:>6.2f} CPU s   "
                    f"GCP {release.utility.gcp:.4f}"
                    + ("" if left is None else f", impurity left {left:.4f}"),
                    flush=True,
                )


def main() -> None:
    """Print what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--k", default="5,10,25,50,100,250")
    parser.add_argument("--speed", action="store_true", help="time a million records instead")
    asked = parser.parse_args()
    if asked.speed:
        speed()
    else:
        accuracy([int(one) for one in asked.k.split(",")], asked.splits)


if __name__ == "__main__":
    main()
