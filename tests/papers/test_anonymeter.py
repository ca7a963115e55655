"""Singling out beside anonymeter's multivariate attack on releases of MDAV.

Measured with anonymeter 1.1.0: `SinglingOutEvaluator(original, release, n_attacks=500, n_cols=n,
control=control, max_attempts=20000, seed=seed).evaluate("multivariate")`, means over seeds 0 to 9
of successes / 500, with the tables that `drawn` and `microaggregated` make here. Original and
control have as many records: its correction for a smaller control is not one, see
docs/decisions/0023-chance-in-attacks.md.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.evaluation.attacks.singling_out import SinglingOut

NAMES = ["age", "income", "rent", "savings", "debts"]
MEASURED = {
    (2, 3): (0.318, 0.256),
    (2, 4): (0.280, 0.226),
    (10, 3): (0.032, 0.068),
    (10, 4): (0.064, 0.100),
}
"""By k and columns: the rate on the original, and that on the control."""

OF_STRANGERS = {"none": (0.172, 0.243), "a fifth": (0.136, 0.215)}
"""By control: the interval of the risk of a release of other persons, k = 2; seeds 0 to 4."""


def drawn(seed, n=600):
    """Return people with correlated, skewed numbers, rounded as people tell them."""
    random = np.random.default_rng(seed)
    shared, own = random.normal(size=(n, 1)), random.normal(size=(n, 5))
    numbers = np.exp(0.6 * shared + 0.8 * own) * [30, 2000, 600, 5000, 900]
    return pl.DataFrame(dict(zip(NAMES, numbers.round(-1).T, strict=True)))


def microaggregated(table, k):
    """Return the release of a table by MDAV."""
    policy = ka.Policy(
        attributes={name: ka.QuasiIdentifier() for name in NAMES},
        models=[ka.KAnonymity(k)],
        algorithm=ka.MDAV(),
    )
    return ka.anonymize(table, policy, seed=0).frame


def attacked(original, release, control, n_columns=3):
    """Return the outcome of singling out."""
    attack = SinglingOut(n_columns=n_columns, attempts=1000)
    asked = {"quasi_identifiers": NAMES, "aligned": False, "attacks": [attack]}
    return ka.attack(original, release, control=control, **asked)["singling-out"]


@pytest.mark.parametrize(("k", "n_columns"), MEASURED)
def test_on_mdav_it_is_as_strong_as_anonymeter(k, n_columns):
    """The multivariate predicates succeed as often, and the interval has a risk as large."""
    rate, control = MEASURED[k, n_columns]
    table = drawn(0)
    found = attacked(table, microaggregated(table, k), drawn(1), n_columns)
    assert found.targets.rate >= rate - 0.03
    assert found.interval[1] >= (rate - control) / (1 - control)


@pytest.mark.parametrize("control", OF_STRANGERS)
def test_where_anonymeter_finds_more_nobody_was_in_the_release(control):
    """A release of other persons has a risk of 0 in truth: in our interval, and not in theirs."""
    assert OF_STRANGERS[control][0] > 0
    others = None if control == "none" else drawn(1)[:120]
    assert attacked(drawn(0), microaggregated(drawn(2), 2), others).interval[0] == 0
