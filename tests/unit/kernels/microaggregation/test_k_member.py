"""The compiled k-member against its slow twin, and its laws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.hierarchy.base import with_null
from kanonym.data.table import Domain
from kanonym.kernels.microaggregation.k_member import k_member
from kanonym.metrics.certainty import certainty_costs, weighted_costs
from tables import levels, pick, tree, weighted
from twins import clustering as naive_k_member
from twins.mondrian import Range, Row, Set, Tree


def attribute(rng, name):
    """Return an attribute as its twin, its domain and its recoding.

    Domains hold 2, 3, 5 or 9 values, so that every loss is a multiple of a power of one half:
    sums are exact, and what is a tie to the twin is one to the kernel.
    """
    kind = pick(rng, ["interval", "set", "hierarchy"])
    size, null = pick(rng, [1, 2, 3, 5, 9]), pick(rng, [False, True])
    if kind == "interval":
        places = [Fraction(i, max(size - 1, 1)) for i in range(size)]
        values = pl.Series(name, range(size), dtype=pl.Int64)
        domain = Domain(name, "number", values, null, np.ones(size + null, np.bool_), None)
        return Range(tuple(places), size if null else -1), domain, kind
    named = max(size - null, 1)
    values = pl.Series(name, range(named), dtype=pl.Int64)
    observed = np.ones(named + null, np.bool_)
    if kind == "set":
        return Set(named + null), Domain(name, "nominal", values, null, observed, None), kind
    known = tree(name, levels(rng, named))
    known = with_null(known) if null else known
    paths = tuple(zip(*known.codes.tolist(), strict=True))
    return Tree(paths), Domain(name, "nominal", values, null, observed, known), kind


class Case:
    """Records, what they lose, and a k that they have."""

    def __init__(self, seed, *, large=False):
        """Draw all of it from one seed."""
        rng = np.random.default_rng(seed)
        d = pick(rng, [1, 2, 3, 5])
        drawn = [attribute(rng, f"a{a}") for a in range(d)]
        twins, domains, recodings = zip(*drawn, strict=True)
        self.twins = weighted(rng, twins)
        weights = np.array([float(one.weight) for one in self.twins])
        self.costs = weighted_costs(certainty_costs(domains, recodings), weights)
        n = pick(rng, [30, 60] if large else [1, 2, 5, 9, 16])
        columns = [np.minimum(*rng.integers(0, domain.size, (2, n))) for domain in domains]
        self.records = sorted(zip(*(column.tolist() for column in columns), strict=True))
        counted = Counter(self.records)
        self.codes = np.array(sorted(counted), np.int32).reshape(-1, d)
        self.weights = np.array([counted[one] for one in sorted(counted)], np.int64)
        self.k = max(
            1, min(n, pick(rng, [1, 2, 3, 5, 2 * n // 5, n // 2 - 1, n // 2 + 1, n - 1, n]))
        )
        self.first = int(rng.integers(n))

    def found(self):
        """Return the kernel's labels and their number."""
        first = np.repeat(np.arange(len(self.weights)), self.weights)[self.first]
        labels, n_classes = k_member(self.codes, self.weights, self.costs, self.k, int(first))
        return labels.tolist(), n_classes

    def expected(self):
        """Return the twin's classes."""
        rows = [Row(codes, (), 1) for codes in self.records]
        return naive_k_member.k_member(rows, self.twins, self.k, self.first)


def tuples_by_class(records, labels):
    """Return the records of each class, which equal one is where does not matter."""
    members = [[] for _ in set(labels)]
    for record, label in zip(records, labels, strict=True):
        members[label].append(record)
    return [sorted(one) for one in members]


def is_the_twins(case):
    """Compare what the kernel finds with what the twin finds."""
    labels, n_classes = case.found()
    expected = case.expected()
    assert n_classes == len(expected)
    assert tuples_by_class(case.records, labels) == [
        sorted(case.records[i] for i in one) for one in expected
    ]


@settings(max_examples=examples(300))
@given(seed=st.integers(0, 2**32 - 1))
def test_classes_are_the_twins(seed):
    """Classes, in the order of their formation, hold the records that the twin's hold."""
    is_the_twins(Case(seed))


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 2**32 - 1))
def test_classes_of_larger_tables_are_the_twins(seed):
    """So they do where tuples are many and are skipped by their first codes."""
    is_the_twins(Case(seed, large=True))


@settings(max_examples=examples(100))
@given(seed=st.integers(0, 2**32 - 1))
def test_classes_have_k_records_and_those_left_over(seed):
    """There are as many classes as there is room for; what is left over makes some larger."""
    case = Case(seed, large=True)
    labels, n_classes = case.found()
    sizes = Counter(labels).values()
    assert n_classes == len(case.records) // case.k
    assert min(sizes) >= case.k
    assert sum(size - case.k for size in sizes) == len(case.records) % case.k


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32 - 1))
def test_numbers_without_ties_are_the_twins(seed):
    """So are classes of real numbers, whose losses are rounded."""
    rng = np.random.default_rng(seed)
    columns = rng.random((2, 60))
    domains = [
        Domain(name, "number", pl.Series(name, np.sort(column)), False, np.ones(60, bool), None)  # noqa: FBT003
        for name, column in zip("ab", columns, strict=True)
    ]
    places = [
        tuple(
            (Fraction(v) - Fraction(min(c))) / (Fraction(max(c)) - Fraction(min(c)))
            for v in sorted(c)
        )
        for c in columns.tolist()
    ]
    records = sorted(zip(*np.argsort(np.argsort(columns)).tolist(), strict=True))
    labels, _ = k_member(
        np.array(records, np.int32),
        np.ones(60, np.int64),
        certainty_costs(domains, ["interval", "interval"]),
        4,
        7,
    )
    rows = [Row(codes, (), 1) for codes in records]
    expected = naive_k_member.k_member(rows, [Range(one) for one in places], 4, 7)
    assert tuples_by_class(records, labels.tolist()) == [
        sorted(records[i] for i in one) for one in expected
    ]
