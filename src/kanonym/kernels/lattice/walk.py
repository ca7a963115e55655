"""Walk the lattice of generalization levels one attribute after the other.

A branch fixes the levels of the first attributes. What is left of the table is its
frequency set with these attributes generalized and the others as they came: sorted
tuples, so that records that agree on the fixed attributes stand side by side. Their
classes are those of the coarsest node of the branch (all other attributes at the
top); a class that is too small there is too small in every node of the branch.

Tuples are columns of (n_words, n) uint64, a field of bits an attribute, most
significant first, a last field for the combination of sensitive values; `counts` are
(1 or 2, n) int32: records and, with a population table, its records.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, kernel, part

WORD, SHIFT, WIDTH, LOWEST, HIGHEST = 0, 1, 2, 3, 4
LOW, HIGH, WEIGHT, FLOOR, FLOOR_LOST = 0, 1, 2, 3, 4
SIZE, POPULATION, BUDGET, DROPS = 0, 1, 2, 3
START, ABOVE, LABEL, RECORDS, PERSONS = 0, 1, 2, 3, 4


class Axes(NamedTuple):
    """The attributes in the order in which they are fixed, and what their levels lose.

    fields: (d + 1, 5) int64: word, shift and width of the field, lowest and highest level allowed;
        the last row is the field of the sensitive values.
    labels: (d, n_levels, n_codes) int32: the label, at each level, of each label of the lowest
        level.
    kept, lost: (d, n_levels, n_labels) float64: what a record with that label loses, at the least,
        when it is released, and when it is suppressed.
    lost_least: (d, n_levels) float64: the smallest of `lost` over the labels in use.
    scale: (d, 5) float64: what is subtracted from an attribute's loss, what the difference is
        divided by, its weight, the loss at the lowest level, and what each suppressed record adds
        to that at the least.
    whole: (d, n_levels) float64: what all records lose, were they kept.
    charged: (1,) float64: at what share the entropy of the suppressed records' labels is added to
        the loss of each fixed attribute.
    rest: (d + 1,) float64, by number of fixed attributes: what the others lose at the least, put
        together as `form` says; 1 or 0 where nothing is known.
    form: (2,) int64: 1 where the attributes' losses are joined by a geometric mean (else by their
        sum); 1 where they are cut off after ten digits.
    """

    fields: Ints
    labels: Int32s
    kept: Floats
    lost: Floats
    lost_least: Floats
    scale: Floats
    whole: Floats
    charged: Floats
    rest: Floats
    form: Ints


class State(NamedTuple):
    """What a branch has decided, and what has left its tuples.

    levels: (d,) int64, the levels of the fixed attributes.
    sums: (d,) float64, the losses of the fixed attributes: of all records, those that are still
        among the tuples counted as kept.
    left: (1,) int64, suppressed records that are no more among the tuples.
    labels_left: (d, n_labels) int64: how many of them have each label, of open attributes at the
        lowest level; (0, 0) where they lose the same whatever their labels.
    """

    levels: Ints
    sums: Floats
    left: Ints
    labels_left: Ints


@part
def field_of(keys: UInt64s, i: Int, axes: Axes, a: Int) -> int:
    """Return the label that tuple i holds of attribute a."""
    field = axes.fields[a]
    mask = (np.uint64(1) << np.uint64(field[WIDTH])) - np.uint64(1)
    return int(np.int64((keys[field[WORD], i] >> np.uint64(field[SHIFT])) & mask))


@part
def score_bound(sums: Floats, suppressed: Int, n_fixed: Int, axes: Axes) -> float:
    """Return a lower bound on the score from the losses of the fixed attributes.

    The others lose at the least what they lose at their lowest level with the
    suppressed records of the coarsest node; and at the least `rest`.
    """
    d = len(axes.scale)
    geometric = axes.form[0] == 1
    fixed = 1.0 if geometric else 0.0
    others = fixed
    for a in range(d):
        scale = axes.scale[a]
        loss = sums[a] if a < n_fixed else scale[FLOOR] + suppressed * scale[FLOOR_LOST]
        x = max(0.0, loss - scale[LOW]) / scale[HIGH]
        if axes.form[1] == 1:
            x = np.floor(x * 1e10) / 1e10
        if a < n_fixed:
            fixed = fixed * (x * scale[WEIGHT] + 1.0) if geometric else fixed + x * scale[WEIGHT]
        else:
            others = others * (x * scale[WEIGHT] + 1.0) if geometric else others + x * scale[WEIGHT]
    others = max(others, axes.rest[n_fixed])
    return float((fixed * others) ** (1.0 / d) - 1.0 if geometric else fixed + others)


@part
def differs(keys: UInt64s, i: Int, word: Int, mask: np.uint64) -> bool:
    """Say whether tuple i differs from the one before it, up to the masked part of a word."""
    if i == 0 or ((keys[word, i] ^ keys[word, i - 1]) & mask) != 0:
        return True
    for w in range(word):  # noqa: SIM110 - compiled code knows no generators
        if keys[w, i] != keys[w, i - 1]:
            return True
    return False


@part
def bits_from(shift: Int) -> np.uint64:
    """Return a mask of all bits from one upwards."""
    return np.uint64(0) if shift > 63 else ~np.uint64(0) << np.uint64(shift)


@kernel
def find_runs(keys: UInt64s, counts: Int32s, axes: Axes, a: Int) -> Ints:
    """Return the runs of tuples that agree on attribute a and all before it.

    (n_runs + 1, 5) int64: first tuple, number of the class that the attributes before a
    make, label of a, records, records of the population; the last row is the end.
    """
    word, shift, width = axes.fields[a, WORD], axes.fields[a, SHIFT], axes.fields[a, WIDTH]
    n = keys.shape[1]
    both, above = bits_from(shift), bits_from(shift + width)
    n_runs = 0
    for i in range(n):
        n_runs += differs(keys, i, word, both)
    runs = np.zeros((n_runs + 1, 5), np.int64)
    n_above = -1
    r = -1
    for i in range(n):
        if differs(keys, i, word, both):
            n_above += differs(keys, i, word, above)
            r += 1
            runs[r, START] = i
            runs[r, ABOVE] = n_above
            runs[r, LABEL] = field_of(keys, i, axes, a)
        runs[r, RECORDS] += counts[0, i]
        if len(counts) > 1:
            runs[r, PERSONS] += counts[1, i]
    runs[n_runs, START] = n
    runs[n_runs, ABOVE] = n_above + 1
    return runs


@part
def _entropy(records: Ints) -> float:
    """Return S log2(S) - the sum of m log2(m), for counts m that add up to S."""
    total = 0
    bits = 0.0
    for m in records:
        total += m
        if m > 1:
            bits -= m * np.log2(m)
    return float(bits + total * np.log2(total)) if total > 1 else 0.0


@kernel
def try_levels(
    keys: UInt64s, runs: Ints, axes: Axes, a: Int, state: State, required: Ints
) -> tuple[Ints, Floats]:
    """Try every level of attribute a below a branch that fixes the attributes before it.

    keys: What is left of the table in the branch.
    runs: Its runs, from `find_runs`.
    axes: The attributes.
    a: The attribute to be fixed next.
    state: Of the branch.
    required: (4,) int64: smallest class, smallest number of its records in the population, most
        records that may be suppressed, and 1 where suppressed records leave.
    Returns: (n_levels,) int64 records that every node of the branch suppresses, -1 for levels that
        are not allowed or suppress too many; (n_levels, d + 1) float64, the losses of the fixed
        attributes, before a charge for entropy, and, last, the lower bound on the score.
    """
    d, n_levels, n_labels = axes.kept.shape
    n_runs = len(runs) - 1
    charged = axes.charged[0]
    remembers = len(state.labels_left) > 0
    of_label = np.zeros((d if charged > 0 else 0, n_labels), np.int64)
    charge = np.zeros(d)
    result = np.full(n_levels, -1, np.int64)
    losses = np.zeros((n_levels, d + 1))
    # Whatever fails at one level fails at all levels below it.
    for level in range(axes.fields[a, HIGHEST], axes.fields[a, LOWEST] - 1, -1):
        out = losses[level]
        for b in range(a):
            out[b] = state.sums[b]
        gone = state.left[0]
        loss = gone * axes.lost_least[a, level]
        labels, kept = axes.labels[a, level], axes.kept[a, level]
        if remembers:
            loss = 0.0
            for code in range(axes.labels.shape[2]):
                loss += state.labels_left[a, code] * axes.lost[a, level, labels[code]]
        if charged > 0:
            of_label[: a + 1] = 0
            if remembers:
                for b in range(a):
                    for code in range(n_labels):
                        of_label[b, code] = state.labels_left[b, code]
                for code in range(axes.labels.shape[2]):
                    of_label[a, labels[code]] += state.labels_left[a, code]
        r = 0
        while r < n_runs and gone <= required[BUDGET]:
            first, above, label = runs[r, START], runs[r, ABOVE], labels[runs[r, LABEL]]
            size, persons = 0, 0
            while runs[r, ABOVE] == above and labels[runs[r, LABEL]] == label:
                size += runs[r, RECORDS]
                persons += runs[r, PERSONS]
                r += 1
            if size < required[SIZE] or persons < required[POPULATION]:
                gone += size
                loss += size * axes.lost[a, level, label]
                for b in range(a):
                    its = field_of(keys, first, axes, b)
                    at = state.levels[b]
                    out[b] += size * (axes.lost[b, at, its] - axes.kept[b, at, its])
                    if charged > 0:
                        of_label[b, its] += size
                if charged > 0:
                    of_label[a, label] += size
            else:
                loss += size * kept[label]
        if gone > required[BUDGET]:
            break
        result[level] = gone
        out[a] = loss
        if charged > 0:
            for b in range(a + 1):
                charge[b] = charged * _entropy(of_label[b])
        out[d] = score_bound(out[:d] + charge, gone, a + 1, axes)
    return result, losses


@part
def _compare(keys: UInt64s, i: Int, j: Int, word: Int, below: np.uint64) -> int:
    """Return -1, 0 or 1 as tuple i stands before, with or after tuple j."""
    x, y = keys[word, i] & below, keys[word, j] & below
    if x != y:
        return -1 if x < y else 1
    for w in range(word + 1, len(keys)):
        if keys[w, i] != keys[w, j]:
            return -1 if keys[w, i] < keys[w, j] else 1
    return 0


@part
def _merge(
    source: tuple[UInt64s, Int32s],
    target: tuple[UInt64s, Int32s],
    bounds: Ints,
    n_runs: Int,
    to: Int,
    word: Int,
    below: np.uint64,
    field: np.uint64,
) -> int:
    """Merge runs pairwise from one place to another; equal tuples become one.

    bounds: (2, >= n_runs) int64, start and end of each run, rewritten. A tuple keeps
    its words before `word`, and that one outside of the masked part and `field`.
    """
    (keys, counts), (to_keys, to_counts) = source, target
    n_words, n_counts = len(keys), len(counts)
    narrow = n_words == 1 and n_counts == 1
    key, records, to_key, to_records = keys[0], counts[0], to_keys[0], to_counts[0]
    for r in range(0, n_runs, 2):
        i, i_end = bounds[0, r], bounds[1, r]
        j, j_end = i_end, i_end
        if r + 1 < n_runs:
            j, j_end = bounds[0, r + 1], bounds[1, r + 1]
        start = to
        # The usual case on its own: half of all the time of a search is spent here.
        while narrow and i < i_end and j < j_end:
            x, y = key[i] & below, key[j] & below
            to_key[to] = min(x, y) | field
            to_records[to] = (records[i] if x <= y else 0) + (records[j] if y <= x else 0)
            i += x <= y
            j += y <= x
            to += 1
        while narrow and i < i_end:
            to_key[to] = (key[i] & below) | field
            to_records[to] = records[i]
            i += 1
            to += 1
        while narrow and j < j_end:
            to_key[to] = (key[j] & below) | field
            to_records[to] = records[j]
            j += 1
            to += 1
        while i < i_end or j < j_end:
            order = -1
            if i == i_end:
                order = 1
            elif j < j_end:
                order = _compare(keys, i, j, word, below)
            at = i if order <= 0 else j
            for w in range(word):
                to_keys[w, to] = keys[w, at]
            to_keys[word, to] = (keys[word, at] & below) | field
            for w in range(word + 1, n_words):
                to_keys[w, to] = keys[w, at]
            for c in range(n_counts):
                to_counts[c, to] = counts[c, at]
                if order == 0:
                    to_counts[c, to] += counts[c, j]
            i += order <= 0
            j += order >= 0
            to += 1
        bounds[0, r // 2] = start
        bounds[1, r // 2] = to
    return int(to)


@kernel
def generalize(
    tuples: tuple[UInt64s, Int32s],
    runs: Ints,
    axes: Axes,
    a: Int,
    level: Int,
    required: Ints,
    room: tuple[UInt64s, Int32s, UInt64s, Int32s],
    labels_left: Ints,
) -> tuple[UInt64s, Int32s]:
    """Generalize attribute a to a level, all before it being fixed; equal tuples become one.

    tuples: keys and counts. room: twice the room for them, written over. labels_left: as
    in `State`, brought up to date. The others are as in `try_levels`. Where suppressed records
    leave, classes that are too small go. Cost: O(n log labels), for the tuples of a class
    are sorted within each label.
    """
    keys = tuples[0]
    memory, spare = (room[0], room[1]), (room[2], room[3])
    remembers = len(labels_left) > 0
    if remembers:
        before = labels_left[a].copy()
        labels_left[a] = 0
        for code in range(axes.labels.shape[2]):
            labels_left[a, axes.labels[a, level, code]] += before[code]
    word, shift, width = axes.fields[a, WORD], axes.fields[a, SHIFT], axes.fields[a, WIDTH]
    labels = axes.labels[a, level]
    below, above = ~bits_from(shift), bits_from(shift + width)
    bounds = np.empty((2, axes.labels.shape[2]), np.int64)
    n_runs = len(runs) - 1
    end = 0
    r = 0
    while r < n_runs:
        first, over, label = r, runs[r, ABOVE], labels[runs[r, LABEL]]
        size, persons = 0, 0
        while runs[r, ABOVE] == over and labels[runs[r, LABEL]] == label:
            bounds[0, r - first] = runs[r, START]
            bounds[1, r - first] = runs[r + 1, START]
            size += runs[r, RECORDS]
            persons += runs[r, PERSONS]
            r += 1
        if required[DROPS] == 1 and (size < required[SIZE] or persons < required[POPULATION]):
            for i in range(runs[first, START], runs[r, START] if remembers else 0):
                for b in range(len(labels_left)):
                    its = np.int64(label) if b == a else field_of(keys, i, axes, b)
                    labels_left[b, its] += tuples[1][0, i]
            continue
        start = runs[first, START]
        field = keys[word, start] & above
        field |= np.uint64(label) << np.uint64(min(shift, 63))
        left = r - first
        # Every pass goes to the other memory; the last one has to end in the first.
        passes = 1
        while (1 << passes) < left:
            passes += 1
        to = end
        for turn in range(passes):
            into_spare = (passes - 1 - turn) % 2 == 1
            target = spare if into_spare else memory
            if turn == 0:
                to = _merge(tuples, target, bounds, left, end, word, below, field)
            elif into_spare:
                to = _merge(memory, target, bounds, left, end, word, below, field)
            else:
                to = _merge(spare, target, bounds, left, end, word, below, field)
            left = (left + 1) // 2
        end = to
    return memory[0][:, :end].copy(), memory[1][:, :end].copy()


@kernel
def read_classes(
    keys: UInt64s, counts: Int32s, axes: Axes, n_fixed: int, level: int
) -> tuple[Int32s, Ints, Int32s]:
    """Return the classes that the first attributes make, the last of them at a level.

    keys, counts, axes: As in `find_runs`.
    n_fixed: So many attributes make the classes; those before the last are fixed.
    level: Of the last of them. Returns: labels (n_classes, n_fixed) int32, totals (n_classes, 2)
        int64 of records and of the population's records, (n,) int32 class of each tuple.
    """
    n = keys.shape[1]
    a = n_fixed - 1
    word, shift, width = axes.fields[a, WORD], axes.fields[a, SHIFT], axes.fields[a, WIDTH]
    above = bits_from(shift + width)
    of_code = axes.labels[a, level]
    class_of = np.empty(n, np.int32)
    first = np.empty(n, np.int64)
    n_classes = 0
    before = np.int32(-1)
    for i in range(n):
        label = of_code[field_of(keys, i, axes, a)]
        if label != before or differs(keys, i, word, above):
            first[n_classes] = i
            n_classes += 1
            before = label
        class_of[i] = n_classes - 1
    labels = np.empty((n_classes, n_fixed), np.int32)
    totals = np.zeros((n_classes, 2), np.int64)
    for c in range(n_classes):
        for b in range(a):
            labels[c, b] = field_of(keys, first[c], axes, b)
        labels[c, a] = of_code[field_of(keys, first[c], axes, a)]
    for i in range(n):
        for c in range(len(counts)):
            totals[class_of[i], c] += counts[c, i]
    return labels, totals, class_of
