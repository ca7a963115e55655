"""Sets of items from policy to release."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.models import KKmAnonymity, KmAnonymity
from kanonym.pipeline.planning import check_policy
from kanonym.policy.overrides import override
from twins.itemsets import CODES, hierarchy_of

TREE = hierarchy_of(CODES)
BASKETS = [["a1", "b1"], ["b1", "a2"], ["b2"], ["b2", "b2"], [], None]
KM = [KmAnonymity(2, m=2)]


def policy_of(*models, separator=None, **options):
    """Return a policy of one set, whose order stays."""
    attributes = {"items": ka.ItemSet(TREE, separator=separator), **options.pop("attributes", {})}
    return ka.Policy(attributes=attributes, models=models, keep_order=True, **options)


def sets_of(frame, name="items"):
    """Return a released column as lists, of any frame."""
    return [
        list(one)
        for one in (
            frame[name].to_list() if hasattr(frame[name], "to_list") else frame[name].to_pylist()
        )
    ]


@pytest.mark.parametrize(
    "convert", [pl.DataFrame.clone, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
)
def test_lists_stay_lists(convert):
    """A column of lists is released as sorted lists of labels, on every frame library."""
    frame = convert(pl.DataFrame({"items": BASKETS}))
    release = ka.anonymize(frame, policy_of(*KM))
    assert type(release.frame) is type(frame)
    assert sets_of(release.frame) == [["A", "b1"], ["A", "b1"], ["b2"], ["b2"], [], []]
    assert ka.verify(release.frame, policy_of(*KM)).satisfied


def test_texts_stay_texts():
    """A column of texts with a separator is released as such texts; an empty set is null."""
    texts = [None if one is None else " ; ".join(one) for one in BASKETS]
    policy = policy_of(*KM, separator=";")
    release = ka.anonymize(pl.DataFrame({"items": texts}), policy)
    assert release.frame["items"].to_list() == ["A;b1", "A;b1", "b2", "b2", None, None]
    assert ka.verify(release.frame, policy).satisfied


def test_missing_codes_are_not_released():
    """Items that say that nothing is known are none, in lists of numbers as well."""
    tree = hierarchy_of({"1": ["*"], "2": ["*"]})
    policy = ka.Policy(
        attributes={"items": {"role": "set", "hierarchy": tree, "missing": [-9]}},
        models=[{"type": "km-anonymity", "k": 2, "m": 1}],
        keep_order=True,
    )
    release = ka.anonymize(pl.DataFrame({"items": [[1, -9], [1], [-9]]}), policy)
    assert release.frame["items"].to_list() == [["1"], ["1"], []]


def test_items_without_a_hierarchy_are_kept_or_dropped():
    """Without a hierarchy there is one label above all items."""
    policy = ka.Policy(attributes={"items": ka.ItemSet()}, models=KM, keep_order=True)
    release = ka.anonymize(pl.DataFrame({"items": [["x"], ["x"], ["y"]]}), policy)
    assert release.frame["items"].to_list() == [["x"], ["x"], []]
    assert release.algorithm["items"]["records_emptied"] == 1
    assert ka.verify(release.frame, policy).satisfied


@pytest.mark.parametrize("separator", [None, ";"])
@pytest.mark.parametrize("n", [0, 3])
def test_sets_without_an_item_are_verified(separator, n):
    """Nobody knows an item of nobody: with no hierarchy and no item, nothing is violated."""
    empty = pl.Series("items", [[]] * n, dtype=pl.List(pl.String))
    table = pl.DataFrame({"items": empty if separator is None else [""] * n})
    table = table.with_columns(pl.col("items").cast(pl.String)) if separator else table
    policy = ka.Policy(attributes={"items": ka.ItemSet(separator=separator)}, models=KM)
    released = ka.anonymize(table, policy).frame
    assert released.height == n
    for one in (table, released):
        assert ka.verify(one, policy).satisfied


@pytest.mark.parametrize(
    ("sets", "satisfied"),
    [
        (["a;b", "a;b", "*"], False),  # whoever knows another item finds the third record
        (["a;b", "a;b", "*", "*"], True),
        (["*", "*"], True),
        (["a;*", "a;*"], True),
    ],
)
def test_the_root_stands_for_items_that_are_nowhere_else(sets, satisfied):
    """Without a hierarchy and the original, there are items of which a release has the root."""
    policy = ka.Policy(attributes={"items": ka.ItemSet(separator=";")}, models=KM)
    assert ka.verify(pl.DataFrame({"items": sets}), policy).satisfied is satisfied


@pytest.mark.parametrize("sets", [["A;A", "A"], [["A"], ["A", "A"]]])
def test_repeated_labels_are_no_release(sets):
    """A label that occurs twice tells that two items stand behind it: never satisfied."""
    policy = policy_of(*KM, separator=";" if isinstance(sets[0], str) else None)
    with pytest.raises(ka.DataError, match=r"record [12]: a label occurs more than once"):
        ka.verify(pl.DataFrame({"items": sets}), policy)


def test_two_sets_are_one_space_of_items():
    """A pair of one diagnosis and one drug is known together."""
    frame = pl.DataFrame({"d": [["x"], ["x"], ["y"], ["y"]], "r": [["p"], ["q"], ["p"], ["q"]]})
    policy = ka.Policy(attributes={"d": ka.ItemSet(), "r": ka.ItemSet()}, models=KM)
    assert [one["class"] for one in ka.verify(frame, policy).violating] == [
        {"d": a, "r": b} for a in "xy" for b in "pq"
    ]
    assert ka.anonymize(frame, policy).verification.satisfied


def test_short_forms_stand_for_a_policy_of_sets():
    """`k` and `m` are k^m-anonymity, of each class where there are quasi-identifiers."""
    alone = ka.Policy.from_columns(sets={"d": ";"}, hierarchies={"d": TREE}, k=5, m=2)
    assert alone.models == (KmAnonymity(5, 2),)
    assert alone.attributes["d"].separator == ";"
    both = ka.Policy.from_columns(sets=["d"], quasi_identifiers=["age"], k=5, m=2)
    assert both.models == (KKmAnonymity(5, 2),)


def test_short_forms_beside_a_policy_change_its_model_of_items():
    """K and m take the place of its own; without a model of items, one is added."""
    own = policy_of(*KM, attributes={"d": ka.Insensitive()})
    assert override(own, {"k": 7}).models == (KmAnonymity(7, 2),)
    assert override(own, {"m": 3}).models == (KmAnonymity(2, 3),)
    other = ka.Policy.from_columns(quasi_identifiers=["age"], k=2)
    changed = override(other, {"sets": {"d": ";"}, "k": 3, "m": 1})
    assert changed.models == (ka.KAnonymity(2), KKmAnonymity(3, 1))


@pytest.mark.parametrize(
    ("short", "said"),
    [
        ({"quasi_identifiers": ["age"], "k": 2, "m": 1}, "m: needs a set"),
        ({"sets": ["d"], "m": 1, "models": KM}, "m: needs k as well"),
        ({"sets": ["d"], "sensitive": ["d"], "k": 2, "m": 1}, "'d' is in two roles"),
        ({"sets": "d", "k": 2, "m": 1}, "give a list of columns"),
        (
            {"sets": ["d"], "identifiers": ["p"], "entity": "p", "k": 2, "m": 1},
            "group the rows of each person first",
        ),
        ({"sets": ["d"], "k": 2}, "none protects the items of 'd'"),
    ],
)
def test_short_forms_that_do_not_fit_are_refused(short, said):
    """Each fault is named by its keyword."""
    with pytest.raises(ka.PolicyError, match=said):
        ka.Policy.from_columns(**short)


def test_sets_are_checked_before_the_work():
    """What a set cannot be is a fault of the table, found without a search."""
    table = pl.DataFrame({"items": [["a1"], ["strange"]]})
    with pytest.raises(ka.HierarchyError, match="items"):
        check_policy(table, policy_of(*KM))
    assert check_policy(table.head(1), policy_of(*KM)).roles == {"items": "set"}


def test_items_of_classes_are_recoded_apart():
    """Items that are frequent in the table, and not in a class, are recoded there."""
    ages = pl.DataFrame({"age": [30, 30, 50, 50], "items": [["a1"], ["a1"], ["a1"], ["a2"]]})
    policy = policy_of(KKmAnonymity(2, m=1), attributes={"age": ka.QuasiIdentifier()})
    (found,) = ka.verify(ages, policy).checks
    assert (found.achieved, found.verdict) == (1, "violated")
    release = ka.anonymize(ages, policy)
    assert sets_of(release.frame) == [["a1"], ["a1"], ["A"], ["A"]]


def test_suppressed_records_release_no_items():
    """What is suppressed is in no class, and is no candidate."""
    frame = pl.DataFrame({"age": [30, 30, 99], "items": [["a1"], ["a1"], ["a2"]]})
    policy = policy_of(
        KKmAnonymity(2, m=1),
        attributes={"age": ka.QuasiIdentifier(ka.hierarchy.flat())},
        algorithm="full-domain",
        suppression_limit=0.4,
    )
    release = ka.anonymize(frame, policy)
    assert release.frame.rows() == [("30", ["a1"]), ("30", ["a1"])] or release.suppressed == 1
    assert sets_of(release.frame) == [["a1"], ["a1"]]


def test_items_that_are_protected_apart_are_a_warning():
    """k-anonymity and km-anonymity beside each other leave the join open."""
    frame = pl.DataFrame({"age": [30, 30], "items": [["a1"], ["a1"]]})
    policy = policy_of(ka.KAnonymity(2), *KM, attributes={"age": ka.QuasiIdentifier()})
    found = ka.anonymize(frame, policy).verification
    assert [one.kind for one in found.findings] == ["items-apart"]
    assert found.verdict == "satisfied with findings"


@given(
    rows=st.lists(st.lists(st.sampled_from(list(CODES)), max_size=4), max_size=12),
    ages=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    k=st.integers(1, 3),
    m=st.integers(1, 3),
)
def test_every_class_of_a_release_protects_its_items(rows, ages, k, m):
    """In each class, known items have k records that could be theirs, or none."""
    frame = pl.DataFrame(
        {"age": ages[: len(rows)], "items": rows},
        schema={"age": pl.Int64, "items": pl.List(pl.String)},
    )
    policy = policy_of(KKmAnonymity(k, m), attributes={"age": ka.QuasiIdentifier()})
    if 0 < len(rows) < k:
        with pytest.raises(ka.InfeasibleError):
            ka.anonymize(frame, policy)
        return
    release = ka.anonymize(frame, policy)
    groups = {}
    for age, labels in release.frame.iter_rows():
        groups.setdefault(age, []).append(
            {item for item in CODES if {item, *CODES[item]} & {*labels}}
        )
    for several in groups.values():
        assert len(several) >= k
        for items in st_combinations(m):
            held = sum(set(items) <= one for one in several)
            assert held == 0 or held >= k


def st_combinations(m):
    """Return all sets of at most m items."""
    from itertools import combinations

    return [one for size in range(1, m + 1) for one in combinations(CODES, size)]


SET = {"role": "set"}
AGE = {"role": "quasi-identifier"}


@pytest.mark.parametrize(
    ("attributes", "models", "options", "said"),
    [
        ({"i": SET}, [{"type": "k-anonymity", "k": 2}], {}, "none protects the items of 'i'"),
        ({"a": AGE}, [{"type": "km-anonymity", "k": 2, "m": 1}], {}, "attribute of the role set"),
        (
            {"a": AGE, "i": SET},
            [{"type": "km-anonymity", "k": 2, "m": 1}],
            {},
            "none protects the quasi",
        ),
        ({"i": SET}, [{"type": "k-km-anonymity", "k": 2, "m": 1}], {}, "needs quasi-identifiers"),
        (
            {"i": SET},
            [{"type": "km-anonymity", "k": 2, "m": 1, "attribute": "j"}],
            {},
            "'j' is an unknown set",
        ),
        (
            {"i": SET, "j": SET},
            [{"type": "km-anonymity", "k": 2, "m": 1, "attribute": "j"}],
            {},
            "what is known of several sets counts together",
        ),
        (
            {"i": SET},
            [{"type": "km-anonymity", "k": k, "m": 1} for k in (2, 3)],
            {},
            "second model of items",
        ),
        (
            {"i": SET},
            [{"type": "l-diversity", "l": 2, "attribute": "i"}],
            {},
            "'i' is set; it must be",
        ),
        ({"i": SET}, [{"type": "km-anonymity", "k": 0, "m": 1}], {}, "k is 0|k: is 0"),
        (
            {"i": SET},
            [{"type": "km-anonymity", "k": 2, "m": 1}],
            {"algorithm": "apriori"},
            "item_algorithm",
        ),
        (
            {"a": AGE},
            [{"type": "k-anonymity", "k": 2}],
            {"item_algorithm": "lra"},
            "has the role set",
        ),
        (
            {"a": AGE, "i": SET},
            [{"type": "k-km-anonymity", "k": 2, "m": 1}],
            {"item_algorithm": "lra"},
            "choose apriori, optimal-cut",
        ),
        (
            {"a": AGE, "i": SET},
            [{"type": "k-km-anonymity", "k": 2, "m": 1}],
            {"algorithm": "cell-suppression"},
            "forms no classes",
        ),
        (
            {"a": AGE, "i": SET, "p": {"role": "identifier"}},
            [
                {"type": "k-anonymity", "k": 2, "entity": "p"},
                {"type": "k-km-anonymity", "k": 2, "m": 1},
            ],
            {},
            "group the rows of each person first",
        ),
        (
            {"i": {**SET, "person": "p", "separator": ";"}},
            [{"type": "km-anonymity", "k": 2, "m": 1}],
            {},
            "give one of them",
        ),
        (
            {"i": {**SET, "separator": " "}},
            [{"type": "km-anonymity", "k": 2, "m": 1}],
            {},
            "cannot be told",
        ),
        (
            {"i": SET},
            [{"type": "km-anonymity", "k": 2, "m": 1}],
            {"others": "set"},
            "under attributes",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(attributes, models, options, said):
    """Each fault of a policy about sets is found before the table is read."""
    with pytest.raises(ka.PolicyError, match=said):
        ka.Policy(attributes=attributes, models=models, **options)


@pytest.mark.parametrize(
    ("column", "separator", "said"),
    [
        ([1, 2], None, "a set is a list of items, or a text of items with a separator"),
        ([[1.5], [2.0]], None, "items of a set are texts or whole numbers"),
        ([1.5, 2.0], ";", "read as single values"),
    ],
)
def test_columns_that_hold_no_sets_are_refused(column, separator, said):
    """The error names the column, what it holds and what a set is."""
    with pytest.raises(ka.DataError, match=said):
        ka.anonymize(pl.DataFrame({"items": column}), policy_of(*KM, separator=separator))


def test_other_engines_refuse_sets():
    """A table in a database is refused with the way out."""
    pytest.importorskip("duckdb", reason="needs kanonym[duckdb]")
    source = ka.engines.scan_duckdb(pl.DataFrame({"items": BASKETS}))
    with pytest.raises(ka.PolicyError, match="role set: not supported by the engine duckdb"):
        ka.anonymize(source, policy_of(*KM))


def test_a_policy_of_sets_is_written_and_read_again():
    """The form of a policy gives the same policy."""
    policy = policy_of(*KM, separator=";", item_algorithm={"type": "vpa", "groups": 2})
    form = policy.to_dict()
    assert form["item_algorithm"] == {"type": "vpa", "groups": 2, "drop": True}
    assert form["attributes"]["items"]["separator"] == ";"
