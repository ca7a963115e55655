"""Actions applied in tests: a context with a seed, and the other columns that it knows."""

from __future__ import annotations

import numpy as np
import polars as pl

from kanonym.actions.base import Context


def context(seed=0, classes=None, **columns):
    """Return a context with a seeded generator, some columns, and perhaps classes."""
    known = {name: pl.Series(name, column) for name, column in columns.items()}
    labels = None if classes is None else np.array(classes, np.int32)
    return Context(np.random.default_rng(seed), known.__getitem__, labels)


def applied(action, values, name="x", **parts):
    """Return what an action makes of a column or of a list, as a list."""
    series = values if isinstance(values, pl.Series) else pl.Series(name, values)
    return action.apply(series, context(**parts)).to_list()
