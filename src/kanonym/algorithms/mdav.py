"""MDAV: microaggregation by groups of the nearest records at the ends of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Listener, Recodes
from kanonym.algorithms.criteria import compiled, require_feasible
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable
from kanonym.kernels.mdav import mdav
from kanonym.kernels.penalty import Costs
from kanonym.models.base import PrivacyModel


@dataclass(frozen=True, slots=True)
class MDAV:
    """Microaggregation: classes of k records that are near each other, released as their mean.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each class releases its mean.

    Parameters
    ----------
    standardize
        True: a difference counts in standard deviations of its column. False: as it is,
        so columns of large numbers decide alone.

    Notes
    -----
    Of n records that are left, as long as n >= 3 k: the centroid; the record r farthest from
    it and the k - 1 records nearest to r are a class; the record s farthest from r, and the
    k - 1 of the others that are nearest to s, are another. Of 2 k to 3 k - 1 records, the
    one farthest from the centroid and its nearest are a class, the others another; of
    fewer than 2 k, all are one. So every class has k records, the last one up to 2 k - 1.
    Distances are Euclidean.

    Equal distances are decided by row number. Rows are numbered as the quasi-identifiers
    sort them, equal ones as they come: equal records may be parted, but the values
    that are released do not depend on the order of the input.

    Cost O(n²d / k) at the worst; in few attributes most distances are not computed
    (`kernels.kdtree`), with the same result.

    Domingo-Ferrer and Mateo-Sanz 2002, "Practical data-oriented microaggregation for
    statistical disclosure control"; Domingo-Ferrer and Torra 2005, "Ordinal, continuous
    and heterogeneous k-anonymity through microaggregation", for the remainder.
    Deviation: s and its neighbours are chosen when the class of r is gone, so no record is
    claimed by both.

    """

    standardize: bool = True

    type: ClassVar[str] = "mdav"
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding] = "mean"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        if not isinstance(self.standardize, bool):
            raise PolicyError(
                f"mdav: standardize is {self.standardize!r}; it must be true or false"
            )

    def partition(
        self,
        table: EncodedTable,
        costs: Costs,  # noqa: ARG002
        models: Sequence[PrivacyModel],
        suppression_limit: float = 0.0,  # noqa: ARG002
        listen: Listener | None = None,  # noqa: ARG002
    ) -> Partition:
        """Divide a table into classes of at least k records.

        Parameters
        ----------
        table
            The encoded table; hierarchies are not read.
        costs
            Not read.
        models
            k-anonymity, or models that a class size is sufficient for: average risk, and
            uniqueness in the sample or the population.
        suppression_limit
            Not read: every record is released.
        listen
            Not told anything.

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
        k = _class_size(models, table)
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0, by_row=True)
        _require_numbers(table)
        require_feasible(table, models)
        if not table.domains:
            return Partition(np.zeros(len(table.weights), np.int32), 1)
        order = np.argsort(table.tuple_of_row, kind="stable")
        rows, weights = self._space(table, table.tuple_of_row[order])
        found, n_classes = mdav(rows, weights, min(k, table.n_rows))
        labels = np.empty_like(found)
        labels[order] = found
        return Partition(labels, n_classes, by_row=True)

    def _space(
        self, table: EncodedTable, tuples: NDArray[np.int32]
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
        if not self.standardize:
            exponents[:] = exponents.max()
        columns = np.ldexp(columns, -exponents[:, None])
        weights = np.ones(len(columns))
        if self.standardize:
            varies = columns.min(axis=1) < columns.max(axis=1)
            weights[varies] = 1 / columns[varies].var(axis=1)
        return np.ascontiguousarray(columns.T), weights


def _class_size(models: Sequence[PrivacyModel], table: EncodedTable) -> int:
    """Return a class size that is sufficient for every model; refuse models of other things."""
    for model in models:
        if model.attribute is not None:
            raise PolicyError(
                f"mdav gives classes of k records, and no more than that: {model.type} of "
                f"{model.attribute!r} needs an algorithm that looks at sensitive values, such as "
                "mondrian. With mdav, choose k-anonymity, average-risk, sample-uniqueness or "
                "population-uniqueness"
            )
    return compiled(models, table).min_size


def _require_numbers(table: EncodedTable) -> None:
    """Refuse quasi-identifiers that have no mean or no distance."""
    for a, domain in enumerate(table.domains):
        way_out = "or choose another algorithm, such as mondrian"
        if domain.kind != "number" and len(domain.values):
            raise SchemaError(
                f"attribute {domain.name!r} is {domain.kind}, but mdav takes numbers alone: "
                f"write it as numbers, give it another role, {way_out}"
            )
        if domain.has_null:
            missing = (table.codes[:, a] == domain.null_code)[table.tuple_of_row]
            if missing.any():
                raise DataError(
                    f"column {domain.name!r}, row {int(missing.argmax()) + 1}: no value, and mdav "
                    f"has no distance to it: fill it in, leave out the record, {way_out}"
                )
