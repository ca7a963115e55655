"""What an algorithm is: a table, costs and models in, a partition out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from kanonym.data.partition import Partition
from kanonym.data.short_repr import ShortRepr
from kanonym.data.table import EncodedTable
from kanonym.kernels.penalty import Costs
from kanonym.models.base import PrivacyModel

Recodes = Literal["spans", "levels", "cells"]
Listener = Callable[[str], None]


@dataclass(frozen=True, slots=True, repr=False)
class Problem(ShortRepr):
    """What an algorithm is asked to divide, and what the classes must satisfy.

    Attributes
    ----------
    table
        The encoded table.
    costs
        What releasing a span of codes loses, from `metrics.certainty`; algorithms of levels do
        not read it.
    models
        Every class satisfies each of them.
    suppression_limit
        Largest share of the records that may be suppressed, in [0, 1].
    listen
        Told how a long search proceeds.

    """

    _shown: ClassVar[tuple[str, ...]] = ("table", "suppression_limit")

    table: EncodedTable
    costs: Costs
    models: Sequence[PrivacyModel]
    suppression_limit: float = 0.0
    listen: Listener | None = None


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

    An algorithm whose own parameters say what classes there are also has `own_groups = True`:
    a policy may then ask for no model. One that never separates equal records has
    `by_tuple = True`: it can do without a place for each of them.

    """

    type: ClassVar[str]
    recodes: ClassVar[Recodes]

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
