"""Laws of the cut of an order, against its slow twins."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.partitioning as naive
from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.data.table import encode
from kanonym.kernels.partitioning.segmentation import Limits, Purity, cut, first_fit
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import AlphaKAnonymity, KAnonymity, LDiversity
from tables import tables
from twins import workload as naive_workload

SMALL = tables(2, 11)
UNGUIDED = Purity(np.zeros(0, np.int64), np.zeros(0, np.int64), 0.0)


def limits(known, apart, reach, enough=math.inf, left=None):
    """Return limits of units that may lose nothing, or what is said."""
    left = np.zeros(len(known) + 1) if left is None else np.array(left)
    return Limits(known, apart, reach, left, np.array([enough]))


class Order:
    """The records of a table in a drawn order, as the kernel takes them and as lists."""

    def __init__(self, table, draw, *, whole_units=False):
        """Lay out single records; cut them into units at drawn places."""
        encoded = table.encoded()
        tuples = draw(st.permutations(np.repeat(np.arange(len(table.rows)), encoded.weights)))
        tuples = tuples[:12]
        self.table = table
        self.rows = [table.rows[i]._replace(weight=1) for i in tuples]
        self.n = len(tuples)
        self.codes = np.ascontiguousarray(encoded.codes[tuples])
        self.hidden = np.ascontiguousarray(encoded.sensitive_codes[tuples])
        inner = [] if whole_units else draw(st.lists(st.integers(1, self.n), unique=True))
        bounds = range(self.n + 1) if whole_units else sorted({0, *inner, self.n})
        self.bounds = np.array(list(bounds), np.int64)
        self.units = [self.rows[a:b] for a, b in itertools.pairwise(self.bounds.tolist())]
        self.criteria = compile_criteria(table.models, encoded)

    def cut(self, known, reach, *, apart=False, purity=UNGUIDED, enough=math.inf, left=None):
        """Return where classes start, and the loss, by the kernel."""
        starts, losses, self.complete = cut(
            *(self.codes, self.hidden, self.bounds),
            limits(np.array(known), apart, reach, enough, left),
            *(self.table.costs, self.criteria, purity),
        )
        self.losses = losses.tolist()
        return starts.tolist(), losses[-1] if len(losses) else None

    def records(self, starts):
        """Return the records of each class."""
        return [
            [row for unit in self.units[a:b] for row in unit] for a, b in itertools.pairwise(starts)
        ]

    def check(self, starts, loss):
        """Assert that classes satisfy the models, and lose what is said."""
        classes = self.records(starts)
        assert sum(map(len, classes)) == self.n
        assert all(self.table.satisfies(rows) for rows in classes)
        lost = sum(naive.loss(rows, self.table.attributes) for rows in classes)
        assert loss == pytest.approx(lost, abs=1e-9)


@settings(max_examples=examples(150), deadline=None)
@given(table=SMALL, data=st.data())
def test_no_cut_loses_less_where_conditions_last(table, data):
    """For numbers of records and of distinct values a complete cut is the best of all cuts."""
    names = [domain.name for domain in table.sensitive]
    models = [KAnonymity(data.draw(st.integers(1, 4)))]
    models += [LDiversity(name, data.draw(st.integers(1, 3))) for name in names]
    object.__setattr__(table, "models", models)
    order = Order(table, data.draw, whole_units=True)
    expected = naive.best_of_all(order.rows, table.attributes, table.satisfies)
    for reach in (64, data.draw(st.integers(1, 12))):
        starts, loss = order.cut([True] * order.n, reach)
        if order.complete:
            assert loss == pytest.approx(expected, abs=1e-9)
        if loss < math.inf:
            order.check(starts, loss)
        assert order.complete or reach < order.n


@settings(max_examples=examples(150), deadline=None)
@given(table=SMALL, data=st.data(), numbers=st.booleans())
def test_no_cut_of_less_loss_and_impurity_together(table, data, numbers):
    """With a target, what is least is the loss and the weighed impurity of all classes."""
    object.__setattr__(table, "models", [KAnonymity(data.draw(st.integers(1, 4)))])
    order = Order(table, data.draw, whole_units=True)
    values = data.draw(st.lists(st.integers(-9, 9), min_size=3, max_size=3))
    known = st.integers(-1, 2)
    targets = data.draw(st.lists(known, min_size=order.n, max_size=order.n))
    rows = [
        row._replace(secrets=(*row.secrets, one))
        for row, one in zip(order.rows, targets, strict=True)
    ]
    order.hidden = np.column_stack([order.hidden, np.array(targets, np.int32)])
    counts = np.arange(1, order.n + 1)
    curve = np.append(0, np.rint(counts * np.log2(counts) * 2**30)).astype(np.int64)
    worth = data.draw(st.sampled_from([0.01, 0.3, 5.0]))
    purity = Purity(np.array(values), curve[:0] if numbers else curve, worth)
    if not numbers:
        purity = purity._replace(worth=worth / 2**30)

    def further(node):
        return worth * naive_workload.impurity(node, values if numbers else ())

    expected = naive.best_of_all(rows, table.attributes, table.satisfies, further)
    starts, loss = order.cut([True] * order.n, 64, purity=purity)
    assert order.complete
    assert loss == pytest.approx(expected, abs=1e-6)
    if loss < math.inf:
        classes = [rows[a:b] for a, b in itertools.pairwise(starts)]
        lost = sum(naive.loss(one, table.attributes) + further(one) for one in classes)
        assert loss == pytest.approx(lost, abs=1e-6)


@settings(max_examples=examples(200), deadline=None)
@given(table=SMALL, data=st.data(), apart=st.booleans(), reach=st.integers(1, 12))
def test_the_cut_is_that_of_its_rule(table, data, apart, reach):
    """Whatever the models, units and known classes: the loss is that of the plain rule."""
    order = Order(table, data.draw)
    m = len(order.units)
    known = [True, *data.draw(st.lists(st.booleans(), min_size=m - 1, max_size=m - 1))]
    expected = naive.best_by_rule(
        order.units, table.attributes, table.satisfies, known, reach, apart=apart
    )
    starts, loss = order.cut(known, reach, apart=apart)
    assert loss == pytest.approx(expected, abs=1e-9)
    if loss < math.inf:
        order.check(starts, loss)
        if apart:
            assert {i for i in range(m) if known[i]} <= set(starts)


@settings(max_examples=examples(150), deadline=None)
@given(table=SMALL, data=st.data(), reach=st.sampled_from([2, 4, 64]), apart=st.booleans())
def test_an_order_is_given_up_only_where_it_loses_more_than_is_enough(table, data, reach, apart):
    """A limit changes no cut that keeps it, and no answer that there is none."""
    order = Order(table, data.draw)
    m = len(order.units)
    known = [True, *data.draw(st.lists(st.booleans(), min_size=m - 1, max_size=m - 1))]
    starts, loss = order.cut(known, reach, apart=apart)
    losses = order.losses
    for share in (0.0, 0.5, 1.0, 2.0):
        enough = share * (loss if loss < math.inf else float(order.n))
        alone = [naive.loss(rows, table.attributes) for rows in order.units]
        left = [sum(alone[i:]) for i in range(m)] + [0.0]
        found = order.cut(known, reach, apart=apart, enough=enough + 1e-9, left=left)
        if found[1] is None:
            assert loss > enough
        else:
            assert (found, order.losses) == ((starts, loss), losses)


@settings(max_examples=examples(150), deadline=None)
@given(table=SMALL, data=st.data())
def test_no_cut_loses_more_than_a_known_division(table, data):
    """Where known classes satisfy the models, what is found loses no more than they do."""
    order = Order(table, data.draw)
    if not table.satisfies(order.rows):
        return
    starts = naive.first_fit(order.units, table.satisfies)
    division = [i for i, first in enumerate(starts) if first] + [len(starts)]
    lost = sum(naive.loss(rows, table.attributes) for rows in order.records(division))
    assert order.cut(starts, len(starts))[1] <= lost + 1e-9


@settings(max_examples=examples(150), deadline=None)
@given(table=SMALL, data=st.data())
def test_first_fit_is_its_twin(table, data):
    """Units are joined from the left until they satisfy the models; the rest joins the last."""
    order = Order(table, data.draw)
    found = first_fit(order.hidden, order.bounds, order.criteria)
    assert found.tolist() == naive.first_fit(order.units, table.satisfies)


@settings(max_examples=examples(100), deadline=None)
@given(table=SMALL, data=st.data(), k=st.integers(1, 5))
def test_classes_have_k_to_2k_minus_1_records(table, data, k):
    """Where only k is asked for, no class is long enough to be two."""
    object.__setattr__(table, "models", [KAnonymity(k)])
    order = Order(table, data.draw, whole_units=True)
    starts, loss = order.cut([True] * order.n, 2 * k)
    assert (loss < math.inf) == (order.n >= k)
    if loss < math.inf:
        assert all(k <= b - a < 2 * k for a, b in itertools.pairwise(starts))


def test_a_known_class_is_looked_at_although_its_end_is_two_good_ones():
    """A leading record that needs the others is not forced on the class before."""
    ages = pl.Series("age", [0] * 4 + [100] * 5)
    values = pl.Series("s", list("abab" + "a" + "ab" + "ab"))
    table = encode([(ages, None)], [(values, None, False)], 9)
    rows = table.tuple_of_row
    records = table.codes[rows], table.sensitive_codes[rows], np.arange(10)
    costs = certainty_costs(table.domains, ["interval"])
    criteria = compile_criteria([AlphaKAnonymity(0.6, 1, "s")], table)
    known, apart = np.zeros(9, np.bool_), False
    known[[0, 4]] = True
    whole = costs, criteria, UNGUIDED
    starts, losses, _ = cut(*records, limits(known, apart, 9), *whole)
    assert (starts[-2:].tolist(), losses[-1]) == ([4, 9], 0)
    known[:] = True
    assert cut(*records, limits(known, apart, 9), *whole)[1][-1] == 5
