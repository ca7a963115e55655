"""One run of a mechanism with canaries, and the ε that the guesses show."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from kanonym.audit.run import audit_mechanism, canary_scores
from kanonym.data.errors import DataError

CELLS = 1_000
RHO = {1.0: 0.014973057673588523, 3.0: 0.12058242891101999}
OTHERS = pl.DataFrame({"cell": np.repeat(np.arange(CELLS), 50)})
CANARIES = pl.DataFrame({"cell": np.arange(CELLS)})


def histogram(epsilon: float, *, noise: float = 1.0):
    """Return a mechanism that releases a noisy count of each cell; right with `noise` 1."""
    random = np.random.default_rng(5)
    scale = noise * math.sqrt(1 / (2 * RHO[epsilon]))

    def release(table: pl.DataFrame) -> pl.DataFrame:
        counts = np.bincount(table["cell"].to_numpy(), minlength=CELLS)
        noisy = np.rint(counts + random.normal(0, scale, CELLS)).clip(0).astype(np.int64)
        return pl.DataFrame({"cell": np.repeat(np.arange(CELLS), noisy)})

    return release


def audited(mechanism, epsilon: float):
    """Return the audit of a mechanism of histograms."""
    return audit_mechanism(
        mechanism, OTHERS, CANARIES, name="histogram", epsilon=epsilon, delta=1e-9
    )


@pytest.mark.parametrize("epsilon", RHO)
def test_a_right_mechanism_stays_below_what_it_states(epsilon):
    """A histogram with the noise that its ε asks for shows less than ε."""
    assert audited(histogram(epsilon), epsilon).satisfied


@pytest.mark.parametrize("epsilon", RHO)
def test_a_tenth_of_the_noise_is_caught(epsilon):
    """A mechanism broken on purpose shows more than it states."""
    found = audited(histogram(epsilon, noise=0.1), epsilon)
    assert not found.satisfied
    assert "not as private as it states" in str(found)


def test_a_mechanism_that_publishes_the_table_shows_the_most_that_canaries_can():
    """Where all guesses are right the bound is the largest one."""
    found = audited(lambda table: table, 1.0)
    assert found.lower_bound == found.largest_bound
    assert found.correct == found.guesses


def test_a_mechanism_that_ignores_the_table_shows_nothing():
    """A release that does not depend on the records gives no bound worth naming."""
    assert audited(lambda _: OTHERS, 1.0).lower_bound < 0.2


def test_few_canaries_are_refused():
    """Fewer than 100 canaries show hardly anything, and are an error."""
    with pytest.raises(DataError, match="at least 100 canaries"):
        audit_mechanism(lambda table: table, OTHERS, CANARIES.head(99), name="", epsilon=1, delta=0)


def test_too_few_canaries_for_the_stated_epsilon_are_told():
    """Where no audit with so many canaries could contradict the stated ε, the result says so."""
    found = audit_mechanism(lambda table: table, OTHERS, CANARIES, name="copy", epsilon=10, delta=0)
    assert "no audit shows an epsilon above" in str(found)


def test_scores_are_higher_for_canaries_that_are_in_the_release():
    """Records whose values and pairs of values were released score above those that were not."""
    others = pl.DataFrame({"a": ["x", "y"] * 50, "b": ["p", None] * 50})
    canaries = pl.DataFrame({"a": ["x", "y", None], "b": [None, "p", "q"]})
    released = pl.concat([others, canaries[[0]]])
    first, *rest = canary_scores(released, others, canaries)
    assert first > max(rest)
