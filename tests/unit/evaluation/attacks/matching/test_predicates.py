"""Laws of counting what satisfies predicates made of released cells."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.matching import predicates
from kanonym.evaluation.attacks.matching import predicates as module
from kanonym.evaluation.attacks.matching.predicates import Predicates, count_matches, count_possible
from utility_pairs import categorical, numeric, pair

NUMBERS = [None, 0.0, 1.0, 2.0, 3.0]
CELLS = [*NUMBERS, "*", (0.0, 1.0), (1.0, 3.0)]
TOWNS = [None, "Bonn", "Kiel", "Ulm"]
PLACES = [*TOWNS, "*", ("Bonn", "Ulm"), ("Kiel", None)]


@st.composite
def situations(draw):
    """Draw a pair with both kinds of columns, its cells, and predicates of two of them each."""
    n, m = draw(st.integers(1, 10)), draw(st.integers(1, 10))
    tables = []
    for values, cells in [(NUMBERS, CELLS), (TOWNS, PLACES), (NUMBERS, CELLS)]:
        own = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        # Both ends and every category occur, so that a suppressed cell has a range.
        own = [*own, *values]
        tables.append((own, draw(st.lists(st.sampled_from(cells), min_size=m, max_size=m))))
    rows = draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=8))
    columns = [sorted(draw(st.permutations(range(3)))[:2]) for _ in rows]
    sides = [[draw(st.sampled_from([-1, 0, 1])) if c != 1 else 0 for c in one] for one in columns]
    width = max(len(own) for own, _ in tables)
    tables = [(own + [own[0]] * (width - len(own)), cells) for own, cells in tables]
    columns_of = [numeric("a", *tables[0]), categorical("b", *tables[1]), numeric("c", *tables[2])]
    asked = Predicates(np.array(rows), np.array(columns), np.array(sides, np.int8))
    return pair(*columns_of), tables, asked


def open_values(cell, side, values):
    """Return which values a condition on a released cell allows."""
    if cell == "*":
        return set(values)
    if cell is None:
        return {None}
    numbers = [value for value in values if isinstance(value, float)]
    if not numbers:
        return set(cell) if isinstance(cell, tuple) else {cell}
    low, high = cell if isinstance(cell, tuple) else (cell, cell)
    first, last = {-1: (-math.inf, low), 0: (low, high), 1: (high, math.inf)}[side]
    return {value for value in numbers if first <= value <= last}


@given(situations())
@settings(max_examples=examples(150), deadline=None)
def test_persons_satisfy_a_predicate_whose_values_are_allowed(situation):
    """A person counts where each column's value is among those that the condition allows."""
    tables, columns, asked = situation
    for row, chosen, sides, count in zip(
        asked.rows, asked.columns, asked.sides, count_matches(tables, asked), strict=True
    ):
        allowed = [
            open_values(columns[c][1][row], side, set(columns[c][0]))
            for c, side in zip(chosen, sides, strict=True)
        ]
        expected = sum(
            all(columns[c][0][i] in values for c, values in zip(chosen, allowed, strict=True))
            for i in range(tables.n_original)
        )
        assert count == expected


@given(situations())
@settings(max_examples=examples(150), deadline=None)
def test_records_may_satisfy_a_predicate_with_which_they_share_values(situation):
    """A released record counts where each of its cells leaves an allowed value open.

    Numbers are a line here, so that cells share the halves between values, too.
    """
    tables, columns, asked = situation
    everybody = np.ones(tables.n_released, np.bool_)
    line = [step / 2 for step in range(7)]
    for row, chosen, sides, count in zip(
        asked.rows,
        asked.columns,
        asked.sides,
        count_possible(tables, asked, everybody),
        strict=True,
    ):
        expected = 0
        for record in range(tables.n_released):
            shared = []
            for c, side in zip(chosen, sides, strict=True):
                values = set(TOWNS) if c == 1 else {*line, None}
                cell = columns[c][1][record]
                shared.append(
                    open_values(columns[c][1][row], side, values) & open_values(cell, 0, values)
                )
            expected += all(shared)
        assert count == expected


@given(situations(), st.integers(1, 400), st.sampled_from([0, 3, 1024]))
@settings(max_examples=examples(40), deadline=None)
def test_memory_does_not_change_counts(situation, size, few):
    """Looked at in small parts, or without bits of each category, the same records are counted."""
    tables, _, asked = situation
    everybody = np.ones(tables.n_released, np.bool_)
    expected = count_matches(tables, asked), count_possible(tables, asked, everybody)
    kept = module.BYTES, module.CELLS_AT_ONCE, predicates.FEW
    module.BYTES, module.CELLS_AT_ONCE, predicates.FEW = size, size, few
    try:
        found = count_matches(tables, asked), count_possible(tables, asked, everybody)
    finally:
        module.BYTES, module.CELLS_AT_ONCE, predicates.FEW = kept
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
