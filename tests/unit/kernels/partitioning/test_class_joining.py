"""Laws of joining classes that fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.base import classes_of, compile_criteria
from kanonym.data.table import encode
from kanonym.kernels.partitioning.class_joining import join_failing
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import TCloseness

NONE = np.uint64(0)


def made(seed, n=60, base=4):
    """Return a table of a number and a text, its costs and classes of `base` records in a row."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": np.sort(rng.integers(0, 40, n)),
            "town": rng.choice(["a", "b", "c", "d"], n),
            "s": rng.choice(["x", "y", "z"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    table = encode([(frame[c], None) for c in ("age", "town")], [(frame["s"], None, False)], n)
    costs = certainty_costs(table.domains, ["interval", "set"])
    rows = table.tuple_of_row
    labels = (np.arange(n) // base).astype(np.int32)
    return table, costs, table.codes[rows], table.sensitive_codes[rows], labels


def joined(seed, t, below=NONE, reach=100):
    """Return the base classes, the joined ones, the loss, and the table of records."""
    table, costs, codes, hidden, base = made(seed)
    criteria = compile_criteria([TCloseness("s", t)], table)
    draws = np.random.default_rng(seed).integers(0, 1 << 63, int(base.max()) + 1, np.uint64)
    found = base.copy()
    loss = join_failing(codes, hidden, found, (draws, below), reach, costs, criteria)
    return table, codes, base, found, loss


@given(
    seed=st.integers(0, 10**6), t=st.sampled_from([0.1, 0.3, 0.5]), reach=st.sampled_from([1, 100])
)
@settings(max_examples=examples(60), deadline=None)
def test_joined_classes_hold_whole_classes_and_satisfy(seed, t, reach):
    """Each class is made of base classes, is t-close, and the loss is that of its span."""
    table, codes, base, found, loss = joined(seed, t, reach=reach)
    if not np.isfinite(loss):
        assert (found == base).all()
        return
    assert len(np.unique(np.column_stack([base, found]), axis=0)) == base.max() + 1
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    expected = 0.0
    ages = table.domains[0].values.to_numpy()
    for label in range(found.max() + 1):
        own = codes[found == label]
        span = float(ages[own[:, 0].max()] - ages[own[:, 0].min()]) / float(ages.max() - ages.min())
        held = (len(set(own[:, 1].tolist())) - 1) / (table.domains[1].size - 1)
        expected += len(own) * (span + held)
    assert np.isclose(loss, expected)
    assert satisfied(table, found, t).all()


def satisfied(table, labels, t):
    """Return whether each class of records is t-close."""
    rows = table.tuple_of_row
    records = replace(
        table,
        codes=table.codes[rows],
        sensitive_codes=table.sensitive_codes[rows],
        weights=np.ones(table.n_rows, np.int64),
    )
    return TCloseness("s", t).satisfied(classes_of(records, labels, int(labels.max()) + 1))


def test_classes_that_satisfy_are_joined_by_chance_alone():
    """Where none fails, nothing is joined; with draws that all are low, everything is."""
    *_, base, found, _ = joined(1, 1.0)
    assert (found == base).all()
    *_, found, loss = joined(1, 1.0, below=np.uint64(1 << 62))
    assert np.isfinite(loss)
    assert 0 < found.max() < base.max()
