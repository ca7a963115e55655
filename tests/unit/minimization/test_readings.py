"""Minimizer keeps scikit-learn's readings, as scikit-learn itself checks them."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.estimator_checks import check_estimator

from kanonym.minimization import Minimizer


class Positive:
    """A model that needs no training: whether the first of any number of columns is positive."""

    def predict(self, records):
        """Return (n,) 0 or 1."""
        first = np.asarray(records, dtype=float)[:, 0]
        return (np.nan_to_num(first) > 0).astype(int)


def test_scikit_learns_own_checks_pass():
    """Every check that scikit-learn has for transformers passes, but for what it skips itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the checks about themselves
        results = check_estimator(Minimizer(Positive()), on_fail=None, on_skip=None)
    failed = [one["check_name"] for one in results if one["status"] not in ("passed", "skipped")]
    assert failed == []
    assert sum(one["status"] == "passed" for one in results) > 30
