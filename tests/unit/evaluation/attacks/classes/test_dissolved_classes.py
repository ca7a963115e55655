"""Laws of what is claimed about persons whose class for size alone was dissolved or suppressed."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.data.refusals import Refusals, Replay, Units
from kanonym.evaluation.attacks.classes.dissolved_classes import claim_values
from kanonym.evaluation.attacks.classes.minimality import Minimality


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
