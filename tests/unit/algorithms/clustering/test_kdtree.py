"""Laws of the kd-tree on tables: SIGO's own results, numbering, refusals."""

from __future__ import annotations

import itertools
import json
import shlex

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
import twins.mondrian as naive
from kanonym.algorithms.base import Problem
from kanonym.algorithms.clustering import KDTree
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity, KMap, LDiversity, TCloseness
from twins import clustering as naive_kdtree

NO_COSTS = certainty_costs([], [])


def encoded(frame, sensitive=()):
    """Encode a table, its columns as quasi-identifiers in their order."""
    known = [(column, None) for column in frame if column.name not in sensitive]
    return encode(known, [(frame[name], None, False) for name in sensitive], len(frame))


def partition(frame, models, sensitive=()):
    """Return the class of each record."""
    table = encoded(frame, sensitive)
    found = KDTree().partition(Problem(table, NO_COSTS, models))
    assert not found.by_row
    return found.labels[table.tuple_of_row].tolist()


# --- SIGO --------------------------------------------------------------------


@pytest.fixture(params=["demo_none_k6_id", "demo_order_yx", "demo_ldiv_k6_l3"])
def run_of_sigo(request, shared_data):
    """Return SIGO's options, input and output where it recodes nothing."""
    folder = shared_data.parent / "golden" / "sigo" / request.param
    return _run(folder)


def _run(folder):
    words = shlex.split((folder / "cmd").read_text(encoding="utf-8"))
    options = dict(zip(words[1:-2:2], words[2:-2:2], strict=True))
    before, after = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("input.json", "expected.json")
    )
    return options, before, after


def _arranged(options, before):
    """Return the input in our order, each record with the number of its class."""
    sensitive = [options["-s"]] if "-s" in options else []
    frame = pl.DataFrame(before, infer_schema_length=None).select(
        *options["-q"].split(","), *sensitive
    )
    models = [KAnonymity(int(options["-k"]))]
    models += [LDiversity(name, int(options["-l"])) for name in sensitive]
    table = encoded(frame, sensitive)
    found, order = KDTree().partition_in_print_order(table, models)
    labels = found.labels[table.tuple_of_row]
    return [{**before[i], "id": int(labels[i]) + 1} for i in order]


def test_rows_numbers_and_order_are_those_of_sigo(run_of_sigo):
    """SIGO's rows come out in our order, with our classes' numbers."""
    options, before, after = run_of_sigo
    found = _arranged(options, before)
    if "-i" not in options:
        found = [{name: row[name] for name in row if name != "id"} for row in found]
    assert found == after


def test_six_attributes_with_diversity_are_those_of_sigo(shared_data):
    """On the cars, cut by six attributes with two origins in each class, numbers and order agree.

    Means are rounded to two decimals by SIGO, so they are compared to half of that.
    """
    options, before, after = _run(shared_data.parent / "golden/sigo/carsn_k5l2_meanAggregation")
    found = pl.DataFrame(_arranged(options, before), infer_schema_length=None)
    expected = pl.DataFrame(after, infer_schema_length=None)
    assert found["id"].to_list() == expected["id"].to_list()
    assert found["Origin"].to_list() == expected["Origin"].to_list()
    for name in options["-q"].split(","):
        means = found.select(pl.col(name).mean().over("id"))[name]
        assert (means - expected[name]).abs().max() <= 0.005 + 1e-9


# --- laws --------------------------------------------------------------------

CELLS = st.one_of(st.none(), st.integers(0, 6))


@given(cells=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=40), k=st.integers(1, 5))
def test_the_partition_is_the_twins(cells, k):
    """Classes, their numbers and the order of records are the twin's; null is the largest value."""
    if len(cells) < k:
        return
    frame = pl.DataFrame(cells, schema={"a": pl.Int64, "b": pl.Int64}, orient="row")
    found, order = KDTree().partition_in_print_order(encoded(frame), [KAnonymity(k)])
    rows = [naive.Row(tuple(99 if one is None else one for one in row), (), 1) for row in cells]
    expected = naive_kdtree.kdtree(rows, lambda node: len(node) >= k, k)
    assert order.tolist() == list(itertools.chain(*expected))
    assert found.n_classes == len(expected)


def test_values_of_any_kind_are_cut_in_their_order():
    """Dates are cut by time, and categories as they are declared."""
    frame = pl.DataFrame(
        {
            "day": pl.Series(
                ["2021-03-01", "2020-01-01", "2022-07-01", "2020-06-01"]
            ).str.to_date(),
            "size": pl.Series(["L", "S", "L", "S"], dtype=pl.Enum(["S", "M", "L"])),
        }
    )
    assert partition(frame, [KAnonymity(2)]) == [1, 0, 1, 0]
    assert partition(frame.select("size", "day"), [KAnonymity(2)]) == [1, 0, 1, 0]


def test_the_first_quasi_identifier_is_cut_first():
    """The order of quasi-identifiers decides, not their spread."""
    frame = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 500, 0, 500]})
    assert partition(frame, [KAnonymity(2)]) == [0, 0, 1, 1]
    assert partition(frame.select("b", "a"), [KAnonymity(2)]) == [0, 1, 0, 1]


def test_a_cut_that_fails_a_model_leaves_the_turn_to_the_next():
    """Where halves of the first attribute hold one value each, the second one is cut."""
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 1, 2], "s": ["x", "x", "y", "y"]})
    assert partition(frame, [KAnonymity(2), LDiversity("s", 2)], ["s"]) == [0, 1, 0, 1]


def test_a_value_of_more_than_half_stops_the_cutting():
    """The lower half takes all ties: three low values and eight equal ones stay one class."""
    values = [0, 1, 2] + [9] * 8
    assert partition(pl.DataFrame({"a": values}), [KAnonymity(3)]) == [0] * 11
    assert (
        partition(pl.DataFrame({"a": [9 - v for v in values]}), [KAnonymity(3)])
        == [1] * 3 + [0] * 8
    )


def test_a_release_says_its_classes():
    """A policy names the algorithm, and the release is verified."""
    frame = pl.DataFrame({"x": [1, 2, 8, 9], "y": ["a", "a", "b", "b"]})
    release = ka.anonymize(
        frame, quasi_identifiers=["x", "y"], k=2, algorithm="kdtree", keep_order=True
    )
    assert release.frame.rows() == [("[1, 2]", "a")] * 2 + [("[8, 9]", "b")] * 2
    assert release.verification.satisfied


# --- refusals ----------------------------------------------------------------


def test_a_table_that_fails_as_a_whole_is_refused():
    """SIGO would release it; here it is an error that says what is possible."""
    frame = pl.DataFrame({"a": [1, 2, 3], "s": ["x", "x", "y"]})
    with pytest.raises(InfeasibleError, match="required 4, the best possible is 3"):
        partition(frame.select("a"), [KAnonymity(4)])
    with pytest.raises(InfeasibleError, match="l-diversity of 's': required 3"):
        partition(frame, [LDiversity("s", 3)], ["s"])
    assert partition(frame, [KAnonymity(3), TCloseness("s", 0.0)], ["s"]) == [0, 0, 0]


def test_models_of_a_population_are_refused():
    """k-map counts persons in every class, which the kd-tree does not see."""
    with pytest.raises(PolicyError, match="k-map needs an algorithm"):
        partition(pl.DataFrame({"a": [1, 2]}), [KMap(2, "people.csv")])


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one, as they came."""
    empty, order = KDTree().partition_in_print_order(
        encoded(pl.DataFrame({"a": []})), [KAnonymity(3)]
    )
    assert (empty.n_classes, empty.labels.tolist(), order.tolist()) == (0, [], [])
    whole, order = KDTree().partition_in_print_order(encode([], [], 4), [KAnonymity(3)])
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)
    assert order.tolist() == [0, 1, 2, 3]
