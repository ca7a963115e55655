"""Several records of one person, without a column that says so, must not stand beside green."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.table import encode_column
from kanonym.verification.lone_records import lone_records

N = 2_000
KNOWN = ["born", "sex", "postal"]
MODELS = [ka.KAnonymity(5)]


def persons(n, seed=3):
    """Return persons, a row each."""
    random = np.random.default_rng(seed)
    days = pl.Series(random.integers(0, 25_000, n)).cast(pl.Int32).cast(pl.Date)
    return pl.DataFrame(
        {
            "born": days,
            "sex": random.choice(["F", "M"], n),
            "postal": random.choice([f"{8000 + one}" for one in range(60)], n),
        }
    )


def visits(each=4, seed=3, n=N):
    """Return rows of visits, so many of each person on average, in random order."""
    random = np.random.default_rng(seed)
    table = persons(n // each, seed)
    rows = random.integers(0, len(table), n)
    return table[rows].with_columns(ward=pl.Series(random.choice(["A", "B"], n)))


def policy(known=KNOWN, **more):
    """Return a policy about some quasi-identifiers."""
    roles = {name: ka.QuasiIdentifier() for name in known} | more.pop("roles", {})
    return ka.Policy(attributes=roles, others="insensitive", models=MODELS, **more)


def repeated(found):
    """Return the warnings of repeated persons."""
    return [one for one in found.findings if one.kind == "repeated-persons"]


def asked(table, known=KNOWN):
    """Return what `lone_records` says of columns of a table."""
    coded = [encode_column(table[name]) for name in known]
    return lone_records([one for one, _ in coded], [codes for _, codes in coded])


@pytest.mark.parametrize("each", [3, 4, 10])
def test_visits_are_told_from_persons(each):
    """Few records are alone, where nearly all of as many persons would be."""
    table = visits(each)
    (told,) = repeated(ka.anonymize(table, policy()).verification)
    assert told.columns == tuple(KNOWN)
    alone = sum(n == 1 for n in Counter(table.select(KNOWN).iter_rows()).values())
    assert told.counts["found"] == alone
    assert told.counts["records"] == N
    assert told.counts["expected"] > 0.6 * N


def test_expected_are_those_of_two_parts_paired_at_random():
    """The number agrees with that of tables whose postal codes were shuffled."""
    table = visits().select("born", "postal")
    found = asked(table, ["born", "postal"])
    random = np.random.default_rng(1)
    shuffled = [
        sum(
            n == 1
            for n in Counter(
                zip(table["born"], table["postal"].gather(random.permutation(N)), strict=True)
            ).values()
        )
        for _ in range(20)
    ]
    assert found.expected == pytest.approx(np.mean(shuffled), rel=0.02)


@pytest.mark.parametrize(
    "table",
    [
        persons(N),
        persons(N).with_columns(pl.col("born").dt.truncate("1y")),
        persons(N).with_columns(pl.col("born").dt.truncate("10y"), postal=pl.lit("8001")),
    ],
    ids=["days", "years", "few values"],
)
def test_persons_are_green(table):
    """Different persons who agree do so by chance, however coarse their values are."""
    assert not repeated(ka.anonymize(table, policy()).verification)


def test_columns_that_tell_each_other_are_in_one_part():
    """Age beside the birth year, and city beside the postal code, are no reason to warn."""
    table = persons(20_000).with_columns(
        pl.col("born").dt.year(),
        age=2026 - pl.col("born").dt.year(),
        city=pl.col("postal").str.slice(0, 3),
    )
    assert asked(table, ["born", "age", "city", "postal"]) is None
    assert asked(table, ["born", "age"]) is None
    assert asked(table, ["city", "postal"]) is None


def test_a_function_of_two_columns_is_no_evidence():
    """A class of the body mass index follows from weight and height."""
    random = np.random.default_rng(7)
    weight, height = random.integers(50, 95, N), random.integers(150, 195, N)
    table = pl.DataFrame(
        {"weight": weight, "height": height, "bmi": (weight / (height / 100) ** 2).round()}
    )
    assert asked(table, ["weight", "height", "bmi"]) is None


def test_a_birth_date_that_one_person_has_is_evidence():
    """It tells the sex and the postal code, but these do not follow its order."""
    assert asked(visits(), ["born", "postal"]) is not None


def test_who_says_who_is_who_has_decided():
    """An entity, or rows that are persons, end the doubt."""
    table = visits()
    assert not repeated(ka.anonymize(table, policy(rows="persons")).verification)
    numbered = table.with_columns(patient=pl.struct(KNOWN).rank("dense"))
    counted = ka.Policy(
        attributes=dict(policy().attributes) | {"patient": ka.Identifier()},
        others="insensitive",
        models=[ka.KAnonymity(5, entity="patient")],
    )
    assert not repeated(ka.anonymize(numbered, counted).verification)


def test_a_check_against_the_original_says_the_same():
    """Verification with the original repeats the warning of the release, in any order of rows."""
    table = visits()
    release = ka.anonymize(table, policy())
    (made,) = repeated(release.verification)
    (checked,) = repeated(ka.verify(release.frame, policy(), original=table.reverse()))
    assert checked == made


def test_batches_say_the_same():
    """Each batch of a series is looked at."""
    table = visits()
    fitted = ka.fit(table, policy())
    assert repeated(fitted.apply(table).verification)


def test_tuples_with_counts_count_as_their_records():
    """The same table, each distinct row once with its count, gives the same answer."""
    table = visits()
    counted = table.group_by(KNOWN).len()
    coded = [encode_column(counted[name]) for name in KNOWN]
    found = lone_records(
        [one for one, _ in coded],
        [codes for _, codes in coded],
        counted["len"].to_numpy().astype(np.int64),
    )
    assert found == asked(table)


def test_large_tables_are_told_alike():
    """Of a large table some combinations are looked at first, with all of their records."""
    assert asked(persons(300_000)) is None
    assert asked(visits(n=300_000)).expected > 100_000
