"""Pairs of tables for tests of record linkage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from kanonym.evaluation.attacks.matching.classes import classes_by
from twins import neighbours as naive_linkage
from utility_pairs import categorical, numeric, pair

NUMBER = st.one_of(st.none(), st.integers(0, 6))
SPAN = st.tuples(st.integers(0, 6), st.integers(0, 6)).map(lambda ends: tuple(sorted(ends)))
CATEGORY = st.sampled_from(["a", "b", "c", "d", None])
SET = st.sets(CATEGORY, min_size=1).map(lambda held: tuple(sorted(held, key=str)))


@st.composite
def linkages(draw, most=24):
    """Draw a pair of one or two number columns and as many others, released in every way."""
    n = draw(st.integers(1, most))
    m = draw(st.integers(1, most))
    columns = []
    for a in range(draw(st.integers(0, 2))):
        original = draw(st.lists(NUMBER, min_size=n, max_size=n))
        cells = st.one_of(NUMBER, SPAN, st.just("*"), st.sampled_from([0.5, 2.25]))
        released = draw(st.lists(cells, min_size=m, max_size=m))
        columns.append(numeric(f"n{a}", original, released))
    for b in range(draw(st.integers(0 if columns else 1, 2))):
        original = draw(st.lists(CATEGORY, min_size=n, max_size=n))
        cells = st.one_of(CATEGORY, SET, st.just("*"))
        released = draw(st.lists(cells, min_size=m, max_size=m))
        columns.append(categorical(f"c{b}", original, released))
    width = min(n, m)
    rows = draw(st.permutations(range(n)))[:width]
    columns = [_first(column, width) for column in columns]
    return pair(*columns, rows=rows, quasi_identifiers=tuple(one.name for one in columns))


def _first(column, width):
    """Return a column with its first released cells alone."""
    if hasattr(column, "low"):
        return replace(
            column,
            low=column.low[:width],
            high=column.high[:width],
            suppressed=column.suppressed[:width],
        )
    return replace(column, labels=column.labels[:width], suppressed=column.suppressed[:width])


def everybody(tables):
    """Return the numbers of all persons."""
    return np.arange(tables.n_original)


def searched(tables):
    """Return the classes of a pair by all its columns, and the persons as kernels see them."""
    classes = classes_by(tables, tables.quasi_identifiers)
    return classes, *classes.persons(tables, everybody(tables))


def away_from(tables, classes):
    """Return what the twin says of each person and one record of each class."""
    record = np.unique(classes.of_record, return_index=True)[1]
    return [
        [
            naive_linkage.distances(tables, person, one, tables.quasi_identifiers)
            for one in record.tolist()
        ]
        for person in range(tables.n_original)
    ]
