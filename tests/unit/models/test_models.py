"""Laws of every privacy model."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kanonym.data.partition import Classes
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
    PopulationModel,
    PopulationUniqueness,
    PrivacyModel,
    SampleUniqueness,
    TCloseness,
    WholeTable,
)
from model_classes import classes

TREE = {"s": {value: (value // 2, "all") for value in range(6)}}

AT = {
    "k": KAnonymity,
    "alpha": lambda alpha: AlphaKAnonymity(alpha, 1, "s"),
    "distinct l": lambda l: LDiversity("s", l),
    "entropy l": lambda l: LDiversity("s", l, "entropy"),
    "equal t": lambda t: TCloseness("s", t),
    "ordered t": lambda t: TCloseness("s", t, "ordered"),
    "largest difference": lambda t: TCloseness("s", t, "largest-difference"),
    "kullback-leibler": lambda t: TCloseness("s", t, "kullback-leibler"),
    "hierarchical t": lambda t: TCloseness("s", t, "hierarchical"),
    "basic beta": lambda beta: BetaLikeness("s", beta),
    "enhanced beta": lambda beta: BetaLikeness("s", beta, "enhanced"),
    "recursive c": lambda c: LDiversity("s", 2, "recursive", c),
    "delta": lambda delta: DeltaDisclosure("s", delta),
    "average risk": AverageRisk,
    "sample uniqueness": SampleUniqueness,
    "population uniqueness": lambda share: PopulationUniqueness(share, 10_000, "zayatz"),
    "k of the population": lambda k: KMap(k, "register.csv"),
    "presence": lambda share: DeltaPresence(0, share, "register.csv"),
}
"""Each model as a function of its required value."""

ANY = {
    "k": 2,
    "alpha": 0.5,
    "distinct l": 2,
    "entropy l": 1.5,
    "equal t": 0.3,
    "ordered t": 0.3,
    "largest difference": 0.3,
    "kullback-leibler": 0.5,
    "hierarchical t": 0.3,
    "basic beta": 0.5,
    "enhanced beta": 0.5,
    "recursive c": 2,
    "delta": 1,
    "average risk": 0.3,
    "sample uniqueness": 0.1,
    "population uniqueness": 0.1,
    "k of the population": 9,
    "presence": 0.3,
}
"""A required value that some random classes satisfy and others do not."""

STRICT = {"recursive c", "delta"}
UPWARD = {"k", "distinct l", "entropy l", "k of the population"}
TOGETHER = {name for name in AT if isinstance(AT[name](ANY[name]), WholeTable)}
"""Models that ask all classes together."""
RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40)


def seen(records):
    """Return (label, value) records as classes with the attribute s and its tree.

    The population has 3 persons more than records in each class, and the label of a
    class more.
    """
    labels, values = zip(*records, strict=True)
    found = classes(labels, TREE, s=values)
    more = np.array(list(dict.fromkeys(labels)), np.int64) + 3
    return dataclasses.replace(found, population=found.sizes + more)


def stricter(name, value):
    """Return a required value that asks for a little more."""
    if name in UPWARD:
        return value + 1 if isinstance(value, int) else value * (1 + 1e-9)
    return value * (1 - 1e-9)


@pytest.mark.parametrize("name", AT)
@given(records=RECORDS)
def test_achieved_is_the_strictest_value_that_is_satisfied(name, records):
    """A table satisfies a model at the value that it achieves, and at no stricter one."""
    table = seen(records)
    achieved = AT[name](ANY[name]).achieved(table)
    if math.isinf(achieved):
        assert not AT[name](1e9).satisfied(table).all()
        return
    assume(achieved > 1e-3)
    assert AT[name](achieved).satisfied(table).all() == (name not in STRICT)
    if name in STRICT:
        assert AT[name](achieved * (1 + 1e-9)).satisfied(table).all()
    else:
        assert not AT[name](stricter(name, achieved)).satisfied(table).all()


@pytest.mark.parametrize("name", sorted(AT.keys() - TOGETHER))
@given(records=RECORDS)
def test_a_class_is_judged_on_its_own(name, records):
    """Whether a class satisfies a model depends on its records and on the table, nothing else."""
    model = AT[name](ANY[name])
    labels = list(dict.fromkeys(label for label, _ in records))
    answers = model.satisfied(seen(records))
    for label, answer in zip(labels, answers, strict=True):
        halves = [(one if one == label else -1, value) for one, value in records]
        position = list(dict.fromkeys(one for one, _ in halves)).index(label)
        assert model.satisfied(seen(halves))[position] == answer


@pytest.mark.parametrize("name", sorted(AT.keys() - {"delta", "population uniqueness"}))
@given(records=RECORDS)
def test_merging_classes_never_breaks_a_model(name, records):
    """A table whose classes are merged achieves no worse than before: the models are monotonic."""
    model = AT[name](ANY[name])
    parts = seen(records)
    before = model.achieved(parts)
    merged = seen([(max(label, 1), value) for label, value in records])
    first = np.array([max(label, 1) for label in dict.fromkeys(label for label, _ in records)])
    places = {label: i for i, label in enumerate(dict.fromkeys(first.tolist()))}
    persons = np.bincount([places[one] for one in first.tolist()], parts.population)
    after = model.achieved(dataclasses.replace(merged, population=persons.astype(np.int64)))
    if name in UPWARD:
        assert after >= before * (1 - 1e-9)
    else:
        assert after <= before + 1e-9


def test_delta_disclosure_is_not_monotonic():
    """Merging a class with one that lacks a value can make that value too rare."""
    records = [(0, 0)] * 8 + [(1, 0)] * 7 + [(1, 1)] + [(2, 1)] * 14
    model = DeltaDisclosure("s", 2.5)
    assert model.satisfied(seen(records)).all()
    assert not model.satisfied(seen([(max(label, 1), value) for label, value in records])).all()


@pytest.mark.parametrize("name", AT)
def test_no_classes_violate_nothing(name):
    """A release without records satisfies every model, with 0 achieved."""
    one = classes(["a"], TREE, s=[0]).distributions["s"]
    nothing = np.zeros(0, np.int32)
    distribution = dataclasses.replace(
        one, offsets=np.zeros(1, np.int64), values=nothing, counts=nothing.astype(np.int64)
    )
    empty = Classes(np.zeros(0, np.int64), {"s": distribution}, np.zeros(0, np.int64))
    model = AT[name](ANY[name])
    assert len(model.satisfied(empty)) == 0
    assert model.achieved(empty) == 0


@pytest.mark.parametrize("name", AT)
def test_every_model_speaks_the_protocol(name):
    """Each model has a type that a policy knows, its required value and compiled criteria."""
    model = AT[name](ANY[name])
    assert isinstance(model, PrivacyModel)
    assert MODELS[model.type] is type(model)
    assert model.required == ANY[name]
    assert {criterion.attribute for criterion in model.criteria()} <= {model.attribute, None}
    assert bool(model.criteria()) != isinstance(model, WholeTable | PopulationModel)
    assert model.monotone in ("suppression", "generalization", "none")
    assert isinstance(model.suppressible, bool)


@pytest.mark.parametrize("name", sorted(AT))
@given(records=RECORDS)
def test_a_class_without_a_record_is_never_suppressed(name, records):
    """What only the population has satisfies every model that allows a share of 0."""
    table, model = seen(records), AT[name](ANY[name])
    entries = {
        key: dataclasses.replace(one, offsets=np.append(one.offsets, one.offsets[-1]))
        for key, one in table.distributions.items()
    }
    more = Classes(np.append(table.sizes, 0), entries, np.append(table.population, 1))
    assert model.satisfied(more)[:-1].tolist() == model.satisfied(table).tolist()
    assert model.satisfied(more)[-1] or isinstance(model, WholeTable)
    assert model.achieved(more) == model.achieved(table)


def test_every_model_is_here():
    """No model of classes is missing in these laws."""
    of_classes = {one for one in MODELS.values() if one.guarantee not in ("itemsets", "mechanism")}
    assert {type(AT[name](ANY[name])) for name in AT} == of_classes


def test_every_model_has_its_own_name():
    """No two models share the name that a policy calls them by."""
    assert all(model.type == name for name, model in MODELS.items())
