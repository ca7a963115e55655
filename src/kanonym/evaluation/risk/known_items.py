"""How few records could be a person's of whom items are known, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.item_sets import encode_sets, items_among, names_of_sets, read_sets, tree_of
from kanonym.data.message import Message
from kanonym.models.known_items import fewest_candidates
from kanonym.policy import Policy

CANDIDATES = Message("records with the same known items")
POPULATION = Message("items are known, too, and a population table says nothing of them")
ESTIMATED = Message("items are known, too, and the estimators see the quasi-identifiers alone")
USUAL = 2
"""Items that are known where no model says how many."""


@dataclass(frozen=True, slots=True)
class ItemCandidates:
    """The records that could be a person's, whose class and some of whose items are known."""

    m: int
    fewest: int | None = None
    reason: str | None = None


def item_candidates(
    table: Any, policy: Policy | None, class_of_row: NDArray[np.int32]
) -> ItemCandidates | None:
    """Return the candidates of known items in a table; None where its policy has no set.

    table: of this process; class_of_row: (n,) int32, the class of each record.
    """
    attributes = {} if policy is None else names_of_sets(policy.attributes)
    if policy is None or not set(attributes) & set(frames.column_names(table)):
        return None
    attributes = {
        name: one for name, one in attributes.items() if name in frames.column_names(table)
    }
    asked = [model.known_items for model in policy.models if model.known_items is not None]
    m = asked[0].m if asked else USUAL
    try:
        lists = {
            name: read_sets(frames.raw_column(table, name), one) for name, one in attributes.items()
        }
        items = {name: items_among(lists[name], one) for name, one in attributes.items()}
        sets = encode_sets(tree_of(attributes, items), lists, len(class_of_row), any_level=True)
        fewest = fewest_candidates(sets.tree, (sets.offsets, sets.nodes), class_of_row, m)
    except (DataError, HierarchyError):
        reason = Message(
            "the items of {name!r} could not be counted, and quasi-identifiers alone tell less "
            "than an intruder may know: `verify` says why",
            name=next(iter(attributes)),
        )
        return ItemCandidates(m, None, reason)
    return ItemCandidates(m, fewest)
