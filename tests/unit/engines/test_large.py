"""Laws of the parts that divide frequency sets on their engine, without an engine."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.full_domain import FullDomain
from kanonym.algorithms.microaggregation.mdav import MDAV
from kanonym.algorithms.mondrian import Mondrian, TriedCuts
from kanonym.algorithms.segmentation import Segmentation
from kanonym.algorithms.span_partition import Node, Tree
from kanonym.data.errors import PolicyError
from kanonym.engines.sql.large.coding import fragment_limit, table_of_counts
from kanonym.engines.sql.large.fragments import WorkerContext, refine_fragment
from kanonym.engines.sql.large.tree_builder import pack_batches
from kanonym.models import KAnonymity, LDiversity, TCloseness
from tables import tables


@given(sizes=st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=8), min_size=1, max_size=4))
def test_a_coupled_table_has_the_counts_of_each_column(sizes):
    """Rows that are put side by side as they come keep every column's counts, and are few."""
    n = min(map(sum, sizes))
    counts = []
    for own in sizes:
        ends = np.minimum(np.cumsum(own), n)
        ends[-1] = n
        counts.append(np.diff(np.unique(ends), prepend=0))
    places, weights = table_of_counts(counts)
    assert (weights > 0).all()
    assert len(weights) <= sum(map(len, counts))
    for own, place in zip(counts, places.T, strict=True):
        assert np.bincount(place, weights).astype(int).tolist() == own.tolist()


def test_a_table_without_records_is_coupled_to_none():
    """Columns without a value give no row, and no column gives none either."""
    empty = np.empty(0, np.int64)
    assert table_of_counts([empty, empty])[0].shape == (0, 2)
    assert table_of_counts([])[1].shape == (0,)


def grown(*tuples):
    """Return a tree whose fragments have these tuples, from left to right."""
    tree = Tree(1, 1, None, None, 1)
    tree.nodes = []
    for place, own in enumerate(tuples[:-1]):
        tree.nodes.append(Node(0, 0, "cut", 0, 0, 2 * place + 1, 2 * place + 2))
        tree.nodes.append(Node(own, own, "fragment"))
    tree.nodes.append(Node(tuples[-1], tuples[-1], "fragment"))
    return tree


@given(tuples=st.lists(st.integers(1, 10), min_size=1, max_size=12))
def test_neighbours_are_packed_into_batches(tuples):
    """Batches count up from left to right, hold up to ten tuples, and could not be joined."""
    tree = grown(*tuples)
    batches = pack_batches(tree, 10)
    ordered = [batches[number] for number in sorted(batches)]
    assert ordered == sorted(ordered)
    held = np.bincount(ordered, tuples)
    assert (held <= 10).all()
    firsts = [tuples[ordered.index(batch)] for batch in range(1, len(held))]
    assert all(before + first > 10 for before, first in zip(held, firsts, strict=False))


def job_of(table, algorithm):
    """Return the job of a random table, and its tuples as one batch of two fragments."""
    if not algorithm.strict:  # a fragment need not satisfy more than this as one class
        table = replace(table, models=[KAnonymity(1)])
    encoded = table.encoded()
    job = WorkerContext(
        domains=encoded.domains,
        sensitive=encoded.sensitive,
        recodings=table.recodings,
        dtypes=[domain.values.dtype for domain in encoded.domains],
        costs=table.costs,
        weighted=table.costs,
        keep_integers=False,
        algorithm=algorithm,
        models=table.models,
        criteria=compile_criteria(table.models, encoded),
        tried=TriedCuts(every=8),
        missing=[
            int(encoded.weights[encoded.codes[:, a] == domain.null_code].sum())
            for a, domain in enumerate(encoded.domains)
        ],
        key=None,
    )
    codes = np.hstack([encoded.codes, encoded.sensitive_codes])
    rows = pl.DataFrame({name: codes[:, a] for a, name in enumerate(job.codes)}).with_columns(
        n=encoded.weights, batch=pl.lit(3), node=np.arange(len(codes)) * 2 // len(codes)
    )
    return job, rows


@pytest.mark.parametrize("algorithm", [Mondrian(), Mondrian(strict=False)], ids=str)
@settings(max_examples=examples(40))
@given(table=tables(16, 60), seed=st.integers(0, 99))
def test_fragments_are_finished_alike_in_any_order_and_process(algorithm, table, seed):
    """Neither the order of rows nor the way to another process changes what is decided."""
    job, rows = job_of(table, algorithm)
    elsewhere = pickle.loads(pickle.dumps(partial(refine_fragment, job=job)))  # noqa: S301 - our own
    first = refine_fragment(rows, job)
    assert elsewhere(rows.sample(fraction=1, shuffle=True, seed=seed)).equals(first)


@pytest.mark.parametrize("algorithm", [Mondrian(), Mondrian(strict=False)], ids=str)
@settings(max_examples=examples(40))
@given(table=tables(16, 60))
def test_fragments_keep_every_record(algorithm, table):
    """Each tuple has all its records, in classes of one fragment, each described once."""
    job, rows = job_of(table, algorithm)
    found = refine_fragment(rows, job)
    told = found.filter(pl.col("size").is_not_null())
    assert told["class"].n_unique() == len(told) == found["class"].n_unique()
    assert (found["class"] // 2**32 == 3).all()
    sizes = found.group_by("class").agg(pl.col("n").sum())
    assert sizes.sort("class")["n"].to_list() == told.sort("class")["size"].to_list()
    kept = found.group_by(job.codes).agg(pl.col("n").sum()).join(rows, on=job.codes)
    assert len(kept) == len(rows)
    assert (kept["n"] == kept["n_right"]).all()
    if job.separates_equal:
        within = found.sort(*job.codes, "first").group_by(job.codes, maintain_order=True)
        for _, own in within:
            assert own["first"].to_list() == [1, *(own["last"][:-1] + 1)]
            assert (own["last"] - own["first"] + 1).to_list() == own["n"].to_list()
    nodes = rows.select(*job.codes, "node").join(found, on=job.codes)
    assert (nodes.group_by("class").agg(pl.col("node").n_unique())["node"] == 1).all()


def test_fragments_of_algorithms_that_compare_records_are_small():
    """Blocks of algorithms that look at each pair of records are smaller than what is sorted."""
    models = [KAnonymity(2)]
    assert fragment_limit(MDAV(), models, 0.0) < fragment_limit(Segmentation(), models, 0.0)


@pytest.mark.parametrize(
    ("algorithm", "models", "limit", "message"),
    [
        (FullDomain(), [KAnonymity(2)], 0.0, "needs every distinct tuple"),
        (Mondrian(target="s"), [KAnonymity(2)], 0.0, "a target needs"),
        (Mondrian(), [KAnonymity(2)], 0.1, "spends it where it saves most"),
        (Segmentation(), [TCloseness("s", 0.2)], 0.0, "compares classes with the whole table"),
    ],
    ids=["full-domain", "target", "suppression", "comparison"],
)
def test_what_needs_the_whole_table_is_refused(algorithm, models, limit, message):
    """A refusal says what is not possible on fragments."""
    with pytest.raises(PolicyError, match=message):
        fragment_limit(algorithm, models, limit)


def test_what_fragments_can_do_is_not_refused():
    """Strict Mondrian takes any model of classes; segmentation ignores a suppression limit."""
    assert fragment_limit(Mondrian(), [KAnonymity(2), TCloseness("s", 0.2)], 0.0)
    assert fragment_limit(Segmentation(), [LDiversity("s", 2)], 0.1)
