"""Laws of k-member on tables: its classes are the twin's, what it releases, what it refuses."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.clustering import KMember
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import AverageRisk, KAnonymity, KMap, LDiversity, SampleUniqueness, TCloseness
from twins import clustering as naive_k_member
from twins import mondrian as naive_mondrian
from twins.mondrian import Range, Row, Set

TOWNS = ["Bonn", "Köln", "Łódź"]


@st.composite
def tables(draw):
    """Draw numbers from 0 to 8, towns with nulls, and a k; losses are multiples of 1/8."""
    n = draw(st.integers(3, 24))
    numbers = [0, 8, *draw(st.lists(st.integers(0, 8), min_size=n - 2, max_size=n - 2))]
    few = draw(st.sampled_from([TOWNS, [*TOWNS[:2], None], [None, "Bonn"]]))
    towns = few + draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
    frame = pl.DataFrame({"number": numbers, "town": towns[:n]}, schema_overrides={"town": str})
    return frame, draw(st.integers(1, n))


def partition(frame, models, seed=0):
    """Return the class of each record, and the encoded table."""
    table = encode([(column, None) for column in frame], [], len(frame))
    recodings = ["interval" if column.dtype.is_numeric() else "set" for column in frame]
    costs = certainty_costs(table.domains, recodings)
    found = KMember(seed).partition(Problem(table, costs, models))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    assert set(labels.tolist()) == set(range(found.n_classes))
    return labels.tolist(), table


@given(drawn=tables(), seed=st.integers(0, 3))
@settings(max_examples=examples(80))
def test_no_more_is_lost_than_by_the_twin(drawn, seed):
    """There are as many classes as by trying every record, and after exchanges they lose no more.

    The column of fewest values comes first.
    """
    frame, k = drawn
    labels, table = partition(frame, [KAnonymity(k)], seed)
    n_towns, n_numbers = (table.domains[a].size for a in (1, 0))
    values = table.domains[0].values.to_list()
    attributes = [Range(tuple(Fraction(value, 8) for value in values)), Set(n_towns)]
    turn = [1, 0] if n_towns <= n_numbers - (n_towns == n_numbers) else [0, 1]
    records = [tuple(row) for row in table.codes[table.tuple_of_row][:, turn].tolist()]
    first = int(np.random.default_rng(seed).integers(len(records)))
    rows = [Row(codes, (), 1) for codes in sorted(records)]
    attributes = [attributes[a] for a in turn]
    expected = naive_k_member.k_member(rows, attributes, k, first)
    found = [[] for _ in expected]
    for codes, label in zip(records, labels, strict=True):
        found[label].append(Row(codes, (), 1))
    most = sum(naive_mondrian.loss([rows[i] for i in one], attributes) for one in expected)
    assert sum(naive_mondrian.loss(one, attributes) for one in found) <= most


@given(drawn=tables(), randoms=st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_a_release_is_k_anonymous_whatever_the_order_of_records(drawn, randoms):
    """Every row is there k times, nobody is left out, and the order of the input is no matter."""
    frame, k = drawn
    order = list(range(len(frame)))
    randoms.shuffle(order)
    one, other = (
        ka.anonymize(table, quasi_identifiers=frame.columns, k=k, algorithm="k-member")
        for table in (frame, frame[order])
    )
    assert one.verification.satisfied
    assert min(Counter(one.frame.rows()).values()) >= k
    assert len(one.frame) == len(frame)
    assert one.frame.rows() == other.frame.rows()


@pytest.mark.parametrize("recoding", [None, "set", "hierarchy", "mode"])
def test_every_recoding_takes_its_classes(recoding):
    """Classes are made for the recoding that is asked for, and released by it."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(0, 90, 200), "zip": rng.integers(100, 120, 200)})
    frame = frame.with_columns(pl.col("zip").cast(pl.String))
    trees = {"zip": ka.hierarchy.masking()} if recoding == "hierarchy" else {}
    release = ka.anonymize(
        frame,
        quasi_identifiers=["age", "zip"],
        hierarchies=trees,
        recoding=recoding,
        k=5,
        algorithm=KMember(),
    )
    assert release.verification.satisfied
    assert release.utility.gcp < 0.3


def test_it_loses_less_than_mondrian():
    """On clustered categories k-member's penalty is the lower one, whatever the seed."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 6, (40, 5))[rng.integers(0, 40, 600)]
    kinds[np.arange(600), rng.integers(0, 5, 600)] = rng.integers(0, 6, 600)
    frame = pl.DataFrame(kinds.astype(str), schema=list("abcde"))
    asked = {"quasi_identifiers": frame.columns, "k": 5}
    losses = [ka.anonymize(frame, **asked, algorithm=KMember(s)).utility.gcp for s in range(3)]
    assert len(set(losses)) > 1
    assert max(losses) < ka.anonymize(frame, **asked).utility.gcp


@pytest.mark.parametrize(
    ("models", "k"),
    [([KAnonymity(2), KAnonymity(3)], 3), ([AverageRisk(0.3)], 4), ([SampleUniqueness(0.1)], 2)],
)
def test_models_of_class_sizes_are_met(models, k):
    """The class size is the largest that a model asks for, or that is sufficient for one."""
    frame = pl.DataFrame({"a": np.random.default_rng(0).standard_normal(40)})
    assert min(Counter(partition(frame, models)[0]).values()) == k


@pytest.mark.parametrize(
    "model", [LDiversity("s", 2), TCloseness("s", 0.2)], ids=lambda model: model.type
)
def test_models_of_sensitive_values_are_refused(model):
    """A model that looks at sensitive values is an error that names what can be asked."""
    frame = pl.DataFrame({"a": [1, 2]})
    with pytest.raises(PolicyError, match=rf"k-member .*{model.type} of 's' .*choose k-anonymity"):
        partition(frame, [model])


def test_models_of_a_population_are_refused():
    """k-map counts persons in every class, which k-member does not see."""
    with pytest.raises(PolicyError, match="k-map needs an algorithm"):
        partition(pl.DataFrame({"a": [1, 2]}), [KMap(2, "people.csv")])


def test_fewer_than_k_records_are_refused():
    """A table of fewer than k records cannot be released; one of k to 2 k - 1 is one class."""
    frame = pl.DataFrame({"a": [1, 2, 3, 4, 5]})
    with pytest.raises(InfeasibleError, match="required 6, the best possible is 5"):
        partition(frame, [KAnonymity(6)])
    for k in (5, 4, 3):
        assert partition(frame, [KAnonymity(k)])[0] == [0] * 5


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(pl.DataFrame({"a": []}), [KAnonymity(3)])[0] == []
    table = encode([], [], 4)
    whole = KMember().partition(Problem(table, certainty_costs([], []), [KAnonymity(3)]))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)


@pytest.mark.parametrize("seed", [-1, 0.5, "0", True, None])
def test_the_seed_is_an_integer(seed):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"seed is .*; it must be an integer of at least 0"):
        KMember(seed)
