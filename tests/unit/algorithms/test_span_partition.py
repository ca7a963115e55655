"""Laws of Mondrian by spans from counts: its classes are those of the kernel that moves records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms import mondrian, span_partition
from kanonym.algorithms.base import compile_criteria
from tables import tables


@pytest.mark.parametrize("strategy", [tables(), tables(60, 120)], ids=["small", "large"])
@settings(max_examples=examples(150))
@given(data=st.data())
def test_classes_are_those_of_the_kernel(strategy, data):
    """Whatever part of the tree is counted, classes and their order are the same."""
    table = data.draw(strategy)
    encoded = table.encoded()
    smallest = data.draw(st.integers(1, max(encoded.n_rows // 4, 1)))
    criteria = compile_criteria([ka.KAnonymity(smallest)], encoded)
    labels, n_classes = mondrian.refine_nodes(
        encoded, [0, len(encoded.weights)], table.costs, criteria, mondrian.TriedCuts()
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(span_partition, "FRAGMENT", data.draw(st.sampled_from([1, 4, 30, 120])))
        found = span_partition.partition_by_span(encoded, table.costs, criteria)
    assert (found.labels.tolist(), found.n_classes) == (labels.tolist(), n_classes)


def test_a_release_is_that_of_the_other_way(monkeypatch):
    """With numbers, texts, dates and nulls the release is the same whichever way is taken."""
    rng = np.random.default_rng(0)
    n = 3000
    frame = pl.DataFrame(
        {
            "number": pl.Series(rng.integers(0, 300, n)).set(pl.Series(rng.random(n) < 0.1), None),
            "text": pl.Series(rng.integers(0, 40, n)).cast(pl.String),
            "day": pl.Series(rng.integers(0, 90, n).astype(np.int32)).cast(pl.Date),
        }
    )
    calls, frames = [], []
    way = span_partition.partition_by_span
    monkeypatch.setattr(mondrian, "partition_by_span", lambda *of: calls.append(of) or way(*of))
    monkeypatch.setattr(mondrian, "LARGE", 0)  # in smaller tables cuts are tried by their loss
    asked = {"quasi_identifiers": frame.columns, "k": 4, "algorithm": ka.Mondrian(split="span")}
    for suffices in (span_partition.counts_suffice, lambda *_: False):
        monkeypatch.setattr(mondrian, "counts_suffice", suffices)
        frames.append(ka.anonymize(frame, **asked, seed=0).frame)
    assert len(calls) == 1
    assert frames[0].equals(frames[1])
