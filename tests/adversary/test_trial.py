"""A small hostile trial; `python tests/adversary/trial.py` and `just nightly` run a long one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from trial import trial

from kanonym.policy.algorithms import ALGORITHMS

NIGHTLY = 20  # times as many runs


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hostile_tables_are_released_right_or_refused(algorithm):
    """Files read back by other readers satisfy every model by its formula; nothing crashes."""
    runs = 9 * (NIGHTLY if settings.default.max_examples > 100 else 1)
    counts, wrong = trial(runs, 0, [algorithm])
    assert wrong == []
    assert counts[algorithm, "released"] > 0
