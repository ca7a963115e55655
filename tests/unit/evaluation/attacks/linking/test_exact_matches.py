"""Laws of attacks on tables of single values: exact matches, apparent matches, DiSCO."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from attack_tables import KNOWN, people, released, scene, starred
from kanonym.evaluation.attacks.classes.homogeneity import Disco
from kanonym.evaluation.attacks.linking.exact_matches import (
    AGREE,
    ApparentMatches,
    UniqueExactMatches,
)

TABLE = pl.DataFrame(
    {
        "age": [20, 30, 30, 40, 50, None],
        "town": ["a", "a", "a", "b", "b", "b"],
        "ill": ["flu", "flu", "flu", "cold", "gout", "cold"],
    }
)
EACH = pytest.mark.parametrize("kind", [UniqueExactMatches, ApparentMatches, Disco])


def carried_out(kind, release, table=TABLE, control=None, known=("age", "town")):
    """Return the outcome of an attack on a release of a table."""
    sight = scene(table, release, list(known), ["ill"], control=control)
    return kind().run(sight, np.random.default_rng(0))


def test_unique_persons_are_found_by_all_their_values():
    """Four persons are unique; the two whose record is released once or more are found."""
    found = carried_out(UniqueExactMatches, TABLE[[0, 0, 1, 5]])
    assert (found.targets.successes, found.targets.attempts) == (2, 4)


def test_one_wrong_value_is_no_match():
    """A person whose disease was changed is not found."""
    release = TABLE.with_columns(ill=pl.lit("flu"))
    assert carried_out(UniqueExactMatches, release).targets.successes == 1


def test_the_control_are_persons_whom_nobody_equals():
    """Of the control, who equals somebody in the original is no attempt."""
    control = pl.DataFrame({"age": [20, 21, 22], "town": ["a"] * 3, "ill": ["flu"] * 3})
    release = TABLE.with_columns(age=pl.Series([20, 21, 30, 40, 50, None]))
    found = carried_out(UniqueExactMatches, release, control=control)
    assert (found.control.successes, found.control.attempts) == (1, 2)


def test_chance_is_told_by_the_halves_of_the_table():
    """Where everybody has one of four combinations, halves meet each other; else never."""
    same, other = (people(200).select(KNOWN).with_columns(ill=pl.lit("flu")) for _ in range(2))
    alone = same.with_columns(age=pl.int_range(len(same)))
    found = carried_out(UniqueExactMatches, other, alone, known=KNOWN)
    assert found.baseline.rate == 0


def test_apparent_matches_are_of_persons_and_records_that_are_alone():
    """Who has an equal is not matched, nor by a record that has one; agreement is of the rest."""
    release = pl.concat([TABLE[[0, 3, 3, 4]], TABLE[[1]]]).with_columns(
        ill=pl.Series(["flu", "cold", "cold", "flu", "flu"])
    )
    found = carried_out(ApparentMatches, release)
    assert (found.targets.successes, found.targets.attempts) == (2, 6)
    assert found.parts == {AGREE: 0.5}


def test_disco_counts_the_one_value_that_is_right():
    """Records of the known values agree, and on the person's own value."""
    release = pl.concat([TABLE[[0, 1, 3, 4]], TABLE[[1]]]).with_columns(
        ill=pl.Series(["flu", "flu", "flu", "gout", "cold"])
    )
    found = carried_out(Disco, release)
    assert (found.targets.successes, found.targets.attempts) == (2, 6)
    assert found.parts == {"ill": pytest.approx(1 / 3), "ill: in the original": 1}


def test_disco_of_a_constant_is_its_baseline():
    """Where all released values are one, the known values tell nothing more."""
    found = carried_out(Disco, TABLE.with_columns(ill=pl.lit("flu")))
    assert found.baseline.rate == pytest.approx(0.5)
    assert found.risk == 0


@EACH
def test_labels_are_not_attacked(kind):
    """Where every record leaves several values open, nothing is attempted, and that is said."""
    table = people(100).rename({"disease": "ill"}).drop("cost")
    found = carried_out(kind, starred(table, KNOWN), table, known=KNOWN)
    assert found.targets.attempts == 0
    assert "leaves several values open" in found.reason


@EACH
def test_2_anonymous_single_values_have_no_apparent_match(kind):
    """Means, medians and modes of classes match nobody by the known values alone."""
    table = people(200)
    release = released(table, 5, recoding="mode")
    sight = scene(table, release, KNOWN, ["disease"])
    found = kind().run(sight, np.random.default_rng(0))
    assert found.targets.attempts > 0
    if kind is ApparentMatches:
        assert found.targets.successes == 0
