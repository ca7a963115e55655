"""Worked tables of sets of items, with answers that were found by brute force."""

from __future__ import annotations

import json

import polars as pl
import pytest

import kanonym as ka
from kanonym.algorithms.itemsets.apriori import Apriori, OptimalCut, number_of_cuts
from kanonym.algorithms.itemsets.base import ItemProblem
from kanonym.models import KKmAnonymity, KmAnonymity
from kanonym.models.itemsets import rare_items
from twins.itemsets import arrays_of, hierarchy_of, paths_of, rows_of, tree_of


@pytest.fixture(scope="module")
def golden(shared_data):
    """Return the worked tables, or skip where they are absent."""
    return json.loads((shared_data.parent / "golden" / "set_valued.json").read_text("utf-8"))


def encoded(tree, transactions):
    """Return sets of labels as CSR arrays of a tree."""
    place = {label: node for node, label in enumerate(tree.labels)}
    return arrays_of([frozenset(place[one] for one in row) for row in transactions])


def named(tree, rows):
    """Return sets of nodes as sorted lists of labels."""
    return [sorted(tree.labels[node] for node in row) for row in rows]


@pytest.mark.parametrize("name", ["shop", "clinic", "groceries"])
def test_minimal_violating_itemsets_are_found(golden, name):
    """Each case holds or fails as in the file, and the smallest rare itemsets are those of it."""
    table = golden[name]
    tree = tree_of(paths_of(table["hierarchy"]))
    sets = encoded(tree, table["transactions"])
    assert number_of_cuts(tree, may_drop=False) == table["cuts"]
    for case in table["cases"]:
        found = rare_items(tree, *sets, case["k"], case["m"])
        assert (not found.number) == case["satisfied"]
        smallest = min((len(one["items"]) for one in case["minimal_violating"]), default=0)
        wanted = {
            (tuple(sorted(one["items"])), one["support"])
            for one in case["minimal_violating"]
            if len(one["items"]) == smallest
        }
        assert {
            (tuple(sorted(tree.labels[node] for node in nodes)), number)
            for nodes, number in found.listed
        } == wanted


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("name", ["shop", "clinic", "groceries"])
def test_the_optimum_is_that_of_brute_force(golden, name, drop):
    """Loss and released sets are those of the best of all cuts, and greedy loses no less."""
    table = golden[name]
    tree = tree_of(paths_of(table["hierarchy"]))
    sets = encoded(tree, table["transactions"])
    for case in table["cases"]:
        best = case["optimum_items_may_be_dropped" if drop else "optimum"]
        problem = ItemProblem(tree, *sets, case["k"], case["m"])
        found = OptimalCut(drop).recode(problem)
        assert found.account["loss"] == pytest.approx(best["ncp"])
        assert best["ties"] > 1 or named(tree, rows_of(found.offsets, found.labels)) == [
            sorted(row) for row in best["released"]
        ]
        greedy = Apriori(drop).recode(problem).account
        assert greedy["loss"] >= best["ncp"] - 1e-9
        assert greedy["loss_at_least"] <= best["ncp"] + 1e-9


def test_both_definitions_of_loss(golden):
    """The measures of a release are both definitions of NCP, in the file as fractions."""
    table = golden["clinic"]
    tree = hierarchy_of(paths_of(table["hierarchy"]))
    frame = pl.DataFrame({"items": table["transactions"]})
    for case in table["cases"]:
        best = case["optimum_items_may_be_dropped"]
        policy = ka.Policy(
            attributes={"items": ka.ItemSet(tree)},
            models=[KmAnonymity(case["k"], case["m"])],
            item_algorithm="optimal-cut",
        )
        release = ka.anonymize(frame, policy)
        for given in (release, release.frame):
            found = ka.utility(frame, given, policy, measures=["item-loss", "item-ncp"]).measured
            assert found["item-loss"].value == pytest.approx(best["ncp"])
            assert found["item-ncp"].value == pytest.approx(best["ncp_n_over_N"])


def test_the_clinic_in_long_form(golden):
    """One row per patient and diagnosis, some of them twice: the optimum of each case, as rows."""
    table = golden["clinic"]
    rows = [
        {"patient": f"p{i:02d}", "diagnosis": item}
        for i, items in enumerate(table["transactions"])
        for item in [*items, items[0]]
    ]
    persons = ka.sets.from_long(pl.DataFrame(rows), "patient", "diagnosis")
    hierarchy = hierarchy_of(paths_of(table["hierarchy"]))
    for case in table["cases"]:
        best = case["optimum_items_may_be_dropped"]
        policy = ka.Policy(
            attributes={"patient": ka.Identifier(), "diagnosis": ka.ItemSet(hierarchy)},
            models=[KmAnonymity(case["k"], case["m"])],
            item_algorithm="optimal-cut",
            rows="persons",
        )
        frame = ka.anonymize(persons, policy).frame
        long = ka.sets.to_long(frame, "patient", "diagnosis")
        again = ka.sets.from_long(long, "patient", "diagnosis")
        assert ka.verify(again, policy).satisfied
        if best["ties"] == 1:
            found = sorted(sorted(one) for one in again["diagnosis"].to_list())
            assert found == sorted(sorted(one) for one in best["released"])
            assert long.height == sum(max(len(one), 1) for one in best["released"])


def test_labels_of_several_levels(golden):
    """The candidates of known items are those of the file."""
    for case in golden["released_with_labels_of_several_levels"]:
        tree = tree_of(paths_of(case["hierarchy"]))
        found = rare_items(tree, *encoded(tree, case["released"]), case["k"], case["m"])
        assert (not found.number) == case["satisfied"]
        wanted = {tuple(sorted(one["items"])): one["candidates"] for one in case["violating"]}
        for nodes, number in found.listed:
            assert wanted[tuple(sorted(tree.labels[node] for node in nodes))] == number


def test_equal_labels_are_one(golden):
    """Two items with one label are released as one: whoever knows both finds three records."""
    case = golden["labels_counted_twice"]
    tree = hierarchy_of(paths_of(golden["shop"]["hierarchy"]))
    policy = ka.Policy(
        attributes={"items": ka.ItemSet(tree)}, models=[KmAnonymity(2, 2)], keep_order=True
    )
    release = ka.anonymize(pl.DataFrame({"items": case["original"]}), policy)
    assert release.frame["items"].to_list() == case["released_as_sets"]


def test_classes_and_items_are_checked_together(golden):
    """What holds of classes and of items apart may fail together, as the file says."""
    case = golden["k_km"]
    tree = hierarchy_of(paths_of(golden["shop"]["hierarchy"]))
    frame = pl.DataFrame(case["records"])
    known = {name: ka.QuasiIdentifier() for name in case["quasi_identifiers"]}
    for one in case["cases"]:
        k, m = one["k"], one["m"]
        together = ka.Policy(
            attributes={**known, "items": ka.ItemSet(tree)}, models=[KKmAnonymity(k, m)]
        )
        apart = ka.Policy(
            attributes={"items": ka.ItemSet(tree)}, models=[KmAnonymity(k, m)], others="insensitive"
        )
        assert ka.verify(frame, apart).satisfied == one["km_of_items_alone"]
        found = ka.verify(frame, together)
        assert found.satisfied == one["kkm"]
        assert {
            (tuple(entry["class"][name] for name in known), entry["class"]["items"], entry["size"])
            for entry in found.violating
        } <= {
            (tuple(entry["class"]), ", ".join(sorted(entry["items"])), entry["candidates"])
            for entry in one["violating"]
        }
        raised = frame.with_columns(
            pl.col("items").list.eval(pl.element().str.slice(0, 1).str.to_uppercase()).list.unique()
        )
        assert ka.verify(raised, together).satisfied == one["kkm_after_recoding_to_A_B"]
