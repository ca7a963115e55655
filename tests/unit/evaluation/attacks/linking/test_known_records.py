"""Several known records of a person, where a released column tells whose records are whose."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
from attack_tables import banded
from effort import examples
from kanonym.evaluation.attacks.linking.known_records import KnownRecords

ROLES = {
    "person": ka.Identifier(action=ka.actions.Surrogate()),
    "age": ka.QuasiIdentifier(),
    "ill": ka.Sensitive(),
}
histories = st.lists(st.lists(st.integers(20, 69), min_size=1, max_size=4), min_size=1, max_size=12)


def policy(k=2, **roles):
    """Return a policy that counts persons and releases a pseudonym of them."""
    return ka.Policy(attributes={**ROLES, **roles}, models=[ka.KAnonymity(k, entity="person")])


def visits(people):
    """Return a table of visits from the ages of each person's."""
    rows = [(f"p{who}", age, "flu") for who, ages in enumerate(people) for age in ages]
    return pl.DataFrame(rows, schema=["person", "age", "ill"], orient="row")


def left_by_all(known, released):
    """Return, for each person of a table, the number of pseudonyms that have all known visits.

    The slow twin: known has pairs of person and age, released pseudonym and interval.
    """
    of_pseudonym, of_person = defaultdict(Counter), defaultdict(Counter)
    for pseudonym, (low, high) in released:
        of_pseudonym[pseudonym][low, high] += 1
    intervals = {interval for _, interval in released}
    for person, age in known:
        of_person[person][tuple(sorted(one for one in intervals if one[0] <= age < one[1]))] += 1
    return {
        person: sum(
            held.total() == wanted.total()
            and all(
                sum(held[one] for one in fitting) >= number for fitting, number in wanted.items()
            )
            for held in of_pseudonym.values()
        )
        for person, wanted in of_person.items()
    }


def pairs(table):
    """Return pairs of pseudonym and interval of a released table."""
    ends = [text.strip("[)").split(", ") for text in table["age"]]
    return [
        (who, (int(low), int(high))) for who, (low, high) in zip(table["person"], ends, strict=True)
    ]


def attack(table, release, using):
    """Return the outcome of the attack on everybody."""
    return ka.attack(table, release, using, attacks=[KnownRecords(attempts=None)])["known-records"]


@given(histories, st.sampled_from([5, 10, 25]), st.booleans())
@settings(max_examples=examples(60))
def test_the_twin_finds_the_same_persons(people, width, overlap):
    """Found are those whose visits, all known, leave one pseudonym."""
    table = visits(people)
    assume(len(table) > len(people) > 1)
    release = banded(table, width)
    if overlap:
        release = pl.concat([release[::2], banded(table, 2 * width)[1::2]])
        table = pl.concat([table[::2], table[1::2]])
    release = release.with_columns(person="x" + pl.col("person"))
    left = left_by_all(table.select("person", "age").rows(), pairs(release))
    expected = sum(number == 1 for number in left.values())
    found = attack(table, release, policy())
    assert (found.targets.successes, found.attempts) == (expected, len(people))
    assert found.baseline.rate == 1 / len(people)


@given(histories, st.sampled_from([5, 10, 25, 50]))
@settings(max_examples=examples(60))
def test_the_attack_agrees_with_the_verdict(people, width):
    """The attack finds somebody exactly where all rows counted leave a person alone."""
    table = visits([*people, people[0]])
    assume(len(table) > len(people) + 1)
    release = banded(table, width).with_columns(person="x" + pl.col("person"))
    check = ka.verify(release, policy()).checks[0]
    assert check.linked_by == ("person",)
    assert (check.achieved == 1) == (attack(table, release, policy()).targets.successes > 0)
    left = left_by_all(table.select("person", "age").rows(), pairs(release))
    assert min(left.values()) == check.achieved


@given(histories, st.integers(2, 4))
@settings(max_examples=examples(20))
def test_a_satisfied_verdict_leaves_nobody_below_k(people, k):
    """Where all rows are counted and k is satisfied, no number of known visits finds anybody."""
    table = visits(people * k)
    assume(len(table) > len(people) * k)
    using = policy(k, age=ka.QuasiIdentifier(hierarchy=ka.hierarchy.intervals(width=[5, 10, 50])))
    release = ka.anonymize(table, using)
    assert release.verification.checks[0].achieved >= k
    found = attack(table, release, None)
    assert found.targets.successes == 0
    assert not any(found.parts.values())


def test_more_known_visits_leave_fewer_pseudonyms():
    """Each class has three persons; two visits are one person's, and one visit is not."""
    people = [[20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60]]
    table = visits(people)
    release = table.with_columns(person="x" + pl.col("person"))
    found = attack(table, release, policy())
    assert found.targets.rate == 1
    assert found.parts == {"one record known": 0.0, "two records known": 1.0}


def test_a_column_that_determines_the_person_is_a_pseudonym():
    """A bed of each person's own links the rows of a `Release` as a pseudonym does."""
    table = visits([[20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60]])
    table = table.with_columns(bed=pl.col("person").str.slice(1).cast(pl.Int64) * 7)
    roles = {**ROLES, "person": ka.Identifier(), "bed": ka.Insensitive()}
    release = ka.anonymize(table, ka.Policy(attributes=roles, models=[ka.KAnonymity(3)]))
    persons = ka.Policy(attributes=roles, models=[ka.KAnonymity(3, entity="person")])
    assert attack(table, release, persons).targets.rate == 1


@pytest.mark.parametrize("entity", [None, "person"])
def test_without_a_linking_column_the_attack_is_not_run(entity):
    """Where the pseudonym is dropped, or nobody says who is a person, the outcome has a reason."""
    table = visits([[20, 40], [40, 60], [60, 20]] * 2)
    using = ka.Policy(
        attributes={**ROLES, "person": ka.Identifier()}, models=[ka.KAnonymity(2, entity=entity)]
    )
    found = attack(table, ka.anonymize(table, using), None)
    assert (found.attempts, found.targets.successes) == (0, 0)
    assert "whose records are whose" in found.reason


def test_who_is_suppressed_is_not_found():
    """Persons attacked are those of the original: a row that is not released identifies nobody."""
    table = visits([[20, 40], [20, 40], [60, 61]])
    kept = table.filter(pl.col("age") < 60).with_columns(person="x" + pl.col("person"))
    found = attack(table, kept, policy())
    assert (found.attempts, found.targets.successes) == (3, 0)


def test_visits_are_drawn_by_the_seed():
    """The same seed knows the same visits."""
    random = np.random.default_rng(0)
    table = visits(random.integers(20, 70, (30, 3)).tolist())
    release = banded(table, 10).with_columns(person="x" + pl.col("person"))
    assert attack(table, release, policy()) == attack(table, release, policy())
