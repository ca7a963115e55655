"""Verification: from the released values alone, whatever anybody says of them."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from decimal import Decimal
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym import verification
from kanonym.data import hierarchy
from kanonym.models import AlphaKAnonymity
from kanonym.verification.checked_classes import MOST_VIOLATING, check_models
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_of_release,
    group_by_code,
    group_released,
    k_wildcard,
    record_counts,
)
from twins import classes as naive

CHECKED = {"satisfied": True, "guarantee": "per class", "verdict": "checked"}
ROLES = {"age": ka.QuasiIdentifier(), "zip": ka.QuasiIdentifier(), "disease": ka.Sensitive()}
RELEASED = pl.DataFrame(
    {
        "age": ["[20, 29]"] * 3 + ["[30, 39]"] * 3,
        "zip": ["01*"] * 3 + ["02*"] * 3,
        "disease": ["flu", "cold", "flu", "burn", "cold", "flu"],
    }
)


def policy(*models, roles=ROLES, **options):
    """Return a policy over the released table."""
    return ka.Policy(attributes=roles, models=list(models), **options)


# --- what it looks at -----------------------------------------------------------------


def test_a_release_that_holds_is_satisfied():
    """Two classes of three records with two diseases and more are 3-anonymous and 2-diverse."""
    found = ka.verify(RELEASED, policy(ka.KAnonymity(3), ka.LDiversity("disease", 2)))
    assert found.satisfied
    assert found.to_dict() == {
        "satisfied": True,
        "verdict": "not assessed",
        "rows": 6,
        "classes": 2,
        "models": [
            {"type": "k-anonymity", "required": 3, "achieved": 3, **CHECKED},
            {
                "type": "l-diversity",
                "attribute": "disease",
                "required": 2,
                "achieved": 2,
                **CHECKED,
            },
        ],
        "largest_shares": [
            {"attribute": "disease", "share": 2 / 3, "records": 3, "table_share": 0.5}
        ],
        "parts": {
            "identity": {
                "verdict": "checked",
                "rests_on": "k-anonymity, l-diversity, counted in the released values",
            },
            "attributes": {
                "verdict": "checked",
                "rests_on": "l-diversity of disease, counted in the released values",
            },
            "persons": {
                "verdict": "not assessed",
                "rests_on": "the policy does not state it: set rows: persons if each row is a "
                "person, or else entity, the columns that tell persons apart",
            },
        },
        "findings": [],
        "not_looked_for": ["person-column", "repeated-persons", "dependent-column"],
        "n_violating": 0,
        "violating": [],
    }
    assert found.class_sizes == {3: 2}


def test_where_nothing_is_required_nothing_is_satisfied():
    """Without a model there is no verdict, neither yes nor no, but the k that there is."""
    found = ka.verify(RELEASED, policy(algorithm="kmeans"))
    assert found.satisfied is None
    assert found.k == 3
    told = found.to_dict()
    assert (told["satisfied"], told["k"], told["models"]) == (None, 3, [])


@pytest.mark.parametrize("column", ["age", "zip"])
def test_one_changed_quasi_identifier_is_found(column):
    """One value changed in a release makes two classes of it, and both are named."""
    tampered = RELEASED.with_columns(
        pl.Series(column, ["[25, 29]" if column == "age" else "01234", *RELEASED[column][1:]])
    )
    found = ka.verify(tampered, policy(ka.KAnonymity(3)))
    assert not found.satisfied
    assert found.n_violating == 2
    assert [(one["size"], one["model"]) for one in found.violating] == [
        (1, "k-anonymity"),
        (2, "k-anonymity"),
    ]
    assert found.violating[0]["class"] == dict(
        zip(["age", "zip"], tampered.select("age", "zip").row(0), strict=True)
    )
    assert found.violating[1]["class"] == {"age": "[20, 29]", "zip": "01*"}


def test_one_changed_sensitive_value_is_found():
    """A class in which all have the flu is named as violating l-diversity."""
    tampered = RELEASED.with_columns(disease=pl.Series(["flu"] * 4 + ["cold", "burn"]))
    found = ka.verify(tampered, policy(ka.KAnonymity(3), ka.LDiversity("disease", 2)))
    assert [check.satisfied for check in found.checks] == [True, False]
    assert found.violating == (
        {"class": {"age": "[20, 29]", "zip": "01*"}, "size": 3, "row": 1, "model": "l-diversity"},
    )


def test_verification_reads_the_release_and_nothing_else():
    """What anonymize returned can be written, tampered with and read: only the values count."""
    table = pl.DataFrame({"age": list(range(20)), "disease": ["flu", "cold"] * 10})
    release = ka.anonymize(table, quasi_identifiers=["age"], sensitive=["disease"], k=4)
    assert ka.verify(release.frame, release.policy).satisfied
    first = release.frame["age"][0]
    tampered = release.frame.with_columns(age=pl.Series(["[0, 19]", *release.frame["age"][1:]]))
    found = ka.verify(tampered, release.policy)
    assert not found.satisfied
    assert {one["class"]["age"] for one in found.violating} >= {"[0, 19]"}
    assert {one["class"]["age"] for one in found.violating} <= {"[0, 19]", first}


def test_null_equals_null():
    """Records whose quasi-identifier is missing are one class."""
    table = pl.DataFrame({"age": [None, None, 1, 1]})
    roles = {"age": ka.QuasiIdentifier()}
    assert ka.verify(table, policy(ka.KAnonymity(2), roles=roles)).satisfied


def test_missing_identifiers_and_further_columns_do_not_matter():
    """A release lacks the identifiers and may hold what nobody classified."""
    roles = {**ROLES, "name": ka.Identifier()}
    more = RELEASED.with_columns(visit=pl.lit(1))
    assert ka.verify(more, policy(ka.KAnonymity(3), roles=roles, others="insensitive")).satisfied


@pytest.mark.parametrize("absent", ["age", "disease"])
def test_a_missing_column_is_named(absent):
    """Without a quasi-identifier, or a sensitive attribute of a model, nothing can be said."""
    with pytest.raises(ka.SchemaError, match=f"no column for: {absent}. It has: "):
        ka.verify(RELEASED.drop(absent), policy(ka.KAnonymity(3), ka.LDiversity("disease", 2)))


def test_a_model_of_an_unknown_column_is_refused():
    """Where all other columns are sensitive, a model may name a column that does not exist."""
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier()},
        models=[ka.LDiversity("diseas", 2)],
        others="sensitive",
    )
    with pytest.raises(ka.SchemaError, match="l-diversity is about 'diseas', but"):
        ka.verify(RELEASED, asked)


# --- violations -----------------------------------------------------------------------


def test_violating_classes_come_smallest_first_and_at_most_a_hundred():
    """Of 150 classes that fail, the 100 smallest are named; their number is told in full."""
    sizes = [3] * 60 + [2] * 50 + [1] * 40
    ages = [age for age, size in enumerate(sizes) for _ in range(size)]
    roles = {"age": ka.QuasiIdentifier()}
    found = ka.verify(pl.DataFrame({"age": ages}), policy(ka.KAnonymity(5), roles=roles))
    named = [one["size"] for one in found.violating]
    assert len(named) == MOST_VIOLATING == 100
    assert named == [1] * 40 + [2] * 50 + [3] * 10
    assert found.n_violating == 150
    assert found.class_sizes == {1: 40, 2: 50, 3: 60}


def test_classes_of_one_size_are_named_in_the_order_of_the_table():
    """The report of violations does not depend on how records are grouped inside."""
    roles = {"age": ka.QuasiIdentifier()}
    found = ka.verify(pl.DataFrame({"age": [7, 3, 9, 1]}), policy(ka.KAnonymity(2), roles=roles))
    assert [one["class"]["age"] for one in found.violating] == [7, 3, 9, 1]


def test_a_class_that_fails_two_models_counts_once():
    """It is named once a model, and is one violating class."""
    roles = {"age": ka.QuasiIdentifier(), "s": ka.Sensitive()}
    table = pl.DataFrame({"age": [1, 2, 2], "s": ["a", "a", "b"]})
    asked = policy(ka.KAnonymity(2), ka.LDiversity("s", 2), roles=roles)
    found = ka.verify(table, asked)
    assert [one["model"] for one in found.violating] == ["k-anonymity", "l-diversity"]
    assert found.n_violating == 1


def test_violations_of_every_type_of_value_fit_into_json():
    """Dates, times and decimal numbers are named as text, numbers and booleans as themselves."""
    table = pl.DataFrame(
        {
            "day": [dt.date(2020, 1, 2)],
            "at": [dt.datetime(2020, 1, 2, 3)],
            "cost": [Decimal("1.50")],
            "n": [3],
            "x": [0.5],
            "b": [True],
            "none": pl.Series([None], dtype=pl.String),
        }
    )
    roles = {name: ka.QuasiIdentifier() for name in table.columns}
    found = ka.verify(table, policy(ka.KAnonymity(2), roles=roles)).to_dict()
    assert json.loads(json.dumps(found))["violating"][0]["class"] == {
        "day": "2020-01-02",
        "at": "2020-01-02 03:00:00",
        "cost": "1.50",
        "n": 3,
        "x": 0.5,
        "b": True,
        "none": None,
    }


def test_an_infinite_value_is_null_in_json():
    """JSON has no infinity: recursive diversity of a class of one value has no finite c."""
    asked = policy(ka.LDiversity("disease", 3, "recursive", c=2))
    found = ka.verify(RELEASED.with_columns(disease=pl.lit("flu")), asked)
    assert found.to_dict()["models"][0]["achieved"] is None


# --- range columns --------------------------------------------------------------------


def test_two_columns_stand_for_a_quasi_identifier():
    """A range release has age_min and age_max in place of age: both tell classes apart."""
    split = RELEASED.drop("age").with_columns(
        age_min=pl.Series([20] * 6), age_max=pl.Series([29, 29, 29, 39, 39, 39]), zip=pl.lit("0")
    )
    found = ka.verify(split, policy(ka.KAnonymity(3)))
    assert (found.satisfied, found.n_classes) == (True, 2)


def test_a_real_column_that_ends_in_min_is_no_range():
    """With `age` present, `age_min` is a column of its own and keeps its role."""
    table = pl.DataFrame({"age": ["*"] * 4, "age_min": [1, 2, 3, 4]})
    asked = ka.Policy(
        attributes={"age": ka.QuasiIdentifier()},
        models=[ka.KAnonymity(2)],
        others="quasi-identifier",
    )
    assert ka.verify(table, asked).n_classes == 4


# --- the aggregate form ---------------------------------------------------------------


def test_the_aggregate_form_counts_records_not_rows():
    """One row a class and sensitive value, with a count, verifies as the records would."""
    table = RELEASED.group_by(["age", "zip", "disease"]).len("n")
    asked = policy(
        ka.KAnonymity(3), ka.LDiversity("disease", 1.8, "entropy"), ka.TCloseness("disease", 0.5)
    )
    of_counts, of_rows = ka.verify(table, asked, count="n"), ka.verify(RELEASED, asked)
    assert of_counts.rows == of_rows.rows == 6
    assert of_counts.class_sizes == of_rows.class_sizes
    for one, other in zip(of_counts.checks, of_rows.checks, strict=True):
        assert one.achieved == pytest.approx(other.achieved)


@pytest.mark.parametrize("column", [[2, 3], [2.0, 3.0], ["2", "3"], [Decimal(2), Decimal(3)]])
def test_counts_may_come_as_text_or_as_real_numbers(column):
    """What a file makes of a column of counts is read as the numbers they are."""
    assert record_counts(pl.Series("n", column)).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ([1, 0], "0"),
        ([1, -2], "-2"),
        ([1.0, 1.5], "1.5"),
        ([1, None], "None"),
        ([1.0, float("nan")], "nan"),
        (["1", "many"], "'many'"),
    ],
)
def test_what_counts_no_records_is_refused(column, shown):
    """A count is a whole number of at least 1; the message names the row and the cell."""
    with pytest.raises(ka.DataError, match=f"column 'n', row 2: {shown} counts no records"):
        record_counts(pl.Series("n", column))


def test_a_count_column_that_does_not_exist_is_refused():
    """The message names the column that was asked for."""
    with pytest.raises(ka.DataError, match="no column 'n'"):
        ka.verify(RELEASED, policy(ka.KAnonymity(3)), count="n")


# --- the distribution that classes are compared with ----------------------------------


def test_classes_are_compared_with_the_release():
    """Without the original, t is the distance to the released distribution."""
    roles = {"q": ka.QuasiIdentifier(), "s": ka.Sensitive()}
    table = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]})
    assert ka.verify(table, policy(ka.TCloseness("s", 0), roles=roles)).checks[0].achieved == 0


def test_with_the_original_its_distribution_counts():
    """Where suppression took records, t is the distance to the table before it."""
    roles = {"q": ka.QuasiIdentifier(), "s": ka.Sensitive()}
    released = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]})
    before = pl.DataFrame({"q": [1, 1, 2, 2] + [3] * 4, "s": ["a", "b", "a", "b"] + ["b"] * 4})
    asked = policy(ka.KAnonymity(2), ka.TCloseness("s", 0.1), roles=roles)
    found = ka.verify(released, asked, original=before)
    assert [check.achieved for check in found.checks] == [2, pytest.approx(0.25)]
    assert [check.satisfied for check in found.checks] == [True, False]
    # A class that is like the original is so, whatever the release is like.
    half = pl.DataFrame({"q": [1, 1, 2, 2, 2, 2], "s": ["a", "b", "b", "b", "b", "b"]})
    found = ka.verify(half, asked, original=pl.DataFrame({"q": [1] * 3, "s": ["b", "b", "a"]}))
    assert found.checks[1].achieved == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("released", "original", "t"),
    [
        (["1", "2"], [1, 2], 0.5),  # text that was numbers
        ([1.0, 2.0], [1, 2], 0.5),
        ([1, 2], [1.0, 2.0, 2.5], 2 / 3),
        (["a", "b"], pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), 0.5),
        (["a", "c"], pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), 1.0),
        (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"], 0.5),
        (["2020-01-01", "2020-01-02"], [dt.date(2020, 1, 1), dt.date(2020, 1, 2)], 0.5),
        ([True, False], ["true", "false"], 0.5),
        ([1, 2], ["one", "two"], 1.0),
    ],
)
def test_types_that_a_file_lost_do_not_matter(released, original, t):
    """Values of two types are compared as the original's type, as numbers, or as texts."""
    roles = {"q": ka.QuasiIdentifier(), "s": ka.Sensitive()}
    one = pl.DataFrame({"q": [1, 2], "s": released})
    two = pl.DataFrame({"q": [1] * len(original), "s": original})
    found = ka.verify(one, policy(ka.TCloseness("s", 1), roles=roles), original=two)
    assert found.checks[0].achieved == pytest.approx(t)


def test_excluded_nulls_are_no_sensitive_values():
    """`nulls: exclude` leaves records without a value out of shares, not out of class sizes."""
    table = pl.DataFrame({"q": [1, 1, 1], "s": ["a", "b", None]})
    for nulls, distinct in (("value", 3), ("exclude", 2)):
        roles = {"q": ka.QuasiIdentifier(), "s": ka.Sensitive(nulls=nulls)}
        found = ka.verify(table, policy(ka.KAnonymity(3), ka.LDiversity("s", 1), roles=roles))
        assert [check.achieved for check in found.checks] == [3, distinct]


def test_excluded_nulls_leave_the_branches_of_a_hierarchy_that_have_values():
    """Distances over a tree do not see the branch of an excluded null."""
    tree = hierarchy.from_mapping({"a": "x", "b": "x", "c": "y"})
    values = pl.Series("s", ["a", "b", "c", None, "c", None])
    groups = group_released([pl.Series("q", [1, 1, 1, 2, 2, 2])], 6)
    classes = classes_of_release(groups, [SensitiveColumn(values, tree, exclude_nulls=True)])
    model = ka.TCloseness("s", 1, "hierarchical")
    paths = {0: (0, 0), 1: (0, 0), 2: (1, 0)}
    table = [0, 1, 2, 2]
    assert model.achieved(classes) == pytest.approx(
        max(naive.t_hierarchical(values, table, paths) for values in ([0, 1, 2], [2]))
    )


# --- grouping -------------------------------------------------------------------------

CELLS = {
    "text": st.sampled_from(["", "a", "b", "ab", "null", "\0", None]),
    "number": st.sampled_from([0, 1, 2, None]),
    "real": st.sampled_from([0.0, -0.0, 0.5, None]),
    "flag": st.sampled_from([True, False, None]),
}


@given(st.data())
def test_records_are_one_class_exactly_where_all_values_agree(data):
    """Groups by hash, and by code, are those of a dict of tuples, with null as a value."""
    n = data.draw(st.integers(0, 20))
    columns = [
        pl.Series(name, data.draw(st.lists(cells, min_size=n, max_size=n)), strict=False)
        for name, cells in CELLS.items()
    ]
    rows = list(zip(*(column.to_list() for column in columns), strict=True))
    order = list(dict.fromkeys(rows))
    for groups in (group_released(columns, n), group_by_code(columns)):
        assert len(groups.sizes) == len(order)
        label_of = dict(zip(rows, groups.labels.tolist(), strict=True))
        assert [label_of[row] for row in rows] == groups.labels.tolist()
        assert [rows.index(row) for row in order] == [groups.first[label_of[r]] for r in order]
        assert [rows.count(row) for row in order] == [groups.sizes[label_of[r]] for r in order]


QUICK = {
    "integer": (pl.Int8, st.sampled_from([-128, 0, 127, None])),
    "flag": (pl.Boolean, st.sampled_from([True, False, None])),
    "category": (pl.Categorical, st.sampled_from(["", "a", "b", None])),
    "day": (pl.Date, st.sampled_from([dt.date(1900, 1, 1), dt.date(2024, 2, 29), None])),
}


@given(st.data())
def test_values_that_have_quick_codes_are_classes_as_others_are(data):
    """Without real numbers nothing is hashed, and the classes are those of the values."""
    n = data.draw(st.integers(1, 20))
    columns = [
        pl.Series(name, data.draw(st.lists(cells, min_size=n, max_size=n)), dtype=dtype)
        for name, (dtype, cells) in QUICK.items()
    ]
    rows = list(zip(*(column.to_list() for column in columns), strict=True))
    groups = group_released(columns, n)
    assert sorted(zip(groups.first.tolist(), groups.sizes.tolist(), strict=True)) == sorted(
        (rows.index(row), rows.count(row)) for row in set(rows)
    )
    assert groups.first[groups.labels].tolist() == [rows.index(row) for row in rows]


def test_rows_of_one_hash_stay_different(monkeypatch):
    """If a hash collides, every cell is compared, and grouping falls back on codes."""
    monkeypatch.setattr(verification.released_classes, "_hashes", lambda _: np.zeros(4, np.uint64))
    column = pl.Series("q", [0.5, 1.5, 0.5, None])
    assert sorted(group_released([column], 4).sizes.tolist()) == [1, 1, 2]
    equal = pl.Series("q", [0.5] * 4)
    assert group_released([equal], 4).sizes.tolist() == [4]


def test_without_a_quasi_identifier_the_table_is_one_class():
    """A table that gives nothing away is one class, and one without records is none."""
    assert check_models([], [], [ka.KAnonymity(4)], 4).classes.sizes.tolist() == [4]
    assert check_models([], [], [ka.KAnonymity(4)], 0).classes.sizes.tolist() == []


def test_no_record_violates_nothing():
    """A release without records satisfies every model."""
    asked = policy(ka.KAnonymity(5), ka.LDiversity("disease", 3), ka.TCloseness("disease", 0))
    found = ka.verify(RELEASED.clear(), asked)
    assert (found.satisfied, found.rows, found.n_classes, found.class_sizes) == (True, 0, 0, {})


# --- null as a wildcard ---------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([1, 2, None])), min_size=1
    )
)
def test_k_with_wildcards_is_what_pairs_say(records):
    """K with nulls as wildcards is the fewest records that are compatible with one of them."""
    columns = [
        pl.Series("x", [x for x, _ in records], dtype=pl.String),
        pl.Series("y", [y for _, y in records], dtype=pl.Int64),
    ]
    missing = any(None in record for record in records)
    expected = min(naive.wildcard_sizes(records, [1] * len(records))) if missing else None
    assert k_wildcard(columns) == expected


@given(
    records=st.lists(
        st.tuples(*[st.sampled_from(["a", "b", None])] * 3, st.integers(1, 3)), min_size=1
    ),
    wildcard=st.booleans(),
    few=st.sampled_from([None, 1, 2, 3]),
)
def test_k_counts_as_the_policy_says(records, wildcard, few):
    """K-anonymity counts null as any value, or looks at every few attributes, if it is told to.

    The aggregate form counts as its rows do.
    """
    names = ["x", "y", "z"]
    table = pl.DataFrame(
        [one[:3] for one in records for _ in range(one[3])], schema=names, orient="row"
    ).cast(pl.String)
    nulls = "wildcard" if wildcard else "value"
    chosen = list(combinations(range(3), few or 3))
    expected = min(
        sum(
            all(
                a == b or (wildcard and None in (a, b)) for a, b in ((one[i], other[i]) for i in of)
            )
            for other in table.rows()
        )
        for one in table.rows()
        for of in chosen
    )
    asked = policy(
        ka.KAnonymity(2),
        roles=dict.fromkeys(names, ka.QuasiIdentifier()),
        algorithm={"type": "cell-suppression", "nulls": nulls, "subsets": few},
    )
    found = ka.verify(table, asked)
    assert found.checks[0].achieved == expected
    assert found.satisfied == (expected >= 2)
    assert bool(found.n_violating) == (expected < 2)
    said = found.to_dict()["models"][0]
    assert said["nulls"] == nulls
    assert said.get("subsets") == few
    rows = pl.DataFrame(records, schema=[*names, "n"], orient="row")
    rows = rows.with_columns(pl.col(names).cast(pl.String))
    assert ka.verify(rows, asked, count="n").checks == found.checks


@pytest.mark.parametrize("seed", range(20))
def test_a_share_of_values_that_rows_have_several_of_is_one_of_rows(seed):
    """Where a row has several values or none, (α, k)-anonymity bounds the rows with a value."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 9))
    classes, owners = draw.integers(0, 3, n).tolist(), draw.integers(0, n, draw.integers(0, 20))
    pairs = sorted({(owner, int(draw.integers(0, 4))) for owner in owners.tolist()})
    values = pl.Series("value", [value for _, value in pairs], dtype=pl.Int64)
    rows = np.array([owner for owner, _ in pairs], np.int64)
    column, model = SensitiveColumn(values, rows=rows), AlphaKAnonymity(0.5, 1, "value")
    checked = check_models([pl.Series("class", classes)], [column], [model], n)
    worst = {}
    for own in classes:
        holders = Counter(value for owner, value in pairs if classes[owner] == own)
        worst[own] = max(holders.values(), default=0) / classes.count(own)
    assert checked.checks[0].achieved == pytest.approx(max(worst.values()))
    assert checked.n_violating == sum(share > 0.5 for share in worst.values())
