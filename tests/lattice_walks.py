"""Random walks down a lattice: packed tuples for the kernels, dicts for their twins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from kanonym.kernels.lattice.walk import BUDGET, DROPS, POPULATION, SIZE, Axes, State
from tables import levels as random_levels
from tables import pick


@dataclass(frozen=True)
class Walk:
    """A frequency set, hierarchies, what labels lose, and what is required.

    Attributes
    ----------
    tuples
        `{(label of each attribute at its lowest level, ..., secret): (records, persons)}`.
    labels
        By attribute, level and label of the lowest level.
    lowest
        By attribute.
    axes, required
        As kernels read them.
    remembers
        Whether the labels of records that leave are counted.
    to
        A level for each attribute, the walk's end.

    """

    tuples: dict[tuple[int, ...], tuple[int, int]]
    labels: list[list[list[int]]]
    lowest: list[int]
    axes: Axes
    required: np.ndarray
    remembers: bool
    to: tuple[int, ...]
    counted: bool

    @property
    def d(self):
        """Number of attributes."""
        return len(self.labels)

    def packed(self, tuples):
        """Return keys and counts of tuples, sorted."""
        fields = self.axes.fields
        keys = np.zeros((int(fields[-1, 0]) + 1, len(tuples)), np.uint64)
        for i, one in enumerate(sorted(tuples)):
            for value, (word, shift, _, _, _) in zip(one, fields.tolist(), strict=True):
                keys[word, i] |= np.uint64(value << min(shift, 63))
        counts = [list(tuples[one])[: 1 + self.counted] for one in sorted(tuples)]
        return keys, np.array(counts, np.int32).reshape(-1, 1 + self.counted).T.copy()

    def unpacked(self, keys, counts):
        """Return the tuples of keys and counts, in their order."""
        found = {}
        for i in range(keys.shape[1]):
            one = [
                (int(keys[word, i]) >> shift) & ((1 << width) - 1)
                for word, shift, width, _, _ in self.axes.fields.tolist()
            ]
            assert tuple(one) not in found
            found[tuple(one)] = (*counts[:, i].tolist(), 0)[:2]
        return found

    def generalized(self, tuples, a, level):
        """Return tuples with attribute a at a level."""
        found = {}
        for one, numbers in tuples.items():
            label = self.labels[a][level][one[a]]
            key = (*one[:a], label, *one[a + 1 :])
            before = found.get(key, (0, 0))
            found[key] = (before[0] + numbers[0], before[1] + numbers[1])
        return found

    def fixed(self, levels):
        """Return all tuples with the first attributes at some levels, none left out."""
        found = self.tuples
        for a, level in enumerate(levels):
            found = self.generalized(found, a, level)
        return found

    def classes(self, tuples, n_fixed):
        """Return records and persons of the classes that the first attributes make."""
        found = {}
        for one, numbers in tuples.items():
            before = found.get(one[:n_fixed], (0, 0))
            found[one[:n_fixed]] = (before[0] + numbers[0], before[1] + numbers[1])
        return found

    def too_small(self, tuples, n_fixed):
        """Return which of these classes are too small."""
        size, persons = self.required[SIZE], self.required[POPULATION]
        classes = self.classes(tuples, n_fixed)
        return {key for key, (n, m) in classes.items() if n < size or m < persons}

    def at(self, levels):
        """Return a state: what a branch knows, from the whole table, and its tuples."""
        every, a = self.fixed(levels), len(levels)
        left = self.too_small(every, a) if self.required[DROPS] and a else set()
        sums, _, by_label = self.lost(levels)
        if not self.required[DROPS]:
            sums = [self.axes.whole[b, level] for b, level in enumerate(levels)]
        n_labels = self.axes.kept.shape[2]
        labels_left = np.zeros((self.d, n_labels) if self.remembers else (0, 0), np.int64)
        if self.remembers:
            for b, counted in enumerate(by_label):
                for label, records in counted.items():
                    labels_left[b, label] = records
        state = State(
            np.array([*levels, *[0] * (self.d - a)], np.int64),
            np.array([*sums, *[0.0] * (self.d - a)]),
            np.array([sum(n for one, (n, _) in every.items() if one[:a] in left)], np.int64),
            labels_left,
        )
        return state, {one: numbers for one, numbers in every.items() if one[:a] not in left}

    def lost(self, levels):
        """Return what fixed attributes lose, how many go, and the labels of those, from scratch."""
        every, a = self.fixed(levels), len(levels)
        left = self.too_small(every, a) if a else set()
        sums = [0.0] * a
        by_label = [{} for _ in range(self.d)]
        gone = 0
        for one, (n, _) in every.items():
            is_left = one[:a] in left
            gone += n * is_left
            for b in range(a):
                losses = self.axes.lost if is_left else self.axes.kept
                sums[b] += n * losses[b, levels[b], one[b]]
            for b in range(self.d if is_left else 0):
                by_label[b][one[b]] = by_label[b].get(one[b], 0) + n
        return sums, gone, by_label

    def bound(self, levels):
        """Return the records that go, or None if too many, and the least score below."""
        sums, gone, by_label = self.lost(levels)
        if gone > self.required[BUDGET]:
            return None
        a = len(levels)
        x = []
        for b, (low, high, weight, floor, more) in enumerate(self.axes.scale.tolist()):
            total = floor + gone * more
            if b < a:
                counts = by_label[b].values()
                bits = sum(m * math.log2(gone / m) for m in counts if m) if gone else 0.0
                total = sums[b] + self.axes.charged[0] * bits
            one = max(0.0, total - low) / high
            if self.axes.form[1]:
                one = math.floor(one * 1e10) / 1e10
            x.append(one * weight)
        rest = self.axes.rest[a]
        if self.axes.form[0]:
            product_of = math.prod(one + 1 for one in x[:a])
            others = max(math.prod(one + 1 for one in x[a:]), rest)
            return gone, (product_of * others) ** (1 / self.d) - 1
        return gone, sum(x[:a]) + max(sum(x[a:]), rest)

    def nodes(self):
        """Return the score of every node that suppresses no more than it may."""
        heights = [len(levels) - 1 for levels in self.labels]
        ranges = [range(low, top + 1) for low, top in zip(self.lowest, heights, strict=True)]
        found = {levels: self.bound(levels) for levels in product(*ranges)}
        return {levels: one[1] for levels, one in found.items() if one is not None}


def random_walk(seed):
    """Return a walk of up to 40 records and 1 to 4 attributes."""
    rng = np.random.default_rng(seed)
    d = pick(rng, [1, 2, 3, 4])
    trees = [random_levels(rng, pick(rng, [1, 2, 3, 6, 9])) for _ in range(d)]
    lowest = [int(rng.integers(len(tree))) if rng.random() < 0.3 else 0 for tree in trees]
    labels = [_from(tree, low) for tree, low in zip(trees, lowest, strict=True)]
    secrets, counted = pick(rng, [1, 3, 5]), pick(rng, [False, True])
    tuples = {}
    for _ in range(pick(rng, [0, 1, 3, 8, 20])):
        key = [int(min(rng.integers(len(levels[low]), size=2))) for low, levels in
               zip(lowest, labels, strict=True)]  # fmt: skip
        own = int(rng.integers(0, 4))
        tuples[*key, int(rng.integers(secrets))] = (own, int(rng.integers(0, 5)) * counted)
    n_rows = sum(n for n, _ in tuples.values())
    drops = pick(rng, [False, True])
    remembers = drops and pick(rng, [False, True])
    required = [pick(rng, [1, 2, 4]), pick(rng, [0, 3]) * counted, pick(rng, [0, n_rows // 3,
                n_rows]), drops]  # fmt: skip
    axes = _axes(rng, labels, lowest, secrets, tuples, constant=drops and not remembers)
    to = tuple(int(rng.integers(low, len(tree))) for low, tree in zip(lowest, trees, strict=True))
    walk_required = np.array(required, np.int64)
    return Walk(tuples, labels, lowest, axes, walk_required, remembers, to, counted)


def _from(tree, low):
    """Return labels by level of each label of the lowest level; those below are not there."""
    firsts = [tree[low].index(label) for label in sorted(set(tree[low]))]
    return [[codes[i] for i in firsts] if at >= low else [0] * len(firsts)
            for at, codes in enumerate(tree)]  # fmt: skip


def _axes(rng, labels, lowest, secrets, tuples, *, constant):
    """Return random losses that grow from level to level and are no less for suppressed records."""
    d, deepest = len(labels), max(map(len, labels))
    widest = max(len(levels[0]) for levels in labels)
    of = np.zeros((d, deepest, widest), np.int32)
    kept, lost = np.zeros((d, deepest, widest)), np.zeros((d, deepest, widest))
    fields = np.zeros((d + 1, 5), np.int64)
    for a, levels in enumerate(labels):
        fields[a, 3:] = lowest[a], len(levels) - 1
        least, most = np.zeros(widest), float(rng.integers(3, 9))
        for level, codes in enumerate(levels):
            of[a, level, : len(codes)] = codes
            for label in set(codes):
                below = [code for code, one in enumerate(codes) if one == label]
                kept[a, level, label] = max(least[below]) + rng.integers(0, 3)
                least[below] = kept[a, level, label]
        top = kept[a].max() + most
        lost[a] = top if constant else kept[a] + rng.integers(0, 4)
        if not constant:
            lost[a] = _growing(lost[a], levels)
    scale = np.zeros((d, 5))
    whole = np.zeros((d, deepest))
    for a in range(d):
        for level, codes in enumerate(labels[a]):
            whole[a, level] = sum(n * kept[a, level, codes[one[a]]] for one, (n, _) in
                                  tuples.items())  # fmt: skip
        n = len(labels[a][0])
        more = (lost - kept)[a, lowest[a], :n].min()
        scale[a] = [rng.integers(0, 5), rng.integers(5, 90), pick(rng, [0.25, 1, 2]),
                    whole[a, lowest[a]], more]  # fmt: skip
    geometric = pick(rng, [0, 1])
    least = [[lost[a, at, sorted(set(codes))].min() for at, codes in enumerate(levels)] +
             [0] * (deepest - len(levels)) for a, levels in enumerate(labels)]  # fmt: skip
    _place(rng, fields, [*(len(levels[low]) for levels, low in zip(labels, lowest, strict=True)),
                         secrets])  # fmt: skip
    return Axes(
        fields=fields,
        labels=of,
        kept=kept,
        lost=lost,
        lost_least=np.array(least, np.float64),
        scale=scale,
        whole=whole,
        charged=np.array([0.0 if constant else pick(rng, [0.0, 0.5, 1.0])]),
        rest=np.full(d + 1, float(geometric)),
        form=np.array([geometric, pick(rng, [0, 1])], np.int64),
    )


def _growing(lost, levels):
    """Return losses that are at least those of the labels below."""
    found = lost.copy()
    for level in range(1, len(levels)):
        for label in set(levels[level]):
            below = {levels[level - 1][code] for code, one in enumerate(levels[level])
                     if one == label}  # fmt: skip
            found[level, label] = max(
                found[level, label], *(found[level - 1, one] for one in below)
            )
    return found


def _place(rng, fields, sizes):
    """Give each attribute a word and bits of it; words of few bits make several of them."""
    bits = pick(rng, [4, 7, 64])
    word, free = 0, bits
    for field, size in zip(fields, sizes, strict=True):
        width = max(size - 1, 0).bit_length()
        if width > free:
            word, free = word + 1, bits
        free -= width
        field[:3] = word, free, width


def walks():
    """Draw walks, each from one seed."""
    return st.builds(random_walk, st.integers(0, 2**32 - 1))
