"""What a release is still good for, beside its original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanonym.evaluation.pair.tables import TablePair
from kanonym.metrics.measured_value import Meaning, MeasuredValue

Measuring = Callable[[TablePair, np.random.Generator], MeasuredValue]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of utility of any pair of tables."""

    meaning: Meaning
    take: Measuring
    slow: bool = False
