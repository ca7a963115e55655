"""What the tests of perturbation share: a context, from a table, a seed and classes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.actions.base import Context
from kanonym.data.frames import column


@pytest.fixture
def context():
    """Return a function that makes a context."""

    def make(table=None, seed=0, classes=None):
        frame = pl.DataFrame({"a": [0]}) if table is None else table
        labels = None if classes is None else np.array(classes, np.int32)
        return Context(np.random.default_rng(seed), lambda name: column(frame, name), labels)

    return make
