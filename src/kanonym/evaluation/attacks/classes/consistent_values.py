"""Which sensitive values records may have, given what an algorithm refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Refusals
from kanonym.kernels.arrays import Bools, Int32s, Ints

STEPS = 1000
"""So many ways to explain refusals are looked at for one value of one unit; then it may be had."""

LARGEST = 400
"""Refusals of either of two groups are not combined among more units than this."""

CHOICES = 256
"""A group for which more sets of values come into question is taken to fail whatever they are."""

MASKS = 8
"""So many different sets of values are compared with the counts of a class."""


@dataclass(slots=True)
class Assignment:
    """What is known of the values of units: sets of values are bits of integers."""

    sizes: list[int]
    classes: list[int]
    counts: list[dict[int, int]]
    domains: list[int]
    least: int
    free: int = 0
    known: dict[tuple[int, tuple[tuple[int, int], ...]], bool] = field(default_factory=dict)

    def fits(self, label: int, units: Sequence[int], domains: Sequence[int]) -> bool:
        """Whether the units of a class can share its values so (Hall's condition).

        Of more than `MASKS` different domains some are left out: the answer may then be yes
        where it is no.
        """
        held: dict[int, int] = {}
        for unit in units:
            if not domains[unit]:
                return False
            held[domains[unit]] = held.get(domains[unit], 0) + self.sizes[unit]
        key = label, tuple(sorted(held.items()))
        if key not in self.known:
            self.known[key] = self._hall(self.counts[label], held)
        return self.known[key]

    @staticmethod
    def _hall(counts: dict[int, int], held: dict[int, int]) -> bool:
        masks = sorted(held, key=lambda mask: (mask.bit_count(), mask))[:MASKS]
        for number in range(1, len(masks) + 1):
            for combination in itertools.combinations(masks, number):
                union = 0
                for mask in combination:
                    union |= mask
                room = sum(n for bit, n in counts.items() if bit & union)
                if sum(n for mask, n in held.items() if mask | union == union) > room:
                    return False
        return True

    def choices(self, group: Sequence[int], domains: Sequence[int]) -> list[int]:
        """Return the sets of values that a group may have where it fails."""
        common = union = domains[group[0]]
        for unit in group:
            common &= domains[unit]
            union |= domains[unit]
        if self.least == 2 and not self.free:
            return list(_bits(common))
        values = list(_bits(union & ~self.free))
        number = min(self.least - 1, len(values))
        chosen = list(itertools.islice(itertools.combinations(values, number), CHOICES + 1))
        if len(chosen) > CHOICES:
            return [union]
        sets = [sum(some) | (self.free & union) for some in chosen]
        return [one for one in sets if all(domains[unit] & one for unit in group)]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def possible_values(refusals: Refusals, secrets: Int32s, n_values: int, least: int) -> Bools:
    """Return the values that records of each unit may have, (n_units, n_values + 1) bool.

    What takes too long is taken for possible: values that are left out are ruled out for certain.

    secrets: (n_rows,) int32 true values: how many of each a class has is released. -1 is a value
        that does not count as a distinct one; it is the last column.
    """
    units = refusals.units
    table = np.zeros((int(units.classes.max(initial=-1)) + 1, n_values + 1), np.int64)
    own = np.zeros((units.n_units, n_values + 1), np.int64)
    held = units.of_row >= 0
    np.add.at(own, (units.of_row[held], secrets[held]), 1)
    np.add.at(table, units.classes, own)
    counts = [{1 << int(v): int(row[v]) for v in np.flatnonzero(row)} for row in table]
    every = [sum(count) for count in counts]
    state = Assignment(
        units.sizes.tolist(),
        units.classes.tolist(),
        counts,
        [every[label] for label in units.classes.tolist()],
        least,
        1 << n_values if (secrets[held] < 0).any() else 0,
    )
    sizes = np.diff(refusals.offsets)
    single = [refusals.groups_of(one)[0] for one in np.flatnonzero(sizes == 1).tolist()]
    _narrow(state, _join_groups(single, state))
    either = [
        [group.tolist() for group in refusals.groups_of(one)]
        for one in np.flatnonzero(sizes > 1).tolist()
    ]
    for some, asked in _components(units.classes, either):
        _explain(state, some, asked, own)
    result = np.zeros(own.shape, np.bool_)
    for unit, mask in enumerate(state.domains):
        result[unit, [bit.bit_length() - 1 for bit in _bits(mask)]] = True
    return result


def _join_groups(groups: list[Int32s], state: Assignment) -> list[list[int]]:
    """Join groups that share a unit, where each of them has one value."""
    if state.least != 2 or state.free or not groups:
        return [group.tolist() for group in groups]
    lengths = [len(group) for group in groups]
    heads = np.repeat([group[0] for group in groups], lengths)
    members = np.concatenate(groups)
    label = _connected(heads, members, len(state.sizes))
    found: dict[int, list[int]] = {}
    for unit in np.unique(members).tolist():
        found.setdefault(int(label[unit]), []).append(unit)
    return list(found.values())


def _connected(heads: NDArray[Any], others: NDArray[Any], n: int) -> Int32s:
    """Return by node the component that it is in, of a graph with n nodes."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - scipy takes a while to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - as above

    links = coo_array((np.ones(len(heads), np.int8), (heads, others)), shape=(n, n))
    label: Int32s = connected_components(links, directed=False)[1]
    return label


def _narrow(state: Assignment, groups: list[list[int]]) -> None:
    """Leave each unit the values with which its groups can fail, until nothing changes."""
    by_class: list[list[int]] = [[] for _ in state.counts]
    for unit, label in enumerate(state.classes):
        by_class[label].append(unit)
    parts = []
    for group in groups:
        inside: dict[int, list[int]] = {}
        for unit in group:
            inside.setdefault(state.classes[unit], []).append(unit)
        parts.append(inside)
    room = _rooms(state, by_class, range(len(by_class)))
    changed = True
    while changed:
        changed = False
        for group, inside in zip(groups, parts, strict=True):
            left = 0
            for chosen in state.choices(group, state.domains):
                if all(_bears(state, room[c], c, inside[c], chosen) for c in inside):
                    left |= chosen
            narrowed = {u for u in group if left and state.domains[u] & ~left}
            for unit in narrowed:
                state.domains[unit] &= left
            if narrowed:
                changed = True
                touched = {state.classes[unit] for unit in narrowed}
                room.update(_rooms(state, by_class, touched))


Room = tuple[dict[int, int], dict[int, int]]


def _rooms(
    state: Assignment, by_class: list[list[int]], labels: Sequence[int] | set[int]
) -> dict[int, Room]:
    """Return by class the records of each value that are still free, and who could have them."""
    found = {}
    for label in labels:
        counts = state.counts[label]
        settled = False
        while not settled:
            settled = True
            could = dict.fromkeys(counts, 0)
            free = dict(counts)
            for unit in by_class[label]:
                mask = state.domains[unit]
                for bit in _bits(mask):
                    could[bit] += state.sizes[unit]
                if mask in free:
                    free[mask] -= state.sizes[unit]
            for unit in by_class[label]:
                for bit in _bits(state.domains[unit]):
                    if could[bit] == counts[bit] and state.domains[unit] != bit:
                        state.domains[unit] = bit
                        settled = False
                        break
            for unit in by_class[label]:
                mask = state.domains[unit]
                spent = sum(bit for bit in _bits(mask) if free[bit] == 0)
                if mask.bit_count() > 1 and spent:
                    state.domains[unit] &= ~spent
                    settled = False
        found[label] = free, could
    return found


def _bears(state: Assignment, room: Room, label: int, units: list[int], chosen: int) -> bool:
    """Whether a class can give some units values of a set, and its other values to others."""
    free, could = room
    counts = state.counts[label]
    need = sum(state.sizes[unit] for unit in units if state.domains[unit] & ~chosen)
    left = sum(free[bit] for bit in _bits(chosen) if bit in free)
    settled = sum(
        state.sizes[unit]
        for unit in units
        if not state.domains[unit] & ~chosen and state.domains[unit].bit_count() > 1
    )
    if need + settled > left:
        return False
    for bit, number in counts.items():
        if not bit & chosen:
            lost = sum(state.sizes[unit] for unit in units if state.domains[unit] & bit)
            if could[bit] - lost < number:
                return False
    return True


def _components(
    classes: Int32s, refused: list[list[list[int]]]
) -> Iterator[tuple[list[int], list[list[list[int]]]]]:
    """Yield units whose refusals hang together, with these, where they are not too many."""
    if not refused:
        return
    n_classes = int(classes.max()) + 1
    met = [sorted({int(classes[unit]) for group in one for unit in group}) for one in refused]
    heads = [some[0] for some in met for _ in some]
    others = [label for some in met for label in some]
    label = _connected(np.array(heads), np.array(others), n_classes)
    asked: dict[int, list[list[list[int]]]] = {}
    for one, some in zip(refused, met, strict=True):
        asked.setdefault(int(label[some[0]]), []).append(one)
    order = np.argsort(label[classes], kind="stable")
    bounds = np.searchsorted(label[classes][order], np.arange(int(label.max()) + 2))
    for component, refusals in asked.items():
        units = order[bounds[component] : bounds[component + 1]].tolist()
        if len(units) <= LARGEST:
            yield units, refusals


def _explain(
    state: Assignment, units: list[int], refused: list[list[list[int]]], own: Ints
) -> None:
    """Leave units the values that some explanation of all refusals gives them."""
    place = {unit: i for i, unit in enumerate(units)}
    labels = sorted({state.classes[unit] for unit in units})
    part = Assignment(
        [state.sizes[unit] for unit in units],
        [labels.index(state.classes[unit]) for unit in units],
        [state.counts[label] for label in labels],
        [state.domains[unit] for unit in units],
        state.least,
        state.free,
    )
    asked = [[[place[unit] for unit in group] for group in one] for one in refused]
    # Those that leave the fewest explanations come first.
    asked.sort(key=lambda one: -min(len(group) for group in one))
    search = _Explanations(part, asked)
    reached = [sum(1 << int(v) for v in np.flatnonzero(own[unit])) for unit in units]
    for unit, domain in enumerate(part.domains):
        for bit in _bits(domain):
            if reached[unit] & bit:
                continue
            found = search.with_value(unit, bit)
            if found is None:
                continue
            reached[unit] |= bit
            for other, domains in enumerate(found):
                for one in _bits(domains & ~reached[other]):
                    if search.fits_one(found, other, one):
                        reached[other] |= one
    for unit, mask in zip(units, reached, strict=True):
        state.domains[unit] = mask


class _Explanations:
    """Explanations of refusals: of each, which group fails, and with which values."""

    def __init__(self, state: Assignment, asked: list[list[list[int]]]) -> None:
        self.state, self.asked = state, asked
        self.members: list[list[int]] = [[] for _ in state.counts]
        for unit, label in enumerate(state.classes):
            self.members[label].append(unit)
        self.steps = 0

    def with_value(self, unit: int, bit: int) -> list[int] | None:
        """Return domains that explain everything, where one record of a unit has a value."""
        self.steps = 0
        domains = self.state.domains
        if self.state.sizes[unit] == 1:
            domains = _with(domains, unit, bit)
        if not self.fits_one(domains, unit, bit):
            return None
        found = next(self._explain(domains, 0, (unit, bit)), None)
        if found is None and self.steps > STEPS:
            return [0 if other != unit else bit for other in range(len(domains))]
        return found

    def fits_one(self, domains: list[int], unit: int, bit: int) -> bool:
        """Whether one record of a unit can have a value."""
        state = self.state
        label = state.classes[unit]
        members = self.members[label]
        if state.sizes[unit] == 1:
            return state.fits(label, members, _with(domains, unit, bit))
        state.sizes[unit] -= 1
        state.sizes.append(1)
        fits = state.fits(label, [*members, len(domains)], [*domains, bit])
        state.sizes.pop()
        state.sizes[unit] += 1
        return fits

    def _explain(self, domains: list[int], at: int, one: tuple[int, int]) -> Iterator[list[int]]:
        """Yield the domains that explain the refusals from one on.

        one: a unit and the value that one of its records has.
        """
        state = self.state
        while at < len(self.asked) and any(_few(state, some, domains) for some in self.asked[at]):
            at += 1
        if at == len(self.asked):
            yield domains
            return
        for group in self.asked[at]:
            touched = {state.classes[unit] for unit in group}
            for chosen in state.choices(group, domains):
                if one[0] in group and not one[1] & chosen:
                    continue
                self.steps += 1
                if self.steps > STEPS:
                    return
                narrowed = list(domains)
                for unit in group:
                    narrowed[unit] &= chosen
                if all(state.fits(label, self.members[label], narrowed) for label in touched) and (
                    self.fits_one(narrowed, *one)
                ):
                    yield from self._explain(narrowed, at + 1, one)


def _few(state: Assignment, group: Sequence[int], domains: Sequence[int]) -> bool:
    """Whether a group fails, whichever of its values its units have."""
    union = 0
    for unit in group:
        union |= domains[unit]
    return (union & ~state.free).bit_count() < state.least


def _with(domains: list[int], unit: int, bit: int) -> list[int]:
    changed = list(domains)
    changed[unit] = bit
    return changed
