"""Sampling: who is released at all is left to chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.models.base import check_number


def sample_rows(n: int, share: float, random: np.random.Generator) -> NDArray[np.int64]:
    """Draw rows of a table at random, without replacement.

    It protects against who knows that a person is in the table: a unique record of the
    sample need not be unique in the table. Whoever is drawn is released as they are, so
    on its own it protects nobody of them.

    Returns
    -------
    (m,) int64, ascending: share · n rounded to a whole number of them. All sets of that
    size are equally likely.

    Notes
    -----
    Simple random sampling. Cost O(n).

    Examples
    --------
    >>> sample_rows(10, 0.3, np.random.default_rng(0))
    array([5, 6, 9])

    """
    check_number("sample", "share", share, above=0, maximum=1)
    return np.sort(random.choice(n, round(share * n), replace=False, shuffle=False))
