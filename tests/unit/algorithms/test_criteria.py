"""Laws of models as kernels read them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.base import ancestors_of, classes_of, compile_criteria, table_counts
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import from_mapping
from kanonym.data.table import encode
from kanonym.kernels.classes import disclosure
from kanonym.models import (
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
)
from tables import tables
from twins import classes as naive
from twins import mondrian as naive_mondrian

MEASURES = ["DISTINCT", "ENTROPY", "RECURSIVE", "ALPHA", *naive.BY_TABLE, "T_HIERARCHICAL"]
DEEP = {f"{i:02}": [str(i // 2), str(i // 4), str(i // 8), "*"] for i in range(16)}
SIZES = {"one": 1, "flat": 3, "deep": 16}


def encoded(rng, n):
    """Encode attributes of 1, 3 and 16 values, with trees of height 0, 1 and 4, and a number."""
    columns = {
        name: pl.Series(name, [f"{i:02}" for i in rng.integers(0, size, n)])
        for name, size in SIZES.items()
    }
    columns["number"] = pl.Series("number", rng.integers(-3, 4, n))
    empty = pl.Series("empty", [None] * n, dtype=pl.String)
    sources = {"flat": from_mapping({f"{i:02}": "*" for i in range(3)}), "deep": from_mapping(DEEP)}
    sensitive = [(column, sources.get(name), False) for name, column in columns.items()]
    return encode([], [(empty, None, True), *sensitive], n)


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 999))
def test_attributes_of_different_size_measure_as_each_alone(name, seed):
    """References stacked to the largest domain and the highest tree change no measure."""
    rng = np.random.default_rng(seed)
    table = encoded(rng, int(rng.integers(1, 25)))
    own = rng.random(len(table.weights)) < 0.4
    # One condition an attribute, for the levels that stand in it.
    models = [KAnonymity(1), *(LDiversity(domain.name, 1) for domain in table.sensitive)]
    criteria = compile_criteria(models, table)
    for condition in criteria.conditions:
        j = int(condition[1])
        tree = ancestors_of(table, j)
        values, counts = weighted(table, j, own)
        alone, stacked = (
            disclosure.class_measure(
                getattr(disclosure, name), values, counts, len(values), counts.sum(), *reference, 2
            )
            for reference in (
                (disclosure.reference_shares(table_counts(table, j), tree), tree),
                (criteria.references[j], criteria.ancestors[j][: condition[4]]),
            )
        )
        np.testing.assert_equal(stacked, alone)


def weighted(table, j, own):
    """Return present values and counts of some tuples."""
    counts = np.zeros(table.sensitive[j].size, np.int64)
    held = own & (table.sensitive_codes[:, j] >= 0)
    np.add.at(counts, table.sensitive_codes[held, j], table.weights[held])
    values = np.flatnonzero(counts).astype(np.int32)
    return values, counts[values]


def test_every_model_becomes_its_conditions():
    """Conditions name measure, attribute, relation, argument and levels; sizes are one number."""
    table = encoded(np.random.default_rng(0), 20)
    criteria = compile_criteria(
        [
            KAnonymity(3),
            AlphaKAnonymity(0.5, 4, "flat"),
            LDiversity("number", 2, "recursive", 1.5),
            TCloseness("deep", 0.25, "hierarchical"),
            BetaLikeness("number", 2, "enhanced"),
        ],
        table,
    )
    empty, _, flat, deep, number = range(5)
    assert [domain.name for domain in table.sensitive][empty] == "empty"
    assert criteria.min_size == 4
    assert criteria.conditions.tolist() == [
        [disclosure.ALPHA, flat, disclosure.LE, 0, 2],
        [disclosure.RECURSIVE, number, disclosure.LT, 2, 0],
        [disclosure.T_HIERARCHICAL, deep, disclosure.LE, 0, 5],
        [disclosure.BETA_BASIC, number, disclosure.LE, 0, 0],
        [disclosure.BETA_EXCESS, number, disclosure.LE, 0, 0],
    ]
    assert criteria.thresholds.tolist() == [0.5, 1.5, 0.25, 2, 1]


def test_without_sensitive_attributes_only_sizes_are_asked():
    """k-anonymity alone needs no condition; no model at all asks for one record."""
    table = encode([(pl.Series("a", [1, 2]), None)], [], 2)
    assert compile_criteria([KAnonymity(2)], table).min_size == 2
    assert compile_criteria([], table).min_size == 1
    assert len(compile_criteria([KAnonymity(2)], table).thresholds) == 0


def test_models_of_the_whole_table_become_a_sufficient_class_size():
    """An average risk of 0.2 is guaranteed by classes of five, uniqueness by classes of two."""
    table = encode([(pl.Series("a", [1, 2]), None)], [], 2)
    assert compile_criteria([AverageRisk(0.2), KAnonymity(3)], table).min_size == 5
    assert compile_criteria([SampleUniqueness(0.1)], table).min_size == 2
    assert compile_criteria([PopulationUniqueness(0.1, 99)], table).min_size == 2
    assert compile_criteria([SampleUniqueness(1)], table).min_size == 1


@pytest.mark.parametrize("model", [KMap(2, "r.csv"), DeltaPresence(0, 0.5, "r.csv")])
def test_models_of_a_population_are_no_conditions(model):
    """Compiled algorithms do not see the population table, and name the one that does."""
    table = encode([(pl.Series("a", [1, 2]), None)], [], 2)
    with pytest.raises(PolicyError, match=rf"{model.type} needs .* choose full-domain"):
        compile_criteria([KAnonymity(2), model], table)


@given(table=tables(), data=st.data())
def test_classes_hold_what_their_rows_hold(table, data):
    """Sizes, histograms and the table's counts are those of the rows; suppressed rows are out."""
    labels = data.draw(
        st.lists(st.integers(-1, 2), min_size=len(table.rows), max_size=len(table.rows))
    )
    classes = classes_of(table.encoded(), np.array(labels, np.int32), 3)
    nodes = [
        [row for row, one in zip(table.rows, labels, strict=True) if one == i] for i in range(3)
    ]
    assert classes.sizes.tolist() == [naive_mondrian.records(node) for node in nodes]
    for j, domain in enumerate(table.sensitive):
        found = classes.distributions[domain.name]
        for i, node in enumerate(nodes):
            own = slice(found.offsets[i], found.offsets[i + 1])
            held = dict(zip(found.values[own].tolist(), found.counts[own].tolist(), strict=True))
            assert held == Counter(naive_mondrian.secrets(node, j))
        whole = Counter(naive_mondrian.secrets(table.rows, j))
        assert found.table.tolist() == [whole[value] for value in range(domain.size)]


@given(table=tables())
def test_models_agree_with_their_definitions(table):
    """A model asked of the whole table through its classes answers as its definition does."""
    whole = classes_of(table.encoded(), np.zeros(len(table.rows), np.int32), 1)
    for model in [*table.models, *(DeltaDisclosure(d.name, 0.1) for d in table.sensitive)]:
        assert model.satisfied(whole).tolist() == [table.satisfies.asked(model, table.rows)]
