"""A small hostile trial; `python tests/adversary/trial.py` and `just nightly` run a long one."""

from __future__ import annotations

import pytest

from adversary.trial import SHARES, trial
from effort import NIGHTLY
from kanonym.policy.algorithms import ALGORITHMS

WITHOUT_SERVER = ("local", "duckdb", "sqlite")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hostile_tables_are_released_right_or_refused(algorithm):
    """Files read back by other readers satisfy every model by its formula; nothing crashes."""
    counts, wrong, _ = trial(
        100 if NIGHTLY else 3, 0, [algorithm], tuple(SHARES) if NIGHTLY else WITHOUT_SERVER
    )
    assert wrong == []
    assert sum(count for (*_, outcome), count in counts.items() if outcome == "released") > 1
