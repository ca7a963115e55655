"""How likely a record is re-identified, from class sizes (El Emam 2013, ch. 16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Risk:
    """Prosecutor risk of a release: the intruder knows that the person is in it.

    Attributes
    ----------
    highest
        1 / smallest class size, in [0, 1]; 0 for a release without a record.
    average
        Number of classes / number of records, in [0, 1]; equals marketer risk.
    uniques
        Number of classes of one record.

    """

    highest: float
    average: float
    uniques: int

    @classmethod
    def of_sizes(cls, sizes: NDArray[np.int64]) -> Risk:
        """Measure risk from (n_classes,) class sizes. Cost O(n_classes)."""
        if not len(sizes):
            return cls(0.0, 0.0, 0)
        return cls(1 / int(sizes.min()), len(sizes) / int(sizes.sum()), int((sizes == 1).sum()))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "prosecutor": {"highest": self.highest, "average": self.average},
            "uniques": self.uniques,
        }
