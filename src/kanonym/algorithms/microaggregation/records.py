"""Records as points of a space, and the squared error of their classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import (
    PAIRWISE,
    Algorithm,
    Problem,
    Recodes,
    compile_criteria,
    require_feasible,
)
from kanonym.algorithms.options import Weights
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, EncodedTable, Kind
from kanonym.kernels.arrays import Floats, Int32s
from kanonym.kernels.microaggregation.mdav import NOMINAL, NUMBER, ORDERED, error_bound
from kanonym.kernels.parallel import parallel
from kanonym.metrics.certainty import numeric_values
from kanonym.metrics.information_loss.base import attribute_weights
from kanonym.models.base import PrivacyModel, check_flag

RECORDS = 1 << 17
"""Larger tables have no lower bound: it takes longer than their classes do."""

NEIGHBOURS = 1 << 18
"""A lower bound looks at up to so many pairs of near records,"""

EFFORT, ROUNDS = 1 << 24, 300
"""So many times each, and in so many rounds at the most."""


def squared_error(rows: Floats, weights: Floats, kinds: NDArray[np.int8], labels: Int32s) -> float:
    """Return the squared error of the classes of (n, d) records by their (n,) labels.

    It is that of all pairs in a class, divided by its records: of numbers the squared differences
    from the mean, of nominal codes half of what two draws from a class differ by on average.
    """
    sizes = np.bincount(labels)
    error = 0.0
    for column, weight, kind in zip(rows.T, weights, kinds, strict=True):
        if kind == NOMINAL:
            codes = column.astype(np.int64)
            n_codes = int(codes.max()) + 1
            pairs, counts = np.unique(labels * np.int64(n_codes) + codes, return_counts=True)
            same = float((counts.astype(np.float64) ** 2 / sizes[pairs // n_codes]).sum())
            error += float(weight) * (len(rows) - same) / 2
        else:
            means = np.bincount(labels, column) / np.maximum(sizes, 1)
            error += float(weight) * float(((column - means[labels]) ** 2).sum())
    return error


def least_error(rows: Floats, weights: Floats, kinds: NDArray[np.int8], k: int) -> float | None:
    """Return a squared error that no division of (n, d) records into classes of k is below."""
    n = len(rows)
    if n > RECORDS:
        return None
    if not 0 < _whole_error(rows, weights, kinds) < np.inf:
        return 0.0
    width = max(min(6 * k, n - 1, NEIGHBOURS // n), 1)
    rounds = max(min(EFFORT // (2 * n * width), ROUNDS), 1)
    return error_bound(rows, weights, kinds, min(k, n), width, rounds)


def error_account(
    rows: Floats, weights: Floats, kinds: NDArray[np.int8], error: float, least: float | None
) -> dict[str, object]:
    """Return what an account says: all are shares of the error of one class of all records."""
    whole = _whole_error(rows, weights, kinds)
    if not 0 < whole < np.inf:
        return {}
    share = error / whole
    if least is None:
        return {"squared_error": share}
    bound = min(least / whole, share)  # above it by rounding alone
    return {"squared_error": share, "lower_bound": bound, "gap": share - bound}


def _whole_error(rows: Floats, weights: Floats, kinds: NDArray[np.int8]) -> float:
    return squared_error(rows, weights, kinds, np.zeros(len(rows), np.int32))


Kernel = Callable[[Floats, Floats, int], tuple[Int32s, int]]
"""Divides (n, d) records with (d,) weights into groups of k: (n,) labels and their number."""

KINDS: dict[Kind, int] = {
    "number": NUMBER,
    "temporal": NUMBER,
    "ordered": ORDERED,
    "nominal": NOMINAL,
}
"""What an attribute of each kind is to kernels that take mixed attributes."""


class Microaggregation(Algorithm):
    """An algorithm whose classes release the means of their numbers."""

    __slots__ = ()

    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    standardize: bool
    weights: Weights

    def __post_init__(self) -> None:
        check_flag(self.type, "standardize", self.standardize)


def microaggregate(
    problem: Problem, algorithm: Microaggregation, kernel: Kernel, *, mixed: bool = False
) -> Partition:
    """Divide a table by a kernel that groups points.

    Rows are numbered as the quasi-identifiers sort them, so that ties that go by row number do
    not depend on the order of the input. The account says how much
    of the squared error other classes of k records could save at most.
    """
    table, models = problem.table, problem.models
    k = class_size(models, table, algorithm.type)
    if table.n_rows == 0:
        return Partition(np.empty(0, np.int32), 0, by_row=True)
    (require_distances if mixed else require_numbers)(table, algorithm.type)
    require_feasible(table, models)
    if not table.domains:
        return Partition(np.zeros(len(table.weights), np.int32), 1)
    order = np.argsort(table.tuple_of_row, kind="stable")
    known, tuples = algorithm.weights, table.tuple_of_row[order]
    rows, weights = record_space(table, tuples, standardize=algorithm.standardize, weights=known)
    kinds, size = kinds_of(table), min(k, table.n_rows)
    work: list[Callable[[], Any]] = [
        lambda: kernel(rows, weights, size),
        lambda: least_error(rows, weights, kinds, size),
    ]
    (found, n_classes), least = parallel(lambda task: task(), work)
    error = squared_error(rows, weights, kinds, found)
    account = error_account(rows, weights, kinds, error, least)
    labels = np.empty_like(found)
    labels[order] = found
    return Partition(labels, n_classes, by_row=True, account=account)


def class_size(models: Sequence[PrivacyModel], table: EncodedTable, algorithm: str) -> int:
    """Return a class size that is sufficient for every model; refuse models of other things."""
    for model in models:
        if model.attribute is not None:
            raise PolicyError(
                f"{algorithm} only forms classes of k records: {model.type} of "
                f"{model.attribute!r} needs an algorithm that considers sensitive values, such as "
                f"mondrian. With {algorithm}, choose k-anonymity, average-risk, sample-uniqueness "
                "or population-uniqueness"
            )
    return compile_criteria(models, table).min_size


def record_space(
    table: EncodedTable,
    tuples: Int32s,
    *,
    standardize: bool,
    weights: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Return (n, d) records of some tuples, and (d,) what a column weighs in a distance.

    Numbers and times are shifted, and scaled by powers of two: squares stay finite, differences of
    whole numbers exact. Standardizing is up to the weights, so it does not part ties. Ordered
    categories are their ranks, nominal values their codes, which kernels take as 0 or 1 apart.
    Standardized, a squared difference counts in variances of its column: half of the mean squared
    difference of two records. Of a nominal column that is half of the probability that two records
    differ, so a column of two values weighs what it does as numbers 0 and 1. As they are,
    differences count in units of numbers, days, ranks, and 1 for two nominal values. A weight
    multiplies the differences of its column.
    """
    d, n = len(table.domains), len(tuples)
    columns = np.empty((d, n))
    exponents = np.zeros(d, np.int64)
    scales = attribute_weights(table, weights or {}) ** 2
    for a, domain in enumerate(table.domains):
        columns[a] = _code_positions(domain)[table.codes[tuples, a]]
        if KINDS[domain.kind] == NUMBER:
            exponents[a] = np.frexp(np.abs(columns[a]).max())[1]
    highest = exponents.max()
    for a, domain in enumerate(table.domains):
        if KINDS[domain.kind] == NUMBER:
            columns[a] = np.ldexp(columns[a], -(exponents[a] if standardize else highest))
        if standardize:
            scales[a] *= _precision(columns[a], domain)
        elif KINDS[domain.kind] == NUMBER:
            scales[a] *= _days(domain) ** 2
        else:
            scales[a] *= np.ldexp(1.0, -2 * highest)
    return np.ascontiguousarray(columns.T), scales


def kinds_of(table: EncodedTable) -> NDArray[np.int8]:
    """Return (d,) int8: the kind of each quasi-identifier, as kernels have it."""
    return np.array([KINDS[domain.kind] for domain in table.domains], np.int8)


def _code_positions(domain: Domain) -> Floats:
    """Return (size,) float64: where each code stands; not read for a null that is refused."""
    if domain.kind == "nominal":
        return np.arange(domain.size, dtype=np.float64)
    if domain.kind == "ordered":  # a hierarchy may have its leaves in another order
        return np.asarray(np.argsort(domain.values.arg_sort().to_numpy()), np.float64)
    line = numeric_values(domain)
    return np.asarray(line - line[len(line) // 2])


def _precision(column: Floats, domain: Domain) -> float:
    """Return 1 / variance of (n,) records, 1 where they are all equal."""
    if column.min() == column.max():
        return 1.0
    if domain.kind != "nominal":
        return float(1 / column.var())
    counts = np.bincount(column.astype(np.int64))
    n = len(column)
    return float(2 * n * n / (n * n - int(counts @ counts)))


def _days(domain: Domain) -> float:
    """Return how many days one unit of an attribute's times is, 1 for numbers."""
    dtype = domain.values.dtype
    unit = "ns" if str(dtype) == "Time" else getattr(dtype, "time_unit", "")
    return {"ms": 1 / 86_400e3, "us": 1 / 86_400e6, "ns": 1 / 86_400e9}.get(unit, 1.0)


def require_numbers(table: EncodedTable, algorithm: str) -> None:
    """Refuse quasi-identifiers that have no mean or no distance."""
    for a, domain in enumerate(table.domains):
        require_number(domain, algorithm)
        _require_values(table, a, algorithm)


def require_number(domain: Domain, algorithm: str) -> None:
    """Refuse values that are no numbers."""
    if domain.kind != "number" and len(domain.values):
        raise SchemaError(
            f"attribute {domain.name!r} is {domain.kind}, but {algorithm} takes only numbers: "
            f"write it as numbers, give it another role, or choose another algorithm, such as "
            "mdav or mondrian"
        )


def require_distances(table: EncodedTable, algorithm: str) -> None:
    """Refuse records without a number, a time or a rank; nominal ones may be null."""
    for a, domain in enumerate(table.domains):
        if domain.kind != "nominal":
            _require_values(table, a, algorithm)


def _require_values(table: EncodedTable, a: int, algorithm: str) -> None:
    """Refuse records without a value in quasi-identifier a."""
    domain = table.domains[a]
    if domain.apart == domain.size:
        return
    missing = (table.codes[:, a] >= domain.apart)[table.tuple_of_row]
    if missing.any():
        row = int(missing.argmax())
        is_null = table.codes[table.tuple_of_row[row], a] == domain.null_code
        what = "a missing value" if is_null else "an exception"
        raise DataError(
            f"column {domain.name!r}, row {row + 1}: no value, and "
            f"{algorithm} has no distance to {what}: fill it in, remove the record, or "
            f"choose another algorithm, such as mondrian"
        )
