"""Laws of what joining classes keeps of a model, as each model declares it."""

from __future__ import annotations

import dataclasses
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kanonym.algorithms.full_domain.nodes import suppress_prefix
from kanonym.models import (
    MODELS,
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    SampleUniqueness,
    TCloseness,
    WholeTable,
)
from kanonym.models.diversity import Distance
from model_classes import classes

TREE = {"s": {value: (value // 2, "all") for value in range(6)}}
REGISTER = "register.csv"
SHARES = st.sampled_from([0.05, 0.2, 0.34, 0.5, 0.8])

SUPPRESSION = {
    "k-anonymity": st.builds(KAnonymity, st.integers(1, 6)),
    "distinct l-diversity": st.builds(LDiversity, st.just("s"), st.integers(1, 4)),
    "average-risk": st.builds(AverageRisk, SHARES),
    "sample-uniqueness": st.builds(SampleUniqueness, SHARES | st.just(0)),
    "k-map": st.builds(KMap, st.integers(1, 12), st.just(REGISTER)),
}
GENERALIZATION = {
    "alpha-k-anonymity": st.builds(AlphaKAnonymity, SHARES, st.integers(1, 3), st.just("s")),
    "entropy l-diversity": st.builds(LDiversity, st.just("s"), st.floats(1, 3), st.just("entropy")),
    "recursive l-diversity": st.builds(
        LDiversity, st.just("s"), st.integers(1, 3), st.just("recursive"), st.floats(0.5, 4)
    ),
    "t-closeness": st.builds(TCloseness, st.just("s"), SHARES, st.sampled_from(get_args(Distance))),
    "beta-likeness": st.builds(
        BetaLikeness, st.just("s"), st.floats(0.1, 4), st.sampled_from(["basic", "enhanced"])
    ),
    "delta-presence": st.builds(
        DeltaPresence, st.sampled_from([0, 0.1, 0.4]), st.floats(0.4, 1), st.just(REGISTER)
    ),
}
NONE = [DeltaDisclosure("s", 1), PopulationUniqueness(0.1, 1000)]
RECORDS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5)), min_size=2, max_size=40)


def table(records, persons):
    """Return (label, value) records as classes; persons: further persons of each label."""
    labels, values = zip(*records, strict=True)
    found = classes(labels, TREE, s=values)
    more = [sum(persons[one] for one in own) for own in dict.fromkeys(labels)]
    return dataclasses.replace(found, population=found.sizes + np.array(more, np.int64))


@st.composite
def pairs(draw):
    """Draw a table twice: as it is, and with two of its classes joined."""
    records = draw(RECORDS)
    persons = draw(st.lists(st.integers(0, 9), min_size=8, max_size=8))
    labels = sorted({label for label, _ in records})
    assume(len(labels) > 1)
    join = draw(st.lists(st.sampled_from(labels), min_size=2, max_size=2, unique=True))
    parts = [((label,), value) for label, value in records]
    joined = [(tuple(join) if label in join else (label,), value) for label, value in records]
    return table(parts, persons), table(joined, persons)


def suppressed(models, found):
    """Return how many records the models together make suppress."""
    kept = np.ones(len(found.sizes), np.bool_)
    for model in models:
        if not isinstance(model, WholeTable):
            kept &= model.satisfied(found)
    whole = [model for model in models if isinstance(model, WholeTable)]
    kept = suppress_prefix(whole, found.sizes, kept, np.zeros(len(kept)), 10**9)
    return int(found.sizes[~kept].sum())


@given(pair=pairs(), models=st.lists(st.one_of(list(SUPPRESSION.values())), min_size=1, max_size=3))
def test_joining_never_suppresses_more(pair, models):
    """Models of kind `suppression`, alone or together, suppress no more of joined classes."""
    assert {model.monotone for model in models} == {"suppression"}
    before, after = pair
    assert suppressed(models, after) <= suppressed(models, before)


@pytest.mark.parametrize("name", [*SUPPRESSION, *GENERALIZATION])
@given(pair=pairs(), data=st.data())
def test_satisfied_classes_stay_so_when_joined(name, pair, data):
    """A class of two that satisfy a model satisfies it; a table that does still does."""
    model = data.draw({**SUPPRESSION, **GENERALIZATION}[name])
    assert model.monotone == ("suppression" if name in SUPPRESSION else "generalization")
    before, after = pair
    if model.satisfied(before).all():
        assert model.satisfied(after).all()


def test_a_failing_class_may_pull_another_with_it():
    """Entropy l-diversity: joined with a class that fails, one that did not fails as well."""
    model = LDiversity("s", 1.9, "entropy")
    records = [(0, 0)] * 3 + [(0, 1)] * 3 + [(1, 0)] * 10
    nobody = [0] * 8
    assert suppressed([model], table([((a,), b) for a, b in records], nobody)) == 10
    assert suppressed([model], table([((0, 1), b) for _, b in records], nobody)) == 16


@pytest.mark.parametrize("estimator", ["pitman", "zayatz", "snb", "dankar"])
def test_population_uniqueness_may_rise(estimator):
    """Joining classes can raise the estimate of every estimator."""
    sizes = {
        "pitman": ([4, 2, 1, 1], [6, 1, 1]),
        "zayatz": ([2, 2, 1], [4, 1]),
        "snb": ([2, 2, 1, 1, 1], [3, 2, 1, 1]),
        "dankar": ([2, 2, 1], [4, 1]),
    }
    before, after = sizes[estimator]
    model = PopulationUniqueness(0.5, 50, estimator)
    assert model.measure_sizes(np.array(after)) > model.measure_sizes(np.array(before))


def test_every_model_says_what_joining_keeps():
    """Each model of classes stands under one of the three headings."""
    apart = ("itemsets", "mechanism")
    named = {model.type for model in MODELS.values() if model.guarantee not in apart}
    said = {name.removeprefix("distinct ") for name in SUPPRESSION}
    said |= {name.removeprefix("entropy ").removeprefix("recursive ") for name in GENERALIZATION}
    assert named == said | {model.type for model in NONE}
    assert {model.monotone for model in NONE} == {"none"}
