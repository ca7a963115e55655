"""Measures of sets of items, and the intruder who knows some of them."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.evaluation.attacks.linking.known_records import KnownItems
from kanonym.models import KmAnonymity
from twins.itemsets import CODES, hierarchy_of

POLICY = ka.Policy(
    attributes={"items": ka.ItemSet(hierarchy_of(CODES))},
    models=[KmAnonymity(2, m=2)],
    others="insensitive",
    keep_order=True,
)
BEFORE = pl.DataFrame({"items": [["a1", "b1"], ["a2", "b1"], ["a1", "b2"], ["b3"]]})
AFTER = pl.DataFrame({"items": [["A", "b1"], ["A", "b1"], ["A"], ["B"]]})
NAMES = ["item-loss", "item-ncp", "items-dropped", "item-labels", "frequent-itemsets-lost"]


def measured(before, after, *names, **options):
    """Return values of measures by name."""
    found = ka.utility(before, after, POLICY, measures=list(names), **options).measured
    return {name: one.value for name, one in found.items()}


def test_losses_of_items_are_means_over_occurrences():
    """Three items lose one step of four, one is dropped, one loses two steps, two nothing."""
    found = measured(BEFORE, AFTER, *NAMES, aligned=True)
    assert found["item-loss"] == pytest.approx((3 * 1 / 4 + 1 + 2 / 4) / 7)
    assert found["item-ncp"] == pytest.approx((3 * 2 / 5 + 1 + 3 / 5) / 7)
    assert found["items-dropped"] == pytest.approx(1 / 7)
    assert found["item-labels"] == 3


def test_labels_of_several_levels_need_aligned_records():
    """Without knowing which record is which, no occurrence has a label of its own."""
    shuffled = POLICY.model_copy(update={"keep_order": False})
    found = ka.utility(BEFORE, AFTER, shuffled, measures=["item-loss"]).measured["item-loss"]
    assert found.value is None
    assert "several levels" in found.reason


def test_lost_itemsets_and_pairs_are_none_of_the_original():
    """Of the table itself nothing is lost; where all items have one label, every itemset is."""
    both = ["frequent-itemsets-lost", "item-pair-error"]
    assert measured(BEFORE, BEFORE, *both) == dict.fromkeys(both, 0)
    gone = BEFORE.with_columns(items=pl.Series([["*"]] * 4))
    assert measured(BEFORE, gone, *both)["frequent-itemsets-lost"] == 1


def test_pairs_are_spread_over_the_items_of_their_labels():
    """A pair of labels that stand for two and for one items is half a record of each pair."""
    before = pl.DataFrame({"items": [["a1", "b1"]] * 2})
    after = pl.DataFrame({"items": [["A", "b1"]] * 2})
    assert measured(before, after, "item-pair-error")["item-pair-error"] == pytest.approx(2 / 3)


def test_measures_of_items_are_taken_where_there_are_sets():
    """All measures of a release with sets have those of items, and others have none."""
    assert set(NAMES) <= set(ka.utility(BEFORE, AFTER, POLICY, aligned=True).measured)
    plain = pl.DataFrame({"age": [1, 2]})
    found = ka.utility(plain, plain, quasi_identifiers=["age"])
    assert not set(NAMES) & set(found.measured)
    (none,) = ka.utility(
        plain, plain, quasi_identifiers=["age"], measures=["item-loss"]
    ).measured.values()
    assert none.value is None


@pytest.mark.parametrize("items", [1, 2])
def test_known_items_are_found_in_the_original(items):
    """Each person is found as often as one of the records with the known items is theirs."""
    before = pl.DataFrame({"items": [["a1"], ["a1"], ["a1"], ["b1", "b2"]]})
    (found,) = ka.attack(before, before, POLICY, attacks=[KnownItems(items=items)]).results
    assert found.targets.rate == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert found.parts["alone"] == pytest.approx(1 / 4)


def test_a_release_with_k_candidates_is_found_at_most_once_in_k():
    """Whoever knows as many items as the model says has a success of at most 1/k a person."""
    before = pl.DataFrame({"items": [["a1", "b1"], ["a2", "b1"], ["b2"], ["b3"], ["b3"]] * 2})
    release = ka.anonymize(before, POLICY)
    found = ka.attack(before, release, attacks=["known-items"], control=before)["known-items"]
    assert found.targets.rate <= 1 / 2
    assert found.parts["control_compatible"] <= 1


def test_without_sets_the_attack_is_not_run():
    """It is asked for by name only, and then says why it was not attempted."""
    plain = pl.DataFrame({"age": [1, 2]})
    options = {"quasi_identifiers": ["age"]}
    assert "known-items" not in {one.type for one in ka.attack(plain, plain, **options).results}
    found = ka.attack(plain, plain, attacks=["known-items"], **options)["known-items"]
    assert (found.attempts, found.reason) == (0, "no column holds sets of items")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: ka.fit(BEFORE, POLICY), "items of 'items' are recoded with all records"),
        (
            lambda: ka.synthesis.draw_values(ka.anonymize(BEFORE, POLICY)),
            "no items are drawn for its labels",
        ),
    ],
)
def test_what_does_not_recode_sets_refuses_them(asked, said):
    """Releases in series and drawn values say that they do not take sets."""
    with pytest.raises(ka.PolicyError, match=said):
        asked()
