"""Laws of the population table beside the table: its records counted in the same tuples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.algorithms.base import classes_of, table_counts
from kanonym.data import hierarchy
from kanonym.data.errors import DataError, HierarchyError, SchemaError
from kanonym.data.population import encode_with_population, require_contained, with_population
from kanonym.data.table import encode

SOURCES = {
    "age": hierarchy.intervals(width=[2, 4], origin=0),
    "job": hierarchy.from_mapping({"*": {"x": ["a", "b"], "y": ["c"]}}),
}
VALUES = {"age": st.integers(0, 6), "job": st.sampled_from(["a", "b", "c", None])}
SICKNESS = st.sampled_from(["flu", "cold", None])


@st.composite
def both_tables(draw):
    """Draw a table with a sensitive column, and a population of up to 30 persons."""
    rows = draw(st.lists(st.tuples(*VALUES.values(), SICKNESS), max_size=12))
    persons = draw(st.lists(st.tuples(*VALUES.values()), max_size=30))
    return rows, persons


def columns(rows, names=("age", "job")):
    """Return rows as polars columns."""
    types = {"age": pl.Int64, "job": pl.String, "s": pl.String}
    return [
        pl.Series(name, [row[a] for row in rows], dtype=types[name]) for a, name in enumerate(names)
    ]


def encoded(rows, persons, *, nulls=False):
    """Encode both tables; nulls: whether a missing sensitive value is excluded."""
    age, job, s = columns(rows, ("age", "job", "s"))
    known = [(age, SOURCES["age"]), (job, SOURCES["job"])]
    return encode_with_population(known, [(s, None, nulls)], len(rows), columns(persons))


def decoded(table):
    """Return the quasi-identifiers of each tuple."""
    leaves = [[*domain.values.to_list(), *([None] * domain.has_null)] for domain in table.domains]
    return [tuple(leaves[a][code] for a, code in enumerate(row)) for row in table.codes.tolist()]


@given(tables=both_tables(), nulls=st.booleans())
def test_every_person_is_in_one_tuple(tables, nulls):
    """Tuples hold as many persons of each combination as the population, once each."""
    rows, persons = tables
    table = encoded(rows, persons, nulls=nulls)
    counted, records = Counter(), Counter()
    for values, weight, number in zip(
        decoded(table), table.weights.tolist(), table.population.tolist(), strict=True
    ):
        counted[values] += number
        records[values] += weight
        assert weight or (number and (table.sensitive_codes[:, 0] < 0).any())
    assert +counted == Counter(persons)
    assert +records == Counter(row[:2] for row in rows)


@given(tables=both_tables(), nulls=st.booleans())
def test_the_table_itself_stays_as_it_was(tables, nulls):
    """Records keep their values, and sensitive values their numbers; tuples are sorted."""
    rows, persons = tables
    table = encoded(rows, persons, nulls=nulls)
    own = decoded(table)
    assert [own[i] for i in table.tuple_of_row.tolist()] == [row[:2] for row in rows]
    keys = np.column_stack([table.codes, table.sensitive_codes]).tolist()
    assert keys == sorted(keys)
    assert len({tuple(key) for key in keys}) == len(keys)
    held = Counter(row[2] for row in rows if row[2] is not None or not nulls)
    values = [*table.sensitive[0].values.to_list(), None][: table.sensitive[0].size]
    assert dict(zip(values, table_counts(table, 0).tolist(), strict=True)) == dict(held)
    assert [domain.observed.sum() for domain in table.domains] == [
        len({row[a] for row in rows}) for a in range(2)
    ]


@given(tables=both_tables(), data=st.data())
def test_classes_count_their_persons(tables, data):
    """A class of tuples has the persons of these, and a size of 0 where it has no record."""
    table = encoded(*tables)
    n = len(table.weights)
    labels = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), np.int32)
    found = classes_of(table, labels, 3)
    assert found.population.tolist() == [int(table.population[labels == i].sum()) for i in range(3)]
    assert found.sizes.tolist() == [int(table.weights[labels == i].sum()) for i in range(3)]


def test_hierarchies_know_the_values_of_both_tables():
    """A built hierarchy covers values that only the population has, and counts the population."""
    town = pl.Series("town", ["Ulm", "Bonn"])
    persons = pl.Series("town", ["Ulm"] * 90 + ["Jena"] * 9 + ["Trier"])
    source = hierarchy.frequency(shares=[0.05])
    table = encode_with_population([(town, source)], [], 2, [persons])
    tree = table.domains[0].hierarchy
    assert set(tree.values.to_list()) == {"Ulm", "Bonn", "Jena", "Trier"}
    rare = [tree.label(1, leaf) for leaf in tree.leaf_of(pl.Series(["Bonn", "Trier", "Jena"]))]
    assert rare == ["other", "other", "Jena"]


def test_a_value_outside_of_the_hierarchy_is_named():
    """A population value that the hierarchy does not list is an error."""
    job = pl.Series("job", ["a"])
    with pytest.raises(HierarchyError, match="column 'job': 1 value is not in hierarchy"):
        encode_with_population([(job, SOURCES["job"])], [], 1, [pl.Series("job", ["z"])])
    table = encode([(job, SOURCES["job"])], [], 1)
    with pytest.raises(HierarchyError, match="column 'job': 1 value is not in the hierarchy"):
        with_population(table, [pl.Series("job", ["z"])])


def test_a_quasi_identifier_needs_a_hierarchy():
    """Values without a hierarchy cannot be generalized in both tables alike."""
    age = pl.Series("age", [1, 2])
    with pytest.raises(SchemaError, match="'age' has no hierarchy"):
        encode_with_population([(age, None)], [], 2, [age])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pl.Series(["1", "x"]), "column 'age', row 2: 'x' is String, but the table holds Int64"),
        (pl.Series([1.0, 1.5]), "row 2: 1.5 is Float64, but the table holds Int64"),
    ],
)
def test_types_must_agree(values, message):
    """A population value that the table's type cannot hold is named with its row."""
    with pytest.raises(DataError, match=message):
        encode_with_population([(pl.Series("age", [1]), SOURCES["age"])], [], 1, [values])


@pytest.mark.parametrize(
    "values", [pl.Series(["1", "3"]), pl.Series([1.0, 3.0]), pl.Series([1, 3], dtype=pl.UInt8)]
)
def test_the_same_values_in_another_type_are_read(values):
    """Numbers of a text file, or of another width, are the table's numbers."""
    age = pl.Series("age", [1, 3, 3])
    table = encode_with_population([(age, SOURCES["age"])], [], 3, [values])
    assert table.population.tolist() == [1, 1]
    assert table.weights.tolist() == [1, 2]


def test_a_population_must_contain_the_table_where_that_is_asked():
    """Combinations with more records than persons are counted, and no value is shown."""
    rows = [(1, "a", "flu"), (1, "a", "cold"), (2, "c", "flu")]
    require_contained(encoded(rows, [(1, "a"), (1, "a"), (2, "c"), (5, "b")]))
    with pytest.raises(
        DataError, match=r"in 1 of 2 combinations .* more records \(2\) than persons \(1\)"
    ):
        require_contained(encoded(rows, [(1, "a"), (2, "c")]))
    age, job, _ = columns(rows, ("age", "job", "s"))
    require_contained(encode([(age, None), (job, None)], [], 3))
