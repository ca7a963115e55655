"""Suppression of outliers: one far value must not stretch a class of many."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka

INCOMES = [*np.random.default_rng(0).lognormal(10, 0.4, 1000).astype(int).tolist(), 117_000_000]


def released(limit, **asked):
    """Release the incomes with some records suppressed at the most."""
    frame = pl.DataFrame({"income": INCOMES})
    return ka.anonymize(
        frame, quasi_identifiers=["income"], suppression_limit=limit, **{"k": 10, **asked}
    )


def mean_width(release):
    """Return the mean width of the intervals, a suppressed record counts with the whole range."""
    whole = max(INCOMES) - min(INCOMES)
    ends = [text.strip("[]").split(", ") for text in release.frame["income"].to_list()]
    widths = [int(one[-1]) - int(one[0]) for one in ends]
    return (sum(widths) + release.suppressed * whole) / len(INCOMES) / whole


def test_an_outlier_goes_before_it_stretches_a_class():
    """One record of 1,001 holds the whole range: without it a tenth of the loss is left."""
    with_it, without = released(0), released(0.02)

    assert 0 < without.suppressed <= 20
    assert mean_width(without) < mean_width(with_it) / 5
    assert not any("117000000" in text for text in without.frame["income"])


def test_the_smallest_example():
    """Of three near values and a far one, the far one goes: it leaves one class of three."""
    frame = pl.DataFrame({"income": [1, 2, 3, 10**6]})
    release = ka.anonymize(frame, quasi_identifiers=["income"], k=2, suppression_limit=0.25)

    assert release.frame["income"].to_list() == ["[1, 3]"] * 3


@pytest.mark.parametrize("limit", [0.001, 0.01, 0.1, 1.0])
def test_a_limit_is_never_passed_and_never_loses(limit):
    """Any limit keeps to its records, and loses at most what no suppression loses."""
    release = released(limit)

    assert release.suppressed <= limit * len(INCOMES)
    assert mean_width(release) <= mean_width(released(0)) + 1e-12


def test_a_requirement_beyond_the_table_is_told_without_a_number():
    """Where no value of a model helps, the error says that its k or l is out of reach."""
    frame = pl.DataFrame({"age": [1, 2, 3], "illness": ["a", "b", "a"]})
    model = ka.models.AlphaKAnonymity(0.9, 5, "illness")
    attributes = {"age": ka.QuasiIdentifier(), "illness": ka.Sensitive()}

    with pytest.raises(ka.InfeasibleError, match="no value is possible"):
        ka.anonymize(frame, ka.Policy(attributes=attributes, models=[model]))
