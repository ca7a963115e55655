"""Models of known items: enough records could be those of whoever has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.message import gettext as _
from kanonym.data.partition import Classes
from kanonym.kernels.classes import disclosure
from kanonym.models.answer import Answer
from kanonym.models.base import Guarantee, Monotone, PerClass, check_integer
from kanonym.models.criteria import Criterion
from kanonym.models.known_items import MOST_LISTED, KnownItems, rare_items, rare_items_by_class
from kanonym.models.released_table import ReleasedSets, ReleasedTable


@dataclass(frozen=True, slots=True)
class _ItemModel(PerClass):
    """What models of known items have in common: k candidates of m items."""

    k: int
    m: int
    attribute: str | None = None

    type: ClassVar[str]
    guarantee: ClassVar[Guarantee] = "itemsets"
    monotone: ClassVar[Monotone] = "suppression"
    by_class: ClassVar[bool]

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "k", self.k, 1)
        check_integer(self.type, "m", self.m, 1)
        name = self.attribute
        if name is not None and not (isinstance(name, str) and name):
            raise PolicyError(f"{self.type}: attribute is {name!r}; it must be the name of a set")

    @property
    def required(self) -> float:
        """The k asked for."""
        return self.k

    @property
    def known_items(self) -> KnownItems | None:
        """K candidates in the whole table, or in each class."""
        return KnownItems(self.k, self.m, by_class=self.by_class)


@dataclass(frozen=True, slots=True)
class KmAnonymity(_ItemModel):
    """Whoever knows up to m items of a person finds at least k records that could be theirs.

    Protects the sets of items against identity disclosure. What an intruder may know beside the
    items, quasi-identifiers, is not considered: require `k-km-anonymity` for both. Nor is the
    number of items of a person, or that they lack one; nor an item that all candidates share.

    Parameters
    ----------
    k
        Records that must be candidates, at least; integer of at least 1.
    m
        Items that an intruder knows, at most; integer of at least 1.
    attribute
        The set; None for all sets of the policy, which are one space of items.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Records are persons: a long table of items is grouped by person first. Monotone: a label that
    stands in the place of others has the candidates of all of them.

    References
    ----------
    Terrovitis, Mamoulis and Kalnis (2008), "Privacy-preserving anonymization of set-valued data".

    Examples
    --------
    >>> KmAnonymity(5, m=2)
    KmAnonymity(k=5, m=2, attribute=None)

    """

    type: ClassVar[str] = "km-anonymity"
    promise: ClassVar[str] = _(
        "Whoever knows up to m items of a person finds at least k records that could be theirs."
    )
    no_promise: ClassVar[str] = _(
        "Quasi-identifiers are not looked at, nor items that all these records share."
    )
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "Whoever knows up to {items} of a person finds at least {records} that could be theirs."
        )
    }
    by_class: ClassVar[bool] = False

    def criteria(self) -> tuple[Criterion, ...]:
        """Return none: classes of quasi-identifiers have no part in it."""
        return ()

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool, all true: classes have no part in it."""
        return np.ones(len(classes.sizes), np.bool_)

    def achieved(self, classes: Classes) -> float:
        """Return infinity: classes have no part in it."""
        del classes
        return math.inf

    def answer(self, released: ReleasedTable) -> Answer:
        """Count the candidates of known items in the whole table."""
        sets = _sets_of(released, self.type)
        found = rare_items(sets.tree, sets.offsets, sets.labels, self.k, self.m)
        blamed = tuple((None, nodes, number) for nodes, number in found.listed)
        return Answer(_whole(found.least), not found.number, None, blamed)


@dataclass(frozen=True, slots=True)
class KKmAnonymity(_ItemModel):
    """Each class has k records, and in it whoever knows up to m items finds k that could be theirs.

    Protects against intruders who know the quasi-identifiers of a person and up to m of the items.
    Classes of k records and sets that are k^m-anonymous in the whole table are not enough.

    Parameters
    ----------
    k
        Records of a class, and candidates in it, at least; integer of at least 1.
    m
        Items that an intruder knows, at most; integer of at least 1.
    attribute
        The set; None for all sets of the policy, which are one space of items.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Algorithms are asked for classes of k records. Neighbouring classes are merged where items and
    quasi-identifiers then lose less in all, and the items of each class are recoded.

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis and Skiadopoulos (2013), "Anonymizing data with relational
    and transaction attributes".

    Examples
    --------
    >>> KKmAnonymity(5, m=2)
    KKmAnonymity(k=5, m=2, attribute=None)

    """

    type: ClassVar[str] = "k-km-anonymity"
    promise: ClassVar[str] = _(
        "Each class has k records, and in it known items have k records, too."
    )
    no_promise: ClassVar[str] = _(
        "An item that all records of a class share is learned. Small classes lose many items."
    )
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "Each class has at least {records}, and whoever knows a person’s class and up to "
            "{items} of theirs finds at least as many in it that could be theirs."
        )
    }
    by_class: ClassVar[bool] = True

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: size >= k. The items of a class are looked at when it is released."""
        return (Criterion(disclosure.SIZE, None, self.k, ">="),)

    def answer(self, released: ReleasedTable) -> Answer:
        """Count the candidates of known items in each class, and its records."""
        sets = _sets_of(released, self.type)
        sizes = released.classes.sizes
        found = rare_items_by_class(
            sets.tree, (sets.offsets, sets.labels), sets.class_of_row, self.k, self.m
        )
        failing = (sizes < self.k) | np.array([one.number > 0 for one in found], np.bool_)
        least = min([*(one.least for one in found), *sizes.tolist()], default=math.inf)
        blamed = sorted(
            ((place, *one) for place, several in enumerate(found) for one in several.listed),
            key=lambda one: one[2],
        )
        return Answer(_whole(least), not failing.any(), failing, tuple(blamed[:MOST_LISTED]))


def _sets_of(released: ReleasedTable, model: str) -> ReleasedSets:
    if released.sets is None:
        raise PolicyError(f"{model}: the table has no set of items")
    return released.sets


def _whole(least: float) -> float:
    return least if math.isinf(least) else int(least)
