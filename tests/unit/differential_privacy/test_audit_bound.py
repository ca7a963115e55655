"""Lower bounds of ε from guesses about canaries, and from events on two neighbouring tables."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.differential_privacy.audit_bound import guess_bound, right_guesses

# canaries, guesses, right ones, delta, significance, bound: computed apart from this library
MEASURED = [
    (1000, 1000, 500, 0, 0.05, 0.0),
    (1000, 1000, 600, 0, 0.05, 0.29746792),
    (1000, 1000, 731, 0, 0.05, 0.880603),
    (1000, 1000, 800, 0, 0.05, 1.25433036),
    (1000, 100, 100, 0, 0.05, 3.49296543),
    (1000, 200, 190, 0, 0.05, 2.39787148),
    (1000, 100, 100, 1e-05, 0.05, 3.46537635),
    (1000, 200, 190, 1e-05, 0.05, 2.39361828),
    (1000, 1000, 800, 1e-05, 0.05, 1.25398409),
    (5000, 1000, 900, 1e-05, 0.05, 2.01825919),
    (100, 100, 90, 0, 0.01, 1.44138939),
    (1000, 1000, 800, 0.001, 0.05, 1.20625133),
]


@pytest.mark.parametrize(("canaries", "guesses", "correct", "delta", "p", "bound"), MEASURED)
def test_the_bound_of_guesses_is_the_measured_one(canaries, guesses, correct, delta, p, bound):
    """Twelve bounds that were computed elsewhere are met to eight digits."""
    found = guess_bound(canaries, guesses, correct, delta=delta, significance=p)
    assert found == pytest.approx(bound, abs=2e-8)


def test_more_right_guesses_than_guesses_are_refused():
    """Counts that cannot be are an error."""
    with pytest.raises(ValueError, match="must hold"):
        guess_bound(10, 5, 6)


def test_the_highest_scores_are_called_in_and_the_lowest_out():
    """Of four guesses two are the highest and two the lowest scores."""
    scores = np.array([9.0, 8.0, 5.0, 4.0, 1.0, 0.0])
    put_in = np.array([True, False, True, False, False, True])
    assert right_guesses(scores, put_in, 4) == 2
    assert right_guesses(scores, put_in, 6) == 4
    assert right_guesses(scores, put_in, 0) == 0
