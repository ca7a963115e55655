"""Records as points: what microaggregation computes distances in, and whom it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.criteria import compiled, require_feasible
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable
from kanonym.models.base import PrivacyModel

Kernel = Callable[[NDArray[np.float64], NDArray[np.float64], int], tuple[NDArray[np.int32], int]]
"""Divides (n, d) records with (d,) weights into groups of k: (n,) labels and their number."""


def microaggregated(
    table: EncodedTable,
    models: Sequence[PrivacyModel],
    algorithm: str,
    kernel: Kernel,
    *,
    standardize: bool,
) -> Partition:
    """Divide a table of numbers by a kernel that groups points.

    Rows are numbered as the quasi-identifiers sort them, equal ones as they come, so that
    ties that go by row number do not depend on the order of the input.

    Parameters
    ----------
    table
        The encoded table; hierarchies are not read.
    models
        k-anonymity, or models that a class size is sufficient for.
    algorithm
        Its name, for messages.
    kernel
        Gets k of at most the number of records.
    standardize
        Whether a difference counts in standard deviations of its column.

    Raises
    ------
    PolicyError
        A model looks at sensitive values, or at a population table.
    SchemaError
        A quasi-identifier is not numeric.
    DataError
        A quasi-identifier has no value in some row.
    InfeasibleError
        The table has fewer than k records.

    """
    k = class_size(models, table, algorithm)
    if table.n_rows == 0:
        return Partition(np.empty(0, np.int32), 0, by_row=True)
    _require_numbers(table, algorithm)
    require_feasible(table, models)
    if not table.domains:
        return Partition(np.zeros(len(table.weights), np.int32), 1)
    order = np.argsort(table.tuple_of_row, kind="stable")
    rows, weights = _space(table, table.tuple_of_row[order], standardize=standardize)
    found, n_classes = kernel(rows, weights, min(k, table.n_rows))
    labels = np.empty_like(found)
    labels[order] = found
    return Partition(labels, n_classes, by_row=True)


def class_size(models: Sequence[PrivacyModel], table: EncodedTable, algorithm: str) -> int:
    """Return a class size that is sufficient for every model; refuse models of other things."""
    for model in models:
        if model.attribute is not None:
            raise PolicyError(
                f"{algorithm} gives classes of k records, and no more than that: {model.type} of "
                f"{model.attribute!r} needs an algorithm that looks at sensitive values, such as "
                f"mondrian. With {algorithm}, choose k-anonymity, average-risk, sample-uniqueness "
                "or population-uniqueness"
            )
    return compiled(models, table).min_size


def _space(
    table: EncodedTable, tuples: NDArray[np.int32], *, standardize: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (n, d) records of some tuples, and (d,) what a column weighs in a distance.

    Columns are shifted, and scaled by powers of two: squares stay finite, differences of
    whole numbers exact. Standardizing is up to the weights, so it does not part ties.
    """
    columns = np.empty((len(table.domains), len(tuples)))
    for a, domain in enumerate(table.domains):
        values = domain.values.cast(float).to_numpy()
        columns[a] = (values - values[len(values) // 2])[table.codes[tuples, a]]
    exponents = np.frexp(np.abs(columns).max(axis=1))[1]
    if not standardize:
        exponents[:] = exponents.max()
    columns = np.ldexp(columns, -exponents[:, None])
    weights = np.ones(len(columns))
    if standardize:
        varies = columns.min(axis=1) < columns.max(axis=1)
        weights[varies] = 1 / columns[varies].var(axis=1)
    return np.ascontiguousarray(columns.T), weights


def _require_numbers(table: EncodedTable, algorithm: str) -> None:
    """Refuse quasi-identifiers that have no mean or no distance."""
    for a, domain in enumerate(table.domains):
        way_out = "or choose another algorithm, such as mondrian"
        if domain.kind != "number" and len(domain.values):
            raise SchemaError(
                f"attribute {domain.name!r} is {domain.kind}, but {algorithm} takes numbers alone: "
                f"write it as numbers, give it another role, {way_out}"
            )
        if domain.has_null:
            missing = (table.codes[:, a] == domain.null_code)[table.tuple_of_row]
            if missing.any():
                raise DataError(
                    f"column {domain.name!r}, row {int(missing.argmax()) + 1}: no value, and "
                    f"{algorithm} has no distance to it: fill it in, leave out the record, "
                    f"{way_out}"
                )
