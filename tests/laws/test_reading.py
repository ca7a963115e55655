"""What holds of every release that is read back, whatever the table, recoding and algorithm.

Tables are those of `releases`; what a cell leaves open is looked up one by one.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym.data import files, frames
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import NumericColumn
from kanonym.evaluation.utility import generalization
from kanonym.metrics.information_loss import METRICS
from releases import KINDS, SOURCES, policy_of, tables, typed

ALGORITHMS = {
    "mondrian": ka.Mondrian(),
    "relaxed": ka.Mondrian(strict=False),
    "segmentation": ka.Segmentation(),
    "full-domain": ka.FullDomain(),
    "local-recoding": ka.LocalRecoding(),
    "cell-suppression": ka.algorithms.CellSuppression(),
}
CENTROIDS = ("mean", "median", "mode")
DISTINCT = {
    "age": ka.hierarchy.intervals(width=[2, 4], origin=0),
    "score": ka.hierarchy.groups(fan_outs=2),
    "town": ka.hierarchy.masking(),
}
"""Hierarchies of which no label stands at two levels."""


@st.composite
def releases(draw, recodings, algorithms=tuple(ALGORITHMS), limit=0.0, sources=None):
    """Draw a table and a release of it in its order, None where there is none."""
    columns = draw(tables())
    attributes = {}
    for name in draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True)):
        given_source = sources is not None or draw(st.booleans())
        attributes[name] = ka.QuasiIdentifier((sources or SOURCES)[name] if given_source else None)
    recoding = draw(st.sampled_from(recodings))
    algorithm = draw(st.sampled_from(algorithms))
    event(f"{algorithm}, {recoding}")
    options = {} if algorithm == "cell-suppression" else {"suppression_limit": limit}
    if algorithm not in {"full-domain", "local-recoding", "cell-suppression"}:
        options["recoding"] = recoding
    policy = policy_of(
        attributes, [ka.KAnonymity(2)], ALGORITHMS[algorithm], keep_order=True, **options
    )
    table = typed(columns)
    try:
        return table, attributes, ka.anonymize(table, policy)
    except ka.InfeasibleError:
        return table, attributes, None


def columns_of(table):
    """Return the columns of any frame by name, as polars."""
    native = frames.to_eager(table)
    return {name: frames.column(native, name) for name in frames.column_names(native)}


def sources_of(attributes):
    """Return the hierarchies of attributes by name."""
    return {name: one.hierarchy for name, one in attributes.items()}


def is_left_open(column, row, value):
    """Tell whether a released cell leaves a value open; a set of numbers may hold null too."""
    if isinstance(column, NumericColumn):
        low, high = column.low[row], column.high[row]
        if value is None:
            return column.suppressed[row] or math.isnan(low) or low == high
        return low <= float(value) <= high
    label = column.labels[row]
    members = column.members[column.offsets[label] : column.offsets[label + 1]]
    return value in [column.categories[code] for code in members.tolist()]


@settings(max_examples=examples(150))
@given(drawn=releases(["interval", "range", "set", "hierarchy"]))
def test_what_is_read_contains_the_original_value_of_every_cell(drawn):
    """A released cell that is read leaves open what it was made of, so order is recognized."""
    table, attributes, release = drawn
    if release is None or release.suppressed:
        return
    pair = read_pair(
        columns_of(table), columns_of(release.frame), list(attributes), sources_of(attributes)
    )
    assert (pair.rows is not None) == (len(table) > 1)
    for column in pair.columns:
        for row, value in enumerate(table[column.name].to_list()):
            assert is_left_open(column, row, value), (column.name, value)


@settings(max_examples=examples(120))
@given(
    drawn=releases(
        ["interval", "range", "set", "hierarchy", "mean", "median"],
        ["mondrian", "segmentation", "full-domain", "local-recoding"],
    )
)
def test_penalties_are_those_of_the_release_itself(drawn):
    """Of aligned tables span loss, GCP and NCP are what the release says of its own classes.

    Hierarchies that the recoding did not use are not given: `[20, 30]` may be a label, too.
    """
    table, attributes, release = drawn
    if release is None or release.suppressed or not len(table):
        return
    nominal = {"town"} if release.policy.recoding in CENTROIDS else set()
    labelled = {one.name for one in release.decision.recoded if one.recoding == "hierarchy"}
    trees = {name: one for name, one in sources_of(attributes).items() if name in labelled}
    pair = read_pair(
        columns_of(table), columns_of(release.frame), list(attributes), trees, aligned=True
    )
    measured = generalization.measures(pair)
    for name, lost in release.utility.ncp.items():
        if name not in nominal:
            covered = release.utility.coverage[name].loss
            assert measured["gcp"].parts[name] == pytest.approx(lost, rel=1e-9, abs=1e-12)
            assert measured["span-loss"].parts[name] == pytest.approx(covered, rel=1e-9, abs=1e-12)


@settings(max_examples=examples(60))
@given(
    drawn=releases(["hierarchy"], ["full-domain"], 0.4, DISTINCT),
    aligned=st.sampled_from([None, False]),
)
def test_a_full_domain_release_has_the_score_of_its_node(drawn, aligned):
    """Every metric of the search, taken from the released values, is the score of the node."""
    table, attributes, release = drawn
    if release is None or not release.rows_out:
        return
    names = list(attributes)
    pair = read_pair(
        columns_of(table), columns_of(release.frame), names, sources_of(attributes), aligned=aligned
    )
    found = generalization.measures(pair)
    levels = release.algorithm["levels"]
    for name, metric in METRICS.items():
        if name != "weighted":
            score = score_at(metric(), release.decision, levels)
            assert found[name].value == pytest.approx(score, rel=1e-9, abs=1e-9), name
            assert found[name].meaning.source == metric.source


def score_at(metric, decision, levels):
    """Return the score that a search would give to what was decided."""
    from kanonym.metrics.information_loss import Generalized

    encoded, labels = decision.table, decision.partition.labels
    trees = [domain.hierarchy for domain in encoded.domains]
    found = [levels[domain.name] for domain in encoded.domains]
    parts = zip(trees, found, encoded.codes.T, strict=True)
    above = np.stack([tree.codes[level][codes] for tree, level, codes in parts], axis=1)
    rows, place = np.unique(np.column_stack([above, labels >= 0]), axis=0, return_inverse=True)
    sizes = np.bincount(place.reshape(-1), encoded.weights).astype(np.int64)
    classes = Generalized(
        np.array(found), rows[:, :-1].astype(np.int32), sizes, rows[:, -1].astype(np.bool_)
    )
    return metric.bind(encoded, {}).score(classes)


AGES = [23, 25, 31, 38, None, 41, 42, 47, 55, 58, 61, 61]
TABLE = {
    "age": AGES,
    "score": [0.1, 1.5, 2.0, 1e-7, 1e6, 3.25, None, 0.3, 0.7, 1.1, 2.5, 2.5],
    "town": ["Köln", "Łódź", "北京", "a, b", "{x}", "null", "Köln", None, "Łódź", "*", "x", "y"],
    "zip": ["01234", "01239", "01301", "02000", "02001", "02999"] * 2,
    "day": [f"2020-0{1 + i % 3}-1{i % 10}" for i in range(12)],
    "s": list("xyxyzzxyxyzz"),
    "id": list(range(12)),
}
HIERARCHIES = {
    "age": ka.hierarchy.intervals(width=[10, 20]),
    "score": ka.hierarchy.intervals(bounds=[0.5, 2]),
    "town": ka.hierarchy.groups(fan_outs=3),
    "zip": ka.hierarchy.masking(),
    "day": ka.hierarchy.dates(),
}


def dated(columns):
    """Return columns with days as dates, for any of the frame libraries."""
    import datetime as dt

    return {**columns, "day": [dt.date.fromisoformat(day) for day in columns["day"]]}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("recoding", ["interval", "range", "set", "hierarchy", "mean"])
def test_a_release_is_read_from_any_frame_and_from_a_file(recoding, library, tmp_path):
    """Whatever the library, and as text of a CSV file, a release reads as the same tables."""
    frame = FRAMES[library](dated(TABLE))
    trees = HIERARCHIES if recoding == "hierarchy" else {"zip": HIERARCHIES["zip"]}
    names = list(HIERARCHIES)
    release = ka.anonymize(
        frame,
        quasi_identifiers=names,
        hierarchies=trees,
        others="insensitive",
        k=3,
        recoding=recoding,
        algorithm="mondrian",
        keep_order=True,
    )
    release.write(tmp_path / "released.csv")
    again = files.read_table(str(tmp_path / "released.csv"))
    aligned = True if recoding == "mean" else None
    pairs = [
        read_pair(columns_of(frame), columns_of(one), names, trees, aligned=aligned)
        for one in (release.frame, again)
    ]
    for pair in pairs:
        assert pair.rows is not None
        for column in pair.columns:
            values = TABLE[column.name]
            if column.name == "day":
                values = pl.Series(values).str.to_date().to_physical().to_list()
            if recoding != "mean":
                assert all(is_left_open(column, row, value) for row, value in enumerate(values))
    for one, other in zip(*(generalization.measures(pair).values() for pair in pairs), strict=True):
        assert one == other
