"""What the released values of each quasi-identifier cover: listed, named, and the span."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kanonym.data.hierarchy.labels import list_lengths, members_of
from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.table import Domain
from kanonym.metrics.span import Axis


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the released values of one quasi-identifier cover."""

    loss: float
    listed: float
    values: float
    span: float
    longest_list: int

    def to_dict(self) -> dict[str, float]:
        """Return the JSON form."""
        return {
            "loss": self.loss,
            "listed": self.listed,
            "values": self.values,
            "span": self.span,
            "longest_list": self.longest_list,
        }


def coverage_of(
    domain: Domain, attribute: RecodedAttribute, sizes: NDArray[np.int64], suppressed: int
) -> Coverage:
    """Measure what one recoded attribute covers.

    sizes: (n_classes,) int64 records of each class.

    Notes
    -----
    Cost O(n_classes); of lists of codes that do not stand in their order, the reading of each
    distinct list.

    """
    axis, low, high = Axis.of(domain), attribute.low, attribute.high
    longest = 1
    if attribute.recoding == "set":
        values = list_lengths(attribute.columns[0])[attribute.label_of_class]
        spans = axis.shares(values)
        if axis.line is not None:
            spans = _list_spans(axis, axis.line, domain, attribute)
        listed = np.ones(len(sizes), np.bool_)
        longest = int(values.max(initial=1))
    else:
        if attribute.recoding == "hierarchy" and domain.hierarchy is not None:
            low, high = domain.hierarchy.subtree(low, high)
        by_label = attribute.recoding in ("hierarchy", "value")
        values, listed = axis.values(low, high), low == high
        spans = axis.label_costs(low, high) if by_label else axis.range_costs(low, high)
    kept = int(sizes.sum())
    rows, least = kept + suppressed, max(kept, 1)
    covered = float(sizes @ spans)
    return Coverage(
        loss=(covered + suppressed) / max(rows, 1),
        listed=float(sizes @ listed) / least,
        values=float(sizes @ values) / least,
        span=covered / least,
        longest_list=longest,
    )


def _list_spans(
    axis: Axis, line: NDArray[np.float64], domain: Domain, attribute: RecodedAttribute
) -> NDArray[np.float64]:
    """Return (n_classes,) float64: what the list of each class costs in a column with an order."""
    if (np.diff(line) >= 0).all():  # the outer codes are the outer values
        return axis.range_costs(attribute.low, attribute.high)
    code = {text: i for i, text in enumerate(domain.texts.to_list())}
    lists = [_codes(text, code, domain.null_code) for text in attribute.columns[0].to_list()]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    members = np.fromiter(chain.from_iterable(lists), np.int32, int(offsets[-1]))
    return axis.list_costs(offsets, members)[attribute.label_of_class]


def _codes(text: str | None, code: dict[str, int], null_code: int) -> list[int]:
    """Return the codes of a released value: itself, or what it lists."""
    if text is None:
        return [null_code]
    if text in code:
        return [code[text]]
    return [null_code if one is None else code[one] for one in members_of(text) or []]
