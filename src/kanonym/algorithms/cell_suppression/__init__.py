"""Cell suppression: true values and blanked cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np

from kanonym.algorithms.base import Algorithm, Problem, Recodes, require_feasible
from kanonym.algorithms.cell_suppression.patterns import (
    Keys,
    Pieces,
    blank_subsets,
    distinct_keys,
    hit_subsets,
    least_blanks,
    patterns_to_try,
    released_codes,
    subset_sizes,
    unblank,
)
from kanonym.algorithms.options import Importance
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import BLANK, Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Ints
from kanonym.kernels.cells.cell_suppression import Placement, place_records
from kanonym.kernels.cells.patterns import Choices, feasible_groups, gather_members
from kanonym.kernels.classes.grouping import Groups, group_rows, one_group
from kanonym.kernels.parallel import parallel
from kanonym.models import KAnonymity
from kanonym.models.base import PrivacyModel

MOVABLE = 4
"""Of a key of many records, so many times k can be blanked to help others."""

TOGETHER = 16
"""So many patterns of blanks are looked at in one step."""


@dataclass(frozen=True, slots=True)
class CellSuppression(Algorithm):
    """k-anonymity by blanking cells: released values are original values.

    Parameters
    ----------
    importance
        Quasi-identifiers in the order in which they should be kept, most important
        first: a record loses a cell of one only where blanking all less important ones
        does not help. Those that are not named come after them, and count alike; of
        equally many blanks, those in attributes of more distinct values are preferred.
    subsets
        With n: every n quasi-identifiers are k-anonymous by themselves, whatever the
        others say. None: all of them together.
    nulls
        How k is counted. `value`: null equals null alone, so released classes have at least k
        records. `wildcard`: null matches every value, as statistical offices count.

    Notes
    -----
    With `value`, groups of records that agree but for some cells are filled cheapest first, and
    then changed as long as that saves cells: records move, groups are opened and closed, and
    classes of more than k lend records. With `wildcard`, each record of fewer than k loses the
    cheapest cells after which at least k records of the table have the values that it still shows,
    which is exact; blanks of other records, which match it too, are not relied on: k - 1 wholly
    blank records would do for any table, and leave every unique record as it is.

    Cost: a grouping of the distinct keys for each pattern of blanks, 2^d of them for d
    quasi-identifiers, up to 2^14 patterns and 2^24 patterns times keys. Beyond that some
    that suit the table are tried, and `wildcard` is not exact.

    The task is that of `localSuppression` in Templ, Kowarik and Meindl 2015, "Statistical
    disclosure control for micro-data using the R package sdcMicro". Deviations: k is
    counted with null as a value unless asked otherwise, cells are chosen by what they
    cost the whole table, and what one subset needs does not break another.
    """

    importance: Importance = ()
    subsets: int | None = None
    nulls: Literal["value", "wildcard"] = "value"

    type: ClassVar[str] = "cell-suppression"
    title: ClassVar[str] = _("Cell suppression")
    unweighted: ClassVar[str] = "goes by the order in importance"
    summary: ClassVar[str] = _(
        "Releases original values, with some cells blank, as statistical offices do."
    )
    recodes: ClassVar[Recodes] = "cells"

    def __post_init__(self) -> None:
        listed = isinstance(self.importance, Sequence) and not isinstance(self.importance, str)
        if not listed or not all(isinstance(name, str) for name in self.importance):
            raise PolicyError(
                f"cell-suppression: importance is {self.importance!r}; it must be a list of names"
            )
        object.__setattr__(self, "importance", tuple(self.importance))
        if len(set(self.importance)) < len(self.importance):
            raise PolicyError(
                f"cell-suppression: importance names an attribute twice: {list(self.importance)}"
            )
        whole = isinstance(self.subsets, int) and not isinstance(self.subsets, bool)
        if self.subsets is not None and not (whole and self.subsets >= 1):
            raise PolicyError(
                f"cell-suppression: subsets is {self.subsets!r}; it must be an integer of at "
                "least 1, or be left out"
            )
        if self.nulls not in ("value", "wildcard"):
            raise PolicyError(
                f"cell-suppression: nulls is {self.nulls!r}; it must be value or wildcard"
            )

    def partition(self, problem: Problem) -> Partition:
        """Blank cells until the table is k-anonymous; no record is suppressed.

        problem: Its models ask for k-anonymity. Hierarchies, costs and the suppression limit are
            not read: every record is released.
        """
        table, models = problem.table, problem.models
        k = _largest_k(models)
        self._check_keys([domain.name for domain in table.domains])
        if table.n_rows:
            require_feasible(table, models)
        keys = distinct_keys(table, self.importance)
        pieces = self._pieces(keys, k)
        account = self._account(table, keys, pieces) | self._bound(keys, pieces, k)
        return _as_partition(table, keys, pieces, account)

    def _check_keys(self, names: list[str]) -> None:
        """Refuse what does not fit the quasi-identifiers."""
        unknown = [name for name in self.importance if name not in names]
        if unknown:
            raise PolicyError(
                f"cell-suppression: importance names {unknown}, which are no quasi-identifiers; "
                f"those are {names}"
            )
        if self.subsets is not None and self.subsets > len(names):
            raise PolicyError(
                f"cell-suppression: subsets is {self.subsets}, but there are {len(names)} "
                "quasi-identifiers; leave it out for all of them together"
            )

    def _pieces(self, keys: Keys, k: int) -> Pieces:
        """Decide which cells of which records are blanked."""
        n, d = keys.codes.shape
        whole = Pieces(np.arange(n), keys.weights, keys.is_null)
        if n == 0 or d == 0:
            return whole
        few = self.subsets if self.subsets is not None and self.subsets < d else None
        if self.nulls == "wildcard":
            blanks = _cheapest_blanks(keys, k) if few is None else hit_subsets(keys, k, few)
            return whole._replace(blanks=blanks)
        together = _pieces_of_classes(keys, k)
        if few is None:
            return together
        # What holds for all keys together holds for every few of them, and may cost less.
        found = [unblank(keys, one, k, few) for one in (blank_subsets(keys, k, few), together)]
        return min(found, key=lambda one: _cost(keys, one))

    def _bound(self, keys: Keys, pieces: Pieces, k: int) -> dict[str, int]:
        """Return how many cells are blanked at least, and how many more these are."""
        n, d = keys.codes.shape
        if n == 0 or d == 0:
            return {}
        least = least_blanks(keys, k, d if self.subsets is None else min(self.subsets, d))
        if least is None:
            return {}
        blanked = int((pieces.weights @ (pieces.blanks & ~keys.is_null[pieces.keys])).sum())
        return {"lower_bound": least, "gap": blanked - least}

    def _account(self, table: EncodedTable, keys: Keys, pieces: Pieces) -> dict[str, Any]:
        """Return the blanked cells by attribute, and k in both readings of null."""
        blanked = pieces.blanks & ~keys.is_null[pieces.keys]
        counts = pieces.weights @ blanked
        names = [domain.name for domain in table.domains]
        account: dict[str, Any] = {
            "cells": dict(zip(names, counts.tolist(), strict=True)),
            "suppressed_cells": int(counts.sum()),
        }
        if not len(pieces.keys):
            return account
        groups, sizes = _classes(keys, pieces)

        def k_of(columns: tuple[int, ...], *, wildcard: bool) -> int:
            reached = subset_sizes(groups.codes, sizes, keys.null_codes, columns, wildcard=wildcard)
            return int(reached.min())

        every = tuple(range(len(names)))
        both = {"k": False, "k_wildcard": True}
        account |= {name: k_of(every, wildcard=wildcard) for name, wildcard in both.items()}
        if self.subsets is not None:
            chosen = list(combinations(every, self.subsets))
            account["subsets"] = {"size": self.subsets} | {
                name: min(parallel(lambda one: k_of(one, wildcard=wildcard), chosen))  # noqa: B023
                for name, wildcard in both.items()
            }
        return account


def _largest_k(models: Sequence[PrivacyModel]) -> int:
    """Return the largest k that is required; refuse every other model."""
    for model in models:
        if not isinstance(model, KAnonymity) or model.entity:
            of = f" of {model.attribute!r}" if model.attribute else ""
            raise PolicyError(
                f"cell-suppression supports only k-anonymity, not {model.type}{of}; "
                "leave that model out, or choose another algorithm, such as mondrian"
            )
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=1)


def _cheapest_blanks(keys: Keys, k: int) -> Bools:
    """Return (n_keys, d) bool: for each key the cheapest blanks that leave values of k records."""
    patterns, _ = patterns_to_try(keys, k)
    blanks = np.ones(keys.codes.shape, np.bool_)
    waiting = np.arange(len(blanks))

    def fits(pattern: Bools) -> Bools:
        # A key with a null that the pattern leaves is one of the pattern that blanks it.
        columns = tuple(np.flatnonzero(~pattern).tolist())
        sizes = subset_sizes(keys.codes, keys.weights, keys.null_codes, columns, wildcard=True)
        return (sizes >= k) & ~(keys.is_null & ~pattern).any(axis=1)

    for tried in np.array_split(patterns, -(-len(patterns) // TOGETHER)):
        mask = np.stack(parallel(fits, tried), axis=1)[waiting]
        some = mask.any(axis=1)
        blanks[waiting[some]] = tried[mask[some].argmax(axis=1)]
        waiting = waiting[~some]
        if not len(waiting):
            break
    return blanks


def _pieces_of_classes(keys: Keys, k: int) -> Pieces:
    """Decide blanks after which every class of equal released values has at least k records."""
    patterns, costs = patterns_to_try(keys, k)
    n_patterns, n_keys = len(patterns), len(keys.weights)
    group_of = np.empty((n_patterns, n_keys), np.int32)
    counts = np.empty(n_patterns, np.int64)
    smallest = np.int64(k)

    def group(part: slice) -> None:
        counts[part] = feasible_groups(
            keys.codes, keys.weights, keys.is_null, patterns[part], smallest, group_of[part]
        )

    parallel(group, [slice(at, at + TOGETHER) for at in range(0, n_patterns, TOGETHER)])
    choices = Choices(group_of, *gather_members(group_of, counts), costs)
    n_groups = len(choices.pattern_of)
    # Keys of k records or more begin where they are: their nulls are the pattern's blanks.
    # The number of such patterns is that of patterns of nulls, which is one as a rule.
    home = np.full(n_keys, -1, np.int64)
    for pattern in np.unique(keys.is_null, axis=0):
        own = (keys.is_null == pattern).all(axis=1) & (keys.weights >= k)
        home[own] = group_of[int((patterns == pattern).all(axis=1).argmax()), own]
    movable = np.minimum(keys.weights, MOVABLE * k)
    owner = np.repeat(np.arange(n_keys), movable)
    at_home = home >= 0
    places = Placement(
        np.append(0, np.cumsum(movable)),
        owner,
        home[owner],
        np.bincount(home[at_home], keys.weights[at_home], n_groups).astype(np.int64),
    )
    # Dearer than what the whole group costs that a record without a place would open.
    dearest = np.int64((costs[-1] + 1) * (k + 2))
    place_records(choices, places, smallest, dearest)
    # Records of one key and one group are a piece; those that cannot be moved join theirs.
    fixed = np.flatnonzero(keys.weights > movable)
    key = np.append(owner, fixed)
    group_of_record = np.append(places.group, home[fixed])
    weights = np.append(np.ones(len(owner), np.int64), (keys.weights - movable)[fixed])
    pairs, labels = np.unique(key * n_groups + group_of_record, return_inverse=True)
    return Pieces(
        pairs // n_groups,
        np.bincount(labels, weights).astype(np.int64),
        patterns[choices.pattern_of[pairs % n_groups]],
    )


def _cost(keys: Keys, pieces: Pieces) -> int:
    """Return what the blanks cost, those included that the input has."""
    return int(pieces.weights @ (pieces.blanks @ keys.costs))


def _classes(keys: Keys, pieces: Pieces) -> tuple[Groups, Ints]:
    """Return the classes of pieces that are released alike, and their numbers of records."""
    codes = released_codes(keys, pieces)
    if not codes.shape[1]:
        groups = one_group(len(codes))
    else:
        columns = [np.ascontiguousarray(column) for column in codes.T]
        groups = group_rows(columns, (keys.null_codes + 1).tolist())
    sizes = np.bincount(groups.labels, pieces.weights, len(groups.sizes))
    return groups, sizes.astype(np.int64)


def _as_partition(
    table: EncodedTable, keys: Keys, pieces: Pieces, account: dict[str, Any]
) -> Partition:
    """Return the classes of equal released values, and which cells each of them has blank."""
    groups, sizes = _classes(keys, pieces)
    levels = np.zeros((len(sizes), len(table.domains)), np.int32)
    # A class may hold nulls of the input beside blanked cells; null is released for both.
    piece, column = np.nonzero(pieces.blanks & ~keys.is_null[pieces.keys])
    levels[groups.labels[piece], column] = BLANK
    if len(pieces.keys) == len(keys.weights):
        labels = groups.labels[keys.of_tuple]
        return Partition(labels, len(sizes), levels=levels, account=account)
    # Pieces stand in the order of their keys, so records of a key are dealt out in theirs.
    order = np.argsort(keys.of_tuple[table.tuple_of_row], kind="stable")
    labels = np.empty(table.n_rows, np.int32)
    labels[order] = np.repeat(groups.labels, pieces.weights)
    return Partition(labels, len(sizes), by_row=True, levels=levels, account=account)
