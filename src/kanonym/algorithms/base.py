"""What an algorithm is: a table, costs and models in, a partition out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Partition
from kanonym.data.refusals import Refusals
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.histograms import Costs
from kanonym.models.base import PrivacyModel

if TYPE_CHECKING:
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.mondrian import Mondrian

Recodes = Literal["spans", "levels", "cells"]
Nulls = Literal["value", "wildcard"]
Listener = Callable[[str], None]

LINEAR = 1 << 19
"""Tuples of a fragment for algorithms that take time in proportion to them."""

PAIRWISE = 1 << 14
"""Those for algorithms that look at each pair of records."""


@dataclass(frozen=True, slots=True, repr=False)
class Problem(ShortRepr):
    """What an algorithm is asked to divide, and what the classes must satisfy."""

    _shown: ClassVar[tuple[str, ...]] = ("table", "suppression_limit")

    table: EncodedTable
    costs: Costs
    models: Sequence[PrivacyModel]
    suppression_limit: float = 0.0
    listen: Listener | None = None
    key: int | None = None
    persons: NDArray[np.int32] | None = None
    seed: int | None = None


@runtime_checkable
class Algorithm(Protocol):
    """Who divides a table into equivalence classes.

    Attributes
    ----------
    type
        The name that a policy gives it.
    recodes
        `spans`: classes are arbitrary sets of records, and any recoding fits them.
        `levels`: values are generalized to levels of hierarchies; every
        quasi-identifier has one. `cells`: values are released or suppressed.

    recoding
        The recoding of attributes that name none, where neither the policy does; `mean` is
        the centroid of the kind. None for that of the kind.
    own_groups
        Whether its own parameters say what classes there are: a policy may then ask for no
        model.
    by_size
        Whether it looks at class sizes alone, and refuses models of sensitive values.
    needs_values, needs_numbers
        Whether it refuses numbers, dates and ordered categories that are missing; and
        quasi-identifiers that are no numbers.
    stepwise
        Whether, for class sizes alone, a class has a label only where none of those one level
        below it has as many of its records as a class needs.
    spends_limit
        Whether it suppresses records within the limit where that saves most in the whole table.
    largest_fragment
        Up to how many tuples it divides at a time, where it can divide parts of a table one by
        one; None where it has to see all of it.
    hides_refusals
        Whether it leaves to chance what it refuses because of sensitive values, where the problem
        has a key.
    hides_growing
        Whether it does so for models that a class may fail although it has grown, too.
    target
        The column that guides it; None where none does.
    nulls, subsets
        How k counts a suppressed cell, and over how many attributes; None where k counts the
        records of a class.

    An algorithm inherits from this class: what differs from the defaults says so.

    """

    __slots__ = ()

    type: ClassVar[str]
    recodes: ClassVar[Recodes]
    recoding: ClassVar[Recoding | None] = None
    own_groups: ClassVar[bool] = False
    by_size: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = False
    stepwise: ClassVar[bool] = False
    hides_growing: ClassVar[bool] = True
    spends_limit: ClassVar[bool] = False
    largest_fragment: ClassVar[int | None] = None

    @property
    def by_tuple(self) -> bool:
        """Whether it never separates equal records: it can do without a place for each."""
        return False

    @property
    def hides_refusals(self) -> bool:
        """No: whoever knows the algorithm can see what it refused."""
        return False

    @property
    def target(self) -> str | None:
        """None: no column guides it."""
        return None

    @property
    def nulls(self) -> Nulls | None:
        """None: k counts the records of a class."""
        return None

    @property
    def subsets(self) -> int | None:
        """None: k counts over all attributes."""
        return None

    @property
    def lattice(self) -> FullDomain | None:
        """The search of the lattice that it makes; None where it makes none."""
        return None

    @property
    def cuts(self) -> Mondrian | None:
        """The cuts of single nodes that it makes, so that fragments continue its tree; or None."""
        return None

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        Parameters
        ----------
        problem
            The table, and what is asked of its classes.

        Raises
        ------
        InfeasibleError
            No division satisfies the models.

        """
        ...

    def classes_by_size(self, problem: Problem, partition: Partition) -> NDArray[np.int32] | None:
        """Return (n_tuples,) the classes that quasi-identifiers alone lead to; -1 for no class.

        Whoever knows everybody's quasi-identifiers can make them. None where it is not known of the
        algorithm how they differ from those of a division.
        """
        del problem, partition
        return None

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return what it refused in a division of its own because of sensitive values.

        Class sizes alone would have allowed it: whoever knows everybody's quasi-identifiers
        finds the same. None where that is not known of the algorithm, or of the division.

        Parameters
        ----------
        problem, partition
            What it was asked, and what it answered.

        """
        del problem, partition
        return None
