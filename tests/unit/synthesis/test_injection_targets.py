"""How many records classes need: the fewest, checked against trying every number."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.synthesis.injection.classes import Classes, classes_of
from kanonym.synthesis.injection.targets import ClassTargets, compute_needs


def fewest(size, distinct, reach, wanted, most=400):
    """Return the fewest records and the new values they need, by trying; None beyond `most`."""
    for m in range(most):
        if size + m < (wanted.size or 0):
            continue
        fresh = []
        for c, r in zip(distinct, reach, strict=True):
            counts = (
                new
                for new in range(min(m, r - c) + 1)
                if c + new >= (wanted.l or 0)
                and 100.0 * (c + new) / (size + m) >= (wanted.diversity or 0)
            )
            fresh.append(next(counts, None))
        if None not in fresh:
            return m, fresh
    return None


def classes_with(sizes, **distinct):
    """Return classes of these sizes with so many different values of each attribute."""
    counts = {name: np.array(one, np.int64) for name, one in distinct.items()}
    first = np.cumsum([0, *sizes[:-1]])
    return Classes(np.zeros(0, np.int32), first, np.array(sizes, np.int64), counts)


@st.composite
def situations(draw):
    """Draw a class with two attributes, their reaches, and targets."""
    size = draw(st.integers(1, 12))
    distinct = [draw(st.integers(1, size)) for _ in range(2)]
    reach = [c + draw(st.integers(0, 12)) for c in distinct]
    return (
        size,
        distinct,
        reach,
        ClassTargets(
            size=draw(st.none() | st.integers(1, 20)),
            diversity=draw(st.none() | st.sampled_from([1, 12.5, 100 / 3, 50, 66.6, 99.5, 100])),
            l=draw(st.integers(1, 8)),
        ),
    )


@given(situations())
@settings(max_examples=examples(400), deadline=None)
def test_the_fewest_records_are_those_of_trying_every_number(situation):
    """Records and new values are the least that reach all targets, or the target is refused."""
    size, distinct, reach, wanted = situation
    held = classes_with([size], a=[distinct[0]], b=[distinct[1]])
    reaches = {"a": np.array(reach[:1]), "b": np.array(reach[1:])}
    expected = fewest(size, distinct, reach, wanted)
    if expected is None:
        with pytest.raises(InfeasibleError, match="cannot be reached by 1 class"):
            compute_needs(wanted, held, reaches, np.arange(1))
        return
    found = compute_needs(wanted, held, reaches, np.arange(1))
    assert found.records.tolist() == [expected[0]]
    assert [found.fresh["a"][0], found.fresh["b"][0]] == expected[1]


def test_classes_that_are_not_chosen_get_nothing():
    """Only chosen classes get records, whatever the others lack."""
    held = classes_with([1, 2, 3])
    assert compute_needs(ClassTargets(size=5), held, {}, np.array([1])).records.tolist() == [
        0,
        3,
        0,
    ]


def test_a_size_alone_asks_for_no_new_value():
    """Where no diversity is asked, an attribute without room for more values is no obstacle."""
    held = classes_with([3], a=[1])
    found = compute_needs(ClassTargets(size=5), held, {"a": np.array([1])}, np.arange(1))
    assert found.records.tolist() == [2]
    assert found.fresh == {}


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            ClassTargets(l=5),
            "5 different values of 'a' cannot be reached by 2 classes: that of row 1 ",
        ),
        (
            ClassTargets(l=5),
            "has 3 records with 1 different value, and can have 4 of them: the best is 4",
        ),
        (
            ClassTargets(diversity=80),
            "a diversity of 80 % of 'a' cannot be reached by 1 class: that of",
        ),
        (
            ClassTargets(diversity=80),
            "row 1 has 3 records with 1 different value, and can have 4 of the",
        ),
        (ClassTargets(diversity=80), "the best is 66.66 %, with 6 records. Ask for less"),
        (
            ClassTargets(diversity=60, size=8),
            "the other targets ask for 8 records, of which that is 50",
        ),
    ],
)
def test_an_impossible_target_names_the_class_and_what_is_possible(wanted, said):
    """The message tells the class by its first row, its sizes, the reach and the best value."""
    held = classes_with([3, 4], a=[1, 4])
    with pytest.raises(InfeasibleError) as caught:
        compute_needs(wanted, held, {"a": np.array([4, 4])}, np.arange(2))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({}, "set a target for classes: size"),
        ({"size": 0}, "size is 0; it must be an integer of at least 1"),
        ({"size": 2.5}, "size is 2.5"),
        ({"l": 0}, "l is 0"),
        ({"diversity": 0}, "diversity is 0; it must be a number above 0 and at most 100"),
        ({"diversity": 100.5}, "diversity is 100.5"),
        ({"diversity": float("nan")}, "diversity is nan"),
    ],
)
def test_targets_out_of_range_are_refused(given_, said):
    """No target, or one that means nothing, is refused with what it must be."""
    with pytest.raises(PolicyError) as caught:
        ClassTargets(**given_)
    assert said in str(caught.value)


def test_classes_stand_in_the_order_of_their_first_record():
    """Labels count up by first appearance; null is a value of its own."""
    known = [pl.Series("a", ["y", None, "x", "y", None])]
    held = classes_of(known, {"s": pl.Series("s", [1, None, 2, 3, None])}, 5)
    assert held.labels.tolist() == [0, 1, 2, 0, 1]
    assert held.first.tolist() == [0, 1, 2]
    assert held.sizes.tolist() == [2, 2, 1]
    assert held.distinct["s"].tolist() == [2, 1, 1]
