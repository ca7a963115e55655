"""Slow twins of `kanonym.profiling.groupings`: records one by one, and every random grouping."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations


def groups(keys, values):
    """Return the values of each group."""
    held = defaultdict(list)
    for key, value in zip(keys, values, strict=True):
        held[key].append(value)
    return list(held.values())


def new_share(keys, values):
    """Return which share of the records but the first of each group has a new value in it."""
    found = groups(keys, values)
    repeats = len(keys) - len(found)
    return (sum(len(set(one)) for one in found) - len(found)) / repeats


def new_share_by_drawing(keys, values):
    """Return the same share where each record's value is drawn from all, with replacement."""
    shares = {value: count / len(values) for value, count in Counter(values).items()}
    sizes = [len(one) for one in groups(keys, keys)]
    expected = sum(1 - (1 - share) ** size for size in sizes for share in shares.values())
    return (expected - len(sizes)) / (len(keys) - len(sizes))


def new_share_of_permutations(keys, values):
    """Return the same share on average over all orders of the values."""
    found = [new_share(keys, order) for order in permutations(values)]
    return sum(found) / len(found)


def intraclass_correlation(keys, numbers):
    """Return that of numbers by the analysis of variance of one way."""
    found = groups(keys, numbers)
    n, k = len(keys), len(found)
    mean = sum(numbers) / n
    means = [sum(one) / len(one) for one in found]
    between = sum(len(one) * (m - mean) ** 2 for one, m in zip(found, means, strict=True)) / (k - 1)
    pairs = zip(found, means, strict=True)
    within = sum((value - m) ** 2 for one, m in pairs for value in one) / (n - k)
    size = (n - sum(len(one) ** 2 for one in found) / n) / (k - 1)
    whole = between + (size - 1) * within
    return (between - within) / whole if whole > 0 else 0.0
