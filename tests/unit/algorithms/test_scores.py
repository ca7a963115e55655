"""Scores under differential privacy: ARX's figures, and what one record can change."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.algorithms.full_domain.private import SCORES, NodeClasses, score_of_metric
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import from_mapping
from kanonym.data.schema import QuasiIdentifier
from kanonym.differential_privacy.public_hierarchies import public_hierarchy

TREES = tuple(
    public_hierarchy(name, QuasiIdentifier(from_mapping(rows))).tree
    for name, rows in (
        ("a", {"p": "*", "q": "*", "r": "*"}),
        ("b", {"u": ["u-v", "*"], "v": ["u-v", "*"], "w": ["w", "*"]}),
    )
)
LEVELS = np.array([(a, b) for a in range(2) for b in range(3)])
TABLES = 10_000
LEAVES = [(a, b) for a in range(TREES[0].size) for b in range(TREES[1].size)]


def classes_at(levels):
    """Return the labels of all classes of a node, and (n_leaves, n_classes) what joins leaves."""
    labels = [tuple(int(TREES[a].codes[levels[a]][both[a]]) for a in range(2)) for both in LEAVES]
    every = sorted(set(labels))
    return np.array(every, np.int32), np.array([[one == to for to in every] for one in labels])


def score_at(score, levels, labels, sizes):
    """Return the score of a node, from classes that are kept alone."""
    kept = sizes >= score.k
    return score.of(NodeClasses(levels, labels[kept], sizes[kept], int(sizes.sum())))


@pytest.mark.parametrize("metric", SCORES)
def test_one_record_changes_a_score_by_no_more_than_its_sensitivity(metric):
    """Of 10,000 random small tables, with any k: and a monotone score never falls."""
    rng = np.random.default_rng(sum(map(ord, metric)))
    tables = rng.integers(0, rng.integers(1, 9, (TABLES, 1)), (TABLES, len(LEAVES)))
    added = rng.integers(0, len(LEAVES), TABLES)
    made = {k: score_of_metric(metric, TREES, k, (0, 1)) for k in range(1, 10)}
    ks = rng.integers(1, 10, TABLES)
    for part, levels in enumerate(LEVELS):
        labels, joins = classes_at(levels)
        mine = slice(part, None, len(LEVELS))
        sizes = tables[mine] @ joins.astype(int)
        more = sizes + joins[added[mine]]
        for k, fewer, one_more in zip(ks[mine].tolist(), sizes, more, strict=True):
            before = score_at(made[k], levels, labels, fewer)
            after = score_at(made[k], levels, labels, one_more)
            assert abs(after - before) <= made[k].sensitivity
            assert after >= before or not made[k].monotone


@pytest.mark.parametrize("metric", ["loss", "precision", "average-class-size", "classification"])
def test_the_sensitivity_is_reached(metric):
    """A class of k that comes in changes the score by as much: no noise is wasted."""
    score = score_of_metric(metric, TREES, 3, (0,))
    levels = LEVELS[0]
    labels = np.zeros((1, 2), np.int32)
    change = score_at(score, levels, labels, np.array([3])) - score_at(
        score, levels, labels, np.array([2])
    )
    leaf = 4 if metric == "loss" else 6  # a label of one value of three keeps two thirds
    assert change == pytest.approx(score.sensitivity * leaf / 6, rel=0.2)


def test_every_node_of_an_empty_table_has_a_score():
    """Nothing is kept, nothing fails: the draw is over the same nodes."""
    for metric in SCORES:
        score = score_of_metric(metric, TREES, 5, (0,))
        labels, sizes = np.zeros((0, 2), np.int32), np.zeros(0, np.int64)
        assert {score_at(score, levels, labels, sizes) for levels in LEVELS} == {0}


def test_metrics_without_a_bounded_score_are_refused():
    """The message names those that have one."""
    with pytest.raises(PolicyError, match=r"kl-divergence.*choose one of loss, precision"):
        score_of_metric("kl-divergence", TREES, 5)
