"""What models of Adult's salary class give away of those they learned from, against k.

10,000 records, of which 30 % are held out; Mondrian releases the others. Printed are the areas
under the ROC curve of the attack by loss, and the accuracy on the held-out persons. Adult needs
../shared/data/adult beside the checkout.

    python benches/model_membership.py
"""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import kanonym as ka

DATA = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
TARGET = "salary-class"
MODELS = {
    "boosted trees": HistGradientBoostingClassifier(early_stopping=False),
    "forest of 100 trees": RandomForestClassifier(),
}


def main() -> None:
    """Attack both kinds of models, of the original and of three releases."""
    table = pl.read_csv(DATA, separator=";").sample(10_000, seed=0)
    known = [name for name in table.columns if name != TARGET]
    print(f"{'':22}{'k':>4}{'before':>8}{'after':>8}{'accuracy before':>17}{'after':>8}{'s':>6}")
    for name, model in MODELS.items():
        for k in (2, 10, 50):
            policy = ka.Policy.from_columns(quasi_identifiers=known, sensitive=[TARGET], k=k)
            start = time.perf_counter()
            found = ka.attacks.model_membership(
                table, policy=policy, target=TARGET, hold_out=0.3, estimator=model
            )
            areas = [one["loss"].auc for one in (found.before, found.after)]
            right = [one.on_control for one in (found.before, found.after)]
            seconds = time.perf_counter() - start
            print(
                f"{name:22}{k:4}{areas[0]:8.3f}{areas[1]:8.3f}"
                f"{right[0]:17.3f}{right[1]:8.3f}{seconds:6.1f}"
            )


if __name__ == "__main__":
    main()
