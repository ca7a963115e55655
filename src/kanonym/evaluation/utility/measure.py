"""A measure of utility: what it means, and how it is taken of two tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanonym.evaluation.pair.tables import TablePair
from kanonym.metrics.measured_value import Meaning, MeasuredValue

Measuring = Callable[[TablePair, np.random.Generator], MeasuredValue]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of utility of any pair of tables.

    Attributes
    ----------
    meaning
        How to read it.
    take
        Takes it: of a `TablePair`, with a generator for what is drawn. Where the tables
        give no number, its value is None and the reason is said; it never raises for that.
    slow
        Whether it takes longer than a pass or two over the tables; asked for by name only.

    """

    meaning: Meaning
    take: Measuring
    slow: bool = False
