"""Models of sets of items and of known items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.item_sets import ItemTree
from kanonym.data.partition import Classes
from kanonym.kernels.classes import disclosure
from kanonym.kernels.itemsets import count_itemsets, rare_known_items, recode_sets
from kanonym.models.base import (
    Answer,
    Criterion,
    Guarantee,
    Monotone,
    PerClass,
    ReleasedSets,
    ReleasedTable,
    check_integer,
)

MOST_LISTED = 100
MOST_WORK = 200_000_000_000
"""Words of bit sets that are intersected: some minutes."""

MOST_COUNTED = 5_000_000_000
"""Itemsets of records that are counted: some minutes."""

MOST_DISTINCT = 50_000_000
"""Distinct itemsets that may have to be held: about 3 GB."""


@dataclass(frozen=True, slots=True)
class KnownItems:
    """What a model requires of sets of items."""

    k: int
    m: int
    by_class: bool


@dataclass(frozen=True, slots=True)
class RareItems:
    """Known items with fewer candidates than are required."""

    least: float
    number: int = 0
    listed: tuple[tuple[tuple[int, ...], int], ...] = field(default=())


def rare_items(
    tree: ItemTree, offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Find what an intruder who knows up to m items learns of released sets.

    A record is a candidate if each known item, or a label above it, is among its labels. Where no
    label stands above another one, itemsets of labels are counted, size by size. Else known items
    are those that the same labels cover: their candidates are equal, so one stands for all.

    offsets, labels: (n + 1,) int64 and int32: the labels of each record, ascending and distinct.
    """
    used = np.unique(labels)
    if not len(used):
        return RareItems(math.inf)
    above = tree.parents[used]
    one_level = True
    while (above >= 0).any():
        one_level &= not np.isin(above[above >= 0], used).any()
        above = np.where(above >= 0, tree.parents[above], -1)
    if one_level:
        return _rare_labels(used, offsets, labels, k, m)
    return _rare_of_levels(tree, offsets, labels, k, m)


def _rare_labels(
    used: NDArray[np.int32], offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Count itemsets of labels, none of which stands above another one."""
    place = np.zeros(int(used[-1]) + 1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    bits = max(int(len(used) - 1).bit_length(), 1)
    lengths = np.bincount(np.diff(offsets))
    least = math.inf
    mask = np.ones(len(used), np.bool_)
    sets = (offsets, place[labels])
    for size in range(1, min(m, len(lengths) - 1) + 1):
        _refuse_work(lengths, len(used), size, bits)
        keys, counts = count_itemsets(*sets, size, mask, bits)
        least = min(least, int(counts.min(initial=len(offsets))))
        rare = np.flatnonzero(counts < k)
        if len(rare):
            order = rare[np.lexsort((keys[rare], counts[rare]))][:MOST_LISTED]
            shifts = bits * np.arange(size - 1, -1, -1)
            nodes = used[(keys[order, None] >> shifts) & ((1 << bits) - 1)]
            listed = zip(map(tuple, nodes.tolist()), counts[order].tolist(), strict=True)
            return RareItems(least, len(rare), tuple(listed))
    return RareItems(least)


def _refuse_work(lengths: NDArray[np.int64], n_labels: int, size: int, bits: int) -> None:
    """Refuse to count more itemsets than a machine does in some minutes."""
    work = sum(int(n) * math.comb(length, size) for length, n in enumerate(lengths.tolist()) if n)
    distinct = min(work, math.comb(n_labels, size))
    if work > MOST_COUNTED or distinct > MOST_DISTINCT or size * bits > 62:
        raise DataError(
            f"the records have {work:,} itemsets of {size} labels, of which up to {distinct:,} "
            "differ: too many to be counted. Require a smaller m, or release fewer labels"
        )


def _rare_of_levels(
    tree: ItemTree, offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Intersect the candidates of known items where labels are of several levels."""
    n = len(offsets) - 1
    used = np.zeros(tree.n_nodes, np.bool_)
    used[labels] = True
    # The labels above each item, the item included: the same ones, the same candidates.
    node = np.arange(tree.n_items, dtype=np.int32)
    covering = np.full(tree.n_items, -1, np.int64)  # the lowest used label says all above it
    while (node >= 0).any():
        mask = (node >= 0) & (covering < 0)
        mask[mask] = used[node[mask]]
        covering[mask] = node[mask]
        node = np.where(node >= 0, tree.parents[node], -1)
    lowest, stands = np.unique(covering, return_index=True)
    lowest, stands = lowest[lowest >= 0], stands[lowest >= 0]
    words = -(-n // 64)
    work = words * sum(math.comb(len(lowest), size) for size in range(1, m + 1))
    if work > MOST_WORK or len(lowest) * words > MOST_DISTINCT * 8:
        raise DataError(
            f"labels of several levels: {len(lowest):,} groups of items in {n:,} records take "
            f"about {work:.0e} steps to check all sets of {m} known items. Release one level for "
            "each item (apriori, vpa), or require a smaller m"
        )
    bits = np.zeros((len(lowest), words), np.uint64)
    rows = np.repeat(np.arange(n), np.diff(offsets))
    for i, item in enumerate(stands.tolist()):
        covers = np.zeros(tree.n_nodes, np.bool_)
        node_above = item
        while node_above >= 0:
            covers[node_above] = True
            node_above = int(tree.parents[node_above])
        has = np.zeros(words * 64, np.uint8)
        has[rows[covers[labels]]] = 1
        bits[i] = np.packbits(has, bitorder="little").view(np.uint64)
    found, numbers, total, least = rare_known_items(bits, k, m, MOST_LISTED)
    if not total:
        return RareItems(float(least))
    listed = [
        (tuple(int(stands[i]) for i in one if i >= 0), int(number))
        for one, number in zip(found.tolist(), numbers.tolist(), strict=True)
    ]
    return RareItems(int(numbers.min()), total, tuple(sorted(listed, key=lambda one: one[1])))


def rare_items_by_class(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
    k: int,
    m: int,
) -> list[RareItems]:
    """Ask the same of the sets of each class, as `rare_items` of all.

    sets: offsets and labels; class_of_row: (n,) int32, the class of each record.
    """
    return [rare_items(tree, *own, k, m) for own in _sets_of_classes(tree, sets, class_of_row)]


def fewest_candidates(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
    m: int,
) -> int | None:
    """Return the fewest records of a class with the same up to m known items; None without items.

    Parameters and errors as of `rare_items_by_class`.
    """
    least = math.inf
    for own in _sets_of_classes(tree, sets, class_of_row):
        least = min(least, rare_items(tree, *own, 1, m).least)
        if least <= 1:
            break
    return None if math.isinf(least) else int(least)


def _sets_of_classes(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Give the sets of each class, offsets and labels."""
    order = np.argsort(class_of_row, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(class_of_row)))
    own = np.arange(tree.n_nodes, dtype=np.int32)
    offsets, labels = recode_sets(*sets, order, own)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        part = offsets[start : stop + 1]
        yield part - part[0], labels[part[0] : part[-1]]


MOST_ITEMSETS = 5_000_000
"""Itemsets of records that are looked at: about a second."""


def records_with_rare_items(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    class_of_row: NDArray[np.int32],
    k: int,
    m: int,
) -> NDArray[np.bool_] | None:
    """Return which records have at most m items that fewer than k records of their class have.

    offsets, items: (n + 1,) int64 and int32: the items of each record, ascending and distinct.
    class_of_row: (n,) int32, the class of each record.

    Returns
    -------
    (n,) bool; None where there are too many itemsets to be looked at.

    """
    mask = np.zeros(len(offsets) - 1, np.bool_)
    n_items = int(items.max(initial=-1)) + 1
    if not n_items:
        return mask
    if (int(class_of_row.max()) + 1) * n_items**m >= 1 << 62:
        return None
    rows = np.repeat(np.arange(len(mask)), np.diff(offsets))
    frequent = _frequent(class_of_row[rows].astype(np.int64) * n_items + items, k)
    mask[rows[~frequent]] = True
    # A rare item has marked its records: larger itemsets that have it mark no others.
    items, rows = items[frequent], rows[frequent]
    lengths = np.bincount(rows, minlength=len(mask))
    starts = np.append(0, np.cumsum(lengths))[:-1]
    for size in range(2, min(m, int(lengths.max())) + 1):
        several = [
            (length, np.flatnonzero(lengths == length))
            for length in np.unique(lengths[lengths >= size]).tolist()
        ]
        if sum(len(own) * math.comb(length, size) for length, own in several) > MOST_ITEMSETS:
            return None
        keys, places = [], []
        for length, own in several:
            held = items[starts[own][:, None] + np.arange(length)]
            chosen = np.array(list(combinations(range(length), size)))
            key = np.repeat(class_of_row[own].astype(np.int64)[:, None], len(chosen), axis=1)
            for place in chosen.T:
                key = key * n_items + held[:, place]
            keys.append(key.ravel())
            places.append(np.repeat(own, len(chosen)))
        if keys:
            mask[np.concatenate(places)[~_frequent(np.concatenate(keys), k)]] = True
    return mask


def _frequent(keys: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Return which keys occur k times."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] >= k)


@dataclass(frozen=True, slots=True)
class _ItemModel(PerClass):
    """What models of known items have in common: k candidates of m items."""

    k: int
    m: int
    attribute: str | None = None

    type: ClassVar[str]
    symbol: ClassVar[str] = "k"
    relation: ClassVar[str] = "≥"
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
    title: ClassVar[str] = _("kᵐ-anonymity")
    keyword: ClassVar[str] = "m"
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
    title: ClassVar[str] = _("(k, kᵐ)-anonymity")
    keyword: ClassVar[str] = "m of classes"
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
