"""Laws of suppression for models of the whole table: the shortest prefix of a fixed order."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.algorithms.full_domain.nodes import suppress_prefix
from kanonym.models import AverageRisk, PopulationUniqueness, SampleUniqueness

CLASSES = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.sampled_from([0.0, 0.5, 1.0])), max_size=25
)
SHARES = st.sampled_from([0.05, 0.15, 0.25, 0.4, 0.75, 1.0])
MODELS = st.lists(
    st.one_of(st.builds(AverageRisk, SHARES), st.builds(SampleUniqueness, SHARES)),
    min_size=1,
    max_size=2,
)


def naive(models, classes, budget):
    """Suppress one class after the other; return which are kept, or None."""
    kept = [keep for _, keep, _ in classes]
    order = sorted((size, loss, i) for i, (size, keep, loss) in enumerate(classes) if keep and size)
    spent = 0
    while True:
        left = np.array(
            [size for (size, _, _), keep in zip(classes, kept, strict=True) if keep], np.int64
        )
        if all(model.holds(left) for model in models):
            return kept
        size, _, i = order.pop(0)
        kept[i] = False
        spent += size
        if spent > budget:
            return None


def asked(models, classes, budget):
    """Call the function with a list of (size, kept, loss)."""
    found = suppress_prefix(
        models,
        np.array([size for size, _, _ in classes], np.int64),
        np.array([keep for _, keep, _ in classes], np.bool_),
        np.array([loss for _, _, loss in classes], np.float64),
        budget,
    )
    return None if found is None else found.tolist()


@given(models=MODELS, classes=CLASSES, budget=st.integers(0, 60))
def test_the_shortest_prefix_goes(models, classes, budget):
    """Classes go one by one, smallest first, ties by loss and place, until the models hold."""
    assert asked(models, classes, budget) == naive(models, classes, budget)


@given(classes=CLASSES, budget=st.integers(0, 60), share=SHARES)
def test_bisection_ends_where_the_models_hold(classes, budget, share):
    """With population uniqueness, what is kept satisfies the model within the budget, if anything.

    Where the estimate falls along the prefix, nothing shorter would have done.
    """
    model = PopulationUniqueness(share, 200, "zayatz")
    found = asked([model, AverageRisk(0.5)], classes, budget)
    if found is None:
        return
    sizes = np.array([size for size, _, _ in classes], np.int64)
    kept = np.array([keep for _, keep, _ in classes], np.bool_)
    assert not (np.array(found, np.bool_) & ~kept).any()
    assert sizes[kept & ~np.array(found, np.bool_)].sum() <= budget
    left = sizes[np.array(found, np.bool_)]
    assert model.holds(left)
    assert AverageRisk(0.5).holds(left)


def test_population_uniqueness_is_met_by_giving_up_uniques():
    """Of many lone records, as many go as bring the estimate down, and no class of two."""
    sizes = np.array([1] * 60 + [2] * 30 + [5] * 20, np.int64)
    model = PopulationUniqueness(0.05, 10_000, "zayatz")
    everything = np.ones(len(sizes), np.bool_)
    assert not model.holds(sizes)
    kept = suppress_prefix([model], sizes, everything, np.zeros(len(sizes)), 60)
    assert model.holds(sizes[kept])
    assert kept[60:].all()
    shorter = kept.copy()
    shorter[np.flatnonzero(~kept)[-1]] = True
    assert not model.holds(sizes[shorter])


def test_what_was_given_is_not_changed():
    """The classes that were kept before are returned anew, also where nothing goes."""
    sizes, kept = np.array([1, 3]), np.ones(2, np.bool_)
    same = suppress_prefix([AverageRisk(0.5)], sizes, kept, np.zeros(2), 0)
    same[0] = False
    less = suppress_prefix([AverageRisk(0.4)], sizes, kept, np.zeros(2), 1)
    assert less.tolist() == [False, True]
    assert kept.all()


def test_nothing_to_suppress_holds():
    """Where nothing is kept, every model of the whole table holds."""
    nothing = np.zeros(3, np.bool_)
    found = suppress_prefix([AverageRisk(0.1)], np.array([1, 2, 3]), nothing, np.zeros(3), 0)
    assert not found.any()


LEVELS = {
    "sex": 0,
    "age": 4,
    "race": 0,
    "marital-status": 0,
    "education": 2,
    "native-country": 1,
    "workclass": 1,
    "occupation": 2,
    "salary-class": 0,
}


@pytest.mark.parametrize("way", ["as ARX", "sum of shares"])
def test_adult_with_an_average_risk_of_one_percent(shared_data, way):
    """At ARX's optimum of Adult the same 509 records go, to the last digit of the score.

    A class loses the metric of its size times its shares; a sum of its shares ranks
    classes of one size alike. (../shared/golden/full_domain_optima.csv)
    """
    table = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";", infer_schema=False)
    labels, share_of, leaves = [], [], []
    for name, level in LEVELS.items():
        tree = pl.read_csv(
            shared_data / "adult" / f"hierarchy_{name}.csv",
            separator=";",
            has_header=False,
            infer_schema=False,
        )
        names = tree.to_series(level)
        counted = names.value_counts()
        share_of.append(dict(zip(counted[:, 0], counted[:, 1] / len(tree), strict=True)))
        leaves.append(len(tree))
        labels.append(table[name].replace_strict(tree.to_series(0), names))
    groups = pl.DataFrame(labels).group_by(pl.all(), maintain_order=True).len("n")
    sizes = groups["n"].cast(pl.Int64).to_numpy()
    shares = np.stack(
        [[of[label] for label in groups[name]] for name, of in zip(LEVELS, share_of, strict=True)],
        axis=1,
    )

    def geometric(losses):
        return np.prod(losses + 1, axis=-1) ** (1 / len(LEVELS)) - 1

    lost = sizes[:, None] * shares
    losses = geometric(lost) if way == "as ARX" else shares.sum(axis=1)
    kept = suppress_prefix(
        [AverageRisk(0.01)], sizes, np.ones(len(sizes), np.bool_), losses, len(table) // 50
    )
    assert (int(sizes[~kept].sum()), int(kept.sum())) == (509, 296)
    n = len(table)
    least = n / np.array(leaves)
    normalized = ((lost[kept].sum(axis=0) + sizes[~kept].sum()) - least) / (n - least)
    score = geometric(np.floor(np.maximum(normalized, 0) * 1e10) / 1e10)
    assert math.isclose(score, 0.2891780345223698, rel_tol=1e-9)
