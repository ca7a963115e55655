"""The distribution of a column's values in bars, for the person who owns the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanonym.data.table import encode_column
from kanonym.language import LANGUAGES
from kanonym.reporting.distributions.bars import bars_of
from kanonym.workbench.work.facts import Histogram

MOST_BARS = 16


def histogram_of(column: Any) -> dict[str, Histogram]:
    """Return the bars of a column, by language; at most 16, and one of missing values."""
    domain, codes = encode_column(column, by_value=True)
    counts = np.bincount(codes, minlength=domain.size)
    found = {}
    for code, speech in LANGUAGES.items():
        bars = bars_of(domain, counts, 1, MOST_BARS, speech)
        summed = np.bincount(bars.bar_of_code, counts, minlength=len(bars.labels))
        found[code] = Histogram(bars.labels, tuple(int(number) for number in summed))
    return found
