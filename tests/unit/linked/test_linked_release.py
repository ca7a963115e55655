"""Releases of linked tables: persons are alike with all their rows, and nothing dangles."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.linked import LinkedPolicy, anonymize, measure, verify

from .conftest import hospital, hospital_form

KEY = bytes(range(32))
KNOWN = {"role": "quasi-identifier", "hierarchy": {"flat": {}}}
COARSE = {
    "role": "quasi-identifier",
    "hierarchy": {"mapping": {"a": ["x", "*"], "b": ["x", "*"], "c": ["z", "*"]}},
}
FORM = {
    "person": "people",
    "tables": {
        "people": {"key": "id", "attributes": {"sex": KNOWN}},
        "visits": {"key": "id", "references": {"person": "people"}, "attributes": {"ward": COARSE}},
        "tests": {"references": {"visit": "visits"}, "attributes": {"test": KNOWN}},
    },
}


def form(k, *, merge=False, limit=0.0, **changes):
    """Return the policy of people, visits and tests."""
    tables = {**FORM["tables"], "visits": {**FORM["tables"]["visits"], "merge": merge}}
    models = [{"type": "k-anonymity", "k": k}]
    return {**FORM, "tables": tables, "models": models, "suppression_limit": limit, **changes}


def linked(sexes, visits, tests):
    """Return people, visits of some of them, and tests of some visits."""
    return {
        "people": pl.DataFrame({"id": range(len(sexes)), "sex": list(sexes)}),
        "visits": pl.DataFrame(
            {
                "id": range(len(visits)),
                "person": [one % len(sexes) for one, _ in visits],
                "ward": [ward for _, ward in visits],
            },
            schema={"id": pl.Int64, "person": pl.Int64, "ward": pl.String},
        ),
        "tests": pl.DataFrame(
            {
                "visit": [one % max(len(visits), 1) for one, _ in tests if visits],
                "test": [test for _, test in tests if visits],
            },
            schema={"visit": pl.Int64, "test": pl.String},
        ),
    }


def trees(tables, recode=lambda _, value: value):
    """Return each person with all rows, as nested values, by the person's key."""
    below = {}
    for visit, test in tables["tests"].iter_rows():
        below.setdefault(visit, []).append(recode("test", test))
    visits = {}
    for key, person, ward in tables["visits"].select("id", "person", "ward").iter_rows():
        tests = tuple(sorted(below.get(key, [])))
        visits.setdefault(person, []).append((recode("ward", ward), tests))
    people = tables["people"].select("id", "sex").iter_rows()
    return {key: (recode("sex", sex), tuple(sorted(visits.get(key, [])))) for key, sex in people}


STEPS = {"ward": [{}, {"a": "x", "b": "x", "c": "z"}, dict.fromkeys("abc", "*")]}
STEPS |= {name: [{}, None] for name in ("sex", "test")}


def recoded(levels):
    """Return the recoding of one level for each column."""

    def recode(name, value):
        step = STEPS[name][levels[name]]
        return "*" if step is None else step.get(value, value)

    return recode


def losses(tables, levels):
    """Return the mean loss of levels, each column over its own rows."""
    found = []
    for name, table in (("sex", "people"), ("ward", "visits"), ("test", "tests")):
        values = tables[table][name].to_list()
        leaves = set("abc") if name == "ward" else set(values)
        same = Counter(recoded(levels)(name, one) for one in leaves)
        below = [same[recoded(levels)(name, one)] - 1 for one in values]
        found.append(sum(below) / max(len(below), 1) / max(len(leaves) - 1, 1))
    return sum(found) / 3


WARDS = st.tuples(st.integers(0, 5), st.sampled_from("abc"))


@settings(max_examples=examples(60))
@given(
    st.text("fm", min_size=2, max_size=6),
    st.lists(WARDS, max_size=7),
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from("uv")), max_size=4),
    st.sampled_from([0.0, 0.4]),
)
def test_persons_are_alike_with_all_their_rows(sexes, visits, tests, limit):
    """What is released is k-anonymous by whole trees, at the levels of least loss, or refused."""
    tables, k = linked(sexes, visits, tests), 2

    def suppressed(levels):
        found = trees(tables, recoded(levels))
        sizes = Counter(found.values())
        return sum(sizes[one] < k for one in found.values())

    every = [dict(zip(STEPS, one, strict=True)) for one in product(range(3), range(2), range(2))]
    allowed = limit * len(sexes)
    possible = [one for one in every if suppressed(one) <= allowed and suppressed(one) < len(sexes)]
    policy = LinkedPolicy.from_dict(form(k, limit=limit))
    if not possible:
        with pytest.raises(InfeasibleError, match="Nothing is released"):
            anonymize(tables, policy)
        return
    release = anonymize(tables, policy)
    found = trees(release.frames)
    assert min(Counter(found.values()).values()) >= k
    assert release.algorithm["score"] == pytest.approx(min(losses(tables, one) for one in possible))
    assert len(found) == len(sexes) - release.suppressed
    assert verify(release.frames, policy).k >= k


def test_equal_rows_are_merged_after_recoding():
    """Merging makes the worked hospital 2-anonymous by one level of years, eight stays left."""
    merged = {"admissions": {**hospital_form()["tables"]["admissions"], "merge": True}}
    release = anonymize(hospital(), LinkedPolicy.from_dict(hospital_form(**merged)))
    assert dict(release.rows_out) == {"patients": 8, "admissions": 8, "diagnoses": 13}
    assert release.levels == {
        "patients.born": 0,
        "patients.sex": 0,
        "patients.zip": 0,
        "admissions.year": 1,
        "admissions.ward": 0,
    }
    measured = release.verification.measured
    assert (measured.by_set, measured.by_multiset, measured.by_count) == (2, 2, 2)


def test_a_suppressed_person_takes_all_rows_along():
    """Suppression leaves no row of the person, in no table."""
    release = anonymize(hospital(), LinkedPolicy.from_dict(hospital_form(suppression_limit=0.25)))
    assert release.suppressed == 2
    assert dict(release.rows_out) == {"patients": 6, "admissions": 8, "diagnoses": 9}
    patients, admissions, diagnoses = release.frames.values()
    assert set(admissions["patient"]) <= set(patients["patient"])
    assert set(diagnoses["admission"]) <= set(admissions["admission"])


def test_cap_and_band_bound_numbers_of_rows():
    """A cap keeps so many rows of each person; a band says their number and releases none."""
    tables = hospital()
    limited = anonymize(
        tables, LinkedPolicy.from_dict(hospital_form(admissions={"cap": 1}, suppression_limit=0.5))
    )
    assert limited.verification.measured.by_table["admissions"].most_rows == 1
    banded = anonymize(tables, LinkedPolicy.from_dict(hospital_form(admissions={"band": 1})))
    assert list(banded.frames) == ["patients"]
    assert set(banded.frames["patients"]["admissions_rows"]) == {"1+"}


def keyed(tmp_path, **changes):
    """Return a policy with keys and dates under one secret."""
    (tmp_path / "key").write_bytes(KEY)
    key = {"file": "key"}
    shift = {"type": "shift-date", "days": 90, "key": key}
    hashed = {"type": "keyed-hash", "key": key}
    of_patient = {"role": "identifier", "action": {**hashed, "space": "patient"}}
    of_admission = {"role": "identifier", "action": {**hashed, "space": "admission"}}
    dated = {"role": "insensitive", "action": shift}
    own = hospital_form()["tables"]
    form = hospital_form(
        patients={"attributes": {**own["patients"]["attributes"], "patient": of_patient}},
        admissions={
            "attributes": {"admission": of_admission, "admitted": dated, "discharged": dated},
            "rows": "unknown",
        },
        diagnoses={"attributes": {"icd10": {"role": "insensitive"}}},
        others="identifier",
        **changes,
    )
    tables = hospital()
    stays = {"a01": ("2021-03-02", "2021-03-09"), "a02": ("2022-05-11", "2022-05-12")}
    stays |= {"a03": ("2021-07-20", "2021-07-30"), "a04": ("2022-01-15", "2022-01-20")}
    dates = [
        stays.get(one, ("2021-01-01", "2021-01-02")) for one in tables["admissions"]["admission"]
    ]
    tables["admissions"] = tables["admissions"].select(
        "admission",
        "patient",
        admitted=pl.Series([one for one, _ in dates]),
        discharged=pl.Series([one for _, one in dates]),
    )
    return tables, LinkedPolicy.from_dict(form, tmp_path)


def test_keys_and_dates_follow_the_secret(tmp_path):
    """Pseudonyms depend on secret, key space and value, shifts on secret and person."""
    release = anonymize(*keyed(tmp_path))
    patients, admissions, diagnoses = release.frames.values()
    p1 = "2f1c18ccff7b7fa0a328ecec6a5234fc"
    assert {p1, "9462f6ff48a751277f234c8a0104e1c0", "55e907416124c09076cf71478b865761"} <= set(
        patients["patient"]
    )
    found = {one[0]: one[1:] for one in admissions.iter_rows()}
    assert found["6af9a2fbee5a424dc925cd4ab93b6177"] == (p1, "2021-02-02", "2021-02-09")
    assert found["b819ad26f2ab87a71faaf1094a4cf3c0"] == (p1, "2022-04-13", "2022-04-14")
    dates = {one[1:] for one in found.values()}
    assert {("2021-09-01", "2021-09-11"), ("2022-02-27", "2022-03-04")} <= dates
    assert set(diagnoses["admission"]) <= set(admissions["admission"])
    assert {one["collision_probability"] < 1e-30 for one in release.keys} == {True}


def test_shifts_of_weeks_keep_the_weekday(tmp_path):
    """With multiple_of 7 all dates of a person move by whole weeks."""
    tables, policy = keyed(tmp_path)
    form = dict(policy.form)
    action = {"type": "shift-date", "days": 90, "key": {"file": "key"}, "multiple_of": 7}
    form["tables"]["admissions"]["attributes"]["admitted"]["action"] = action
    form["tables"]["admissions"]["attributes"]["discharged"]["action"] = action
    before = tables["admissions"]["admitted"].str.to_date()
    after = anonymize(tables, LinkedPolicy.from_dict(form, tmp_path)).frames["admissions"]
    assert sorted(after["admitted"].str.to_date().dt.weekday()) == sorted(before.dt.weekday())


def test_dates_without_a_key_are_refused():
    """A shift that each table would draw for itself is refused."""
    dated = {"role": "insensitive", "action": {"type": "shift-date", "days": 9}}
    policy = LinkedPolicy.from_dict(
        hospital_form(
            admissions={"attributes": {"year": dated}, "rows": "unknown"}, others="insensitive"
        )
    )
    with pytest.raises(PolicyError, match=r"admissions\.year: shift-date needs key"):
        anonymize(hospital(), policy)


def test_two_tables_with_one_name_of_key_have_pseudonyms_of_their_own():
    """Person 3 and visit 3 do not meet: their numbers are drawn apart."""
    visits = [(i, "a") for i in range(40)]
    tables = linked("f" * 40, visits, [])
    release = anonymize(tables, LinkedPolicy.from_dict(form(2, seed=7)))
    followed = release.frames["visits"].join(
        release.frames["people"], left_on="person", right_on="id", how="inner"
    )
    assert followed.height == 40
    assert (followed["id"] == followed["person"]).sum() < 10


FAMILY = {
    "person": "people",
    "tables": {
        "people": {
            "key": ["country", "number"],
            "references": [{"columns": ["country", "mother"], "table": "people"}],
            "attributes": {
                "sex": KNOWN,
                "mother": {"role": "insensitive"},
                "country": {"role": "insensitive"},
            },
        },
        "visits": {
            "references": [
                {"columns": ["country", "person"], "table": "people"},
                {"columns": ["by"], "table": "staff"},
            ],
            "attributes": {"by": {"role": "quasi-identifier"}},
        },
        "staff": {
            "key": "staff",
            "references": {"boss": "staff"},
            "attributes": {"boss": {"role": "insensitive"}},
        },
    },
    "models": [{"type": "k-anonymity", "k": 2}],
    "suppression_limit": 0.3,
}


def test_composite_keys_and_references_to_suppressed_rows():
    """Composite keys stay joined; a mother who is suppressed becomes null, a boss stays."""
    tables = {
        "people": pl.DataFrame(
            {
                "country": ["de", "de", "de", "fr", "fr"],
                "number": [1, 2, 3, 1, 2],
                "mother": [None, None, 1, None, None],
                "sex": ["x", "f", "f", "f", "f"],
            }
        ),
        "visits": pl.DataFrame(
            {"country": ["de", "fr", "fr"], "person": [2, 1, 2], "by": ["s1", "s1", "s1"]}
        ),
        "staff": pl.DataFrame({"staff": ["s1", "s2"], "boss": ["s2", None]}),
    }
    tables["visits"] = tables["visits"].vstack(
        pl.DataFrame({"country": ["de"], "person": [3], "by": ["s1"]})
    )
    release = anonymize(tables, LinkedPolicy.from_dict(FAMILY))
    people, visits, staff = release.frames.values()
    assert release.suppressed == 1
    assert people["mother"].null_count() == people.height == 4
    joined = visits.join(people, left_on=["country", "person"], right_on=["country", "number"])
    assert joined.height == 4
    assert set(visits["by"]) <= set(staff["staff"])
    assert staff["boss"].drop_nulls().is_in(staff["staff"].implode()).all()
    assert any("who is linked to whom" in one for one in release.verification.notes)


def test_a_share_of_persons_bounds_values_of_other_tables():
    """alpha-k-anonymity of another table bounds the share of a class's persons with a value."""
    changes = {"admissions": {**hospital_form()["tables"]["admissions"], "merge": True}}
    alpha = {"type": "alpha-k-anonymity", "alpha": 0.7, "k": 2, "attribute": "diagnoses.icd10"}
    policy = LinkedPolicy.from_dict(hospital_form(models=[alpha], **changes))
    release = anonymize(hospital(), policy)
    (check,) = release.verification.checks
    assert check.satisfied
    assert check.achieved <= 0.7
    assert not release.verification.findings
    strict = LinkedPolicy.from_dict(hospital_form(models=[{**alpha, "alpha": 0.3}], **changes))
    with pytest.raises(InfeasibleError):
        anonymize(hospital(), strict)


def test_an_original_is_no_release():
    """Tables that still have an identifier are not verified."""
    named = {**hospital_form()["tables"]["patients"]["attributes"], "name": {"role": "identifier"}}
    policy = LinkedPolicy.from_dict(hospital_form(patients={"attributes": named}))
    tables = hospital()
    tables["patients"] = tables["patients"].with_columns(name=pl.lit("x"))
    with pytest.raises(SchemaError, match="patients still has the identifier name"):
        verify(tables, policy)
    assert "name" not in anonymize(tables, policy_merged(policy)).frames["patients"].columns


def policy_merged(policy):
    """Return a policy that merges admissions."""
    form = dict(policy.form)
    form["tables"]["admissions"]["merge"] = True
    return LinkedPolicy.from_dict(form)


def test_one_seed_gives_one_release():
    """A release with a seed can be repeated; the order of rows does not matter."""
    policy = LinkedPolicy.from_dict(form(2, seed=11))
    tables = linked("ffmmff", [(i, "abc"[i % 3]) for i in range(6)], [])
    first, again = (anonymize(tables, policy).frames for _ in range(2))
    assert all(first[name].equals(again[name]) for name in first)


def test_search_descends_where_there_are_too_many_levels():
    """Beyond its limit the search goes down from the roots, and what it finds satisfies."""
    from kanonym.linked.person_classes import find_levels

    rng = np.random.default_rng(3)
    losses = [sorted(rng.random(4).tolist()) for _ in range(5)]
    found = find_levels(losses, lambda levels: sum(levels) >= 6, most=3)
    best = find_levels(losses, lambda levels: sum(levels) >= 6)
    assert found is not None
    assert best is not None
    assert not found.optimal
    assert best.optimal
    assert sum(found.levels) >= 6
    assert found.loss >= best.loss


def test_dates_of_a_person_keep_their_distance_in_all_tables(tmp_path):
    """Birth and stays of a person move by one amount: the days between them stay."""
    tables, policy = keyed(tmp_path)
    day = pl.Series("born", ["1950-01-31"] * 8)
    tables["patients"] = tables["patients"].with_columns(day)
    changed = dict(policy.form)
    shift = {"type": "shift-date", "days": 90, "key": {"file": "key"}}
    own = changed["tables"]["patients"]["attributes"]
    own["born"] = {"role": "insensitive", "action": shift}
    release = anonymize(tables, LinkedPolicy.from_dict(changed, tmp_path))

    def spans(found):
        joined = found["admissions"].join(found["patients"], on="patient")
        dates = joined.select(pl.col("admitted", "discharged", "born").str.to_date())
        return sorted(
            dates.select(
                before=pl.col("admitted") - pl.col("born"),
                stay=pl.col("discharged") - pl.col("admitted"),
            ).rows()
        )

    assert spans(release.frames) == spans(tables)
    assert set(release.frames["patients"]["born"]) != {"1950-01-31"}


def test_keys_that_are_no_longer_keys_are_refused():
    """An action that gives two keys one pseudonym is refused before anything is written."""
    own = hospital_form()["tables"]["patients"]["attributes"]
    redacted = {**own, "patient": {"role": "identifier", "action": {"type": "redact"}}}
    policy = LinkedPolicy.from_dict(hospital_form(patients={"attributes": redacted}))
    with pytest.raises(DataError, match="two keys have one pseudonym"):
        anonymize(hospital(), policy)


def test_an_action_of_a_reference_is_refused():
    """The pseudonym of a reference is that of the key: an action of its own would part them."""
    own = hospital_form()["tables"]["patients"]
    staffed = {
        "references": {"mother": "patients"},
        "attributes": {
            **own["attributes"],
            "mother": {"role": "insensitive", "action": {"type": "surrogate"}},
        },
    }
    with pytest.raises(PolicyError, match=r"refers to patients\.patient, whose pseudonyms it gets"):
        LinkedPolicy.from_dict(hospital_form(patients=staffed))


def test_numbers_that_cannot_be_told_apart_are_not():
    """NaN is released as null, and infinite numbers are refused by table, column and row."""
    tables = linked("ffff", [], [])
    policy = LinkedPolicy.from_dict(form(2))
    people = tables["people"]
    tables["people"] = people.with_columns(sex=pl.Series([1.0, 1.0, float("nan"), None]))
    released = anonymize(tables, policy).frames["people"]["sex"]
    assert released.null_count() == 2
    assert not released.is_nan().any()
    tables["people"] = people.with_columns(sex=pl.Series([1.0, 1.0, float("inf"), 2.0]))
    with pytest.raises(DataError, match="people, column 'sex', row 3: inf is not a finite"):
        anonymize(tables, policy)


def test_categories_of_suppressed_rows_are_not_released():
    """An enumeration is released as text: its categories would name suppressed values."""
    tables = linked("fffm", [], [])
    kinds = pl.Enum(["f", "m"])
    tables["people"] = tables["people"].with_columns(pl.col("sex").cast(kinds))
    release = anonymize(tables, LinkedPolicy.from_dict(form(2, limit=0.25)))
    assert release.frames["people"]["sex"].to_list() == ["f"] * 3
    assert release.frames["people"].schema["sex"] == pl.String


def with_a_column(values):
    """Return people, visits and tests; tests have one more column, which no policy names."""
    tables = linked("ffmm", [(i, "a") for i in range(4)], [(i, "t") for i in range(4)])
    return {**tables, "tests": tables["tests"].with_columns(pl.Series("further", values))}


@pytest.mark.parametrize("call", [anonymize, verify, measure])
def test_columns_without_a_role_are_refused(call):
    """A column that neither the policy nor `others` gives a role is refused, in releases too."""
    with pytest.raises(SchemaError, match=r"tests: 1 column\(s\) have no role: further"):
        call(with_a_column(list("uvwx")), LinkedPolicy.from_dict(form(2)))


def test_columns_of_others_are_what_others_says():
    """Quasi-identifiers by `others` are counted and recoded; identifiers by it are no release."""
    tables = with_a_column(list("uvwx"))
    known = LinkedPolicy.from_dict(form(2, others="quasi-identifier"))
    assert verify(tables, known).k == 1
    release = anonymize(tables, known)
    assert release.verification.k == 2
    assert release.levels["tests.further"] > 0
    with pytest.raises(SchemaError, match="tests still has the identifier further"):
        verify(tables, LinkedPolicy.from_dict(form(2, others="identifier")))


def test_others_cannot_make_quasi_identifiers_of_nobody():
    """What a policy refuses of named columns is refused of columns that `others` names."""
    changed = form(2, others="quasi-identifier")
    changed["tables"] = {**changed["tables"], "wards": {"key": "ward"}}
    tables = {**with_a_column(list("uuuu")), "wards": pl.DataFrame({"ward": [1], "beds": [2]})}
    with pytest.raises(PolicyError, match="beds: is a quasi-identifier, but no reference leads"):
        anonymize(tables, LinkedPolicy.from_dict(changed))


@pytest.mark.parametrize(("suppressed", "told"), [("", 5), ("o", None), ("opqrs", 10)])
def test_rows_of_few_suppressed_persons_are_not_told(suppressed, told):
    """Neither keys nor manifests tell how many rows fewer than k suppressed persons had."""
    sexes = "fffff" + suppressed
    visits = [(i, "a") for i in range(len(sexes))]
    policy = LinkedPolicy.from_dict(form(5, limit=0.5))
    release = anonymize(linked(sexes, visits, []), policy)
    assert release.suppressed == len(suppressed)
    made = release.to_dict()
    assert made["tables"]["visits"] == {"rows_in": told, "rows_out": 5}
    assert {one["space"]: one["values"] for one in made["keys"]} == {"people.id": 5, "visits.id": 5}
    assert sorted(release.frames["visits"]["id"]) == [1, 2, 3, 4, 5]
    assert sorted(release.frames["visits"]["person"]) == [1, 2, 3, 4, 5]


def test_numbers_tell_nothing_of_merged_rows():
    """Keys are numbered after rows were merged: their largest number counts what is released."""
    policy = LinkedPolicy.from_dict(form(2, merge=True))
    release = anonymize(linked("ff", [(0, "a"), (0, "a"), (0, "a"), (1, "a")], []), policy)
    assert sorted(release.frames["visits"]["id"]) == [1, 2]


def test_free_text_and_amounts_take_the_green_off():
    """Sentences, and values that single out persons, are a warning in any table."""
    words = ["came", "left", "fell", "slept", "called", "rested"]
    notes = [
        f"She {one} on the {i}th day and the {two} wound did not heal at all"
        for i, (one, two) in enumerate(product(words, ["left", "old", "new", "deep"]))
    ]
    tables = linked("f" * 24, [(i, "a") for i in range(24)], [])
    amounts = [100 + i for i in range(24)]
    tables["visits"] = tables["visits"].with_columns(
        pl.Series("note", notes), pl.Series("amount", amounts)
    )
    policy = LinkedPolicy.from_dict(form(2, others="insensitive"))
    found = anonymize(tables, policy).verification
    assert found.verdict == "satisfied with findings"
    assert {(one.kind, one.columns) for one in found.findings} == {
        ("free-text", ("visits.note",)),
        ("identifying-amount", ("visits.amount",)),
        ("unprotected-sensitive", ("visits.note", "visits.amount")),
    }


def test_scrubbed_texts_are_a_warning_however_short():
    """What a policy scrubs is free text; names of another table cannot be looked for in it."""
    tables = with_a_column(["Ann", "fell", "Ann fell", "ok"])
    note = {"role": "insensitive", "action": {"type": "scrub-text"}}
    changed = form(2)
    scrubbing = {**FORM["tables"]["tests"], "attributes": {"test": KNOWN, "further": note}}
    changed["tables"] = {**changed["tables"], "tests": scrubbing}
    found = anonymize(tables, LinkedPolicy.from_dict(changed)).verification
    assert [(one.kind, one.columns) for one in found.findings] == [
        ("free-text", ("tests.further",))
    ]
    note["action"]["columns"] = ["sex"]
    with pytest.raises(SchemaError, match="actions of linked tables read columns of their own"):
        anonymize(tables, LinkedPolicy.from_dict(changed))
