"""Laws of counting a population from released labels alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data import hierarchy
from kanonym.data.errors import SchemaError
from kanonym.verification.checked_classes import PopulationColumn, count_persons
from kanonym.verification.released_classes import group_released

AGES = hierarchy.from_mapping({str(i): [f"two {i // 2}", f"four {i // 4}", "*"] for i in range(8)})
JOBS = hierarchy.from_mapping({"*": {"x": ["a", "b"], "y": ["c", "d"]}})
PERSONS = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from(["a", "b", "c", "d", None])),
    min_size=1,
    max_size=40,
)


def built(persons):
    """Return the trees of a population, and its columns."""
    columns = [
        pl.Series("age", [age for age, _ in persons], dtype=pl.Int64),
        pl.Series("job", [job for _, job in persons], dtype=pl.String),
    ]
    return [
        source.bind(column) for source, column in zip((AGES, JOBS), columns, strict=True)
    ], columns


def labels_of(tree, values, level):
    """Return the labels of values at one level, a number for each value or one for all."""
    leaves = tree.leaf_of(values).tolist()
    levels = [level] * len(leaves) if isinstance(level, int) else level
    return [tree.label(at, leaf) for at, leaf in zip(levels, leaves, strict=True)]


def release(persons, taken, levels):
    """Release some persons, each attribute at a level for all or one for each."""
    trees, columns = built(persons)
    some = [column.gather(taken) for column in columns]
    return [
        pl.Series(column.name, labels_of(tree, column, level), dtype=pl.String)
        for tree, column, level in zip(trees, some, levels, strict=True)
    ]


@given(persons=PERSONS, data=st.data())
def test_a_full_domain_release_is_counted_at_its_levels(persons, data):
    """A class has the persons whose values are generalized to its labels; the others are beyond."""
    some = st.lists(st.integers(0, len(persons) - 1), min_size=1, max_size=10)
    taken = data.draw(some)
    levels = data.draw(st.sampled_from([(0, 0), (1, 0), (0, 1), (2, 1), (1, 2)]))
    released = release(persons, taken, levels)
    trees, columns = built(persons)
    everybody = Counter(
        zip(*(labels_of(*one) for one in zip(trees, columns, levels, strict=True)), strict=True)
    )
    groups = group_released(released, len(taken))
    population = [
        PopulationColumn(column, source)
        for column, source in zip(columns, (AGES, JOBS), strict=True)
    ]
    counts, beyond = count_persons(released, population, groups.first)
    classes = [tuple(column[int(i)] for column in released) for i in groups.first]
    assert counts.tolist() == [everybody[one] for one in classes]
    assert beyond == len(persons) - sum(everybody[one] for one in classes)


@given(persons=PERSONS, data=st.data())
def test_classes_at_different_levels_are_counted_each_at_its_own(persons, data):
    """After local recoding, each class is compared with the population at its own levels."""
    taken = data.draw(st.lists(st.integers(0, len(persons) - 1), min_size=1, max_size=8))
    n = len(taken)
    levels = [
        data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in ("age", "job")
    ]
    released = release(persons, taken, levels)
    trees, columns = built(persons)
    groups = group_released(released, n)
    population = [
        PopulationColumn(column, source)
        for column, source in zip(columns, (AGES, JOBS), strict=True)
    ]
    counts, beyond = count_persons(released, population, groups.first)
    found = set()
    for i, count in zip(groups.first.tolist(), counts.tolist(), strict=True):
        own = [
            labels_of(tree, column, int(level[i]))
            for tree, column, level in zip(trees, columns, levels, strict=True)
        ]
        named = [
            j
            for j in range(len(persons))
            if all(labels[j] == column[i] for labels, column in zip(own, released, strict=True))
        ]
        assert count == len(named)
        found.update(named)
    assert beyond == len(persons) - len(found)


TOWNS = ["Ulm"] * 60 + ["Bonn"] * 29 + ["Jena"] * 8 + ["Trier"] * 2 + ["Worms"]
RARE = hierarchy.frequency(shares=[0.05, 0.1])


def towns(labels):
    """Count the persons of towns that are released so."""
    column = PopulationColumn(pl.Series("town", TOWNS), RARE)
    released = pl.Series("town", labels)
    counts, _ = count_persons([released], [column], np.arange(len(labels)))
    return counts.tolist()


def test_a_label_of_two_levels_is_read_at_the_lowest():
    """`other` stands for 3 persons at level 1, for 11 at level 2: the fewest are meant."""
    assert towns(["Ulm", "other"]) == [60, 3]
    assert towns(["Jena", "other"]) == [8, 3]


@pytest.mark.parametrize(
    "released", [pl.Series("n", [1.5, 2.0]), pl.Series("n", ["1.50", "2"]), pl.Series("n", [2.0])]
)
def test_numbers_are_read_as_values(released):
    """Values that were not generalized may come back as numbers or as their text."""
    persons = pl.Series("n", [1.5, 2.0, 2.0])
    source = hierarchy.from_mapping({"1.50": "*", "2": "*"})
    counts, _ = count_persons(
        [released], [PopulationColumn(persons, source)], np.arange(len(released))
    )
    assert counts.tolist()[-1] == 2


def test_a_value_that_is_no_label_is_named():
    """A release by intervals cannot be looked up in a hierarchy."""
    with pytest.raises(SchemaError, match=r"column 'town': '\[Bonn, Ulm\]' is not a label of its"):
        towns(["[Bonn, Ulm]"])


def test_every_quasi_identifier_needs_one_column():
    """Released as two columns, a value has no level."""
    ages = pl.Series("age", [1, 2])
    with pytest.raises(SchemaError, match=r"other columns than .* need recoding 'hierarchy'"):
        count_persons([ages, ages], [PopulationColumn(ages, AGES)], np.arange(2))
