"""Sets of items in an original and in its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.item_sets import (
    EncodedSets,
    encode_sets,
    names_of_sets,
    read_sets,
    tree_of,
    with_known_items,
)
from kanonym.data.item_tree import ItemTree
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.schema import ItemSet
from kanonym.policy import Policy


@dataclass(frozen=True, slots=True, repr=False)
class PairedSets(ShortRepr):
    """The sets of items of both tables, of all attributes side by side."""

    _shown: ClassVar[tuple[str, ...]] = ("m",)

    original: EncodedSets
    released: EncodedSets
    control: EncodedSets | None = None
    m: int = 2

    @property
    def tree(self) -> ItemTree:
        """The items and their labels."""
        return self.original.tree

    @property
    def used(self) -> NDArray[np.bool_]:
        """(n_nodes,) bool: which labels the release has."""
        found = np.zeros(self.tree.n_nodes, np.bool_)
        found[self.released.nodes] = True
        return found


def pair_sets(original: Any, released: Any, policy: Policy | None) -> PairedSets | None:
    """Return the sets of both tables, where the policy has any and both tables have them.

    original, released: tables of this process.
    """
    attributes = {} if policy is None else names_of_sets(policy.attributes)
    both = set(frames.column_names(original)) & set(frames.column_names(released))
    if policy is None or not attributes or not set(attributes) <= both:
        return None
    items = _lists(original, attributes)
    tree = tree_of(attributes, items)
    asked = [model.known_items for model in policy.models if model.known_items is not None]
    labels = _lists(released, attributes)
    return PairedSets(
        encode_sets(tree, items, frames.n_rows(original)),
        encode_sets(tree, labels, frames.n_rows(released), any_level=True),
        m=asked[0].m if asked else 2,
    )


def with_control(sets: PairedSets, control: Any, policy: Policy | None) -> PairedSets:
    """Return the same with the sets of persons who are not in the original.

    control: a table of this process, or None. Items that the original lacks are not known.
    """
    attributes = {} if policy is None else names_of_sets(policy.attributes)
    if control is None or not set(attributes) <= set(frames.column_names(control)):
        return sets
    known = sets.tree.labels[: sets.tree.n_items]
    lists = {
        name: with_known_items(column, known)
        for name, column in _lists(control, attributes).items()
    }
    return replace(sets, control=encode_sets(sets.tree, lists, frames.n_rows(control)))


def _lists(table: Any, attributes: Mapping[str, ItemSet]) -> dict[str, pl.Series]:
    return {
        name: read_sets(frames.raw_column(table, name), one) for name, one in attributes.items()
    }
