"""Laws of what is drawn for a person: once, for all columns and tables of a policy."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples

DAY = pl.date(2020, 6, 1)
STAYS = pl.DataFrame({"patient": [f"p{i % 20}" for i in range(60)], "age": [30, 40] * 30})
STAYS = STAYS.with_columns(admitted=DAY, discharged=DAY + pl.duration(days=4))
SHIFT = {"type": "shift-date", "days": 300, "subject": "patient"}
PERSONS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


def spans(table, first="admitted", last="discharged"):
    """Return the different numbers of days between two columns."""
    return {one.days for one in table[last] - table[first]}


def policy(actions, **further):
    """Return a policy of insensitive columns with actions."""
    form = {name: {"role": "insensitive", "action": action} for name, action in actions.items()}
    attributes = {"age": {"role": "quasi-identifier"}, **form}
    models = [{"type": "k-anonymity", "k": 2}]
    return ka.Policy(
        attributes=attributes, others="insensitive", models=models, rows="persons", **further
    )


@pytest.mark.parametrize("subject", ["patient", None])
@pytest.mark.parametrize("late", ["before", "after"])
def test_all_dates_of_a_subject_shift_by_one_amount(subject, late):
    """A stay of four days stays one, with a subject, for a record, and on released values."""
    shift = {**SHIFT, "subject": subject}
    actions = {"admitted": shift, "discharged": {**shift, "when": late}}
    released = ka.anonymize(STAYS, policy(actions)).frame
    assert spans(released) == {4}
    assert released["admitted"].n_unique() > 10


def test_a_person_has_one_shift_under_two_names():
    """Who refers is who is referred: both columns name the same persons."""
    table = STAYS.with_columns(by=pl.col("patient").reverse())
    actions = {"admitted": SHIFT, "discharged": {**SHIFT, "subject": "by"}}
    moved = ka.transform(table, actions)
    of = {}
    for subject, column in (("patient", "admitted"), ("by", "discharged")):
        for person, before, after in zip(table[subject], table[column], moved[column], strict=True):
            assert of.setdefault(person, after - before) == after - before


def test_tables_of_persons_shift_alike_without_a_key():
    """Dates of linked tables that name the same subject move together."""
    persons = pl.DataFrame({"id": range(30)}).with_columns(born=DAY)
    visits = pl.DataFrame({"id": [i % 30 for i in range(60)]}).with_columns(seen=DAY)
    shift = {"role": "insensitive", "action": {**SHIFT, "subject": "id"}}
    form = {
        "person": "persons",
        "tables": {
            "persons": {"key": "id", "attributes": {"born": shift}},
            "visits": {"references": {"id": "persons"}, "attributes": {"seen": shift}},
        },
        "models": [{"type": "k-anonymity", "k": 2}],
    }
    linked = ka.linked.LinkedPolicy.from_dict(form)
    released = ka.linked.anonymize({"persons": persons, "visits": visits}, linked).frames
    assert spans(released["visits"].join(released["persons"], on="id"), "born", "seen") == {0}
    assert released["persons"]["born"].n_unique() > 10
    form["tables"]["visits"]["attributes"] = {
        "seen": {"role": "insensitive", "action": {**SHIFT, "subject": "id", "days": 9}}
    }
    with pytest.raises(ka.PolicyError, match=r"visits.*seen.*'persons\.born': give shift-date"):
        ka.linked.LinkedPolicy.from_dict(form)


@pytest.mark.parametrize("subject", ["patient", None])
@pytest.mark.parametrize("other", [{"days": 299}, {"multiple_of": 7}, {"key": {"env": "KEY"}}])
def test_other_bounds_for_the_same_subject_are_refused(subject, other):
    """By the policy itself and by `transform`: the days between two dates would change."""
    shift = {**SHIFT, "subject": subject}
    actions = {"admitted": shift, "discharged": {**shift, **other}}
    with pytest.raises(
        ka.PolicyError, match=r"discharged.*different amounts here and in 'admitted"
    ):
        policy(actions)
    with pytest.raises(
        ka.PolicyError, match=r"discharged.*different amounts here and in 'admitted"
    ):
        ka.transform(STAYS, actions)


def test_two_shifts_of_one_column_are_refused():
    """They would add up, and part the column from others of the subject."""
    with pytest.raises(ka.PolicyError, match="shifts dates twice: keep one"):
        ka.transform(STAYS, {"admitted": [SHIFT, SHIFT]})


def test_other_subjects_may_have_other_bounds():
    """What belongs to another subject has its own days."""
    table = STAYS.with_columns(doctor=pl.lit("d"))
    actions = {"admitted": SHIFT, "discharged": {**SHIFT, "subject": "doctor", "days": 9}}
    assert ka.transform(table, actions)["discharged"].n_unique() == 1


ACTIONS = [
    {"type": "surrogate"},
    {"type": "surrogate", "order": "sequential"},
    {"type": "fake", "kind": "name"},
    {"type": "fake", "kind": "last-name"},
]


def pairs(table, released):
    """Return each person of two columns with the pseudonym, as often as they differ."""
    return {
        (person, pseudonym)
        for name in ("payer", "payee")
        for person, pseudonym in zip(table[name], released[name], strict=True)
    }


@pytest.mark.parametrize("action", ACTIONS, ids=str)
@given(payers=PERSONS, payees=PERSONS)
@settings(max_examples=examples(10), deadline=None)
def test_a_person_has_one_pseudonym_in_all_columns_and_shares_it_with_nobody(
    action, payers, payees
):
    """Persons and pseudonyms are matched one to one, over both columns."""
    n = min(len(payers), len(payees))
    table = pl.DataFrame({"payer": payers[:n], "payee": payees[:n]})
    both = pairs(table, ka.transform(table, {"payee": action, "payer": action}))
    persons, pseudonyms = zip(*both, strict=True)
    assert len(set(persons)) == len(set(pseudonyms)) == len(both)


PAYMENTS = pl.DataFrame(
    {
        "age": [30, 40] * 30,
        "payer": [f"p{i % 12}" for i in range(60)],
        "payee": [f"p{i * 7 % 31}" for i in range(60)],
    }
)


@pytest.mark.parametrize("action", ACTIONS[::2], ids=str)
def test_every_way_in_gives_the_same_pseudonyms(action):
    """In memory, on DuckDB and on values that are changed after the algorithm."""
    pytest.importorskip("duckdb")
    both = {"payer": action, "payee": {**action, "when": "after"}}
    late = pairs(PAYMENTS, ka.anonymize(PAYMENTS, policy(both, keep_order=True)).frame)
    assert len(late) == len({pseudonym for _, pseudonym in late}) == 31
    asked = policy({"payer": action, "payee": action}, seed=604177253911)
    here = ka.anonymize(PAYMENTS, asked).frame
    there = ka.anonymize(ka.engines.scan_duckdb(PAYMENTS), asked).frame.pl()
    assert sorted(there.select(here.columns).rows()) == sorted(here.rows())
    ordered = ka.anonymize(PAYMENTS, asked.model_copy(update={"keep_order": True})).frame
    assert sorted(ordered.rows()) == sorted(here.rows())
    assert len(pairs(PAYMENTS, ordered)) == 31


def test_numbers_of_values_in_common_need_one_mapping(tmp_path):
    """A column with a mapping and one without are refused; with one mapping they agree."""
    mapped = {"type": "surrogate", "mapping": str(tmp_path / "m.csv")}
    with pytest.raises(ka.DataError, match=r"'payee' has values in common with payer.*same map"):
        ka.transform(PAYMENTS, {"payer": mapped, "payee": "surrogate"})
    both = pairs(PAYMENTS, ka.transform(PAYMENTS, {"payer": mapped, "payee": mapped}))
    assert len(both) == len({number for _, number in both}) == 31


def test_fakes_of_values_in_common_need_one_locale_and_no_chance(monkeypatch):
    """Another locale, a locale that runs out and a key under which two persons meet are refused."""
    monkeypatch.setenv("KEY", "0123456789abcdef")
    fake, key = {"type": "fake", "kind": "first-name"}, {"env": "KEY"}
    with pytest.raises(ka.DataError, match="another locale or key there"):
        ka.transform(PAYMENTS, {"payer": fake, "payee": {**fake, "locale": "de_DE"}})
    many = pl.DataFrame({"payer": range(900), "payee": range(900)})
    with pytest.raises(ka.DataError, match=r"two values have the same first-name .*too few"):
        ka.transform(many, {"payer": fake, "payee": fake})
    keyed = {**fake, "key": key}
    with pytest.raises(ka.DataError, match=r"two values have the same first-name .*leave out key"):
        ka.transform(many, {"payer": keyed, "payee": keyed})


def test_nothing_says_unchanged_of_what_an_action_changed(tmp_path):
    """Neither a finding nor a report, of amounts that a shift leaves unique."""
    table = STAYS.select("age", admitted=DAY + pl.duration(days=pl.int_range(60)))
    release = ka.anonymize(table, policy({"admitted": "shift-date"}))
    said = [one.message for one in release.verification.findings]
    assert any("admitted: released" in one for one in said)
    for language in ("en", "es"):
        release.report(tmp_path / "report.md", language=language)
        said += (tmp_path / "report.md").read_text().splitlines()
    about = " ".join(one for one in said if "admitted" in one)
    assert "unchanged" not in about
    assert "sin cambios" not in about
