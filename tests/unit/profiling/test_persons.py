"""Columns that repeat and determine others are proposed as persons, whatever their names."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.data.schema import Role
from kanonym.profiling import groupings, profile
from kanonym.profiling.groupings import WITNESSES, Grouping, coded_columns
from kanonym.profiling.persons import proposed_persons

NAMES = """
x nr key code num pnr subj subj_nr proband vp fall ref klient_nr unit obj tn kennung zaehler matr
folio expediente dossier idx
""".split()  # noqa: SIM905 - a list of words
"""23 names of a person's number."""
SEEDS = st.integers(0, 2**32 - 1)


def persons(n, seed):
    """Return a row for each person, with columns that others determine."""
    random = np.random.default_rng(seed)
    city = random.integers(0, 60, n)
    age = random.integers(18, 90, n)
    wage = random.integers(10, 4_000, n) * 5
    return pl.DataFrame(
        {
            "sex": random.integers(0, 2, n),
            "age": age,
            "age_group": age // 10 * 10,
            "born": 2026 - age,
            "city": [f"city {one}" for one in city],
            "region": [f"region {one % 7}" for one in city],
            "lat": np.round(40 + city * 0.137, 3),
            "lon": np.round(5 + (city * 37 % 60) * 0.21, 3),
            "wage": wage,
            "log_wage": np.round(np.log2(wage), 4),
            "school": random.integers(0, 5, n),
            "diagnosis": random.integers(0, 12, n),
        }
    )


def visits(n_persons, seed, most=6):
    """Return 1 to `most` rows of each person: a number, age, sex, postal code, and a diagnosis."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n_persons), random.integers(1, most + 1, n_persons))
    rows = random.permutation(rows)
    number = random.permutation(np.arange(10_000, 10_000 + 7 * n_persons))[:n_persons]
    own = {
        "number": number,
        "age": random.integers(18, 90, n_persons),
        "sex": random.integers(0, 2, n_persons),
        "postal": random.integers(0, 40, n_persons) + 8_000,
    }
    table = {name: values[rows] for name, values in own.items()}
    return pl.DataFrame(table | {"diagnosis": random.integers(0, 12, len(rows))})


@pytest.mark.parametrize("name", NAMES)
def test_a_number_is_proposed_whatever_its_name(name):
    """The number of 300 persons with 1 to 6 rows is the entity, and dropped, under any name."""
    found = profile(visits(300, 5).rename({"number": name}))
    (told,) = found.proposed_persons
    assert told.columns == (name,)
    assert told.values == 300
    assert set(told.constant) == {"age", "sex", "postal"}
    assert not told.likely_groups
    assert found.entity.name == name
    assert next(one for one in found.columns if one.name == name).role is Role.IDENTIFIER
    assert found.policy(5).entities == [name]


def test_the_suggested_policy_counts_persons():
    """Accepted as suggested, the release has five persons in each class."""
    table = visits(300, 6).rename({"number": "x"})
    release = ka.anonymize(table, profile(table).policy(5), seed=1, keep_order=True)
    assert "x" not in release.frame.columns
    who = release.frame.with_columns(table["x"]).group_by("age", "sex", "postal")
    assert who.agg(pl.col("x").n_unique())["x"].min() >= 5


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.sampled_from([150, 600, 2_500]))
def test_a_table_of_one_row_per_person_is_quiet(seed, n):
    """Cities that determine regions, and ages their groups, are no persons."""
    assert proposed_persons(persons(n, seed)) == ()


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS, st.integers(60, 500), st.integers(2, 8))
def test_a_table_of_several_rows_per_person_is_not(seed, n, most):
    """The number is proposed first, with what it determines."""
    told = proposed_persons(visits(n, seed, most))
    assert told[0].columns == ("number",)
    assert {"sex", "age"} <= set(told[0].constant)


@settings(max_examples=examples(20), deadline=None)
@given(SEEDS, st.booleans())
def test_neither_the_order_of_rows_nor_names_change_anything(seed, repeats):
    """Shuffled rows have the same proposals, and renamed columns the renamed ones."""
    table = visits(120, seed) if repeats else persons(300, seed)
    told = proposed_persons(table)
    assert proposed_persons(table.sample(fraction=1, shuffle=True, seed=seed)) == told
    names = {name: f"c{place}" for place, name in enumerate(table.columns)}
    renamed = proposed_persons(table.rename(names))
    assert [one.columns for one in renamed] == [
        tuple(names[name] for name in one.columns) for one in told
    ]


def test_rows_with_counts_are_records():
    """The distinct rows with their counts have the proposals of all rows."""
    table = visits(200, 7).drop("diagnosis")
    counted = table.group_by(table.columns).len()
    told = proposed_persons(
        coded_columns(counted.drop("len")), counted["len"].to_numpy().astype(np.int64)
    )
    assert told == proposed_persons(table)


def test_large_tables_are_looked_at_in_part(monkeypatch):
    """The same column is proposed from some of its values, with the sizes of the whole table."""
    table = visits(2_000, 8)
    whole = proposed_persons(table)[0]
    monkeypatch.setattr(groupings, "LOOKED_AT", 1_000)
    part = proposed_persons(table)[0]
    assert part.columns == whole.columns
    assert part.looked_at < 2_000 < whole.looked_at
    assert (part.values, part.records, part.largest) == (whole.values, whole.records, whole.largest)
    monkeypatch.setattr(groupings, "MOST_ROWS", 4_000)
    assert proposed_persons(table)[0].columns == whole.columns


def test_two_columns_tell_persons_apart_together():
    """Numbers that begin anew in each hospital are proposed with the hospital."""
    table = visits(240, 9)
    dense = table["number"].rank("dense").cast(pl.Int64) - 1
    table = table.drop("number").with_columns(hospital=dense % 3, number=dense // 3)
    told = proposed_persons(table)
    assert set(told[0].columns) == {"hospital", "number"}
    assert told[0].values == 240


def test_a_panel_is_proposed_though_it_determines_nothing():
    """A number that has each year once, and alike values, is proposed with its occasions."""
    random = np.random.default_rng(10)
    who, year = np.repeat(np.arange(80), 6), np.tile(np.arange(6), 80)
    wage = random.integers(0, 1_000, 80)[who] + random.integers(0, 300, 480)
    (told,) = proposed_persons(pl.DataFrame({"who": who, "year": year, "wage": wage}))
    assert told.columns == ("who",)
    assert told.occasions == ("year",)
    assert told.alike == ("wage",)


def test_matched_sets_are_likely_groups():
    """A set of a case and its controls is proposed, and not as the entity."""
    random = np.random.default_rng(11)
    n = 120
    matched = np.repeat(np.arange(n), 3)
    table = pl.DataFrame(
        {
            "stratum": random.permutation(n)[matched],
            "age": random.integers(20, 60, n)[matched],
            "parity": random.integers(0, 6, n)[matched],
            "case": np.tile([1, 0, 0], n),
            "exposed": random.integers(0, 2, 3 * n),
        }
    )
    found = profile(table)
    (told,) = found.proposed_persons
    assert told.columns == ("stratum",)
    assert told.likely_groups
    assert found.entity.name is None
    assert not found.entity.rows_are_persons
    assert "matched sets" in found.entity.reason


def test_classes_of_pupils_are_likely_groups():
    """A school whose pupils are alike in nothing but the school is no person."""
    random = np.random.default_rng(12)
    school = np.repeat(np.arange(60), 20)
    table = {"school": random.permutation(60)[school]}
    table |= {name: random.integers(0, 3, 60)[school] for name in ("kind", "area")}
    table |= {name: random.integers(0, 4, 1_200) for name in ("sex", "grade", "class")}
    told = proposed_persons(pl.DataFrame(table))
    assert [(one.columns, one.likely_groups) for one in told] == [(("school",), True)]


@pytest.mark.parametrize(("names", "groups"), [(("Geb.", "Geschl."), False), (("b", "s"), True)])
def test_who_has_one_sex_and_one_birthday_is_no_group(names, groups):
    """Stays that have nothing else in common are of one person where sex and birthday are one."""
    random = np.random.default_rng(21)
    who = np.repeat(np.arange(250), random.integers(1, 4, 250))
    own = dict(
        zip(names, (random.integers(0, 20_000, 250), random.integers(0, 2, 250)), strict=True)
    )
    table = {"ref": random.permutation(250)[who] + 1_000, "z": random.integers(0, 90, 250)[who]}
    table |= {name: values[who] for name, values in own.items()}
    table |= {name: random.integers(0, 30, len(who)) for name in ("ward", "diag", "crp", "cost")}
    (told,) = proposed_persons(pl.DataFrame(table))
    assert (told.columns, told.likely_groups) == (("ref",), groups)


def test_measurements_are_not_proposed():
    """Decimals, dates and numbers below 0 that determine others are no numbers of persons."""
    table = visits(200, 13)
    number = table["number"]
    for values in (
        number / 7,
        pl.Series(number - number.max()),
        number.cast(pl.Int32).cast(pl.Date),
        number.cast(pl.Int32).cast(pl.Date).cast(pl.String),
    ):
        assert proposed_persons(table.with_columns(number=values)) == ()


def test_a_repeating_name_beside_a_unique_number_is_no_entity():
    """Where each row has its own patient number, it is a person; last names may repeat."""
    random = np.random.default_rng(14)
    names = np.array(["Roth", "Koch", "Lang", "Moser", "Bauer", "Wolf", "Braun", "Vogel"])
    table = pl.DataFrame(
        {
            "patient_id": random.permutation(200) + 1_000,
            "last_name": names[random.integers(0, 8, 200)],
            "age": random.integers(20, 80, 200),
        }
    )
    entity = profile(table).entity
    assert entity.rows_are_persons
    assert entity.name is None


def test_a_person_named_by_the_caller_stays_a_quasi_identifier():
    """Who says that a column is a quasi-identifier has decided; the evidence is told."""
    found = profile(visits(200, 15), quasi_identifiers=["number"])
    assert "number" in found.names(Role.QUASI_IDENTIFIER)
    assert found.proposed_persons[0].columns == ("number",)
    assert found.entity.name is None
    assert found.persons == (found.entity.reason,)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_small_tables_say_nothing(rows):
    """Of fewer than ten groups nothing is known."""
    assert proposed_persons(visits(100, 16).head(rows)) == ()
    assert proposed_persons(pl.DataFrame()) == ()


def test_columns_that_cannot_be_encoded_are_left_out():
    """A column of lists does not hide the person beside it."""
    table = visits(150, 17)
    table = table.with_columns(lists=pl.Series([[1]] * table.height))
    assert proposed_persons(table)[0].columns == ("number",)


def test_the_json_form_has_the_evidence_and_no_value():
    """Names, numbers and the sentence are told; no number of a person."""
    found = profile(visits(100, 18)).to_dict()["persons"]
    assert found["repeated"] is None
    (told,) = found["proposed"]
    assert told["columns"] == ("number",)
    assert told["values"] == 100
    assert "number has 100 values" in told["reason"]


def wide_visits(persons, others):
    """Return three visits of each person: 30 columns of the person, and others of the visit."""
    rng = np.random.default_rng(7)
    own = {f"own{i}": rng.integers(0, 9, persons).repeat(3) for i in range(30)}
    varying = {f"visit{i}": rng.integers(0, 9, 3 * persons) for i in range(others)}
    return pl.DataFrame({**varying, "code": np.arange(persons).repeat(3), **own})


def test_a_person_is_found_among_hundreds_of_columns():
    """Some columns of many are looked at, in which a person's number shows all the same."""
    (person,) = proposed_persons(wide_visits(120, 60))
    assert person.columns == ("code",)
    table = wide_visits(120, 0)
    more = {f"{name}{i}": table[name] for i in range(8) for name in table.columns if name != "code"}
    (person,) = proposed_persons(table.select("code").with_columns(**more))
    assert person.columns == ("code",)


def test_each_grouping_of_a_wide_table_is_compared_with_a_hundred_columns():
    """Time grows with the number of columns, not with its square."""
    columns = coded_columns(pl.DataFrame({f"c{i}": [0, 0, 1, 1] for i in range(1_000)}))
    grouping = Grouping(columns, [3], np.ones(4, np.int64))
    assert len(grouping.witnesses) == WITNESSES
    few = Grouping(columns[:50], [3], np.ones(4, np.int64))
    assert len(few.witnesses) == 49
