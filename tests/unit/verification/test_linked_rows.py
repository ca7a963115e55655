"""Persons with all their rows, where a released column tells whose rows are whose."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.verification.linked_rows import persons_alike

ROLES = {
    "person": ka.Identifier(action=ka.actions.Surrogate()),
    "age": ka.QuasiIdentifier(),
    "ill": ka.Sensitive(),
}


def policy(k, roles=ROLES):
    """Return a policy that counts persons and releases a pseudonym of them."""
    return ka.Policy(attributes=roles, models=[ka.KAnonymity(k, entity="person")])


def table(*histories, **columns):
    """Return a table of visits: each history has the ages of one person's rows."""
    rows = [(str(who), age) for who, ages in enumerate(histories) for age in ages]
    frame = pl.DataFrame(rows, schema=["person", "age"], orient="row")
    return frame.with_columns(ill=pl.lit("flu"), **columns)


def alike_in_all_rows(rows):
    """Return, for each row, how many persons have the rows that are linked with it: the twin."""
    of_unit, owner = defaultdict(Counter), {}
    for age, person, unit in rows:
        of_unit[unit][age] += 1
        owner[unit] = person
    return [
        len({owner[other] for other, held in of_unit.items() if held == of_unit[unit]})
        for _, _, unit in rows
    ]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20
    )
)
def test_the_twin_counts_the_same(rows):
    """Persons are alike where their linked rows are the same classes, as often."""
    rows = [(age, person, 3 * person + unit) for age, person, unit in rows]
    ages, persons, units = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    assert persons_alike(ages, persons, units).tolist() == alike_in_all_rows(rows)
    distinct = Counter(rows)
    columns = [np.array(one, np.int32) for one in zip(*distinct, strict=True)]
    counts = np.array(list(distinct.values()))
    counted = dict(zip(distinct, persons_alike(*columns, counts).tolist(), strict=True))
    assert [counted[row] for row in rows] == alike_in_all_rows(rows)


def test_persons_who_are_alike_in_all_rows_are_counted():
    """Three persons with the same two classes satisfy k = 3 although their rows are linked."""
    visits = table([20, 40], [20, 40], [20, 40])
    found = ka.anonymize(visits, policy(3)).verification
    assert (found.checks[0].achieved, found.checks[0].linked_by) == (3, ("person",))


def test_a_pseudonym_that_links_different_histories_is_refused():
    """Each class has three persons, and no two persons have the same classes."""
    visits = table([20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60])
    with pytest.raises(ka.InfeasibleError, match=r"(?s)person tells whose rows.*Drop person"):
        ka.anonymize(visits, policy(3))


def test_without_the_pseudonym_nothing_links_rows():
    """The same table without the pseudonym has three persons in each class."""
    visits = table([20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60])
    roles = {**ROLES, "person": ka.Identifier()}
    found = ka.anonymize(visits, policy(3, roles)).verification
    assert (found.checks[0].achieved, found.checks[0].linked_by) == (3, ())


def test_any_column_that_determines_the_person_links_rows():
    """An insensitive column with a value of its own for each person is a pseudonym, too."""
    visits = table([20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60])
    visits = visits.with_columns(bed=pl.col("person").cast(pl.Int64) * 7)
    roles = {**ROLES, "person": ka.Identifier(), "bed": ka.Insensitive()}
    with pytest.raises(ka.InfeasibleError, match="bed tells whose rows are whose"):
        ka.anonymize(visits, policy(3, roles))


def test_a_number_of_rows_links_nothing():
    """A column that differs in every row tells nothing of the others."""
    visits = table([20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60])
    visits = visits.with_row_index("visit")
    roles = {**ROLES, "person": ka.Identifier(), "visit": ka.Insensitive()}
    assert ka.anonymize(visits, policy(3, roles)).verification.satisfied


def test_verify_counts_persons_by_their_pseudonym():
    """A table that somebody else released with pseudonyms is violated, and its part persons."""
    visits = table([20, 40], [40, 60], [60, 20], [20, 20], [40, 40], [60, 60])
    found = ka.verify(visits, policy(3))
    assert found.satisfied is False
    assert found.checks[0].achieved == 1
    assert {part.name: part.verdict for part in found.parts}["persons"] == "violated"
    assert found.n_violating == 3
    assert {one["class"]["age"] for one in found.violating} == {20, 40, 60}


def test_the_risk_of_persons_is_that_of_all_their_rows():
    """Of three persons alike in all rows each is picked with a chance of one in three."""
    visits = table(*[[20, 40]] * 3, *[[20]] * 3, *[[40]] * 3)
    release = ka.anonymize(visits, policy(3))
    assert release.risk.highest == pytest.approx(1 / 3)
