"""Certainty penalties and coverage of released values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.hierarchy.labels import list_lengths, members_of
from kanonym.data.partition import RecodedAttribute
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Recoding
from kanonym.data.table import LARGEST, Domain
from kanonym.kernels.classes.histograms import RANGE, SET, TREE, Costs


def kind_of(recoding: Recoding) -> int:
    """Return the kernel's kind of loss for a recoding."""
    return {"set": SET, "hierarchy": TREE}.get(recoding, RANGE)


def certainty_costs(domains: Sequence[Domain], recodings: Sequence[Recoding]) -> Costs:
    """Tabulate what releasing codes low to high of each attribute loses."""
    n_levels = max((len(d.hierarchy.labels) for d in domains if d.hierarchy is not None), default=0)
    offsets = np.cumsum([0, *(domain.size for domain in domains)])
    attributes = np.zeros((len(domains), 4), np.int64)
    places = np.zeros(offsets[-1])
    ancestors = np.zeros((n_levels, offsets[-1]), np.int32)
    losses = np.zeros((n_levels, offsets[-1]))
    for a, (domain, recoding) in enumerate(zip(domains, recodings, strict=True)):
        kind = kind_of(recoding)
        own = slice(offsets[a], offsets[a + 1])
        attributes[a] = kind, offsets[a], domain.apart, 0
        if kind == SET:
            places[own] = np.arange(domain.size) / max(int(domain.observed.sum()) - 1, 1)
        elif kind == RANGE:
            places[own] = positions(domain)
        elif domain.hierarchy is not None:
            codes = domain.hierarchy.codes
            attributes[a, 3] = len(codes)
            ancestors[: len(codes), own] = codes
            for level, labels in enumerate(codes):
                leaves = np.bincount(labels)[labels]
                losses[level, own] = (leaves - 1) / max(domain.size - 1, 1)
    return Costs(attributes, places, ancestors, losses, np.ones(len(domains)))


def weighted_costs(costs: Costs, weights: NDArray[np.float64]) -> Costs:
    """Return costs in which each attribute loses so many times as much; (d,) float64 weights."""
    sizes = np.diff(costs.attributes[:, 1], append=len(costs.positions))
    each = np.repeat(weights, sizes)
    return costs._replace(
        positions=costs.positions * each,
        losses=costs.losses * each,
        weights=costs.weights * weights,
    )


def observed_costs(costs: Costs, domains: Sequence[Domain], codes: NDArray[np.int32]) -> Costs:
    """Return the costs of a table of some records alone; codes: theirs, a column an attribute."""
    recodings: dict[int, Recoding] = {SET: "set", TREE: "hierarchy", RANGE: "interval"}
    held = [
        replace(domain, observed=np.isin(np.arange(domain.size), codes[:, a]))
        for a, domain in enumerate(domains)
    ]
    own = certainty_costs(held, [recodings[int(kind)] for kind in costs.attributes[:, 0]])
    return weighted_costs(own, costs.weights)


def numeric_values(domain: Domain) -> NDArray[np.float64]:
    """Return each non-null code's place on a number line: its value, or its rank.

    NaN for exceptions, which have none.
    """
    if domain.kind == "number":
        return domain.values.cast(pl.Float64).to_numpy()
    if domain.kind == "temporal":
        return domain.values.to_physical().cast(pl.Float64).to_numpy()
    return np.arange(len(domain.values), dtype=np.float64)


def positions(domain: Domain) -> NDArray[np.float64]:
    """Return (size,) places in [0, 1] over what the table holds; exceptions and null stand at 1."""
    values = numeric_values(domain)[: domain.apart]
    held = values[domain.observed[: len(values)]]
    low, width = (held.min(), np.ptp(held)) if len(held) else (0.0, 0.0)
    places = np.ones(domain.size)
    places[: len(values)] = (values - low) / width if width > 0 else 0.0
    return places


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
        return asdict(self)


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
