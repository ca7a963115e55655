"""Laws of every finding, and whole tables."""

from __future__ import annotations

import functools
import string
import sys

import numpy as np
import polars as pl
import pytest
from faker import Faker
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.example_tables import patients
from kanonym.profiling.identifiers import find_identifiers
from kanonym.profiling.identifiers.sample import DISTINCT, Sample
from kanonym.profiling.words import safe_harbor

PROVIDERS = [
    "name",
    "first_name",
    "last_name",
    "address",
    "street_address",
    "phone_number",
    "email",
    "iban",
    "ipv4",
    "ipv6",
    "uuid4",
    "user_name",
    "ssn",
    "mac_address",
    "uri",
    "credit_card_number",
    "license_plate",
    "text",
]


@functools.cache
def person_table(rows=60):
    """Return a table of identifiers under names that tell and that do not."""
    faker = Faker()
    faker.seed_instance(1)
    columns = {}
    for number, provider in enumerate(PROVIDERS):
        values = [str(getattr(faker, provider)()) for _ in range(rows)]
        columns |= {provider: values, f"v{number}": values}
    return pl.DataFrame(columns)


def identifiers(table):
    """Return the columns of a table that are found to be identifiers."""
    return {name for name in table.columns if find_identifiers(table[name])}


def test_evidence_holds_no_value_of_the_table():
    """What is said of a column can be shown to anybody."""
    table = person_table()
    for column in table:
        for finding in find_identifiers(column):
            assert not any(value in finding.evidence for value in column), finding


def test_findings_are_in_order_and_one_a_kind():
    """Both kinds of evidence come before values, and values before the name alone."""
    rank = ["both", "values", "name"]
    for column in person_table():
        findings = find_identifiers(column)
        assert [rank.index(one.by) for one in findings] == sorted(
            rank.index(one.by) for one in findings
        )
        assert len({one.kind for one in findings}) == len(findings)
        assert all(one.safe_harbor == safe_harbor(one.kind) for one in findings)
        assert all(0.0 <= one.share <= 1.0 for one in findings)


def test_the_order_of_rows_does_not_matter():
    """The same values give the same findings in any order, in tables of any length."""
    rng = np.random.default_rng(1)
    long = pl.DataFrame({"v": [f"{n:09d}" for n in rng.integers(0, 10**9, 30_000)]})
    for table in (person_table(), long):
        shuffled = table.sample(fraction=1.0, shuffle=True, seed=2)
        for name in table.columns:
            assert find_identifiers(shuffled[name]) == find_identifiers(table[name])


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum])
def test_categories_are_read_as_texts(dtype):
    """A column of categories is claimed like one of texts."""
    for column in person_table():
        categories = dtype if dtype is pl.Categorical else pl.Enum(column.unique())
        assert find_identifiers(column.cast(categories)) == find_identifiers(column)


def test_nulls_and_blanks_are_no_values():
    """What is missing neither confirms nor denies a form."""
    values = [f"user{n}@example.org" for n in range(30)]
    (finding,) = find_identifiers(pl.Series("v", [*values, None, "", "  ", *[None] * 300]))
    assert finding.share == 1.0


def test_a_sample_brings_all_rows_of_its_values():
    """Counts of a sampled value are exact, whatever was left out."""
    column = pl.Series("v", np.arange(60_000) % 20_000)
    sample = Sample.of(column)
    assert len(sample.values) == DISTINCT
    assert set(sample.counts.tolist()) == {3}
    assert sample.n_filled == 60_000


@pytest.mark.parametrize(
    ("values", "form", "texts"),
    [
        ([1.0, 2.0, None], "decimal", {"1", "2"}),
        ([1.5, float("nan"), float("inf")], "decimal", {"1.5"}),
        ([" a", "a ", ""], "text", {"a"}),
        ([True, False], "other", set()),
        ([[1], [2]], "other", set()),
        ([], "other", set()),
    ],
)
def test_samples_hold_plain_texts(values, form, texts):
    """Blanks are cut off, whole numbers lose their fraction, missing ones are left out."""
    sample = Sample.of(pl.Series("v", values))
    assert (sample.form, set(sample.values)) == (form, texts)


def test_the_patients_of_the_demo():
    """Names and national numbers identify; nothing else does."""
    table = patients(2_000)
    assert identifiers(table) == {"name", "national_number"}
    assert identifiers(table.rename({"name": "v", "national_number": "w"})) == {"v", "w"}


def test_adult_has_no_identifier(shared_data):
    """Nine attributes of the census, none of which names anybody."""
    table = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";")
    assert identifiers(table) == set()


def test_the_household_number_is_the_only_identifier_of_testdata(shared_data):
    """Sampling weights, expenses and incomes are none."""
    table = pl.read_csv(shared_data / "sdc" / "testdata.csv", infer_schema_length=None)
    assert identifiers(table) == {"ori_hid"}


def test_credits_have_no_identifier(shared_data, monkeypatch):
    """Incomes, credits and days are none, however many of them differ."""
    monkeypatch.syspath_prepend(str(shared_data))
    import credit_like

    monkeypatch.setitem(sys.modules, "credit_like", credit_like)
    table = pl.from_pandas(credit_like.make(20_000))
    assert identifiers(table) == set()


ALPHABET = string.ascii_letters + string.digits + " .,-+/()@:#'%é²٣ß\n\t"
CELLS = st.one_of(
    st.text(ALPHABET, max_size=20),
    st.from_regex(r"[+(]?\d{2,4}[ ./)-]?\d{3,7}[\dX]?", fullmatch=True),
    st.from_regex(r"[A-Z]{2}\d{2,20}", fullmatch=True),
)
COLUMN = st.one_of(
    st.lists(st.none() | CELLS, max_size=30),
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=30),
    st.lists(st.none() | st.floats(), max_size=30),
)


@settings(max_examples=examples(150), deadline=None)
@given(COLUMN, st.sampled_from(["v", "id", "name", "phone", "email", "ssn", "lat", "iban", ""]))
def test_any_column_has_findings_or_none(values, name):
    """No value, however odd, is an error, and shares are shares."""
    for column in (pl.Series(name, values), pl.Series(name, values * 3)):
        for finding in find_identifiers(column):
            assert 0.0 <= finding.share <= 1.0
            assert finding.by in {"name", "values", "both"}
