"""An algorithm: all records are one class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import Algorithm, Problem, Recodes
from kanonym.data.partition import Partition


@dataclass(frozen=True, slots=True)
class OneClass(Algorithm):
    """Keep all records together."""

    type: ClassVar[str] = "one-class"
    summary: ClassVar[str] = "Keeps all records together."
    recodes: ClassVar[Recodes] = "spans"

    def partition(self, problem: Problem) -> Partition:
        """Return one class of all tuples."""
        return Partition(np.zeros(len(problem.table.codes), np.int32), 1)
