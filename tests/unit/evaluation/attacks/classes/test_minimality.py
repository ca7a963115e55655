"""Tests: the minimality attack: what the algorithm refused."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import scene
from kanonym.data.partition import Refusals, Replay, Units
from kanonym.evaluation.attacks.classes.consistent_values import possible_values
from kanonym.evaluation.attacks.classes.minimality import Minimality, claim_values
from kanonym.evaluation.attacks.table_attacks import attack
from kanonym.pipeline.reasons import replay


class Scene:
    """What the attack looks at."""

    def __init__(self, released, by_size, secrets, least=2):
        rows = np.arange(len(released))
        units = Units(
            np.where(np.array(released) < 0, -1, rows).astype(np.int32),
            np.ones(len(rows), np.int64),
            np.array(released, np.int32),
            rows.astype(np.int32),
            rows[:, None].astype(np.int32),
        )
        values = tuple("abcd"[: max(secrets) + 1])
        self.replay = Replay(
            Refusals.of(units, ()),
            "ill",
            least,
            values,
            np.array(secrets, np.int32),
            np.array(by_size, np.int32),
        )


def claims_of(scene):
    """Return the claimed value by row."""
    rows, values, _ = claim_values(scene.replay)
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


def test_who_joined_a_class_with_one_rarer_value_has_the_commoner_one():
    """The kept class has both values, so the only b is its own."""
    scene = Scene([0, 0, 0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, -1, 1, 3], [0, 1, 0, 0, 1, 0, 0, 1])
    assert claims_of(scene) == {}  # two records of b: one of them may have joined
    scene = Scene([0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, -1, 1, 2, 2], [0, 1, 0, 0, 0, 0, 0, 1])
    assert claims_of(scene) == {2: 0, 3: 0, 4: 0, 5: 0}


def test_a_dissolved_class_has_one_value_wherever_its_persons_went():
    """Class 1 has no second b to spare, so who went to class 0 has no b either."""
    scene = Scene(
        [0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 0, 0, 0, 0, 1]
    )
    assert claims_of(scene) == {4: 0, 5: 0}


def test_a_suppressed_class_that_was_large_enough_is_said_to_have_the_commonest_value():
    """Smaller ones were suppressed for their size: nothing is said of them."""
    scene = Scene([0, 0, 0, -1, -1, -1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1])
    assert claims_of(scene) == {3: 0, 4: 0, 5: 0}
    found = Minimality().run(scene, np.random.default_rng(0))
    assert (found.targets.successes, found.targets.attempts) == (2, 6)
    assert found.parts["right of the claimed"] == pytest.approx(2 / 3)
    assert claims_of(Scene([0, 0, 0, -1, -1, 0], [0, 0, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1])) == {}


@pytest.mark.parametrize("least", [2, 3])
def test_claims_are_right_where_only_failing_classes_are_dissolved(least):
    """Whatever classes their records join."""
    random = np.random.default_rng(least)
    claimed = 0
    for _ in range(300):
        by_size = np.repeat(np.arange(12), random.integers(3, 6, 12))
        secrets = random.choice(least + 1, len(by_size), p=[0.7, *[0.3 / least] * least])
        fails = np.array([len(set(secrets[by_size == one])) < least for one in range(12)])
        kept = np.flatnonzero(~fails)
        if not len(kept):
            continue
        released = np.where(fails[by_size], random.choice(kept, len(by_size)), by_size)
        claims = claims_of(Scene(released.tolist(), by_size.tolist(), secrets.tolist(), least))
        assert all(secrets[row] == value for row, value in claims.items())
        claimed += len(claims)
    assert claimed > 100


TOWNS = ka.hierarchy.from_mapping(
    {town: [part, "*"] for town, part in zip("abcdef", "xxyyzz", strict=True)}
)
ALGORITHMS = {
    "mondrian": ka.Mondrian(),
    "segmentation": ka.Segmentation(order="lexicographic"),
    "local-recoding": ka.LocalRecoding(),
    "full-domain": ka.FullDomain(),
}


def policy_of(algorithm, known=("town",), k=2, l=2, minimality="none"):
    """Return a policy over persons of towns and ages; without a defence, if not asked."""
    return ka.Policy(
        attributes={
            "town": ka.QuasiIdentifier(TOWNS) if "town" in known else ka.Insensitive(),
            "age": ka.QuasiIdentifier() if "age" in known else ka.Insensitive(),
            "ill": ka.Sensitive(),
        },
        models=[ka.KAnonymity(k), ka.LDiversity("ill", l=l)],
        algorithm=algorithm,
        minimality=minimality,
        keep_order=True,
    )


def persons(towns, ill, ages=None):
    """Return a table: a letter a person for the town, and one for the disease."""
    ages = range(len(towns)) if ages is None else ages
    return pl.DataFrame({"town": list(towns), "age": list(ages), "ill": list(ill)})


def left_by_replay(table, policy):
    """Return by person the values that the attack leaves."""
    found = replay(ka.anonymize(table, policy).decision, policy)
    if isinstance(found, str):
        return None
    possible = possible_values(found.refusals, found.secrets, len(found.values), found.least)
    values = [*found.values, None]
    return [
        {values[v] for v in np.flatnonzero(possible[unit])} for unit in found.refusals.units.of_row
    ]


def left_by_trying(table, policy):
    """Return by person the values with which the algorithm comes to the same release."""
    known = [name for name, one in policy.attributes.items() if isinstance(one, ka.QuasiIdentifier)]

    def released(ill):
        frame = ka.anonymize(table.with_columns(ill=pl.Series(ill)), policy).frame
        return frame.select(known).rows(), sorted(frame.select(*known, "ill").rows())

    true = released(table["ill"].to_list())
    left = [set() for _ in range(len(table))]
    for ill in set(itertools.permutations(table["ill"].to_list())):
        if released(ill) == true:
            for person, value in enumerate(ill):
                left[person].add(value)
    return left


def test_local_recoding_tells_everybody_of_two_towns():
    """Neither town was kept on its own: each has one disease, and only one way fits.

    That neither of them joined the other is taken as known.
    """
    table = persons("aabbb", "hhfff")
    policy = policy_of(ka.LocalRecoding())
    release = ka.anonymize(table, policy)
    assert release.verification.n_classes == 1
    found = attack(table, release, attacks=["minimality", "homogeneity"])
    assert found["minimality"].targets.successes == 5
    assert found["homogeneity"].targets.successes == 0
    assert found["minimality"].parts == {"fewer than l values": 1, "f": 1, "h": 1}


@pytest.mark.parametrize("name", ["mondrian", "full-domain"])
def test_one_refused_cut_between_two_values_tells_nobody(name):
    """Either side may be the one that fails: with f, f in the first town the same is released."""
    table, policy = persons("aabbb", "hhfff"), policy_of(ALGORITHMS[name])
    assert ka.anonymize(table, policy).verification.n_classes == 1
    assert left_by_replay(table, policy) == [{"h", "f"}] * 5
    assert left_by_trying(table, policy) == [{"h", "f"}] * 5


@pytest.mark.parametrize("name", ["mondrian", "segmentation"])
def test_two_refused_cuts_tell_the_person_between_them(name):
    """After the second and after the third of five: whoever is third has the frequent value."""
    table = persons("abcde", "hhfff")
    policy = policy_of(ALGORITHMS[name], known=["age"])
    assert left_by_replay(table, policy) == [{"h", "f"}] * 2 + [{"f"}] + [{"h", "f"}] * 2
    assert left_by_trying(table, policy) == left_by_replay(table, policy)


def test_two_refused_nodes_tell_a_value_of_full_domain():
    """Both nodes below the released one were refused, and one way of failing is left."""
    table = persons("aabbb", "hhxyz")
    policy = policy_of(ka.FullDomain())
    assert left_by_replay(table, policy)[:2] == [{"h"}] * 2
    assert left_by_trying(table, policy)[:2] == [{"h"}] * 2


@pytest.mark.parametrize("name", ["mondrian", "segmentation", "local-recoding"])
def test_what_may_be_refused_by_chance_proves_nothing(name):
    """With the same class as without a defence, no value is ruled out any more."""
    known, towns = (["town"], "aabbb") if name == "local-recoding" else (["age"], "abcde")
    table = persons(towns, "hhfff")
    policy = policy_of(ALGORITHMS[name], known, minimality="chance")
    assert left_by_replay(table, policy) == [{"h", "f"}] * 5


@pytest.mark.parametrize("name", ["mondrian", "segmentation", "local-recoding"])
def test_by_default_nobody_is_certain_who_was_without_the_defence(name):
    """Of 600 persons, a few of them with the rarer of two values, several are certain without."""
    random = np.random.default_rng(1)
    n = 600
    table = persons(
        random.choice(list("abcdef"), n),
        random.choice(list("fffffh"), n),
        random.integers(0, 99, n),
    )
    certain = [
        attack(table, ka.anonymize(table, policy), attacks=["minimality"])["minimality"]
        for policy in (
            policy_of(ALGORITHMS[name], ["town", "age"], minimality=one)
            for one in ("none", "chance")
        )
    ]
    found = [max(one.parts["f"], one.parts["h"]) for one in certain]
    assert found[0] > 0 == found[1]
    assert certain[1].targets.attempts == n


@pytest.mark.parametrize("name", ["mondrian", "segmentation", "full-domain"])
@pytest.mark.parametrize("seed", range(3))
def test_whoever_is_certain_is_so_by_trying_every_assignment(name, seed):
    """No value is ruled out with which the algorithm would have come to the same release."""
    random = np.random.default_rng(seed)
    table = persons(
        random.choice(list("abcd"), 6), random.permutation(list("hhffff")), random.integers(0, 4, 6)
    )
    policy = policy_of(ALGORITHMS[name], known=["town", "age"] if seed else ["town"])
    found = left_by_replay(table, policy)
    assert all(
        some <= more for some, more in zip(left_by_trying(table, policy), found, strict=True)
    )


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("l", [2, 3])
def test_the_truth_explains_every_refusal(name, l):
    """Of the groups of each refusal one really has fewer distinct values."""
    random = np.random.default_rng(5)
    n = 120
    table = persons(
        random.choice(list("abcdef"), n),
        random.choice(list("fffffgh"), n),
        random.integers(0, 9, n),
    )
    policy = policy_of(ALGORITHMS[name], known=["town", "age"], k=3, l=l)
    found = replay(ka.anonymize(table, policy).decision, policy)
    assert found.refusals.n_refusals or name == "full-domain"
    for one in range(found.refusals.n_refusals):
        assert any(
            len(set(found.secrets[np.isin(found.refusals.units.of_row, group)])) < l
            for group in found.refusals.groups_of(one)
        )


def test_a_table_of_unknown_making_is_not_tried():
    """Without a release or a policy that leads to it, nobody is attacked, and that is said."""
    table = persons("aabbb", "hhfff")
    released = table.with_columns(town=pl.lit("*"))
    options = {"quasi_identifiers": ["town"], "sensitive": ["ill"], "attacks": ["minimality"]}
    found = attack(table, released, **options)["minimality"]
    assert found.targets.attempts == 0
    assert "not known" in found.reason


def test_a_released_file_is_replayed_by_its_policy():
    """The policy beside the table leads to the same classes, and so to the same persons."""
    table, policy = persons("aabbb", "hhfff"), policy_of(ka.LocalRecoding())
    frame = ka.anonymize(table, policy).frame
    assert attack(table, frame, policy, attacks=["minimality"])["minimality"].targets.rate == 1


def test_a_policy_that_does_not_fit_the_original_is_not_replayed():
    """A column that no role names stops the policy, and leaves the attack untried."""
    table, policy = persons("aabbb", "hhfff"), policy_of(ka.Mondrian())
    frame = ka.anonymize(table, policy).frame
    wider = table.with_columns(further=pl.lit(1))
    found = attack(wider, frame, policy, attacks=["minimality"])["minimality"]
    assert "not known" in found.reason


def test_a_table_without_a_record_is_not_replayed():
    """There are no classes, and the reason says so."""
    policy = policy_of(ka.Mondrian())
    found = replay(ka.anonymize(persons("", ""), policy).decision, policy)
    assert found == "there is no quasi-identifier, or no record"


def test_without_a_model_of_sensitive_values_nothing_is_refused_for_them():
    """k-anonymity alone looks at no sensitive value: there is nothing to replay."""
    table = persons("aabbb", "hhfff")
    policy = ka.Policy(attributes=policy_of(ka.Mondrian()).attributes, models=[ka.KAnonymity(2)])
    found = attack(table, ka.anonymize(table, policy), attacks=["minimality"])["minimality"]
    assert "no model of a sensitive attribute" in found.reason


def test_a_scene_without_a_replay_has_no_attempt():
    """The attack alone, without what the pipeline hands it, says so."""
    found = Minimality().run(
        scene(persons("ab", "hf"), persons("ab", "hf"), ["town"], ["ill"]), np.random.default_rng(0)
    )
    assert found.targets.attempts == 0
