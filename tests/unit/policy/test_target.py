"""The column that guides an algorithm, as a policy states it."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import PolicyError, SchemaError

TABLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "zip": ["a", "b", "a", "b"],
        "income": ["low", "low", "high", "high"],
        "name": ["Ann", "Bob", "Eve", "Joe"],
    }
)


def policy(algorithm, others="insensitive", **attributes):
    """Return a policy about TABLE."""
    known = {"age": ka.QuasiIdentifier(), "zip": ka.QuasiIdentifier(), **attributes}
    return ka.Policy(
        attributes=known, others=others, models=[ka.KAnonymity(2)], algorithm=algorithm
    )


@pytest.mark.parametrize("name", ["mondrian", "segmentation"])
def test_a_target_is_written_and_read(name):
    """The form of an algorithm has its target, and gives it back."""
    asked = policy({"type": name, "target": "income"})
    assert asked.algorithm.target == "income"
    assert asked.to_dict()["algorithm"]["target"] == "income"
    assert ka.Policy(**asked.to_dict()) == asked
    assert "target" not in policy(name).to_dict()["algorithm"]


@pytest.mark.parametrize(
    "role", [ka.Sensitive(), ka.Insensitive(), ka.Identifier()], ids=lambda one: str(one.role)
)
def test_a_target_has_any_role_but_one(role):
    """Sensitive, insensitive, or an identifier that is dropped."""
    assert policy(ka.Mondrian(target="income"), income=role).algorithm.target == "income"


def test_a_target_is_no_quasi_identifier():
    """It is what is predicted from them: a policy or a table that says so is refused."""
    reason = "algorithm.target: 'age' is a quasi-identifier; name the column that is to be"
    with pytest.raises(PolicyError, match=reason):
        policy(ka.Mondrian(target="age"))
    with pytest.raises(PolicyError, match="'income' is a quasi-identifier"):
        policy(ka.Mondrian(target="income"), others="quasi-identifier")


def test_an_unknown_target_is_named_with_the_nearest_column():
    """By the policy where it names every column, else by the table."""
    with pytest.raises(PolicyError, match="'incme' is an unknown column; did you mean 'income'"):
        policy(ka.Mondrian(target="incme"), others=None, income=ka.Insensitive())
    asked = policy(ka.Mondrian(target="incme"))
    reason = "algorithm.target: 'incme' is an unknown column; did you mean 'income'"
    with pytest.raises(PolicyError, match=reason):
        ka.anonymize(TABLE, asked)


def test_a_population_leaves_no_room_for_a_target():
    """What counts persons generalizes by levels: the algorithms with a target do not."""
    with pytest.raises(PolicyError, match="choose full-domain"):
        ka.Policy(
            attributes={"age": ka.QuasiIdentifier(), "income": ka.Insensitive()},
            models=[ka.models.KMap(2, TABLE)],
            algorithm=ka.Mondrian(target="income"),
        )


def test_a_target_that_holds_no_values_is_refused():
    """A column of lists cannot be read as categories or numbers."""
    lists = TABLE.with_columns(income=pl.Series([[1], [2], [3], [4]]))
    with pytest.raises((ka.DataError, SchemaError), match="income"):
        ka.anonymize(lists, policy(ka.Mondrian(target="income")))
