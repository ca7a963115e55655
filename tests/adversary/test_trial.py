"""A small hostile trial; `python tests/adversary/trial.py` and `just nightly` run a long one."""

from __future__ import annotations

import pytest
from hypothesis import settings

from adversary.trial import SHARES, trial
from kanonym.policy.algorithms import ALGORITHMS

WITHOUT_SERVER = ("local", "duckdb", "sqlite")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hostile_tables_are_released_right_or_refused(algorithm):
    """Files read back by other readers satisfy every model by its formula; nothing crashes."""
    nightly = settings.default.max_examples > 100
    counts, wrong, _ = trial(
        100 if nightly else 4, 0, [algorithm], tuple(SHARES) if nightly else WITHOUT_SERVER
    )
    assert wrong == []
    assert sum(count for (*_, outcome), count in counts.items() if outcome == "released") > 1
