"""Pairs of tables by hand: what tests give to the measures of utility."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair


def numeric(name, original, released=None):
    """Make a column of numbers; released are numbers, (low, high), None for null, or "*".

    Without released values they are the original's.
    """
    original = np.array([np.nan if value is None else value for value in original], float)
    if released is None:
        released = [None if np.isnan(value) else value for value in original]
    held = original[~np.isnan(original)]
    whole = (held.min(), held.max()) if len(held) else (np.nan, np.nan)

    def span(value):
        if isinstance(value, str):
            return whole
        if value is None:
            return np.nan, np.nan
        return value if isinstance(value, tuple) else (value, value)

    spans = np.array([span(value) for value in released], float).reshape(-1, 2)
    suppressed = np.array([isinstance(value, str) for value in released], bool)
    return NumericColumn(name, original, spans[:, 0].copy(), spans[:, 1].copy(), suppressed)


def categorical(name, original, released=None):
    """Make a column of categories; released are values, tuples of values, or "*" for any.

    Without released values they are the original's; None is null.
    """
    released = list(original) if released is None else list(released)
    opened = [value if isinstance(value, tuple) else (value,) for value in released]
    held = set(original) | {value for values in opened for value in values if value != "*"}
    values = [*sorted(value for value in held if value is not None), *([None] * (None in held))]
    code = {value: i for i, value in enumerate(values)}
    sets = [
        tuple(range(len(values))) if "*" in one else tuple(sorted(code[value] for value in one))
        for one in opened
    ]
    distinct = sorted(set(sets))
    return CategoricalColumn(
        name,
        pl.Series(values, dtype=pl.String),
        np.array([code[value] for value in original], np.int32),
        np.array([distinct.index(one) for one in sets], np.int32),
        np.cumsum([0, *map(len, distinct)]),
        np.array([code for one in distinct for code in one], np.int32),
        np.array(["*" in one for one in opened], bool),
    )


def pair(*columns, rows=None, quasi_identifiers=()):
    """Put columns together; rows are numbers of original records, or None."""
    first = columns[0]
    n_released = len(first.suppressed)
    rows = None if rows is None else np.array(rows, np.int64)
    return TablePair(columns, quasi_identifiers, len(first.original), n_released, rows)


def kept(tables, rows):
    """Return a pair whose release has some of the released records, in the order given."""
    rows = np.array(rows, np.int64)

    def column(one):
        if isinstance(one, NumericColumn):
            return replace(
                one, low=one.low[rows], high=one.high[rows], suppressed=one.suppressed[rows]
            )
        return replace(one, labels=one.labels[rows], suppressed=one.suppressed[rows])

    return replace(
        tables,
        columns=tuple(map(column, tables.columns)),
        n_released=len(rows),
        rows=None if tables.rows is None else tables.rows[rows],
    )


def people(n=600, seed=0):
    """Return columns of n persons that hang together: age, pay, town, job, with some nulls."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 90, n)
    pay = 20 + age / 3 + random.normal(0, 5, n)
    town = random.choice(["Ulm", "Bonn", "Kiel", None], n, p=[0.5, 0.3, 0.15, 0.05])
    job = np.where(random.random(n) < 0.15, random.random(n) < 0.5, pay > 38)
    paid = zip(pay, random.random(n) >= 0.03, strict=True)
    return {
        "age": [int(value) for value in age],
        "pay": [float(value) if known else None for value, known in paid],
        "town": list(town),
        "job": ["manager" if value else "clerk" for value in job],
    }


def same(n=600, seed=0):
    """Return people and their release as they are, every record known."""
    columns = people(n, seed)
    return pair(
        numeric("age", columns["age"]),
        numeric("pay", columns["pay"]),
        categorical("town", columns["town"]),
        categorical("job", columns["job"]),
        rows=range(n),
    )


def starred(n=600, seed=0, unchanged=()):
    """Return people and a release of which every cell is suppressed but those of some columns."""
    columns = people(n, seed)
    return pair(
        *(
            (numeric if name in ("age", "pay") else categorical)(
                name, values, None if name in unchanged else ["*"] * n
            )
            for name, values in columns.items()
        ),
        rows=range(n),
    )


def coarse(n=600, seed=0, width=10):
    """Return people and a release with intervals of age and pay, and towns in two groups."""
    columns = people(n, seed)
    west = {"Bonn", "Kiel"}
    return pair(
        numeric("age", columns["age"], [_interval(value, width) for value in columns["age"]]),
        numeric("pay", columns["pay"], [_interval(value, width) for value in columns["pay"]]),
        categorical(
            "town",
            columns["town"],
            [("Bonn", "Kiel") if value in west else value for value in columns["town"]],
        ),
        categorical("job", columns["job"]),
        rows=range(n),
    )


def _interval(value, width):
    return None if value is None else (value // width * width, value // width * width + width)
