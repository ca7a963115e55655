"""Minimization: seconds, cells, relative accuracy and GCP, beside pruning level by level.

The known implementation is ai-privacy-toolkit 0.2.1; its seconds and what it ends with were taken
elsewhere, on a comparable machine, from Adult's first 4,000 records, all eight features
minimized. Its levels, with the ranges of merged cells put right, are recomputed here
on the same tree, split and representatives. Adult needs ../shared/data beside the checkout.

    python benches/minimization.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kanonym.algorithms.minimization.nodes import Nodes, boxes_of, cell_of, representatives_of
from kanonym.data.errors import InfeasibleError
from kanonym.minimization import Minimizer
from kanonym.minimization.encoding import encoding_of
from kanonym.minimization.model import records_of

ADULT = Path(__file__).parents[2] / "shared" / "data" / "adult" / "adult.csv"
KNOWN = {
    ("boosted", 0.7): (15.7, 1, 0.80875),
    ("boosted", 0.95): (33.7, 32, 0.9525),
    ("tree", 0.7): (81.9, 1, 0.769375),
}
"""Seconds, cells and relative accuracy of the known implementation by model and target."""

MODELS = {
    "boosted": GradientBoostingClassifier(random_state=0),
    "histogram": HistGradientBoostingClassifier(random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
}


def adult(name: str, n: int | None = None) -> tuple[pd.DataFrame, object]:
    """Return Adult's first records, all features, and a fitted model of the salary's class."""
    frame = pd.read_csv(ADULT, sep=";", nrows=n)
    salary = frame.pop("salary-class")
    encoder = make_column_transformer(
        (
            OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
            [one for one in frame if one != "age"],
        ),
        remainder="passthrough",
    )
    return frame, make_pipeline(encoder, MODELS[name]).fit(frame, salary)


def by_level(
    minimizer: Minimizer, frame: pd.DataFrame, target: float
) -> tuple[int, float, float] | None:
    """Return cells, relative accuracy and GCP of the last level that keeps the target, if any."""
    records = records_of(frame)
    encoding = encoding_of(records, minimizer.features, None, None)
    matrix = encoding.matrix(records)
    nodes = Nodes.of(minimizer.tree_)
    leaves = nodes.place[minimizer.tree_.apply(matrix)]
    width = boxes_of(nodes, encoding.features).width.mean(axis=1)
    own = minimizer.estimator.predict(frame)
    validation = minimizer.validation_
    grown = np.setdiff1d(np.arange(len(frame)), validation)
    classes = np.unique(own, return_inverse=True)[1]
    numbers = own.dtype.kind == "f"
    rows, _ = representatives_of(
        nodes, leaves[grown], matrix[grown], None if numbers else classes[grown]
    )
    names = encoding.columns(np.zeros(len(encoding.kinds), np.bool_))
    reached = None
    for depth in range(int(nodes.depth.max()), -1, -1):
        cells = nodes.cells_of((nodes.right == 0) | (nodes.depth == depth))
        of_record = cells[cell_of(cells, leaves)]
        values = records.take(grown[rows[of_record[validation]]], names)
        answers = minimizer.estimator.predict(records.take(validation).with_values(values).native)
        score = r2_score if numbers else accuracy_score
        accuracy = float(score(own[validation], answers))
        if accuracy < target:
            break
        reached = (len(cells), accuracy, float(width[of_record].mean()))
    return reached


def line(label: str, minimizer: Minimizer, frame: pd.DataFrame) -> None:
    """Fit, and print what was found beside the last level that keeps the target."""
    target = minimizer.target_accuracy
    head = f"{label:<36}{target:>7}{minimizer.k:>4}"
    start = time.perf_counter()
    try:
        minimizer.fit(frame)
    except InfeasibleError:
        print(f"{head}{time.perf_counter() - start:>8.2f}  cells of k cannot keep the target")
        return
    took = time.perf_counter() - start
    level = by_level(minimizer, frame, target) if minimizer.k == 1 else None
    beside = f"{level[0]:>7}{level[1]:>9.4f}{level[2]:>8.4f}" if level else ""
    print(
        f"{head}{took:>8.2f}{len(minimizer.cells_):>7}{minimizer.relative_accuracy_:>9.4f}"
        f"{minimizer.gcp_:>8.4f}{len(minimizer.exempted_):>9}   {beside}",
        flush=True,
    )


def known() -> None:
    """Print what the path offers at the relative accuracy that the known one ends with."""
    print("\nAdult, first 4,000 records, beside the known implementation")
    print(
        f"{'model':<10}{'target':>7}{'its s':>8}{'cells':>7}{'accuracy':>9}"
        f"{'s':>8}{'cells':>7}{'accuracy':>9}{'GCP':>8}   lowest GCP at its accuracy"
    )
    for (name, target), (seconds, cells, accuracy) in KNOWN.items():
        frame, model = adult(name, 4000)
        minimizer = Minimizer(model, target, random_state=18)
        start = time.perf_counter()
        minimizer.fit(frame)
        took = time.perf_counter() - start
        path = minimizer.path_
        as_good = path["relative_accuracy"] >= accuracy
        print(
            f"{name:<10}{target:>7}{seconds:>8}{cells:>7}{accuracy:>9.4f}{took:>8.2f}"
            f"{len(minimizer.cells_):>7}{minimizer.relative_accuracy_:>9.4f}{minimizer.gcp_:>8.4f}"
            f"   {path['gcp'][as_good].min():.4f}",
            flush=True,
        )


def main() -> None:
    """Minimize the bundled tables and Adult."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one model of Adult")
    quick = parser.parse_args().quick
    print(
        f"{'':<36}{'target':>7}{'k':>4}{'s':>8}{'cells':>7}{'accuracy':>9}{'GCP':>8}{'exempted':>9}"
        f"   level by level: cells, accuracy, GCP"
    )
    for load, model in (
        (load_iris, DecisionTreeClassifier(random_state=0)),
        (load_breast_cancer, DecisionTreeClassifier(random_state=0)),
        (load_diabetes, DecisionTreeRegressor(random_state=0, max_depth=4)),
    ):
        data = load(as_frame=True)
        fitted = model.fit(data.data, data.target)
        for target in (0.5, 0.95, 0.98):
            line(load.__name__.removeprefix("load_"), Minimizer(fitted, target), data.data)
    if not ADULT.is_file():
        return
    for name in ("boosted",) if quick else MODELS:
        frame, fitted = adult(name)
        for features in (None, ["age", "sex", "race", "native-country"]):
            label = f"Adult, {name}, {len(features or frame.columns)} features"
            for target in (0.95, 0.98):
                for k in (1, 5):
                    line(label, Minimizer(fitted, target, features=features, k=k), frame)
    known()


if __name__ == "__main__":
    main()
