"""What a released value covers of its attribute's domain, class by class.

Only what a reader of the release knows: the common ancestor's whole subtree rather than
the codes that a class held, a mean as a point without the values around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.reporting.distributions.bars import numbers

if TYPE_CHECKING:
    from kanonym.data.recoded_attribute import RecodedAttribute
    from kanonym.data.table import Domain

POINTS = ("mean", "median", "mode", "balanced")


@dataclass(frozen=True, slots=True)
class Extent:
    """An interval of codes for each class.

    low, high: (n_classes,) int32, first and last code covered.
    mixed: (n_classes,) bool, null together with other values, or a blank that leaves all open.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    mixed: NDArray[np.bool_]

    @classmethod
    def of(cls, domain: Domain, recoded: RecodedAttribute) -> Extent:
        """Return the codes that the released values cover."""
        low, high = recoded.low, recoded.high
        if recoded.recoding in POINTS:
            low = high = _nearest_code(domain, recoded)
        elif recoded.recoding == "hierarchy" and domain.hierarchy is not None:
            low, high = domain.hierarchy.subtree(low, high)
        mixed = (high >= domain.apart) & (low != high)
        if recoded.recoding == "value":
            # A blank says nothing: where the values behind it end is not released.
            blank = recoded.columns[0].is_null().to_numpy()[recoded.label_of_class]
            mixed |= blank & (low != high)
        if recoded.recoding != "set":  # such an interval is released as the whole domain
            low = np.where(mixed, 0, low).astype(np.int32)
            high = np.where(mixed, domain.size - 1, high).astype(np.int32)
        return cls(low, high, mixed)


def _nearest_code(domain: Domain, recoded: RecodedAttribute) -> NDArray[np.int32]:
    """Return (n_classes,) the code nearest to the released value, one for a class."""
    released = recoded.columns[0]
    null = released.is_null().to_numpy()
    if recoded.recoding in ("mode", "balanced") or domain.kind != "number":  # one of the values
        values = domain.texts if domain.exceptions else domain.values
        code_of = {value: code for code, value in enumerate(values.to_list())}
        found = released.cast(values.dtype).to_list()
        codes = np.array([code_of.get(value, domain.null_code) for value in found])
    else:
        line = numbers(domain).astype(np.float64)
        order = np.argsort(line, kind="stable")
        exceptions = {text: domain.apart + i for i, text in enumerate(domain.exceptions)}
        named = [exceptions.get(one) for one in released.to_list()] if exceptions else []
        points = released.cast(float, strict=False).fill_null(0.0).to_numpy()
        between = (line[order][:-1] + line[order][1:]) / 2
        codes = order[np.searchsorted(between, points)] if len(line) else np.zeros(len(null))
        codes[null] = domain.null_code
        for place, code in enumerate(named):
            if code is not None:
                codes[place] = code
    return codes.astype(np.int32)[recoded.label_of_class]
