"""Random counting queries: how many records answer them, in the original and in the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import below, borders
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.measured_value import Meaning, MeasuredValue

QUERIES = 1000
"""Queries in a workload."""

ATTRIBUTES = 3
"""Most attributes that a query asks about."""

SELECTIVITY = (0.01, 0.2)
"""Least and largest share of the records that a query aims at, were its attributes independent."""

SANITY = 0.001
"""An error counts in shares of the answer, but at least of this share of the records."""

Kept = TypeVar("Kept", np.bool_, np.float64)


@dataclass(frozen=True, slots=True, repr=False)
class Condition(ShortRepr):
    """What a query asks about one attribute.

    original: (n_values,) bool: which values of the original answer.
    released: (n_labels,) float64 in [0, 1]: what share of each released label answers.
    """

    attribute: int
    original: Bools
    released: Floats


class _Numbers:
    """A column of numbers that is asked for ranges."""

    def __init__(self, column: NumericColumn) -> None:
        held = column.original[~np.isnan(column.original)]
        self.distinct, self.counts = np.unique(held, return_counts=True)
        self.codes = np.searchsorted(self.distinct, column.original).astype(np.int32)
        self.codes[np.isnan(column.original)] = len(self.distinct)
        self.up_to = np.cumsum(self.counts)
        self.borders = np.concatenate([[-np.inf], borders(self.distinct), [np.inf]])
        spans, labels = np.unique(column.low + 1j * column.high, return_inverse=True)
        self.labels = labels.reshape(-1).astype(np.int32)
        self.low, self.high = spans.real, spans.imag
        self.null = np.isnan(self.low)
        self.n_codes, self.n_labels = len(self.distinct) + 1, len(spans)

    @property
    def n_values(self) -> int:
        """Return the number of distinct values."""
        return len(self.distinct)

    def draw(self, share: float, random: np.random.Generator) -> tuple[Bools, Floats]:
        """Draw a range that about a share of the original's numbers answers."""
        n = int(self.up_to[-1])
        width = max(1, round(share * n))
        start = int(random.integers(n - width + 1))
        first, last = np.searchsorted(self.up_to, [start, start + width - 1], side="right")
        answers = np.zeros(self.n_values + 1, np.bool_)
        answers[first : last + 1] = True
        limits = self.borders[[first, last + 1]]
        lower, upper = below(self.low, self.high, limits).T
        return answers, np.where(self.null, 0.0, upper - lower)


class _Categories:
    """A column of categories that is asked for sets."""

    def __init__(self, column: CategoricalColumn) -> None:
        self.codes, self.labels = column.original, column.labels
        counts = np.bincount(column.original, minlength=len(column.categories))
        self.present = np.flatnonzero(counts)
        self.shares = counts / max(len(column.original), 1)
        self.members = column.members
        self.n_members = np.diff(column.offsets)
        self.owners = np.repeat(np.arange(len(self.n_members)), self.n_members)
        self.n_codes, self.n_labels = len(column.categories), len(self.n_members)

    @property
    def n_values(self) -> int:
        """Return the number of distinct values."""
        return len(self.present)

    def draw(self, share: float, random: np.random.Generator) -> tuple[Bools, Floats]:
        """Draw categories until a share of the original's records answers."""
        order = random.permutation(self.present)
        enough = int(np.searchsorted(np.cumsum(self.shares[order]), share)) + 1
        answers = np.zeros(len(self.shares), np.bool_)
        answers[order[:enough]] = True
        found = np.bincount(self.owners, answers[self.members], len(self.n_members))
        return answers, found / self.n_members


Asked = _Numbers | _Categories


def _query_column(column: Column) -> Asked:
    return _Numbers(column) if isinstance(column, NumericColumn) else _Categories(column)


def draw_query(asked: Sequence[Asked], random: np.random.Generator) -> list[Condition]:
    """Draw a conjunction of conditions on one to three attributes."""
    size = int(random.integers(1, min(ATTRIBUTES, len(asked)) + 1))
    chosen = random.choice(len(asked), size, replace=False)
    selectivity = np.exp(random.uniform(*np.log(SELECTIVITY)))
    share = float(selectivity ** (1 / size))
    return [Condition(int(a), *asked[a].draw(share, random)) for a in chosen]


@dataclass(frozen=True, slots=True, repr=False)
class CountedRecords(ShortRepr):
    """Records of both tables, equal ones counted.

    n_original, n_released: (n_distinct,) int64, how many records those are.
    """

    original: list[Int32s]
    released: list[Int32s]
    n_original: Ints
    n_released: Ints


def count_equal(asked: Sequence[Asked]) -> CountedRecords:
    """Count equal records of both tables. Cost O(n) an attribute."""
    values = group_rows([one.codes for one in asked], [one.n_codes for one in asked])
    labels = group_rows([one.labels for one in asked], [one.n_labels for one in asked])
    return CountedRecords(
        list(np.ascontiguousarray(values.codes.T)),
        list(np.ascontiguousarray(labels.codes.T)),
        values.sizes,
        labels.sizes,
    )


def answers(query: Sequence[Condition], records: CountedRecords) -> tuple[float, float]:
    """Return how many records of the original answer a query, and how many of the release.

    A released record counts with the product, over attributes, of the share that answers of
    what it leaves open.
    """
    kept = [one.original[records.original[one.attribute]] for one in query]
    shares = [one.released[records.released[one.attribute]] for one in query]
    truth = records.n_original[_product(kept)].sum()
    # A matrix product would hand so few numbers to several threads, and wait for them.
    return float(truth), float((records.n_released * _product(shares)).sum())


def _product(factors: Sequence[NDArray[Kept]]) -> NDArray[Kept]:
    total = factors[0]
    for factor in factors[1:]:
        total = total * factor
    return total


def query_errors(
    pair: TablePair, random: np.random.Generator, n_queries: int = QUERIES
) -> MeasuredValue:
    """Measure the relative error of a workload of random counting queries.

    Records that the release lacks answer nothing.
    """
    asked = [column for column in map(_query_column, pair.columns) if column.n_values > 1]
    if not asked:
        return MeasuredValue(
            QUERY_ERROR, None, reason=Message("the original has no column of several values")
        )
    bound = SANITY * pair.n_original
    records = count_equal(asked)
    errors, sizes = np.empty(n_queries), np.empty(n_queries, np.int64)
    for i in range(n_queries):
        query = draw_query(asked, random)
        truth, estimate = answers(query, records)
        errors[i], sizes[i] = abs(estimate - truth) / max(truth, bound), len(query)
    parts = {"mean": float(errors.mean()), "95th percentile": float(np.quantile(errors, 0.95))}
    for size in range(1, ATTRIBUTES + 1):
        if (sizes == size).any():
            name = "1 attribute" if size == 1 else f"{size} attributes"
            parts[name] = float(np.median(errors[sizes == size]))
    return MeasuredValue(QUERY_ERROR, float(np.median(errors)), parts)


QUERY_ERROR = Meaning(
    name="query-error",
    high=float("inf"),
    unit=f"relative error of a count, median over {QUERIES} random queries",
    source="LeFevre, DeWitt and Ramakrishnan (2008), ACM TODS 33(3), and Xiao and Tao (2006), VLDB,"
    " 6.1: ranges and sets on 1 to 3 attributes, selectivity 1 to 20 % if these were independent;"
    " the bound of 0.1 % of the records as Xiao, Wang and Gehrke (2010), ICDE",
    title=_("Relative error of counting queries (median)"),
    counted=_("error / true count"),
)

MEASURES: tuple[Measure, ...] = (Measure(QUERY_ERROR, query_errors),)
