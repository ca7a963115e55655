"""t-closeness-first microaggregation: classes that spread over all sensitive values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm, Problem, Recodes
from kanonym.algorithms.criteria import classes_of, compile_criteria, require_feasible
from kanonym.algorithms.microaggregation.records import kinds_of, record_space, require_numbers
from kanonym.algorithms.microaggregation.squared_error import (
    error_account,
    least_error,
    squared_error,
)
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable
from kanonym.kernels.microaggregation.t_closeness_first import t_closeness_first
from kanonym.models.base import PrivacyModel, check_flag
from kanonym.models.closeness import TCloseness


@dataclass(frozen=True, slots=True)
class TClosenessFirst(Algorithm):
    """Microaggregation into classes that are t-close as they are made.

    For one t-closeness with `distance: ordered`, beside k-anonymity. Quasi-identifiers are
    numbers without missing values, and every record has a sensitive value. Where no
    recoding is asked for, each class releases its mean.

    Parameters
    ----------
    standardize
        True: a difference counts in standard deviations of its column. False: as it is,
        so columns of large numbers decide alone.

    Notes
    -----
    A class of k records, one from each of k stretches of equal length of the records in the
    order of their sensitive values, is at most (n - k) / (2 (n - 1) k) from the table where
    these values are all different. So t asks for classes of k' = max(k, n / (2 (n - 1) t + 1))
    records, rounded up; where more than n // k' would be left over, of some more. Of the records
    that are left, the one farthest from the centroid takes the nearest record of every stretch,
    itself included; then the one farthest from that one does so; and so on. Records that are
    left over stand in the middle of the order, and classes take one more each. So classes
    have k' or k' + 1 records.

    Where sensitive values repeat, or a class has one record more, the bound does not hold as it
    is. So every class is measured, and joined with the one of the nearest centroid as long as
    it is not t-close; `joined` in the account counts the classes that this has cost. Joining
    never takes a class farther from the table than the farther of the two was.

    Distances are Euclidean; equal ones are decided by row number. Rows are numbered as the
    sensitive values sort them, equal ones as the quasi-identifiers do, so the order of the
    input does not matter.

    The account tells the squared error and a lower bound of that of all divisions into classes of
    k records, t-close or not: the gap holds what t costs.

    Cost O(n²d / k').

    Soria-Comas, Domingo-Ferrer, Sánchez and Martínez 2015, "t-closeness through
    microaggregation: strict privacy with enhanced utility preservation", IEEE TKDE 27(11),
    proposition 2 and algorithm 3. Deviation: what is measured, and joined, above.

    """

    standardize: bool = True

    type: ClassVar[str] = "t-closeness-first"
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        The problem is that of `MDAV.partition`; the models have one t-closeness of ordered
        distance besides.

        Raises
        ------
        PolicyError
            There is no such t-closeness, more than one, or a model of other things.
        SchemaError
            A quasi-identifier is not numeric.
        DataError
            A quasi-identifier or the sensitive attribute has no value in some row.
        InfeasibleError
            The table has fewer than k records.

        """
        table, models = problem.table, problem.models
        model = _closeness(models)
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0, by_row=True)
        require_numbers(table, self.type)
        values = _sensitive_values(table, model)
        least = compile_criteria([one for one in models if one is not model], table).min_size
        require_feasible(table, models)
        if not table.domains:
            return Partition(np.zeros(len(table.weights), np.int32), 1)
        order = np.lexsort((table.tuple_of_row, values))
        rows, weights = record_space(table, table.tuple_of_row[order], standardize=self.standardize)
        size = class_size_for(model.t, min(least, table.n_rows), table.n_rows)
        found, n_groups = t_closeness_first(rows, weights, size)
        by_record = replace(
            table,
            codes=table.codes[table.tuple_of_row[order]],
            sensitive_codes=table.sensitive_codes[table.tuple_of_row[order]],
            weights=np.ones(table.n_rows, np.int64),
        )
        n_classes = int(n_groups)
        while True:
            failing = ~model.satisfied(classes_of(by_record, found, n_classes))
            if not failing.any():
                break
            found, n_classes = _join(rows, weights, found, failing)
        labels = np.empty_like(found)
        labels[order] = found
        kinds = kinds_of(table)
        error, below = (
            squared_error(rows, weights, kinds, found),
            least_error(rows, weights, kinds, least),
        )
        account = {
            "class_size": size,
            "joined": int(n_groups) - n_classes,
            **error_account(rows, weights, kinds, error, below),
        }
        return Partition(labels, n_classes, by_row=True, account=account)


def class_size_for(t: float, k: int, n: int) -> int:
    """Return the size of classes of at least k that t asks for, of n records, k at most n.

    n modulo the size is less than n // size: so many classes have room for one record more.
    """
    # What is whole on paper may be a little more by rounding.
    size = max(k, math.ceil(n / (2 * (n - 1) * t + 1) - 1e-9))
    return size + n % size // (n // size)


def _closeness(models: Sequence[PrivacyModel]) -> TCloseness:
    """Return the t-closeness to be met; refuse what this algorithm does not look at."""
    found = [
        model for model in models if isinstance(model, TCloseness) and model.distance == "ordered"
    ]
    others = [model for model in models if model.attribute is not None and model not in found[:1]]
    takes = (
        "t-closeness-first takes one t-closeness with distance ordered, and k-anonymity, "
        "average-risk, sample-uniqueness or population-uniqueness beside it"
    )
    if others:
        kind = f" with distance {others[0].distance}" if isinstance(others[0], TCloseness) else ""
        raise PolicyError(
            f"{takes}: {others[0].type} of {others[0].attribute!r}{kind} needs another algorithm, "
            "such as mondrian"
        )
    if not found:
        raise PolicyError(f"{takes}: none is required; choose mdav, or add one")
    return found[0]


def _sensitive_values(table: EncodedTable, model: TCloseness) -> NDArray[np.int32]:
    """Return the (n_rows,) codes of the model's attribute; refuse records without one."""
    j = [domain.name for domain in table.sensitive].index(model.attribute)
    values: NDArray[np.int32] = table.sensitive_codes[table.tuple_of_row, j]
    if (values < 0).any():
        raise DataError(
            f"column {model.attribute!r}, row {int((values < 0).argmax()) + 1}: no value, and "
            "t-closeness-first cannot order a missing value: let null count as a value (nulls: "
            "value), remove the record, or choose another algorithm, such as mondrian"
        )
    return values


def _join(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    labels: NDArray[np.int32],
    failing: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], int]:
    """Join each class that fails with the one of the nearest centroid; return the new classes.

    Classes are taken by number; one that another has been joined with is left as it is.
    """
    sizes = np.bincount(labels)
    centroids = np.stack([np.bincount(labels, column) / sizes for column in rows.T], axis=1)
    into = np.arange(len(sizes))
    settled = np.zeros(len(sizes), np.bool_)
    for label in np.flatnonzero(failing):
        if settled[label]:
            continue
        distances = ((centroids - centroids[label]) ** 2) @ weights
        distances[label] = np.inf
        nearest = distances.argmin()
        into[label] = into[nearest]
        settled[label] = settled[nearest] = True
    kept, new = np.unique(into, return_inverse=True)
    return new.astype(np.int32)[labels], len(kept)
