"""SUDA2 and DIS-SUDA as sdcMicro 5.8.1 computes them on its own test table."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.evaluation.risk.suda import suda
from kanonym.kernels.classes.grouping import dense_codes

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def found(shared_data):
    """Return the scores of the table's seven keys at sdcMicro's sampling fraction."""
    table = pl.read_csv(shared_data / "sdc" / "testdata.csv")
    columns = [dense_codes(table[name].to_numpy())[1] for name in KEYS]
    return suda(pl.DataFrame(columns).to_numpy(), KEYS)


def test_scores_agree(found):
    """The largest score, of a record alone by one of seven attributes, is 6!; all sum to 4,890."""
    assert (found.scores.max(), found.scores.sum()) == (720, 4890)
    assert found.explain(int(found.scores.argmax())) == (("relat",),)


def test_dis_agrees(found):
    """The largest DIS score is 0.678."""
    assert round(float(found.dis.max()), 3) == 0.678
