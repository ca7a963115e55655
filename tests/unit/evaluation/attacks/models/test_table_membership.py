"""`ka.attacks.model_membership`: whom models give away before and after anonymization."""

from __future__ import annotations

import datetime as dt
import json
import math

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import kanonym as ka
from attack_tables import KNOWN, people, shuffled
from kanonym.evaluation.attacks.models.table_membership import model_membership
from kanonym.evaluation.attacks.table_attacks import split_hold_out
from margins import slack

TREE = DecisionTreeClassifier()
NAMED = {"quasi_identifiers": KNOWN, "sensitive": ["disease"]}


def noise(n=600, seed=0, categories=20):
    """Return n persons whose secret has nothing to do with what is known of them."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.uniform(18, 90, n),
            "income": random.normal(3000, 800, n),
            "town": random.choice(["Ulm", "Bonn", "Kiel"], n),
            "secret": [f"s{code:02}" for code in random.integers(0, categories, n)],
        }
    )


def policy(k=5, table=None, target="secret", **more):
    """Return a policy by which all columns but the target are quasi-identifiers."""
    names = ["age", "income", "town"] if table is None else KNOWN
    return ka.Policy(
        attributes={**{name: ka.QuasiIdentifier() for name in names}, target: ka.Sensitive()},
        **{"models": [ka.KAnonymity(k)], "others": "insensitive", **more},
    )


def asked(original, released=None, of=None, target="disease", **more):
    """Return the risk of trees that learn diseases, with little work."""
    return model_membership(
        original, released, of, target=target, **{"estimator": TREE, "shadows": 2, **more}
    )


def diseases(n=200, seed=0):
    """Return `people` without the cost."""
    return people(n, seed).drop("cost")


def most_area(members, others):
    """Return five standard deviations of the area under the curve of scores that tell nothing.

    Of ranks without a tie (Mann and Whitney 1947, Ann. Math. Stat. 18(1)); ties have less.
    """
    return 5 * math.sqrt((members + others + 1) / (12 * members * others))


# --- before and after ---------------------------------------------------------------------


def test_anonymity_hides_whom_a_model_learned_by_heart():
    """A tree on noise gives everybody away; on a release with large classes hardly anybody.

    Before, one of twenty others is guessed right and ranks as members do. After, the shares of
    twenty values among 400 members are off those among others by 0.087 in the mean, which bounds
    how much the area is above one half; the area has a standard deviation of at most 0.0141.
    """
    found = asked(noise(2000), None, policy(400), "secret", hold_out=0.3)
    members, others = found.before.members, found.before.control
    assert found.before.on_members == 1.0
    assert min(one.auc for one in found.before.attacks) > 0.975 - slack(others, 0.05) / 2
    assert max(one.auc for one in found.after.attacks) < 0.587 + most_area(members, others)
    # The most frequent of the values has 7 % of 400 members, and 5 % of the others.
    assert found.after.gap < 0.02 + slack(others, 0.05) + slack(members, 0.07)


def test_the_larger_the_classes_the_less_is_given_away():
    """What a tree gives away of a release falls with k, and is less than before."""
    small, large = (asked(noise(1500), None, policy(k), "secret", hold_out=0.3) for k in (2, 200))
    # Of 30 other seeds: 0.975 ± 0.004 before, then 0.707 ± 0.018 and 0.547 ± 0.019.
    assert small.before["loss"].auc > small.after["loss"].auc > large.after["loss"].auc


def test_of_numbers_the_same_holds():
    """Errors of members are zero before, and as those of others after."""
    table = noise(1500).with_columns(secret=pl.Series(np.random.default_rng(9).normal(size=1500)))
    found = asked(
        table, None, policy(100), "secret", hold_out=0.3, estimator=DecisionTreeRegressor()
    )
    assert found.before.score == "R²"
    assert found.before["loss"].auc == 1.0
    # The mean of a class has a hundredth of each of its members: an area of 0.003 at most.
    assert found.after["loss"].auc < 0.503 + most_area(found.after.members, found.after.control)


def test_a_release_that_changed_nothing_gives_away_the_same():
    """The model of an original published unchanged is the model of the original."""
    table = diseases()
    found = asked(table, table, control=diseases(150, 1), aligned=True, **NAMED)
    assert found.after == found.before
    assert found.before["correctness"].advantage == found.before.gap


def test_what_is_released_unchanged_is_still_learned_by_heart():
    """Features are all columns: an insensitive one that is unique gives as much away as before."""
    table = noise(400).with_columns(number=pl.Series(np.random.default_rng(3).normal(size=400)))
    found = asked(table, None, policy(150), "secret", hold_out=0.5)
    # All members are one class: only the number is left to learn, as it was before.
    assert found.after["loss"].auc > 0.975 - slack(200, 0.05) / 2


# --- who is counted -----------------------------------------------------------------------


def test_a_share_held_out_is_a_control():
    """It is the part that `attack` holds out, and the release is made of the rest."""
    table, rule = diseases(300), policy(5, "people", "disease")
    kept, rest = split_hold_out(table, rule, 0.4, 7)
    found = asked(table, None, rule, hold_out=0.4, seed=7)
    assert found == asked(kept, ka.anonymize(kept, rule), control=rest, seed=7)
    assert (found.before.members, found.before.control) == (180, 120)


def test_suppressed_persons_are_no_members_of_the_release():
    """Their records taught the model of the original alone."""
    table = diseases(300)
    ages = ka.hierarchy.intervals(width=[5, 10, 20], origin=0)
    towns = ka.hierarchy.from_mapping(
        dict(zip(["Ulm", "Bonn", "Kiel", "Jena"], "swwe", strict=True))
    )
    rule = ka.Policy(
        attributes={
            "age": ka.QuasiIdentifier(ages),
            "town": ka.QuasiIdentifier(towns),
            "disease": ka.Sensitive(),
        },
        models=[ka.KAnonymity(6)],
        algorithm=ka.FullDomain(levels={"age": 2, "town": 0}),
        suppression_limit=0.5,
        others="insensitive",
    )
    release = ka.anonymize(table, rule)
    found = asked(table, release, control=diseases(100, 1))
    assert 20 < len(release.frame) < 300
    assert (found.before.records, found.before.members) == (300, 300)
    assert found.after.records == found.after.members == len(release.frame)


def test_persons_without_the_target_are_left_out():
    """Nobody can say what the loss of a null is."""
    table = diseases(200).with_columns(
        disease=pl.when(pl.int_range(200) % 4 == 0).then(None).otherwise("disease")
    )
    control = diseases(100, 1).with_columns(
        disease=pl.when(pl.int_range(100) % 2 == 0).then(None).otherwise("disease")
    )
    found = asked(table, table, control=control, aligned=True, **NAMED)
    for one in (found.before, found.after):
        assert (one.records, one.members, one.control) == (150, 150, 50)


def test_the_control_may_have_further_values():
    """Towns, ages and diseases that nobody of the original has are read, in other types too."""
    table = diseases()
    control = diseases(100, 1).with_columns(
        pl.col("age") + 0.5, pl.lit("Rom").alias("town"), pl.lit("plague").alias("disease")
    )
    found = asked(table, table, control=control, aligned=True, **NAMED)
    assert found.before.on_control == 0.0
    assert found.before.members == 200


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["f", "m"])])
def test_categories_of_any_kind_are_put_below_each_other(dtype):
    """Whatever holds them, the persons are the same."""
    tables = diseases(), diseases(150, 1)
    expected = asked(tables[0], tables[0], control=tables[1], aligned=True, **NAMED)
    table, control = (one.with_columns(pl.col("sex").cast(dtype)) for one in tables)
    assert asked(table, table, control=control, aligned=True, **NAMED) == expected
    assert asked(table, table, control=tables[1], aligned=True, **NAMED) == expected


def test_truth_values_are_put_below_truth_values():
    """They are categories as their texts are."""
    tables = [one.with_columns(sex=pl.col("sex") == "f") for one in (diseases(), diseases(150, 1))]
    texts = [one.with_columns(pl.col("sex").cast(pl.String)) for one in tables]
    expected = asked(texts[0], texts[0], control=texts[1], aligned=True, **NAMED)
    assert asked(tables[0], tables[0], control=tables[1], aligned=True, **NAMED) == expected


def test_times_are_features():
    """Dates are put below dates, of any unit."""
    table = diseases().with_columns(day=pl.date(2020, 1, 1) + pl.duration(days=pl.int_range(200)))
    control = diseases(100, 1).with_columns(day=pl.lit(dt.datetime(2021, 1, 1)))
    found = asked(table, table, control=control, aligned=True, **NAMED)
    assert found.before.control == 100


# --- the same, whatever the form ----------------------------------------------------------


def test_the_library_of_the_frames_does_not_matter(frame):
    """Polars, pandas and pyarrow give the same."""
    table, control = diseases(), diseases(150, 1)
    release = ka.anonymize(table, policy(5, "people", "disease")).frame
    expected = asked(table, release, control=control, **NAMED)
    given = [frame(one.to_dict(as_series=False)) for one in (table, release, control)]
    assert asked(given[0], given[1], control=given[2], **NAMED) == expected


def test_the_order_of_a_release_does_not_matter():
    """Neither of a frame, where nobody knows whose records are whose, nor of a `Release`.

    Forests draw records by their place, so they would see another order.
    """
    table, control = diseases(), diseases(150, 1)
    forest = {"control": control, "estimator": RandomForestClassifier(5)}
    frame = ka.anonymize(table, policy(5, "people", "disease")).frame
    found = [asked(table, shuffled(frame, seed), **forest, **NAMED) for seed in range(3)]
    assert found[0] == found[1] == found[2]
    assert "it is unknown which record" in found[0].notes[0]
    releases = [
        ka.anonymize(table, policy(5, "people", "disease", **order))
        for order in ({"seed": 1}, {"seed": 2}, {"keep_order": True})
    ]
    found = [asked(table, release, **forest) for release in releases]
    assert found[0] == found[1] == found[2]
    assert found[0].notes == ()


@pytest.mark.parametrize("aligned", [True, False, None])
def test_who_is_who_is_said_or_found_out(aligned):
    """Aligned rows tell whose each record is; those that are not leave it open."""
    table = diseases()
    found = asked(table, table, control=diseases(150, 1), aligned=aligned, **NAMED)
    assert bool(found.notes) == (aligned is False)


def test_one_seed_one_outcome():
    """The same seed gives the same numbers, another one others."""
    given = {"control": diseases(150, 1), "aligned": True, **NAMED}
    first, again, other = (asked(diseases(), diseases(), seed=seed, **given) for seed in (0, 0, 1))
    assert first == again
    assert first.before["shadow"] != other.before["shadow"]


# --- estimators and targets ---------------------------------------------------------------


def test_any_estimator_of_scikit_learn_can_be_attacked():
    """Forests, linear models and those without probabilities; boosted trees by default."""
    given = {"control": diseases(150, 1), "aligned": True, **NAMED}
    for estimator in (RandomForestClassifier(10), LogisticRegression(), RidgeClassifier(), None):
        found = asked(diseases(), diseases(), estimator=estimator, **given)
        name = "HistGradientBoostingClassifier" if estimator is None else type(estimator).__name__
        assert found.estimator == name
        labels_only = isinstance(estimator, RidgeClassifier)
        assert len(found.before.attacks) == (1 if labels_only else 3)
        assert ("no probabilities" in str(found)) == labels_only


def test_numbers_are_categories_to_a_classifier():
    """Codes of two groups are learned by either kind."""
    table, control = (
        one.with_columns(disease=(pl.col("disease") == "flu").cast(pl.Int8))
        for one in (diseases(), diseases(150, 1))
    )
    given = {"control": control, "aligned": True, **NAMED}
    assert asked(table, table, **given).before.score == "accuracy"
    regressor = DecisionTreeRegressor()
    assert asked(table, table, estimator=regressor, **given).before.score == "R²"
    assert asked(table, table, estimator=None, **given).estimator == "HistGradientBoostingRegressor"


# --- how it is told -----------------------------------------------------------------------


def test_it_prints_and_is_json():
    """A line for each number of both models, and nobody's values in either form."""
    table, control = diseases(), diseases(150, 1)
    found = asked(table, table, control=control, aligned=True, **NAMED)
    told = json.loads(json.dumps(found.to_dict()))
    assert set(told) == {"target", "estimator", "before", "after", "shadows", "seed", "notes"}
    assert told["before"]["gap"] == found.before.gap
    assert [one["type"] for one in told["after"]["attacks"]] == ["correctness", "loss", "shadow"]
    lines = str(found).splitlines()
    assert lines[1].startswith("probability ")
    assert lines[2].split() == ["DecisionTreeClassifier", "before", "after"]
    assert lines[4].split() == ["members", "200", "200"]
    assert len(lines) == 3 + 6 + 3 * 3
    for value in table["disease"].unique():
        assert value not in str(found)
        assert value not in json.dumps(told)


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"control": None}, ka.PolicyError, "give a control, or hold_out"),
        ({"released": None}, ka.PolicyError, "needs a release, or hold_out"),
        ({"hold_out": 0.3}, ka.PolicyError, "it needs a policy alone"),
        ({"target": "illness"}, ka.SchemaError, "no target 'illness'. The original has: age"),
        ({"shadows": 0}, ka.PolicyError, "shadows is 0"),
        ({"seed": -1}, ka.PolicyError, "seed is -1"),
        ({"estimator": LinearRegression()}, ka.PolicyError, "LinearRegression is no classifier"),
        ({"control": diseases(19, 1)}, ka.DataError, "19 persons of the control"),
        ({"control": diseases(50, 1).drop("town")}, ka.SchemaError, "control has no column 'town'"),
        (
            {"control": diseases(50, 1).with_columns(age=pl.lit("x"))},
            ka.SchemaError,
            "'age' is String in the control and Int64 in the original",
        ),
    ],
)
def test_what_cannot_be_attacked_is_refused(given, error, message):
    """Each refusal says what is wrong, and what to give."""
    table = diseases()
    given = {"released": table, "control": diseases(150, 1), "aligned": True, **NAMED, **given}
    with pytest.raises(error, match=message):
        asked(table, given.pop("released"), **given)


def test_tables_without_the_target_or_anything_else_are_refused():
    """A target that the release lacks, and one that stands alone."""
    table = diseases()
    given = {"control": diseases(50, 1), "quasi_identifiers": KNOWN}
    with pytest.raises(ka.SchemaError, match="target 'disease' cannot be compared"):
        asked(table, table.drop("disease"), **given)
    alone = table.select("disease")
    with pytest.raises(ka.SchemaError, match="no column besides 'disease'"):
        asked(alone, alone, control=alone, sensitive=["disease"])


@pytest.mark.parametrize(
    ("disease", "message"),
    [
        (pl.lit("flu"), "'disease' has one value"),
        (pl.lit(None, pl.String), "'disease' has no value"),
        (pl.format("{}", pl.int_range(200)), "200 categories, more than 25"),
    ],
)
def test_targets_that_cannot_be_learned_are_refused(disease, message):
    """One value is nothing to predict, and hundreds of categories are no categories."""
    table = diseases().with_columns(disease=disease)
    with pytest.raises(ka.DataError, match=message):
        asked(table, table, control=table, aligned=True, **NAMED)


@pytest.mark.parametrize("aligned", [True, False])
def test_a_target_that_is_released_changed_is_refused(aligned):
    """Generalized, blanked or swapped targets would have the models learn different things."""
    table, given = diseases(), {"control": diseases(50, 1), "aligned": aligned, **NAMED}
    changed = table.with_columns(disease=pl.col("disease").replace("flu", "cold"))
    with pytest.raises(ka.DataError, match=r"target 'disease' is changed in \d+ of 200"):
        asked(table, changed, **given)
    blanked = table.with_columns(disease=pl.when(pl.int_range(200) > 1).then("disease"))
    with pytest.raises(ka.DataError, match="is changed in 2 of 200"):
        asked(table, blanked, **given)
    widened = table.with_columns(age=pl.lit("[18, 80)"))
    with pytest.raises(ka.DataError, match="'age' is changed in 200 of 200"):
        asked(table, widened, target="age", **{**given, "estimator": None})


def test_a_release_without_records_teaches_nothing():
    """There is no model to attack."""
    table = diseases()
    with pytest.raises(ka.DataError, match="no record with a target"):
        asked(table, table[:0], control=diseases(50, 1), **NAMED)


def test_persons_with_several_records_are_refused():
    """A record would be taken for a person."""
    table = diseases().with_columns(who=pl.int_range(200) // 2)
    rule = ka.Policy(
        attributes={
            "who": ka.Identifier(),
            **{name: ka.QuasiIdentifier() for name in KNOWN},
            "disease": ka.Sensitive(),
        },
        models=[ka.KAnonymity(3, entity="who")],
    )
    with pytest.raises(ka.PolicyError, match="several records"):
        asked(table, None, rule, hold_out=0.3)
    with pytest.raises(ka.PolicyError, match="several records"):
        asked(table, ka.anonymize(table, rule), control=table)
