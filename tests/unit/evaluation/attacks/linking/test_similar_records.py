"""Laws of judged re-identification by similarity."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import KNOWN, banded, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.linking.similarity import SimilarRecords
from margins import assert_covered


def carried_out(sight, seed=0, **options):
    """Return the outcome of the attack, on everybody unless told otherwise."""
    attack = SimilarRecords(**{"attempts": None, **options})
    return attack.run(sight, np.random.default_rng(seed))


def measured(n=300, seed=0):
    """Return persons with two numbers of their own, and a disease."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": random.random(n),
            "y": random.random(n),
            "ill": random.choice(["flu", "cold", "gout"], n, p=[0.6, 0.3, 0.1]),
        }
    )


def test_the_original_gives_everybody_away():
    """Published unchanged, unique persons have their value found out, and nobody else has."""
    table = measured()
    found = carried_out(scene(table, shuffled(table), ["x", "y"], ["ill"]), threshold=1)
    assert found.targets.rate == found.risk == found.parts["ill: claimed"] == 1
    alone = carried_out(scene(table, table, ["x", "y"]), threshold=1)
    assert alone.targets.rate == alone.risk == 1


def test_equals_are_found_with_their_share():
    """Without a sensitive attribute, of n with the same numbers each counts 1/n."""
    table = pl.DataFrame({"x": [1, 1, 1, 2, 3], "z": range(5)})
    found = carried_out(scene(table, table, ["x"], aligned=True))
    assert found.targets.successes == pytest.approx(3)


@pytest.mark.parametrize("sensitive", [[], ["ill"]])
def test_one_class_gives_the_baseline(sensitive):
    """Where everything is suppressed, nothing is learnt beyond the most frequent value."""
    table = measured()
    found = carried_out(scene(table, starred(table, ["x", "y"]), ["x", "y"], sensitive))
    if sensitive:
        most = (table["ill"] == "flu").mean()
        assert found.targets.rate == found.baseline.rate == pytest.approx(most)
    else:
        assert found.targets.rate == 0
        assert found.baseline.rate == 1 / 300
    assert found.risk == 0


def test_it_falls_as_k_grows():
    """On Mondrian at each larger k fewer values are found out, at last as many as by guessing."""
    table = measured()
    asked = {"quasi_identifiers": ["x", "y"], "sensitive": ["ill"]}
    risks = [
        carried_out(scene(table, ka.anonymize(table, k=k, **asked).frame, *asked.values())).risk
        for k in (2, 5, 15, 60)
    ]
    assert risks == sorted(risks, reverse=True)
    assert risks[0] > risks[-1] == 0  # by other seeds 0.16 ± 0.03


def test_too_little_similarity_is_a_guess():
    """Who is not similar enough to any record is said to have the most frequent value."""
    table = measured()
    moved = table.with_columns(pl.col("x", "y") + 10)
    sight = scene(table, moved, ["x", "y"], ["ill"], aligned=True)
    found = carried_out(sight)
    assert found.parts["ill: claimed"] == 0
    assert found.targets.rate == found.baseline.rate
    assert carried_out(sight, threshold=0).parts["ill: claimed"] == 1


def test_claims_may_be_wrong():
    """What a group gives away counts as claimed, and as a success only where it is right."""
    table = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "ill": ["a", "b", "b", "b"]})
    release = table.with_columns(x=pl.Series([2.0, 3.0, 0.0, 1.0]))
    found = carried_out(scene(table, release, ["x"], ["ill"], aligned=True))
    assert found.parts == {"ill": 0.5, "ill: claimed": 1}


def test_the_largest_risk_is_told():
    """Of several sensitive attributes the outcome is that of the largest risk; parts has all."""
    table = measured().with_columns(code=pl.Series(range(300)))
    release = table.with_columns(code=pl.lit(0))
    found = carried_out(scene(table, release, ["x", "y"], ["code", "ill"]))
    assert found.targets.rate == found.parts["ill"] == 1
    assert found.parts["code"] == pytest.approx(1 / 300)


def test_the_order_of_rows_does_not_matter():
    """Shuffled releases give the same outcome, with intervals as well as with numbers."""
    table = people()
    for release in (table, banded(table, 5)):
        rates = {
            carried_out(scene(table, one, KNOWN, ["disease"])).targets.rate
            for one in (release, shuffled(release), shuffled(release, 1))
        }
        assert len(rates) == 1


def test_intervals_nulls_and_suppressed_cells_are_understood():
    """Intervals count as their middle; who has no number, or whose record has none, is lost."""
    table = {"x": [10.0, 20.0, 30.0, None, 40.0], "z": [1, 2, 3, 4, 5]}
    release = {"x": ["[8, 12]", "[19, 21)", "30", None, "*"], "z": [1, 2, 3, 4, 5]}
    found = carried_out(scene(table, release, ["x"], aligned=True))
    assert found.targets.successes == 3


def test_only_the_own_record_counts():
    """Without a sensitive attribute, a record that is nearer than the own one is no success.

    A suppressed cell is no interval of all values, and its record is found by nobody.
    """
    table = {"x": [10, 20, 30, 12], "z": [1, 2, 3, 4]}

    def found(cells):
        release = {"x": cells, "z": table["z"]}
        sight = scene(table, release, ["x"], aligned=True)
        return carried_out(sight, threshold=0).targets.successes

    assert found(["10", "20", "30", "12"]) == 4
    assert found(["30", "20", "10", "12"]) == 2
    assert found(["[10, 30]", "[10, 30]", "30", "*"]) == 2


def test_the_control_is_attacked_as_well():
    """Values of persons who are not in the original are found out less often."""
    table, others = measured(seed=0), measured(seed=1)
    found = carried_out(scene(table, table, ["x", "y"], ["ill"], control=others))
    assert found.control is not None
    assert found.control.attempts == 300
    assert found.control.rate < 0.7 < found.targets.rate


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 2), KNOWN, ["disease"])
    truth = carried_out(sight).targets.rate
    assert_covered(truth, lambda seed: carried_out(sight, seed, attempts=60).targets.interval())


def test_frames_of_any_library_are_attacked(frame):
    """From pandas, polars and pyarrow, as many are found."""
    table = {"age": [20, 30, 40, 50], "ill": ["a", "a", "b", "c"]}
    release = {**table, "age": ["[20, 30]", "[20, 30]", "[40, 50]", "[40, 50]"]}
    found = carried_out(scene(frame(table), frame(release), ["age"], ["ill"]))
    assert found.targets.rate == found.baseline.rate == 0.5


def test_it_says_why_it_cannot_be_tried():
    """Without numbers, or with nothing to judge by, there is no attempt and a reason."""
    table = people(20)
    for sight in (
        scene(table, table, ["town"], ["disease"]),
        scene(table, shuffled(table), ["age"], aligned=False),
    ):
        found = carried_out(sight)
        assert found.targets.attempts == 0
        assert found.reason


@pytest.mark.parametrize("options", [{"threshold": 2}, {"distance": "cosine"}, {"attempts": 0}])
def test_parameters_are_checked(options):
    """Anything but what is possible is refused."""
    with pytest.raises(PolicyError, match=next(iter(options))):
        SimilarRecords(**options)
