"""Columns of sets of items, and the hierarchy of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Flat, FromFile, FromMapping, Hierarchy
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.results import ShortRepr
from kanonym.data.schema import ItemSet
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.itemsets import recode_sets

DROPPED = -1
"""The label of an item that is not released."""


@dataclass(frozen=True, slots=False, repr=False)
class ItemTree(ShortRepr):
    """Items and their labels, of one attribute or of several side by side.

    Nodes 0 to n_items - 1 are the items, in the order of their hierarchies; what covers the
    same items as a node below it is that node. Several attributes are one space of items with
    a root each.

    parents: (n_nodes,) int32, -1 for a root.
    first, last: (n_nodes,) int32: the items that a node covers, both ends included.
    attribute_of: (n_nodes,) int32, which attribute a node belongs to.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_items", "n_nodes")

    labels: tuple[str, ...]
    parents: Int32s
    first: Int32s
    last: Int32s
    attribute_of: Int32s
    names: tuple[str, ...]

    @classmethod
    def of(cls, hierarchies: Sequence[tuple[str, Any]]) -> ItemTree:
        """Return the tree of hierarchies, each with the name of its attribute."""
        tops, leaves, offset = [], [], 0
        for number, (name, hierarchy) in enumerate(hierarchies):
            items, inner = _nodes(name, hierarchy)
            leaves += [(label, low + offset, low + offset, number) for label, low in items]
            tops += [(label, low + offset, high + offset, number) for label, low, high in inner]
            offset += len(items)
        nodes = [*leaves, *tops]
        first = np.array([node[1] for node in nodes], np.int32)
        last = np.array([node[2] for node in nodes], np.int32)
        return cls(
            labels=tuple(node[0] for node in nodes),
            parents=_parents(first, last, len(leaves)),
            first=first,
            last=last,
            attribute_of=np.array([node[3] for node in nodes], np.int32),
            names=tuple(name for name, _ in hierarchies),
        )

    @property
    def n_nodes(self) -> int:
        """Number of labels, items included."""
        return len(self.parents)

    @cached_property
    def n_items(self) -> int:
        """Number of items."""
        return int((self.first == self.last).sum())

    @cached_property
    def covered(self) -> Ints:
        """(n_nodes,) int64: how many items each node covers."""
        return (self.last - self.first + 1).astype(np.int64)

    @cached_property
    def domain(self) -> Ints:
        """(n_nodes,) int64: how many items the attribute of each node has."""
        items = np.bincount(self.attribute_of[: self.n_items], minlength=len(self.names))
        return items.astype(np.int64)[self.attribute_of]

    @cached_property
    def costs(self) -> Floats:
        """(n_nodes,) float64: NCP of a label, (items covered - 1) / (all items - 1), in [0, 1]."""
        return (self.covered - 1) / np.maximum(self.domain - 1, 1)

    @cached_property
    def children(self) -> list[Int32s]:
        """The nodes just below each node, in order of their items."""
        order = np.lexsort((self.first, self.parents)).astype(np.int32)
        order = order[self.parents[order] >= 0]
        bounds = np.searchsorted(self.parents[order], np.arange(self.n_nodes + 1))
        return [order[bounds[i] : bounds[i + 1]] for i in range(self.n_nodes)]

    def nodes_of(self, attribute: int) -> Ints:
        """Return the nodes of one attribute, ascending."""
        return np.flatnonzero(self.attribute_of == attribute)


def _nodes(name: str, hierarchy: Any) -> tuple[list[tuple[str, int]], list[tuple[str, int, int]]]:
    """Return the items of a hierarchy, and its inner nodes from the lowest level up."""
    known: dict[tuple[int, int], str] = {}
    for level in range(hierarchy.n_levels):
        codes = hierarchy.codes[level]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        ends = np.append(starts, len(codes))[1:] - 1
        for code, low, high in zip(
            codes[starts].tolist(), starts.tolist(), ends.tolist(), strict=True
        ):
            label = hierarchy.labels[level][code]
            if label is None:
                raise HierarchyError(f"hierarchy of {name!r}: null is no item; remove its row")
            known.setdefault((low, high), label)
    texts: dict[str, tuple[int, int]] = {}
    for span, label in known.items():
        if label in texts:
            raise HierarchyError(
                f"hierarchy of {name!r}: one label stands for different items at two levels, so a "
                "release with it could not be read; give each level labels of its own"
            )
        texts[label] = span
    items = [(label, low) for (low, high), label in known.items() if low == high]
    inner = [(label, low, high) for (low, high), label in known.items() if low < high]
    return sorted(items, key=lambda one: one[1]), sorted(inner, key=lambda one: one[2] - one[1])


def _parents(first: Int32s, last: Int32s, n_items: int) -> Int32s:
    """Return (n_nodes,) int32: the smallest node that covers each node, -1 where none does."""
    parents = np.full(len(first), -1, np.int32)
    top = np.arange(n_items, dtype=np.int32)  # of each item, the largest node so far
    order = n_items + np.argsort((last - first)[n_items:], kind="stable")
    for node in order.tolist():
        below = np.unique(top[first[node] : last[node] + 1])
        parents[below] = node
        top[first[node] : last[node] + 1] = node
    return parents


OTHER_ITEMS = (" other item", " another item")
"""Stand for items that a release has only as the root. No item starts with a space; two, because
a root above a single item would be that item."""


@dataclass(frozen=True, slots=True, repr=False)
class EncodedSets(ShortRepr):
    """The sets of all records, of all attributes side by side: one space of items.

    offsets, nodes: (n + 1,) int64 and int32: the items, or the labels, of each record, ascending
    and distinct.
    """

    _shown: ClassVar[tuple[str, ...]] = ("tree",)

    tree: ItemTree
    offsets: Ints
    nodes: Int32s

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return len(self.offsets) - 1

    def rows(self, rows: Ints) -> EncodedSets:
        """Return the sets of some records."""
        own = np.arange(self.tree.n_nodes, dtype=np.int32)
        return EncodedSets(self.tree, *recode_sets(self.offsets, self.nodes, rows, own))


def read_sets(column: pl.Series, attribute: ItemSet) -> pl.Series:
    """Return a column of sets as lists of texts, without what is missing; null is an empty set."""
    name, dtype = column.name, column.dtype
    if isinstance(dtype, pl.Array):
        column, dtype = column.arr.to_list(), pl.List(dtype.inner)
    if isinstance(dtype, pl.List):
        if dtype.inner.is_nested() or dtype.inner.is_float():
            raise DataError(
                f"column {name!r} holds {dtype}: the items of a set are texts or whole numbers"
            )
        lists = column.cast(pl.List(pl.String))
    elif attribute.separator is None:
        raise DataError(
            f"column {name!r} holds {dtype}: a set is a list of items, or a text of items with a "
            "separator between them (separator: ';'); of a table with one row per person and item, "
            "the policy or --long names the column of persons, and in Python ka.sets.from_long "
            "groups the rows"
        )
    elif dtype.is_integer() or dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        lists = column.cast(pl.String).str.split(attribute.separator)
    else:
        raise DataError(
            f"column {name!r} holds {dtype}, which is read as single values; items are texts: "
            "convert the column to text"
        )
    # One flat pass: expressions within lists run a set at a time.
    flat = pl.DataFrame({"row": np.arange(len(lists)), "item": lists}).explode("item")
    flat = flat.with_columns(pl.col("item").str.strip_chars())
    kept = flat.filter(
        pl.col("item").is_not_null()
        & (pl.col("item") != "")
        & ~pl.col("item").is_in(list(map(str, attribute.missing)))
    )
    lengths = np.bincount(kept["row"].to_numpy(), minlength=len(lists))
    return lists_of(np.append(0, np.cumsum(lengths)), kept["item"]).alias(name)


def lists_of(offsets: Ints, items: pl.Series) -> pl.Series:
    """Return (n,) lists of texts; offsets: (n + 1,), those of list i are items[offsets[i]:…]."""
    n = len(offsets) - 1
    rows = np.repeat(np.arange(n), np.diff(offsets))
    frame = (
        pl.DataFrame({"row": rows, "item": items}, schema_overrides={"item": pl.String})
        .group_by("row", maintain_order=True)
        .agg("item")
    )
    every = pl.DataFrame({"row": np.arange(n)}, schema={"row": frame.schema["row"]})
    lists = every.join(frame, on="row", how="left", maintain_order="left")["item"]
    return lists.fill_null(pl.Series([[]], dtype=pl.List(pl.String)))


def with_known_items(lists: pl.Series, known: Sequence[str]) -> pl.Series:
    """Return lists without the items that are not known."""
    return lists.list.set_intersection(pl.Series([list(known)], dtype=lists.dtype))


def tree_of(
    attributes: Mapping[str, ItemSet], items: Mapping[str, pl.Series] | None = None
) -> ItemTree:
    """Return the labels of several attributes.

    items: lists of items by attribute, for hierarchies that are built from the items; the others
    know them.
    """
    built = []
    for name, attribute in attributes.items():
        lists = pl.Series([], dtype=pl.List(pl.String)) if items is None else items[name]
        counted = (
            lists.explode(empty_as_null=False)
            .alias(name)
            .value_counts(name="n of items")
            .sort(name)
        )
        source = attribute.hierarchy or Flat()
        counts = counted["n of items"].cast(pl.Int64).to_numpy()
        built.append((name, source.bind(counted[name], counts)))
    return ItemTree.of(built)


def encode_sets(
    tree: ItemTree, lists: Mapping[str, pl.Series], n_rows: int, *, any_level: bool = False
) -> EncodedSets:
    """Return the sets of all records as items of a tree, or as labels of any level.

    lists: (n_rows,) lists of texts by attribute.
    """
    offsets, nodes = np.zeros(n_rows + 1, np.int64), np.zeros(0, np.int32)
    rows = np.zeros(0, np.int64)
    for number, name in enumerate(tree.names):
        own = tree.nodes_of(number)
        own = own if any_level else own[own < tree.n_items]
        labels = pl.Series([tree.labels[i] for i in own], dtype=pl.String)
        frame = pl.DataFrame({"label": labels, "node": own.astype(np.int32)})
        texts = lists[name].explode(empty_as_null=False)
        column = pl.DataFrame({"label": texts}).join(
            frame, on="label", how="left", maintain_order="left"
        )["node"]
        if column.null_count():
            row = int(
                np.repeat(np.arange(n_rows), lists[name].list.len())[column.is_null().arg_max()]
            )
            raise DataError(
                f"column {name!r}, record {row + 1}: an item is no "
                f"{'label' if any_level else 'item'} of its hierarchy. Add it to the hierarchy, or "
                "name it in missing"
            )
        nodes = np.append(nodes, column.to_numpy())
        rows = np.append(rows, np.repeat(np.arange(n_rows), lists[name].list.len().to_numpy()))
    if len(tree.names) > 1:
        order = np.argsort(rows, kind="stable")
        nodes, rows = nodes[order], rows[order]
    np.cumsum(np.bincount(rows, minlength=n_rows), out=offsets[1:])
    every = np.arange(tree.n_nodes, dtype=np.int32)
    return EncodedSets(tree, *recode_sets(offsets, nodes, np.arange(n_rows), every))


def released_column(sets: EncodedSets, number: int, attribute: ItemSet) -> pl.Series:
    """Return the sets of one attribute as they are released: labels sorted, in the form they came.

    number: of the attribute in the tree. An empty set is an empty list, or null in texts.
    """
    tree, separator = sets.tree, attribute.separator
    rows = np.repeat(np.arange(sets.n_rows), np.diff(sets.offsets))
    own = tree.attribute_of[sets.nodes] == number
    rows, nodes = rows[own], sets.nodes[own]
    texts = np.array(tree.labels, dtype=np.str_)
    if separator is not None and any(separator in texts[i] for i in np.unique(nodes)):
        raise DataError(
            f"a label of {tree.names[number]!r} has the separator {separator!r} in it: it would be "
            "read as two items. Choose another separator, or rename the label"
        )
    rank = np.empty(len(texts), np.int64)
    rank[np.argsort(texts, kind="stable")] = np.arange(len(texts))
    nodes = nodes[np.lexsort((rank[nodes], rows))]
    offsets = np.append(0, np.cumsum(np.bincount(rows, minlength=sets.n_rows)))
    labels = pl.Series(tree.labels, dtype=pl.String).gather(nodes)
    lists = lists_of(offsets, labels).alias(tree.names[number])
    if separator is None:
        return lists
    joined = lists.list.join(separator)
    return joined.set(joined == "", None)


def items_among(lists: pl.Series, attribute: ItemSet) -> pl.Series:
    """Return the items that a release tells of, where there is no original, as one list.

    A hierarchy of a file knows its items; what is built has the released labels below its root,
    and where the root is released, others that it stands for.
    """
    if attribute.hierarchy is None:
        labels = lists.explode(empty_as_null=False).unique().to_list()
        known = [label for label in labels if label != ROOT]
        others = OTHER_ITEMS if ROOT in labels else ()
        return pl.Series([[*known, *others]], dtype=pl.List(pl.String))
    if isinstance(attribute.hierarchy, Hierarchy | FromFile | FromMapping):
        return pl.Series([[]], dtype=pl.List(pl.String))
    raise HierarchyError(
        f"hierarchy of {lists.name!r}: it is built from the items, which a release does not have; "
        "give the original as well, or write the hierarchy to a file (kanonym hierarchy)"
    )


def refuse_repeated_labels(lists: Mapping[str, pl.Series], sets: EncodedSets) -> None:
    """Refuse released sets in which a label occurs twice: known items are more than it tells.

    lists: what was released; sets: the same, each label once.
    """
    if sum(int(one.list.len().sum()) for one in lists.values()) == len(sets.nodes):
        return
    for name, column in lists.items():
        flat = pl.DataFrame({"row": np.arange(len(column)), "item": column}).explode("item")
        repeated = flat.filter(pl.col("item").is_not_null() & flat.is_duplicated())
        if repeated.height:
            raise DataError(
                f"column {name!r}, record {repeated['row'][0] + 1}: a label occurs more than once "
                "in a set. How often it does tells how many items stand behind it, and no model "
                "counts that: release each label once"
            )


def names_of_sets(attributes: Mapping[str, object]) -> dict[str, ItemSet]:
    """Return the attributes that are sets, by name."""
    return {name: one for name, one in attributes.items() if isinstance(one, ItemSet)}


def texts_of(tree: ItemTree, nodes: Sequence[int]) -> dict[str, str]:
    """Return labels as text by attribute, for messages about one itemset."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        found.setdefault(tree.names[int(tree.attribute_of[node])], []).append(tree.labels[node])
    return {name: ", ".join(sorted(labels)) for name, labels in found.items()}
