"""The recodings that can be kept, and how they are learned from a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from kanonym.data import schema
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.partition import BLANK, Partition, RecodedAttribute
from kanonym.data.results import ShortRepr
from kanonym.data.schema import QuasiIdentifier, Schema
from kanonym.data.table import Domain, EncodedTable
from kanonym.engines.decision import EncodedDecision
from kanonym.engines.task import Task
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import class_bounds, class_histograms
from kanonym.kernels.neighbours import containing_box
from kanonym.recoding.generalization import generalize
from kanonym.recoding.recode import join_equal
from kanonym.series.document import from_json, table_form, table_of, to_json, type_form, type_of
from kanonym.series.known_attribute import KnownAttribute, PlacedColumn, rule_of, values_of

Columns = Callable[[str], pl.Series]


class Placement(NamedTuple):
    """The classes of a batch, and what is in none of the fit."""

    decision: EncodedDecision
    strange: Bools  # (n_tuples, d) values that the recoding does not know
    outside: Bools  # (n_tuples,) tuples of known values that fall in no class


@dataclass(frozen=True, repr=False)
class Levels(ShortRepr):
    """One level an attribute, of full-domain recoding; unknown values become root or null."""

    form: ClassVar[str] = "levels"

    known: tuple[KnownAttribute, ...]
    levels: tuple[int, ...]

    def place(self, column: Columns) -> list[PlacedColumn]:
        """Encode the quasi-identifiers of a batch."""
        return [
            one.place(column(one.name), pl.Series([], dtype=one.dtype), exact=not level)
            for one, level in zip(self.known, self.levels, strict=True)
        ]

    def decide(self, table: EncodedTable, placed: Sequence[PlacedColumn]) -> Placement:
        """Return the classes of a batch; cost O(n_tuples · d)."""
        strange = _strange(table, placed)
        levels = np.empty(table.codes.shape, np.int32)
        labels, sizes = [], []
        for a, (column, level) in enumerate(zip(placed, self.levels, strict=True)):
            tree = column.domain.hierarchy
            assert tree is not None  # noqa: S101 - all known ones have one
            at, otherwise = column.levels[level], column.levels[-1] if level else BLANK
            levels[:, a] = np.where(strange[:, a], otherwise, at)
            sizes.append(len(tree.labels[at]) + 1)
            own = tree.codes[at, table.codes[:, a]]
            labels.append(np.where(strange[:, a], np.int32(sizes[-1] - 1), own))
        groups = group_rows(labels, sizes)
        names = (attribute.name for attribute in self.known)
        joined = Partition(
            groups.labels,
            len(groups.sizes),
            levels=np.ascontiguousarray(levels[groups.first]),
            account={"fitted_levels": dict(zip(names, self.levels, strict=True))},
        )
        partition, dtypes = None, [one.dtype for one in placed]
        while joined is not partition:
            partition = joined
            assert partition.levels is not None  # noqa: S101 - made above
            recoded = generalize(
                table.domains, partition.levels, table.codes, partition.labels, dtypes
            )
            joined = join_equal(table, partition, recoded)
        outside = np.zeros(len(table.codes), np.bool_)
        return Placement(EncodedDecision.of(table, joined, recoded), strange, outside)

    def describe(self) -> dict[str, Any]:
        """Return the level and the highest one of each attribute."""
        attributes = {
            one.name: {
                "type": str(one.dtype),
                "level": level,
                "highest": one.hierarchy.n_levels - 1 if one.hierarchy else 0,
            }
            for one, level in zip(self.known, self.levels, strict=True)
        }
        return {"form": self.form, "attributes": attributes}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        attributes = {
            attribute.name: {"level": level, **attribute.to_dict()}
            for attribute, level in zip(self.known, self.levels, strict=True)
        }
        return {"form": self.form, "attributes": attributes}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Levels:
        """Return what `to_dict` wrote."""
        attributes = form["attributes"].items()
        return cls(
            tuple(KnownAttribute.from_dict(name, one) for name, one in attributes),
            tuple(int(one["level"]) for _, one in attributes),
        )


@dataclass(frozen=True, repr=False)
class Side(ShortRepr):
    """The sides of all boxes along one quasi-identifier, and what classes release of it."""

    known: KnownAttribute
    recoding: schema.Recoding
    values: pl.Series  # between which boxes lie, or which they list: box after box
    offsets: Ints  # (n_boxes + 1,) where those of each box start
    listed: bool  # a box holds the values that it lists alone: of names, and of released sets
    released: tuple[pl.Series, ...]  # (n_classes,) each
    loss: Floats  # (n_classes,) the normalized certainty penalty in the fit

    def with_root(self) -> list[pl.Series]:
        """Return what classes release, and last a record in no box: the root as text, else null."""
        hierarchy = self.known.hierarchy
        name = ROOT if hierarchy is None else hierarchy.labels[-1][0]
        return [
            one.extend_constant(name if one.dtype == pl.String else None, 1)
            for one in self.released
        ]

    def bounds(self, placed: PlacedColumn, *, wide: bool = False) -> tuple[Int32s, Int32s]:
        """Return (n_boxes,) int32 lowest and highest code; wide: as far as labels are true."""
        starts, hierarchy = self.offsets[:-1], placed.domain.hierarchy
        low = np.minimum.reduceat(placed.bounds, starts)
        high = np.maximum.reduceat(placed.bounds, starts)
        if not wide or self.recoding != "hierarchy" or hierarchy is None:
            return low, high
        return hierarchy.subtree(low, high)


@dataclass(frozen=True, repr=False)
class Boxes(ShortRepr):
    """Boxes of classes, as algorithms leave them that divide a table as Mondrian does.

    A record in several boxes belongs to the first; one in none, to the first whose labels of
    hierarchies are true of it, where it lies within the other sides. What is left releases the
    root of every attribute.
    """

    form: ClassVar[str] = "boxes"

    sides: tuple[Side, ...]
    class_of_box: Ints  # (n_boxes,); boxes that release the same are one class

    @property
    def known(self) -> tuple[KnownAttribute, ...]:
        """What is known of each quasi-identifier."""
        return tuple(side.known for side in self.sides)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sides[0].loss)

    def place(self, column: Columns) -> list[PlacedColumn]:
        """Encode the quasi-identifiers of a batch, and the values of boxes."""
        return [
            side.known.place(column(side.known.name), side.values, exact=False)
            for side in self.sides
        ]

    def decide(self, table: EncodedTable, placed: Sequence[PlacedColumn]) -> Placement:
        """Return the classes of a batch; cost as of `containing_box`."""
        strange = _strange(table, placed)
        own = self.class_of(np.where(strange, np.int32(-1), table.codes), placed)
        outside = (own == self.n_classes) & ~strange.any(axis=1)
        used, labels = np.unique(own, return_inverse=True)
        partition = Partition(labels.astype(np.int32), len(used))
        recoded = select_classes(map(self._recode, self.sides, placed), used)
        # A class may release the roots that records in no box do.
        joined = join_equal(table, partition, recoded)
        if joined is not partition:
            kept = np.full(joined.n_classes, -1, np.int64)
            kept[joined.labels[::-1]] = partition.labels[::-1]
            recoded = select_classes(recoded, kept)
        return Placement(EncodedDecision.of(table, joined, recoded), strange, outside)

    def class_of(self, points: Int32s, placed: Sequence[PlacedColumn]) -> Ints:
        """Return the class of (n, d) codes, -1 for unknown ones; `n_classes` for no box."""
        box = self._box_of(points, placed, wide=False)
        if any(side.recoding == "hierarchy" for side in self.sides) and (box < 0).any():
            box[box < 0] = self._box_of(points[box < 0], placed, wide=True)
        # A point in no box, -1, reads the entry that is appended.
        return np.append(self.class_of_box, self.n_classes)[box]

    def _box_of(self, points: Int32s, placed: Sequence[PlacedColumn], *, wide: bool) -> Ints:
        """Return the box of each point, -1 for none."""
        n = len(self.class_of_box)
        if not n:
            return np.full(len(points), -1, np.int64)
        pairs = list(zip(self.sides, placed, strict=True))
        bounds = [side.bounds(one, wide=wide) for side, one in pairs]
        listed = [(side.offsets, one.bounds) for side, one in pairs if side.listed]
        flags = np.array([side.listed for side in self.sides])
        lengths = [np.diff(offsets) for offsets, _ in listed]
        sides = containing_box.Boxes(
            np.ascontiguousarray(np.stack([low for low, _ in bounds], axis=1)),
            np.ascontiguousarray(np.stack([high for _, high in bounds], axis=1)),
            np.where(flags, np.cumsum(flags) - 1, -1),
            np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths])),
            np.concatenate([np.zeros(0, np.int32), *(_sort_codes(*one) for one in listed)]),
        )
        n_leaves = np.int64(1 << max(-(-n // containing_box.LEAF) - 1, 0).bit_length())
        tree = containing_box.build_box_tree(sides, n_leaves)
        return containing_box.find_containing(np.ascontiguousarray(points), sides, tree, n_leaves)

    def _recode(self, side: Side, placed: PlacedColumn) -> RecodedAttribute:
        """Return what every class releases of one attribute, last what records in no box do."""
        n, size = self.n_classes, placed.domain.size
        low, high = np.full(n + 1, size, np.int32), np.zeros(n + 1, np.int32)
        if len(self.class_of_box):
            lowest, highest = side.bounds(placed)
            np.minimum.at(low, self.class_of_box, lowest)
            np.maximum.at(high, self.class_of_box, highest)
        low[n], high[n] = 0, max(size - 1, 0)
        # Labels are numbered as they are in the fit, which decides the order of a release.
        order = np.arange(n + 1)
        if side.recoding in ("interval", "range", "hierarchy"):
            order[:n] = np.lexsort((high[:n], low[:n]))
        columns, labels = _distinct_rows(side.with_root(), order)
        loss = np.append(side.loss, 1.0)
        return RecodedAttribute(side.known.name, side.recoding, columns, labels, low, high, loss)

    def describe(self) -> dict[str, Any]:
        """Return how many boxes there are, and how each attribute is recoded."""
        attributes = {
            side.known.name: {"type": str(side.known.dtype), "recoding": side.recoding}
            for side in self.sides
        }
        return {"form": self.form, "boxes": len(self.class_of_box), "attributes": attributes}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: a row a class, and a row a box, with its class and its values."""
        attributes = {
            side.known.name: {
                "recoding": side.recoding,
                "listed": side.listed,
                "bounds": type_form(side.values.dtype),
                "released": [one.name for one in side.released],
                "loss": side.loss.tolist(),
                **side.known.to_dict(),
            }
            for side in self.sides
        }
        lists = (
            [values[low:high] for low, high in pairwise(side.offsets.tolist())]
            for side in self.sides
            for values in [to_json(side.values)]
        )
        boxes = zip(self.class_of_box.tolist(), *lists, strict=True)
        return {
            "form": self.form,
            "attributes": attributes,
            "classes": table_form([one for side in self.sides for one in side.released]),
            "boxes": [list(box) for box in boxes],
        }

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Boxes:
        """Return what `to_dict` wrote."""
        attributes = form["attributes"]
        released = {one.name: one for one in table_of(form["classes"])}
        classes, *lists = (
            zip(*form["boxes"], strict=True) if form["boxes"] else [()] * (1 + len(attributes))
        )
        sides = tuple(
            Side(
                known=KnownAttribute.from_dict(name, one),
                recoding=one["recoding"],
                values=from_json(name, list(chain.from_iterable(own)), type_of(one["bounds"])),
                offsets=np.cumsum([0, *map(len, own)], dtype=np.int64),
                listed=bool(one["listed"]),
                released=tuple(released[column] for column in one["released"]),
                loss=np.array(one["loss"], np.float64),
            )
            for (name, one), own in zip(attributes.items(), lists, strict=True)
        )
        return cls(sides, np.array(classes, np.int64))


Recoding = Levels | Boxes
FORMS: dict[str, type[Recoding]] = {one.form: one for one in (Levels, Boxes)}


def select_classes(
    recoded: Iterable[RecodedAttribute], classes: Ints
) -> tuple[RecodedAttribute, ...]:
    """Return what some classes release."""
    parts = ("label_of_class", "low", "high", "loss")
    chosen = (
        (attribute, {name: getattr(attribute, name)[classes] for name in parts})
        for attribute in recoded
    )
    return tuple(replace(attribute, **own) for attribute, own in chosen)


def _sort_codes(offsets: Ints, codes: Int32s) -> Int32s:
    """Return the codes of each box in their order."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return codes[np.lexsort((codes, owners))]


def _strange(table: EncodedTable, placed: Sequence[PlacedColumn]) -> Bools:
    """Return (n_tuples, d) bool: values that a recoding does not know."""
    pairs = zip(placed, table.codes.T, strict=True)
    return np.stack([one.strange[codes] for one, codes in pairs], axis=1)


def _distinct_rows(
    columns: Sequence[pl.Series], order: Ints
) -> tuple[tuple[pl.Series, ...], Int32s]:
    """Return the distinct rows of columns by first appearance in an order, and each row's place."""
    rows = pl.DataFrame(columns)[order]
    distinct = rows.unique(maintain_order=True)
    places = rows.join(
        distinct.with_row_index("*"), rows.columns, "left", nulls_equal=True, maintain_order="left"
    )
    label = np.empty(len(order), np.int32)
    label[order] = places["*"].to_numpy()
    return tuple(distinct), label


def learn_recoding(task: Task, decision: EncodedDecision, column: Columns) -> Recoding:
    """Return the recoding of a release: levels where it has one an attribute, else boxes."""
    attributes = tuple(
        _known_attribute(task.schema, domain, column) for domain in decision.table.domains
    )
    levels = decision.account.get("levels")
    if levels is not None:
        return Levels(attributes, tuple(int(levels[attribute.name]) for attribute in attributes))
    boxes = _boxes(attributes, decision, decision.partition)
    if not _boxes_agree(boxes, decision):
        # Classes that release the same values were joined, and what they span overlaps
        # with others: before that they may not.
        boxes = _boxes(attributes, decision, _partition_before_joining(decision))
        if not _boxes_agree(boxes, decision):
            raise PolicyError(
                f"{task.algorithm.type} makes classes that overlap: a new record could belong to "
                "several of them, so there is no recoding to keep. Fit with full-domain, or with "
                "mondrian and strict cuts"
            )
    return boxes


def _known_attribute(schema: Schema, domain: Domain, column: Columns) -> KnownAttribute:
    """Return what is known of one quasi-identifier."""
    values, hierarchy = column(domain.name), domain.hierarchy
    if hierarchy is None:
        return KnownAttribute(domain.name, values.dtype)
    attribute = schema.attributes[domain.name]
    source = attribute.hierarchy if isinstance(attribute, QuasiIdentifier) else None
    return KnownAttribute(domain.name, values.dtype, hierarchy, rule_of(source, hierarchy, values))


def _boxes(
    known: Sequence[KnownAttribute], decision: EncodedDecision, partition: Partition
) -> Boxes:
    """Return the boxes of a partition within the classes of a decision, and what these release."""
    table, n, own = decision.table, partition.n_classes, partition is decision.partition
    codes, weights = table.codes, table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    class_of_box = np.arange(n)
    low, high = class_bounds(partition.labels, codes, n)
    if not own:
        kept = partition.labels >= 0
        class_of_box[partition.labels[kept]] = _classes_of_decision(decision, partition)[kept]
    # The first box that contains a record gets it: one that loses little.
    loss = np.sum([one.loss for one in decision.recoded], axis=0)[class_of_box]
    order = np.argsort(loss, kind="stable")
    sides = []
    for a, (attribute, recoded) in enumerate(zip(known, decision.recoded, strict=True)):
        domain = table.domains[a]
        nominal = domain.kind == "nominal" and domain.hierarchy is None
        listed = recoded.recoding == "set" or nominal
        if listed:
            givers, n_givers = partition.value_groups(a)
            column = np.ascontiguousarray(codes[:, a])
            starts, held, _ = class_histograms(givers, column, weights, n_givers, domain.size)
            owners = order if partition.groups is None else partition.groups[order, a]
            lists = [held[starts[owner] : starts[owner + 1]] for owner in owners]
            offsets = np.cumsum([0, *map(len, lists)])
            members = np.concatenate([np.zeros(0, np.int32), *lists])
        else:
            bounds = (recoded.low, recoded.high) if own else (low[:, a], high[:, a])
            offsets, members = np.arange(0, 2 * n + 1, 2), np.stack(bounds, axis=1)[order].ravel()
        sides.append(
            Side(
                known=attribute,
                recoding="hierarchy" if recoded.recoding == "value" else recoded.recoding,
                values=values_of(domain, members),
                offsets=offsets,
                listed=listed,
                released=tuple(each.gather(recoded.label_of_class) for each in recoded.columns),
                loss=recoded.loss,
            )
        )
    return Boxes(tuple(sides), class_of_box[order])


def _classes_of_decision(decision: EncodedDecision, partition: Partition) -> Int32s:
    """Return the class of the decision of each tuple or record of another partition."""
    return decision.labels if partition.by_row else decision.partition.labels


def _partition_before_joining(decision: EncodedDecision) -> Partition:
    """Return the classes before joining, where each lies within a released one."""
    partition = decision.partition if decision.refinement is None else decision.refinement[1]
    kept = partition.labels >= 0
    joined = _classes_of_decision(decision, partition)
    pairs = np.unique(np.stack([partition.labels[kept], joined[kept]], axis=1), axis=0)
    within = len(pairs) == partition.n_classes and (pairs[:, 1] >= 0).all()
    return partition if within else decision.partition


def _boxes_agree(boxes: Boxes, decision: EncodedDecision) -> bool:
    """Say whether boxes give every released record of the fit the class that it has."""
    table = decision.table
    pairs = zip(table.domains, table.codes.T, strict=True)
    values = {domain.name: values_of(domain, codes) for domain, codes in pairs}
    placed = boxes.place(values.__getitem__)
    points = np.stack([one.codes for one in placed], axis=1)
    own = boxes.class_of(points, placed)
    if decision.partition.by_row:
        own = own[table.tuple_of_row]
    kept = decision.partition.labels >= 0
    return bool((own[kept] == decision.partition.labels[kept]).all())
