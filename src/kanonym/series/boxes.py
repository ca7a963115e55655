"""A recoding by boxes: a record belongs to the class in whose box its values lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.hierarchy.base import ROOT
from kanonym.data.partition import Partition
from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable, value_codes
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.neighbours.containing_box import LEAF, build_box_tree, find_containing
from kanonym.kernels.neighbours.containing_box import Boxes as Sides
from kanonym.recoding.recode import join_equal
from kanonym.series.decision import BatchDecision, select_classes
from kanonym.series.known_attribute import KnownAttribute, PlacedColumn
from kanonym.series.values import from_json, to_json, type_form, type_of


@dataclass(frozen=True, repr=False)
class Side(ShortRepr):
    """The sides of all boxes along one quasi-identifier, and what classes release of it.

    Attributes
    ----------
    known
        What is known of the attribute.
    recoding
        As of `RecodedAttribute`.
    values
        The values between which boxes lie, or which they list: each box its own, one box
        after the other; null comes after all others.
    offsets
        (n_boxes + 1,) int64, where those of each box start. Without `listed` each has two,
        its outer ones, bounds included.
    listed
        Whether a box holds the values that it lists alone: of names, and where sets are
        released, for a set does not stand for a value that it does not name.
    released
        The released columns, (n_classes,) values each.
    loss
        (n_classes,) float64 in [0, 1], the normalized certainty penalty in the fit.

    """

    known: KnownAttribute
    recoding: Recoding
    values: pl.Series
    offsets: NDArray[np.int64]
    listed: bool
    released: tuple[pl.Series, ...]
    loss: NDArray[np.float64]

    @property
    def root(self) -> list[pl.Series]:
        """What is released of a record in no box: the root as text, else null."""
        hierarchy = self.known.hierarchy
        name = ROOT if hierarchy is None else hierarchy.labels[-1][0]
        return [
            pl.Series(one.name, [name if one.dtype == pl.String else None], dtype=one.dtype)
            for one in self.released
        ]


@dataclass(frozen=True, repr=False)
class Boxes(ShortRepr):
    """Boxes of classes, as algorithms leave them that divide a table as Mondrian does.

    Attributes
    ----------
    sides
        One a quasi-identifier.
    class_of_box
        (n_boxes,) int64. A class may have several boxes: those that release the same values.

    A record in several boxes belongs to the first; one in none, to the first whose labels of
    hierarchies are true of it, where it lies within the other sides. What is left releases the
    root of every attribute.
    """

    form: ClassVar[str] = "boxes"

    sides: tuple[Side, ...]
    class_of_box: NDArray[np.int64]

    @property
    def known(self) -> tuple[KnownAttribute, ...]:
        """What is known of each quasi-identifier."""
        return tuple(side.known for side in self.sides)

    @property
    def named_values(self) -> list[pl.Series]:
        """The values by attribute that must have codes in every batch."""
        return [side.values for side in self.sides]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sides[0].loss)

    @cached_property
    def _released_values(self) -> list[tuple[pl.Series, ...]]:
        """What classes release by attribute, and after them a record in no box."""
        return [
            tuple(pl.concat([own, root]) for own, root in zip(one.released, one.root, strict=True))
            for one in self.sides
        ]

    def decide(self, table: EncodedTable, placed: Sequence[PlacedColumn]) -> BatchDecision:
        """Return the classes of a batch.

        table: its frequency set, with the domains of `placed`. Cost as of
        `kernels.neighbours.containing_box`, and O(n_boxes log² n_boxes) for the tree.
        """
        strange = np.stack([one.strange[table.codes[:, a]] for a, one in enumerate(placed)], axis=1)
        own = self.class_of(np.where(strange, np.int32(-1), table.codes), placed)
        outside = own == self.n_classes
        used, labels = np.unique(own, return_inverse=True)
        partition = Partition(labels.astype(np.int32), len(used))
        recoded = select_classes(
            [self._recode_attribute(a, one) for a, one in enumerate(placed)], used
        )
        # A class may release the roots that records in no box do.
        joined = join_equal(table, partition, recoded)
        if joined is not partition:
            kept = np.full(joined.n_classes, -1, np.int64)
            kept[joined.labels[::-1]] = partition.labels[::-1]
            recoded = select_classes(recoded, kept)
        return BatchDecision(table, joined, recoded, strange, outside & ~strange.any(axis=1))

    def class_of(
        self, points: NDArray[np.int32], placed: Sequence[PlacedColumn]
    ) -> NDArray[np.int64]:
        """Return the class of each point, `n_classes` for one in no box.

        points: (n, d) int32 codes, -1 where nothing is known of the value.
        """
        box = self._box_of(points, placed, wide=False)
        if any(side.recoding == "hierarchy" for side in self.sides) and (box < 0).any():
            box[box < 0] = self._box_of(points[box < 0], placed, wide=True)
        # A point in no box, -1, reads the entry that is appended.
        return np.append(self.class_of_box, self.n_classes)[box]

    def _box_of(
        self, points: NDArray[np.int32], placed: Sequence[PlacedColumn], *, wide: bool
    ) -> NDArray[np.int64]:
        """Return the box of each point, -1 for none.

        wide: boxes reach as far as their labels of hierarchies do.
        """
        n = len(self.class_of_box)
        if not n:
            return np.full(len(points), -1, np.int64)
        bounds = [_box_bounds(*one) for one in zip(self.sides, placed, strict=True)]
        if wide:
            bounds = [
                one.domain.hierarchy.subtree(*own)
                if side.recoding == "hierarchy" and one.domain.hierarchy is not None
                else own
                for side, one, own in zip(self.sides, placed, bounds, strict=True)
            ]
        lists = [
            (side.offsets, one.bounds)
            for side, one in zip(self.sides, placed, strict=True)
            if side.listed
        ]
        lengths = [np.diff(offsets) for offsets, _ in lists]
        sides = Sides(
            np.ascontiguousarray(np.stack([low for low, _ in bounds], axis=1)),
            np.ascontiguousarray(np.stack([high for _, high in bounds], axis=1)),
            np.array(_number_flags([side.listed for side in self.sides]), np.int64),
            np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths])),
            np.concatenate([np.zeros(0, np.int32), *(_sort_codes(*one) for one in lists)]),
        )
        n_leaves = np.int64(1 << max(-(-n // LEAF) - 1, 0).bit_length())
        tree = build_box_tree(sides, n_leaves)
        return find_containing(np.ascontiguousarray(points), sides, tree, n_leaves)

    def _recode_attribute(self, a: int, placed: PlacedColumn) -> RecodedAttribute:
        """Return what every class releases of one attribute, last what records in no box do."""
        side, n = self.sides[a], self.n_classes
        low, high = np.full(n + 1, placed.domain.size, np.int32), np.zeros(n + 1, np.int32)
        if len(self.class_of_box):
            own = _box_bounds(side, placed)
            np.minimum.at(low, self.class_of_box, own[0])
            np.maximum.at(high, self.class_of_box, own[1])
        low[n], high[n] = 0, max(placed.domain.size - 1, 0)
        # Labels are numbered as they are in the fit, which decides the order of a release.
        order = np.arange(n + 1)
        if side.recoding in ("interval", "range", "hierarchy"):
            order[:n] = np.lexsort((high[:n], low[:n]))
        columns, label_of_class = _distinct_rows(self._released_values[a], order)
        return RecodedAttribute(
            side.known.name,
            side.recoding,
            columns,
            label_of_class,
            low,
            high,
            np.append(side.loss, 1.0),
        )

    def describe(self) -> dict[str, Any]:
        """Return how many boxes there are, and how each attribute is recoded."""
        attributes = {
            one.known.name: {"type": str(one.known.dtype), "recoding": one.recoding}
            for one in self.sides
        }
        return {"form": self.form, "boxes": len(self.class_of_box), "attributes": attributes}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: one entry a class, with what it releases and its boxes."""
        attributes = {
            side.known.name: {
                "recoding": side.recoding,
                "listed": side.listed,
                "bounds": type_form(side.values.dtype),
                "released": {one.name: type_form(one.dtype) for one in side.released},
                **side.known.to_dict(),
            }
            for side in self.sides
        }
        released = {one.name: to_json(one) for side in self.sides for one in side.released}
        classes: list[dict[str, Any]] = [
            {
                "released": {name: column[i] for name, column in released.items()},
                "loss": [float(side.loss[i]) for side in self.sides],
                "boxes": [],
            }
            for i in range(self.n_classes)
        ]
        values = [to_json(side.values) for side in self.sides]
        for box, number in enumerate(self.class_of_box.tolist()):
            own = {
                side.known.name: values[a][side.offsets[box] : side.offsets[box + 1]]
                for a, side in enumerate(self.sides)
            }
            classes[number]["boxes"].append({"at": box, **own})
        return {"form": self.form, "attributes": attributes, "classes": classes}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Boxes:
        """Return what `to_dict` wrote."""
        classes = form["classes"]
        boxes = sorted(
            ((box, number) for number, one in enumerate(classes) for box in one["boxes"]),
            key=lambda both: both[0]["at"],
        )
        sides = []
        for a, (name, one) in enumerate(form["attributes"].items()):
            lists = [box[name] for box, _ in boxes]
            sides.append(
                Side(
                    known=KnownAttribute.from_dict(name, one),
                    recoding=one["recoding"],
                    values=from_json(
                        name, [value for own in lists for value in own], type_of(one["bounds"])
                    ),
                    offsets=np.cumsum([0, *(len(own) for own in lists)], dtype=np.int64),
                    listed=bool(one["listed"]),
                    released=tuple(
                        from_json(column, [c["released"][column] for c in classes], type_of(dtype))
                        for column, dtype in one["released"].items()
                    ),
                    loss=np.array([c["loss"][a] for c in classes], np.float64),
                )
            )
        return cls(tuple(sides), np.array([number for _, number in boxes], np.int64))


def _box_bounds(side: Side, placed: PlacedColumn) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (n_boxes,) int32 lowest and highest code of each box."""
    starts = side.offsets[:-1]
    return np.minimum.reduceat(placed.bounds, starts), np.maximum.reduceat(placed.bounds, starts)


def _sort_codes(offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the codes of each box in their order."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return codes[np.lexsort((codes, owners))]


def _number_flags(flags: Sequence[bool]) -> list[int]:
    """Return the number of each among those that are true, -1 for the others."""
    numbers = iter(range(len(flags)))
    return [next(numbers) if flag else -1 for flag in flags]


def _distinct_rows(
    columns: Sequence[pl.Series], order: NDArray[np.int64]
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Return the distinct rows of columns by first appearance in an order, and each row's place."""
    coded = [value_codes(column) for column in columns]
    groups = group_rows([codes[order] for codes, _ in coded], [size for _, size in coded])
    by_appearance = np.argsort(groups.first)
    place = np.empty(len(by_appearance), np.int32)
    place[by_appearance] = np.arange(len(place), dtype=np.int32)
    label = np.empty(len(order), np.int32)
    label[order] = place[groups.labels]
    first = order[groups.first[by_appearance]]
    return tuple(column.gather(first) for column in columns), label
