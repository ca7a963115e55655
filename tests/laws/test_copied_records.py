"""Laws of attacks on releases that hold a share of the people unchanged, among strangers.

What is true is counted here from the tables alone: nothing of the library is asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import effort
import kanonym as ka
from attack_tables import people, shuffled
from margins import SURE

SHARES = (0, 0.1, 0.3, 0.6, 1) if effort.NIGHTLY else (0, 0.3, 1)
KNOWN = ["age", "sex", "street", "income"]


def persons(n, seed, *, amounts):
    """Return people of many streets, some of which other people's tables lack.

    amounts: whether nearly everybody has an income of their own, or one of seven.
    """
    random = np.random.default_rng([seed, 7])
    income = random.lognormal(10, 0.5, n).round(2) if amounts else random.integers(1, 8, n)
    return people(n, seed).select(
        "age",
        "sex",
        pl.Series("street", [f"street {i}" for i in random.geometric(0.02, n)]),
        pl.Series("income", income),
        "disease",
    )


def mixed(share, *, amounts, n=1200):
    """Return a table, a release that holds a share of it, how many were copied, and others."""
    table, strangers, others = (persons(n, seed, amounts=amounts) for seed in range(3))
    copied = round(share * n)
    release = shuffled(pl.concat([table[:copied], strangers[: n - copied]]))
    return table, release, copied, others


def attacked(name, share, *, amounts, control=True):
    """Return the outcome of an attack on a mixed release."""
    table, release, _, others = mixed(share, amounts=amounts)
    return ka.attack(
        table,
        release,
        quasi_identifiers=KNOWN,
        sensitive=["disease"],
        control=others if control else None,
        attacks=[name],
    )[name]


def singled_out(table, release, copied, others):
    """Of the different records that the release has once: copies of a person without an equal."""
    del others
    originals, own = Counter(table.rows()), set(table[:copied].rows())
    once = [row for row, n in Counter(release.rows()).items() if n == 1]
    return sum(row in own and originals[row] == 1 for row in once) / len(once)


def found_again(table, release, copied, others):
    """Of all persons: those copied, by one through the records that say the same of them."""
    del others
    alike = Counter(release.select(KNOWN).rows())
    return sum(1 / alike[row] for row in table[:copied].select(KNOWN).rows()) / len(table)


def told_from_others(table, release, copied, others):
    """Of all persons: those copied, as far as no other person has a released record."""
    held = set(release.select(KNOWN).rows())
    free = np.mean([row not in held for row in others.select(KNOWN).rows()])
    return copied / len(table) * free


def known_alone(table, release, copied, others):
    """Of all persons: those copied of whom no other record says the same."""
    del others
    alike = Counter(release.select(KNOWN).rows())
    return sum(alike[row] == 1 for row in table[:copied].select(KNOWN).rows()) / len(table)


TRUTHS = {
    "singling-out": singled_out,
    "linkage": found_again,
    "membership": told_from_others,
    "inference": known_alone,
    "homogeneity": known_alone,
}


def assert_held(found, truth, *, narrower):
    """Assert that the interval of five standard deviations holds the truth; that of 95 % is narrow.

    Which persons an attack meets is drawn: an interval of 95 % misses one truth in twenty.
    """
    low, high = replace(found, confidence=SURE).interval
    assert low <= truth <= high
    low, high = found.interval
    assert high - low < narrower


@pytest.mark.parametrize("amounts", [True, False])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", TRUTHS)
def test_the_interval_holds_the_share_of_copies(name, share, amounts):
    """Beside a control every attack finds as many persons as were copied, and no more."""
    found = attacked(name, share, amounts=amounts)
    truth = TRUTHS[name](*mixed(share, amounts=amounts))
    assert truth == pytest.approx(share, abs=0.05)
    if name == "linkage" and share == 0:
        assert found.reason is not None
        return
    few = name == "singling-out" and not share  # as without a control, below
    assert_held(found, truth, narrower=0.6 if few else 0.35)


@pytest.mark.parametrize("amounts", [True, False])
@pytest.mark.parametrize("share", SHARES)
def test_without_a_control_copies_are_singled_out_all_the_same(share, amounts):
    """The interval of singling out holds the share of copies, whatever stands for chance.

    Where nobody was copied, the best of four kinds of predicates may have 50 attempts beside 25 by
    chance, whose intervals reach 0.2 and 0.3 to a side; with copies it has a thousand.
    """
    found = attacked("singling-out", share, amounts=amounts, control=False)
    truth = singled_out(*mixed(share, amounts=amounts))
    assert_held(found, truth, narrower=0.2 if share else 0.6)


@pytest.mark.parametrize(
    "name", ["inference", "background-knowledge", "similarity-reidentification"]
)
def test_without_a_control_what_the_baseline_hides_is_told(name):
    """A tenth of the people copied are not read as a risk of 0 that says nothing more."""
    found = attacked(name, 0.1, amounts=False, control=False)
    assert found.risk > 0 or found.hidden_by == "baseline"
    assert found.interval[1] > 0


def test_one_category_that_the_original_lacks_hides_nobody():
    """A release with a value from elsewhere in one column is attacked as it is without."""
    table, release, _, others = mixed(0.6, amounts=True)
    strange = release.with_columns(
        street=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("Atlantis")).otherwise("street")
    )
    first, second = (
        ka.attack(table, one, quasi_identifiers=KNOWN, control=others, attacks=["singling-out"])[
            "singling-out"
        ]
        for one in (release, strange)
    )
    assert second.risk == pytest.approx(first.risk, abs=0.02)
