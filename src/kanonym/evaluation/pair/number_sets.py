"""Released sets of numbers, `{3, 5, 7}`: what lies between their members is not left open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr


@dataclass(frozen=True, slots=True, repr=False)
class NumberSets(ShortRepr):
    """The released cells of a column of numbers that are sets.

    labels: (n_released,) int32, the set of each cell, -1 for others.
    """

    labels: NDArray[np.int32]
    offsets: NDArray[np.int64]
    members: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        labels: NDArray[np.int32],
        listed: Mapping[int, NDArray[np.int32]],
        line: NDArray[np.float64],
    ) -> NumberSets | None:
        """Return the sets of a column, None where no cell is one.

        labels: (n_released,) int32, -1 for suppressed cells. listed: codes by label. line: the
        number of each code; null is the code behind them.
        """
        if not np.isin(labels, list(listed)).any():
            return None
        numbers = np.append(line, np.inf)
        keys = {label: tuple(np.sort(numbers[codes]).tolist()) for label, codes in listed.items()}
        sets = sorted(set(keys.values()))
        ranks = {key: rank for rank, key in enumerate(sets)}
        # The last place is that of -1.
        place = np.full(max(int(labels.max()), *listed) + 2, -1, np.int32)
        place[list(keys)] = [ranks[key] for key in keys.values()]
        members = np.concatenate([np.array(one) for one in sets])
        return cls(
            place[labels],
            np.cumsum([0, *map(len, sets)], dtype=np.int64),
            np.where(np.isinf(members), np.nan, members),
        )

    def values(self, one: int) -> NDArray[np.float64]:
        """Return the numbers of a set, null left out."""
        members = self.members[self.offsets[one] : self.offsets[one + 1]]
        return members[~np.isnan(members)]

    def has_null(self, one: int) -> bool:
        """Whether null is a member of a set."""
        return bool(np.isnan(self.members[self.offsets[one + 1] - 1]))

    def gaps(self, values: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n_values, n_rows) float64: how far each value is from the next number of a set.

        0 for cells that are no set; NaN where the value or all of the set is null.
        """
        apart = np.zeros((len(values), len(self.offsets)))
        for one in np.unique(self.labels[rows]).tolist():
            if one < 0:
                continue
            numbers = self.values(one)
            if not len(numbers):
                apart[:, one] = np.nan
                continue
            at = np.searchsorted(numbers, values)
            below, above = numbers[np.maximum(at - 1, 0)], numbers[np.minimum(at, len(numbers) - 1)]
            apart[:, one] = np.minimum(np.abs(values - below), np.abs(values - above))
        return np.asarray(apart[:, self.labels[rows]])
