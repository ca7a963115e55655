"""Scores that ARX 3.9.2 printed for nodes of the US census extract (UCI Adult)."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.table import encode
from kanonym.metrics.information_loss import Generalized, metric_from

NAMES = {
    "loss": "loss",
    "loss_am": "loss-arithmetic",
    "aecs": "average-class-size",
    "discernibility": "discernibility",
    "entropy": "non-uniform-entropy",
    "precision": "precision",
}
"""Our name of each of ARX's metrics."""


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the table, by column, and the hierarchies."""
    folder = shared_data / "adult"
    table = ka.read_table(folder / "adult.csv")
    trees = {
        name: ka.hierarchy.from_file(folder / f"hierarchy_{name}.csv") for name in table.columns
    }
    return table, trees


@pytest.fixture(scope="module")
def optima(shared_data):
    """Return the nodes whose model is k-anonymity alone."""
    path = shared_data.parent / "golden" / "full_domain_optima.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["models"].removeprefix("k:").isdigit()]
    assert {row["metric"] for row in rows} == set(NAMES)
    return rows


def node(table, domains, levels, k):
    """Group records by their labels; classes of fewer than k are suppressed."""
    labels = pl.DataFrame(
        {
            domain.name: pl.Series(domain.hierarchy.codes[level])
            .gather(domain.hierarchy.leaf_of(table[domain.name]))
            .cast(pl.Int32)
            for domain, level in zip(domains, levels, strict=True)
        }
    )
    classes = labels.group_by(labels.columns).len()
    sizes = classes["len"].cast(pl.Int64).to_numpy()
    return Generalized(
        levels=np.array(levels, np.int64),
        labels=classes.drop("len").to_numpy(order="c"),
        sizes=sizes,
        kept=sizes >= k,
    )


@pytest.mark.parametrize("theirs", NAMES)
def test_scores_of_arx(adult, optima, theirs):
    """The score to nine digits, and the suppressed records and the classes exactly."""
    table, trees = adult
    for row in (row for row in optima if row["metric"] == theirs):
        levels = dict(part.split("=") for part in row["levels"].split("|"))
        encoded = encode([(table[name], trees[name]) for name in levels], [], len(table))
        k = int(row["models"].removeprefix("k:"))
        classes = node(table, encoded.domains, [int(one) for one in levels.values()], k)
        bound = metric_from(NAMES[theirs]).bind(encoded, {})
        assert bound.score(classes) == pytest.approx(float(row["score"]), rel=1e-9)
        assert classes.sizes[~classes.kept].sum() == int(row["suppressed_rows"])
        assert classes.kept.sum() == int(row["classes"])
        assert bound.floor(classes.levels) <= bound.score(classes)
