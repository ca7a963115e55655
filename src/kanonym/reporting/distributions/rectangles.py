"""Classes as rectangles of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import SchemaError
from kanonym.data.errors import gettext as _
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.language import ENGLISH, Translator
from kanonym.reporting.distributions.bars import numbers
from kanonym.reporting.distributions.label_ends import LabelEnds, ends_of_label, ends_of_period

if TYPE_CHECKING:
    from kanonym.data.partition import Partition, RecodedAttribute
    from kanonym.data.table import Domain, EncodedTable


Marks = NDArray[np.uint64]


def released_counts(table: EncodedTable, partition: Partition, column: int) -> NDArray[np.int64]:
    """Return (domain.size,) the released records of each original value.

    Suppressed records are left out, so that no figure of the report counts them.
    """
    codes, weights = table.codes[:, column], table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    kept = partition.labels >= 0
    size = table.domains[column].size
    return np.bincount(codes[kept], weights[kept], minlength=size).astype(np.int64)


def marks_of_intervals(extent: Extent, n_codes: int) -> Marks:
    """Return (n_codes,) marks, equal for codes that lie in the same intervals."""
    spans = np.unique(np.stack([extent.low, extent.high], axis=1), axis=0)
    change = np.zeros(n_codes + 1, np.uint64)
    own = _random_marks(len(spans))
    np.add.at(change, spans[:, 0], own)
    np.subtract.at(change, spans[:, 1] + 1, own)
    return np.cumsum(change[:n_codes], dtype=np.uint64)


def marks_of_sets(table: EncodedTable, partition: Partition, column: int) -> Marks:
    """Return (n_codes,) marks, equal for codes that are in the same released sets."""
    offsets, members, _ = set_members(table, partition, column)
    marks = np.zeros(table.domains[column].size, np.uint64)
    np.add.at(marks, members, np.repeat(_random_marks(len(offsets) - 1), np.diff(offsets)))
    return marks


def set_members(
    table: EncodedTable, partition: Partition, column: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return the codes in each released set (CSR: offsets, codes), and the number of sets."""
    codes, weights = table.codes[:, column], table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    labels, n_labels = partition.value_groups(column)
    n_codes = table.domains[column].size
    offsets, members, _ = class_histograms(
        labels, np.ascontiguousarray(codes), weights, n_labels, n_codes
    )
    return offsets, members, n_labels


def _random_marks(n: int) -> Marks:
    return np.random.default_rng(0).integers(1, 2**63, n, dtype=np.uint64)


POINTS = ("mean", "median", "mode", "balanced")


@dataclass(frozen=True, slots=True)
class Extent:
    """An interval of codes for each class.

    low, high: (n_classes,) int32, first and last code covered.
    mixed: (n_classes,) bool, null together with other values, or a blank that leaves all open.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    mixed: NDArray[np.bool_]

    @classmethod
    def of(cls, domain: Domain, recoded: RecodedAttribute) -> Extent:
        """Return the codes that the released values cover."""
        low, high = recoded.low, recoded.high
        if recoded.recoding in POINTS:
            low = high = _nearest_code(domain, recoded)
        elif recoded.recoding == "hierarchy" and domain.hierarchy is not None:
            low, high = domain.hierarchy.subtree(low, high)
        mixed = (high >= domain.apart) & (low != high)
        if recoded.recoding == "value":
            # A blank says nothing: where the values behind it end is not released.
            blank = recoded.columns[0].is_null().to_numpy()[recoded.label_of_class]
            mixed |= blank & (low != high)
        if recoded.recoding != "set":  # such an interval is released as the whole domain
            low = np.where(mixed, 0, low).astype(np.int32)
            high = np.where(mixed, domain.size - 1, high).astype(np.int32)
        return cls(low, high, mixed)


def _nearest_code(domain: Domain, recoded: RecodedAttribute) -> NDArray[np.int32]:
    """Return (n_classes,) the code nearest to the released value, one for a class."""
    released = recoded.columns[0]
    null = released.is_null().to_numpy()
    if recoded.recoding in ("mode", "balanced") or domain.kind != "number":  # one of the values
        values = domain.texts if domain.exceptions else domain.values
        code_of = {value: code for code, value in enumerate(values.to_list())}
        found = released.cast(values.dtype).to_list()
        codes = np.array([code_of.get(value, domain.null_code) for value in found])
    else:
        line = numbers(domain).astype(np.float64)
        order = np.argsort(line, kind="stable")
        exceptions = {text: domain.apart + i for i, text in enumerate(domain.exceptions)}
        named = [exceptions.get(one) for one in released.to_list()] if exceptions else []
        points = released.cast(float, strict=False).fill_null(0.0).to_numpy()
        between = (line[order][:-1] + line[order][1:]) / 2
        codes = order[np.searchsorted(between, points)] if len(line) else np.zeros(len(null))
        codes[null] = domain.null_code
        for place, code in enumerate(named):
            if code is not None:
                codes[place] = code
    return codes.astype(np.int32)[recoded.label_of_class]


Rectangle = tuple[float, float, float, float, int, int]
MAPPED_ATTRIBUTES = 5
MAIN = 3
MOST_RECTANGLES = 2000
MOST_RECTANGLES_FURTHER = 300
MOST_CLASSES_FOR_FURTHER = 50_000
MOST_LABELS = 60
_DAY = 86_400_000.0  # milliseconds
OPEN = 0.06
"""Share of an axis by which it goes on beyond the last end of a label, where one is open."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a map. It ends where the labels of the release end."""

    name: str
    kind: str
    ends: tuple[float, float] = (0.0, 1.0)
    known: tuple[float, float] = (0.0, 1.0)
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassMap:
    """The classes over two attributes; classes of equal bounds are one rectangle."""

    x: Axis
    y: Axis
    rectangles: tuple[Rectangle, ...]
    n_rectangles: int
    share: float
    undrawn_missing: int


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The bounds of every class along one attribute, ready to be paired.

    low, high: (n_classes,) places on the axis.
    place: (n_classes,) int64, equal where both bounds are equal.
    drawn: (n_classes,) bool, False where null is part of the released value.
    """

    axis: Axis
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    place: NDArray[np.int64]
    drawn: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        domain: Domain,
        recoded: RecodedAttribute,
        counts: NDArray[np.int64],
        floor: int,
        speech: Translator = ENGLISH,
    ) -> Side:
        """Place the classes along one attribute.

        `counts` are the released records of each original value; a category of fewer than
        `floor` gets no label.
        """
        extent = Extent.of(domain, recoded)
        drawn = ~extent.mixed
        ends = _line_ends(domain, recoded, extent, drawn)
        if ends is None:
            return cls._from_places(domain, recoded, extent, counts, floor, drawn, speech)
        low, high, drawn = ends
        finite = np.concatenate([low[drawn & np.isfinite(low)], high[drawn & np.isfinite(high)]])
        first, last = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        if first == last:
            first, last = first - 0.5, last + 0.5
        room = OPEN * (last - first)
        start = first - room if np.isneginf(low[drawn]).any() else first
        stop = last + room if np.isposinf(high[drawn]).any() else last
        low, high = np.maximum(low, start), np.minimum(high, stop)
        axis = Axis(domain.name, domain.kind, (start, stop), (first, last))
        place = np.unique(np.stack([low, high]), axis=1, return_inverse=True)[1]
        return cls(axis, low, high, place.reshape(-1).astype(np.int64), drawn)

    @classmethod
    def _from_places(
        cls,
        domain: Domain,
        recoded: RecodedAttribute,
        extent: Extent,
        counts: NDArray[np.int64],
        floor: int,
        drawn: NDArray[np.bool_],
        speech: Translator,
    ) -> Side:
        """Place the classes over what their labels tell apart, in the order of the domain."""
        marks = marks_of_intervals(extent, domain.size)
        new = np.append(True, marks[1:] != marks[:-1])
        covered = marks != 0
        # Values of suppressed records alone have no place.
        place = np.maximum(np.cumsum(new & covered) - 1, 0)
        n = int((new & covered).sum())
        first = np.flatnonzero(new & covered)
        last = first + np.bincount(place[covered], minlength=n) - 1
        labels = _labels(domain, recoded, extent, counts, floor, speech, first, last)
        low, high = place[extent.low], place[extent.high] + 1
        return cls(
            Axis(domain.name, "category", (0.0, float(n)), (0.0, float(n)), labels),
            low.astype(np.float64),
            high.astype(np.float64),
            (low * np.int64(n + 1) + high).astype(np.int64),
            drawn,
        )

    @property
    def variety(self) -> int:
        """Number of different bounds."""
        return int(self.place.max()) + 1 if len(self.place) else 0


def maps_of(
    table: EncodedTable,
    recoded: Sequence[RecodedAttribute],
    held: Sequence[NDArray[np.int64]],
    sizes: NDArray[np.int64],
    floor: int,
    named: tuple[str, str] | None,
    speech: Translator = ENGLISH,
) -> tuple[tuple[ClassMap, ...], tuple[ClassMap, ...]]:
    """Draw the classes over pairs of quasi-identifiers.

    sizes: (n_classes,) records of each class.
    """
    chosen = _rank_by_variety(table, recoded) if named is None else _places(recoded, named)
    sides = [Side.of(table.domains[a], recoded[a], held[a], floor, speech) for a in chosen]
    pairs = sorted(combinations(range(len(sides)), 2), key=lambda pair: (pair[1], pair[0]))
    maps: list[ClassMap] = []
    for x, y in pairs if len(sizes) <= MOST_CLASSES_FOR_FURTHER else pairs[:MAIN]:
        # Many names read better one below the other.
        turned = named is None and len(sides[x].axis.labels) > len(sides[y].axis.labels)
        across, up = (y, x) if turned else (x, y)
        most = MOST_RECTANGLES if len(maps) < MAIN else MOST_RECTANGLES_FURTHER
        maps.append(class_map(sides[across], sides[up], sizes, most))
    return tuple(maps[:MAIN]), tuple(maps[MAIN:])


def class_map(x: Side, y: Side, sizes: NDArray[np.int64], most: int) -> ClassMap:
    """Draw the classes over two attributes with at most `most` rectangles.

    Those with most records are drawn; ties by place.

    sizes: (n_classes,) records of each class.
    """
    drawn = x.drawn & y.drawn
    kept = np.flatnonzero(drawn)
    key = x.place[kept] * max(y.variety, 1) + y.place[kept]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    records = np.bincount(inverse, sizes[kept], minlength=len(first)).astype(np.int64)
    classes = np.bincount(inverse, minlength=len(first))
    top = np.argsort(-records, kind="stable")[:most]
    at = kept[first[top]]
    columns: Sequence[list[float]] = (
        x.low[at].tolist(), x.high[at].tolist(), y.low[at].tolist(), y.high[at].tolist(),
    )  # fmt: skip
    rectangles = zip(*columns, records[top].tolist(), classes[top].tolist(), strict=True)
    released = int(sizes.sum())
    return ClassMap(
        x=x.axis,
        y=y.axis,
        rectangles=tuple(rectangles),
        n_rectangles=len(first),
        share=float(records[top].sum() / released) if released else 0.0,
        undrawn_missing=int(sizes[~drawn].sum()),
    )


def _rank_by_variety(table: EncodedTable, recoded: Sequence[RecodedAttribute]) -> list[int]:
    line = [domain.kind in ("number", "temporal") for domain in table.domains]
    released = [len(one.columns[0]) for one in recoded]
    areas = [a for a, one in enumerate(recoded) if released[a] > 1 and one.recoding not in POINTS]
    return sorted(areas, key=lambda a: (not line[a], -released[a], a))[:MAPPED_ATTRIBUTES]


def _places(recoded: Sequence[RecodedAttribute], named: tuple[str, str]) -> list[int]:
    places = {attribute.name: a for a, attribute in enumerate(recoded)}
    x, y = named
    if x == y or x not in places or y not in places:
        raise SchemaError(
            f"rectangles: {x!r} and {y!r} must be two different quasi-identifiers of "
            f"{ENGLISH.names(list(places))}"
        )
    return [places[x], places[y]]


def _labels(
    domain: Domain,
    recoded: RecodedAttribute,
    extent: Extent,
    counts: NDArray[np.int64],
    floor: int,
    speech: Translator,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> tuple[str, ...]:
    """Name each place: by its only value, or by the released label that covers just it."""
    if len(first) > MOST_LABELS:
        return ()
    upto = np.append(0, np.cumsum(counts))
    held = upto[last + 1] - upto[first]
    released = {
        (low, high): label
        for low, high, label in zip(
            extent.low.tolist(),
            extent.high.tolist(),
            recoded.columns[0].gather(recoded.label_of_class.astype(np.int64)).to_list(),
            strict=True,
        )
    }
    texts = []
    for start, end, records in zip(first.tolist(), last.tolist(), held.tolist(), strict=True):
        if records < floor:
            texts.append("")
        elif start >= domain.apart:
            texts.append(speech.text(_("(missing)")))
        elif start == end and recoded.recoding != "hierarchy":
            texts.append(str(domain.values[start]))
        else:
            texts.append(str(released.get((start, end)) or ""))
    return tuple(texts)


def _line_ends(
    domain: Domain, recoded: RecodedAttribute, extent: Extent, drawn: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]] | None:
    """Return where the label of each class begins and ends on a line, and whether it is drawn.

    None where the labels lie on no line.
    """
    if domain.kind not in ("number", "temporal") or not len(domain.values):
        return None
    drawn = drawn & (extent.high < domain.apart)
    if recoded.recoding == "hierarchy":
        return _ends_of_labels(domain, recoded, drawn)
    steps = _steps(domain)
    if steps is None:
        return None
    start, end = steps
    low, high = start[np.where(drawn, extent.low, 0)], end[np.where(drawn, extent.high, 0)]
    if recoded.recoding in ("mean", "median") and domain.kind == "number":
        centres = recoded.columns[0].cast(float, strict=False).fill_null(0).to_numpy()
        centre = centres[recoded.label_of_class]
        low = high = centre.astype(np.float64)
    return low, high, drawn


def _ends_of_labels(
    domain: Domain, recoded: RecodedAttribute, drawn: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]] | None:
    """Read the ends off the labels of a hierarchy; None where some label tells none."""
    read = ends_of_label if domain.kind == "number" else ends_of_period
    used = np.unique(recoded.label_of_class[drawn]).tolist()
    labels = recoded.columns[0].to_list()
    found: dict[int, LabelEnds] = {}
    for i in used:
        ends = None if labels[i] is None else read(str(labels[i]))
        if ends is None:
            return None
        found[i] = ends
    named = [end for one in found.values() for end in (one.low, one.high) if np.isfinite(end)]
    if not named:
        return None
    half = 0.5 if domain.kind == "number" and all(end % 1 == 0 for end in named) else 0.0
    low, high = np.zeros(len(labels)), np.zeros(len(labels))
    for i, one in found.items():
        low[i], high[i] = one.low - half, one.high + (half if one.closed else -half)
    return low[recoded.label_of_class], high[recoded.label_of_class], drawn


def _steps(domain: Domain) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return where each value begins and ends on a line; None where values have no line."""
    if domain.kind not in ("number", "temporal") or not len(domain.values):
        return None
    line = numbers(domain)
    if (line[1:] <= line[:-1]).any():  # a hierarchy may order numbers otherwise
        return None
    if line.dtype.kind == "M":
        start = line.astype("datetime64[us]").astype(np.int64) / 1000
        return start, start + (_DAY if str(domain.values.dtype) == "Date" else 0.0)
    half = 0.5 if (line == np.floor(line)).all() else 0.0
    return line - half, line + half
