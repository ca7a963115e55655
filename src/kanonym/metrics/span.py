"""The span loss of a label: how much of its column it covers.

A range and a list cost the same where they cover the same. In a column with an order of its own
(numbers, dates, ordered categories, codes such as postal codes) a label costs the distance between
the smallest and the largest value that it stands for, over the range of the column; a list of such
values costs what the range from its first to its last value costs. In other columns, and below
labels of hierarchies, n of N values cost (n - 1) / (N - 1).

Xu et al. 2006, "Utility-based anonymization using local recoding", §3.1: the normalized certainty
penalty of a number is the width of what it is released as. Deviations: NCP knows no lists, and is
taken here for the smallest range around one; codes count by rank; in columns without an order the
values of the table are counted, below a hierarchy's label too, and an unchanged value costs 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import LARGEST, Domain
from kanonym.metrics.certainty import positions


@dataclass(frozen=True, slots=True, repr=False)
class Axis(ShortRepr):
    """The values of a column along its own order.

    line: (n_values,) float64 in [0, 1], the place of each non-null value; None without an order.
    upto: (size + 1,) int64, how many values of the table have a smaller code.
    """

    line: NDArray[np.float64] | None
    upto: NDArray[np.int64]
    apart: int

    @classmethod
    def of(cls, domain: Domain) -> Self:
        """Place the values of a domain."""
        if domain.kind == "nominal":
            line = _code_places(domain.values, domain.observed[: domain.apart])
        else:
            line = np.clip(positions(domain)[: domain.apart], 0.0, 1.0)
        upto = np.concatenate([[0], np.cumsum(domain.observed)]).astype(np.int64)
        return cls(line, upto, domain.apart)

    @property
    def n_values(self) -> int:
        """Distinct values of the table, null included."""
        return int(self.upto[-1])

    def values(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return (n,) int64: the values of the table with codes from low to high, (n,) each."""
        top = len(self.upto) - 1
        after = np.minimum(high.astype(np.int64) + 1, top)
        return self.upto[after] - self.upto[np.minimum(low, top)]

    def shares(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n,) float64: what labels of so many values cost without an order."""
        return np.maximum(values - 1, 0) / max(self.n_values - 1, 1)

    def label_costs(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return (n,) float64: what labels of a hierarchy over codes low to high cost.

        They count values: a width over the range of the column would tell that range, although
        the labels are open at their ends, and with it the extremes of suppressed records.
        """
        return self.shares(self.values(low, high))

    def range_costs(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return (n,) float64: what covering the codes low to high costs, (n,) int32 each.

        With null among other values there is no range: it costs 1.
        """
        if self.line is None:
            return self.shares(self.values(low, high))
        padded = np.append(self.line, np.zeros(len(self.upto) + 1 - len(self.line)))
        ends = np.stack([low, np.maximum(high, low) + 1], axis=1).reshape(-1)
        width = (np.maximum.reduceat(padded, ends) - np.minimum.reduceat(padded, ends))[::2]
        mixed = (high >= self.apart) & (low != high)
        return np.where(low == high, 0.0, np.where(mixed, 1.0, width))

    def list_costs(
        self, offsets: NDArray[np.int64], members: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Return (n_lists,) float64: what lists of codes cost.

        List i has the distinct codes members[offsets[i]:offsets[i + 1]], at least one: (n_lists +
        1,) int64 and (n_members,) int32.
        """
        if self.line is None or not len(members):
            return self.shares(np.diff(offsets))
        places = np.append(self.line, 0.0)[np.minimum(members, len(self.line))]
        starts = offsets[:-1]
        width = np.maximum.reduceat(places, starts) - np.minimum.reduceat(places, starts)
        with_null = np.logical_or.reduceat(members >= self.apart, starts)
        return np.where(np.diff(offsets) == 1, 0.0, np.where(with_null, 1.0, width))


def are_codes(values: pl.Series) -> bool:
    """Return whether distinct values are codes: texts that all have a digit.

    Postal codes, codes of diseases, dates and numbers as text: their order says which are close.
    """
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum) or not len(values):
        return False
    return bool(values.cast(pl.String).str.contains(r"\d").all())


def _code_places(values: pl.Series, observed: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """Return (n_values,) places of codes in [0, 1] over those of the table; None for no codes.

    They stand in order of text, which keeps common prefixes together; numbers as text by value.
    A code of which only a hierarchy knows lies where the last one before it does.
    """
    if not are_codes(values.filter(pl.Series(observed, dtype=pl.Boolean))):
        return None
    texts = values.cast(pl.String)
    numbers = texts.cast(pl.Float64, strict=False)
    zeros = texts.str.contains(r"^[+-]?0\d").any()
    if not zeros and not numbers.has_nulls() and (numbers.abs() <= LARGEST).all():
        order = numbers.to_numpy()
    else:
        by_text = texts.arg_sort().to_numpy()
        order = np.empty(len(texts))
        order[by_text] = np.cumsum(observed[by_text])
    low, width = order[observed].min(), np.ptp(order[observed])
    return np.clip((order - low) / width, 0.0, 1.0) if width > 0 else np.zeros(len(order))
