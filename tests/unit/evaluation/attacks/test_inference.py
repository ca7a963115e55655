"""Laws of attribute inference."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from attack_tables import HIDDEN, ILLNESS, KNOWN, banded, people, released, scene, shuffled, starred
from effort import examples
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.inference import Inference
from margins import SURE, assert_covered

EVERYBODY = Inference(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


@pytest.mark.parametrize("secret", ["disease", "cost"])
def test_unique_persons_are_guessed_from_the_original(secret):
    """Published unchanged, everybody's category and number is guessed whom nobody equals."""
    table = people().unique(KNOWN, maintain_order=True)
    found = carried_out(scene(table, shuffled(table), KNOWN, [secret]))
    assert found.targets.rate == found.risk == 1
    assert found.targets.attempts == len(table)


@pytest.mark.parametrize("secret", ["disease", "cost"])
def test_one_class_gives_the_baseline(secret):
    """Where what is known is suppressed, everybody gets the guess that nobody's values need."""
    table = people()
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN, [secret]))
    assert found.targets.rate == found.baseline.rate
    assert found.risk == 0


def test_the_baseline_is_the_most_frequent_released_value():
    """It is the exact share of persons who have the value that the release has most often."""
    table = people()
    most = table["disease"].mode().sort()[0]
    found = carried_out(scene(table, table, KNOWN, ["disease"]), Inference(attempts=10))
    assert found.baseline.rate == (table["disease"] == most).mean()
    assert found.baseline.exact


@pytest.mark.parametrize("secret", ["disease", "cost"])
def test_it_falls_as_k_grows(secret):
    """On Mondrian fewer secrets are guessed at each larger k."""
    table = people(1000)
    rates = [
        carried_out(scene(table, released(table, k), KNOWN, [secret])).targets.rate
        for k in (2, 5, 20, 100, 500)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1] + 0.2


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 3), KNOWN, ["disease"])
    truth = carried_out(sight).targets.rate
    assert_covered(
        truth, lambda seed: carried_out(sight, Inference(attempts=60), seed).targets.interval()
    )


def test_others_of_the_same_population_are_no_worse_off():
    """A release of independent persons has risks whose intervals contain 0."""
    for seed in range(5):
        table, release, control = (people(500, 10 * seed + i) for i in range(3))
        sight = scene(table, release, KNOWN, HIDDEN, control=control)
        found = carried_out(sight, Inference(attempts=200), seed)
        assert found.control.rate > 0
        assert replace(found, confidence=SURE).interval[0] == 0


def test_statistics_are_no_risk_beside_a_control():
    """What holds for people in general is guessed of everybody, and counts for nothing."""
    old = np.arange(400) % 80
    disease = np.where(old < 40, "flu", "gout")
    table = pl.DataFrame({"age": old, "disease": disease})
    control = table.sample(200, seed=1)
    sight = scene(table, banded(table, 10), ["age"], ["disease"], control=control)
    found = carried_out(sight)
    assert found.targets.rate == found.control.rate == 1
    assert found.baseline.rate == 0.5
    assert found.risk == 0


def test_the_most_frequent_value_among_those_that_fit_is_guessed():
    """Intervals, sets, labels and nulls are looked up, and the majority of the records wins."""
    table = {
        "age": [20, 23, 27, 40, None],
        "town": ["Ulm", "Bonn", "Kiel", "Ulm", "Ulm"],
        "job": ["baker", "cook", "baker", "nurse", "nurse"],
        "disease": ["flu", "flu", "cold", "gout", "burn"],
    }
    release = {
        "age": ["[20, 27]"] * 3 + ["40", None],
        "town": ["{Bonn, Kiel, Ulm}"] * 3 + ["Ulm", "Ulm"],
        "job": ["food"] * 3 + ["nurse", "nurse"],
        "disease": table["disease"],
    }
    jobs = ka.hierarchy.from_mapping({"baker": "food", "cook": "food", "nurse": "care"})
    sight = scene(table, release, ["age", "town", "job"], ["disease"], hierarchies={"job": jobs})
    assert carried_out(sight).targets.successes == 4


def test_a_record_that_says_more_counts_more():
    """Suppressed records could be anybody's, and do not outvote the one that is a person's."""
    table = {"age": [1, 2, 3, 4, 5], "disease": ["flu", "cold", "gout", "gout", "gout"]}
    release = {"age": ["1", "2", "*", "*", "*"], "disease": table["disease"]}
    assert carried_out(scene(table, release, ["age"], ["disease"])).targets.rate == 1


def test_whom_no_record_fits_is_guessed_from_the_nearest():
    """A person whose record is missing gets the value of the record with the nearest age."""
    table = {"age": [10, 20, 30], "disease": ["flu", "flu", "gout"]}
    release = {"age": ["10", "30"], "disease": ["flu", "gout"]}
    other = {"age": [11, 24, 99], "disease": ["flu", "flu", "gout"]}
    sight = scene(table, release, ["age"], ["disease"], control=other)
    found = carried_out(sight)
    assert found.targets.successes == 3
    # 24 is nearer to 30.
    assert found.control.successes == 2


def test_numbers_are_guessed_within_a_twentieth_of_their_range():
    """A number counts from 5 % of the middle 90 % of all numbers, and no farther."""
    cost = [float(i) for i in range(101)]
    table = {"age": list(range(101)), "cost": cost}

    def rate(shift):
        release = {"age": table["age"], "cost": [value + shift for value in cost]}
        return carried_out(scene(table, release, ["age"], ["cost"])).targets.rate

    assert rate(4.5) == rate(-4.5) == 1
    assert rate(4.6) == rate(-4.6) == 0


def test_the_number_with_the_most_around_it_is_guessed():
    """Of the numbers of a class that is guessed which is right for most, not the middle one."""
    table = {"age": [1] * 7, "cost": [0.0, 0.0, 0.0, 40.0, 90.0, 100.0, 100.0]}
    assert carried_out(scene(table, table, ["age"], ["cost"])).targets.successes == 3


def test_what_is_known_may_be_all_columns():
    """Who knows insensitive attributes, too, guesses from the records that agree in them."""
    table = pl.DataFrame(
        {"age": [1, 2, 3, 4], "shoe": [40, 41, 42, 43], "disease": ["flu", "cold", "gout", "burn"]}
    )
    sight = scene(table, starred(table, ["age"]), ["age"], ["disease"])
    assert carried_out(sight).targets.rate == 0.25
    assert carried_out(sight, Inference(known="all")).targets.rate == 1


def test_a_quasi_identifier_may_be_the_secret():
    """Its own released value is not what is known, and sets speak for all their members."""
    table = {"age": [1, 2, 3], "town": ["Ulm", "Bonn", "Kiel"]}
    release = {"age": ["1", "2", "3"], "town": ["{Bonn, Ulm}", "{Bonn, Ulm}", "Kiel"]}
    found = carried_out(scene(table, release, ["age", "town"]), Inference("town"))
    assert list(found.parts) == ["town", "town: baseline"]
    # Of two equally likely towns the first is guessed.
    assert found.targets.successes == 2
    release |= {"age": ["*"] * 3}
    found = carried_out(scene(table, release, ["age", "town"]), Inference("town"))
    assert found.targets.rate == found.baseline.rate


def test_a_released_set_speaks_for_each_member_by_its_share():
    """One record that says one town outweighs one that says one of two."""
    table = {"age": [1, 1, 2], "town": ["Ulm", "Kiel", "Bonn"]}
    release = {"age": ["1", "1", "2"], "town": ["{Bonn, Ulm}", "Kiel", "Bonn"]}
    found = carried_out(scene(table, release, ["age", "town"]), Inference("town"))
    assert found.targets.successes == 2


def test_persons_without_a_value_are_not_attacked():
    """Nobody's null is a secret, and no released null is a guess."""
    table = {"age": [1, 1, 1, 2], "disease": ["flu", None, None, None], "cost": [None, 5.0, 5.0, 1]}
    for secret, persons in (("disease", 1), ("cost", 3)):
        found = carried_out(scene(table, table, ["age"], [secret]))
        assert found.targets.successes == found.targets.attempts == persons


def test_the_largest_risk_is_told():
    """Of several secrets the outcome is the riskiest one's, and the parts have all."""
    table = people()
    sight = scene(table, released(table, 5), KNOWN, HIDDEN, control=people(200, 1))
    found = carried_out(sight)
    alone = [carried_out(sight, Inference(secret=name)) for name in HIDDEN]
    assert found.risk == max(one.risk for one in alone)
    for name, one in zip(HIDDEN, alone, strict=True):
        assert found.parts[name] == one.targets.rate
        assert found.parts[f"{name}: baseline"] == one.baseline.rate
        assert found.parts[f"{name}: control"] == one.control.rate


TOWNS = ["Bonn", "Kiel", "Ulm"]
PLACES = {"Bonn": {"Bonn"}, "{Bonn, Ulm}": {"Bonn", "Ulm"}, "*": set(TOWNS), "Kiel": {"Kiel"}}


@given(
    st.lists(
        st.tuples(st.sampled_from(list(PLACES)), st.sampled_from(list(ILLNESS))),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=examples(80), deadline=None)
def test_guesses_are_those_of_a_plain_count(records):
    """Votes counted in a dict, each through the number of towns left open, guess the same."""
    persons = [(town, disease) for town in TOWNS for disease in ILLNESS]
    table = pl.DataFrame(persons, schema=["town", "disease"], orient="row")
    release = pl.DataFrame(records, schema=["town", "disease"], orient="row")
    expected = 0
    for town, disease in persons:
        votes = defaultdict(float)
        fitting = [one for one in records if town in PLACES[one[0]]]
        for place, value in fitting or records:
            # Where nothing fits, all records are equally far away.
            votes[value] += 1 / len(PLACES[place])
        most = max(votes.values())
        expected += disease == min(value for value, vote in votes.items() if vote > most - 1e-9)
    found = carried_out(scene(table, release, ["town"], ["disease"], aligned=False))
    assert found.targets.successes == expected


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome, whoever is drawn."""
    table = people()
    release = released(table, 3)
    outcomes = [
        carried_out(scene(table, one, KNOWN, HIDDEN), Inference(attempts=100))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


def test_pandas_and_polars_give_the_same():
    """The same tables have the same outcome, whatever library holds them."""
    table = people().with_columns(pl.col("age").cast(pl.Float64))
    release = released(table, 3)
    outcomes = [
        carried_out(scene(one, other, KNOWN, HIDDEN))
        for one, other in ((table, release), (table.to_pandas(), release.to_pandas()))
    ]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("sensitive", "secret", "rows", "reason"),
    [
        ([], None, 2, "no sensitive attribute is in both tables"),
        (["disease"], "illness", 2, "column 'illness' is not in both tables"),
        (["disease"], None, 0, "the release has no record"),
        (["empty"], None, 2, "no person has a value of the secret"),
    ],
)
def test_nothing_to_guess_is_no_attempt(sensitive, secret, rows, reason):
    """Where nothing can be guessed the outcome has no attempt, and says why."""
    table = pl.DataFrame(
        {
            "age": [1, 2],
            "disease": ["flu", "gout"],
            "empty": pl.Series([None, None], dtype=pl.Int64),
        }
    )
    found = carried_out(scene(table, table[:rows], ["age"], sensitive), Inference(secret=secret))
    assert found.targets.attempts == 0
    assert found.reason == reason


@pytest.mark.parametrize("wrong", [{"secret": ""}, {"known": "nothing"}, {"attempts": 0}])
def test_wrong_parameters_are_refused(wrong):
    """A secret is a name, what is known is one of two, attempts are a positive integer."""
    with pytest.raises(PolicyError, match="inference: "):
        Inference(**wrong)
