"""MDAV: microaggregation by groups of the nearest records at the ends of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kanonym.algorithms.base import Listener, Recodes
from kanonym.algorithms.microaggregation.records import microaggregated
from kanonym.data.errors import PolicyError
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
        return microaggregated(table, models, self.type, mdav, standardize=self.standardize)
