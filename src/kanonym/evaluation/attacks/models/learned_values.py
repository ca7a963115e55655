"""Forests that learn one column of a release by heart, and what they predict of persons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.attacks.matching.cells import cell_codes
from kanonym.evaluation.attacks.matching.values import values_of
from kanonym.evaluation.pair.drawing import draw_categories, draw_numbers
from kanonym.evaluation.pair.tables import Column, NumericColumn, TablePair

TREES = 40
"""Trees of a forest."""

COPIES = 2
"""How often each released record is learned from, drawn anew."""

CLASSES = 250
"""Categories that a forest tells apart, at most."""

HELD = 200
"""Trees that are kept at a time, times categories: bounds the memory."""

Vector = NDArray[np.float64]
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, repr=False)
class LearnedValues(ShortRepr):
    """What a forest says of persons.

    guesses: (n,) float64: numbers, or codes of `true_values`; NaN where nothing was learned.
    likely: (n,) float64, the probability of the true category; NaN for numbers.
    usual: (n,) float64, the share of the true category in what was learned from; NaN for numbers.
    """

    guesses: Vector
    likely: Vector
    usual: Vector


def learning_obstacle(joined: TablePair, name: str, known: Sequence[str]) -> str | None:
    """Say why a column cannot be learned from others, if so."""
    held = {one.name for one in joined.columns}
    if name not in held or not held.intersection(known):
        return Message(
            "the intruder knows no quasi-identifier, or the secret is in one table alone"
        )
    column = joined.column(name)
    if not isinstance(column, NumericColumn) and len(column.categories) > CLASSES:
        return Message(
            "{name!r} has {n} categories, more than {most}: group them",
            name=name,
            n=len(column.categories),
            most=CLASSES,
        )
    return None


def true_values(joined: TablePair, name: str) -> Vector:
    """Return (n_original,) float64 numbers, or codes of categories; NaN for null."""
    return _targets(joined, name)[1]


def learn_values(
    joined: TablePair,
    name: str,
    known: Sequence[str],
    persons: NDArray[np.int64],
    random: np.random.Generator,
    told: Callable[[float], None],
    *,
    reach: float,
) -> LearnedValues:
    """Learn a column of a release from others, and predict it for persons.

    persons: (n,) int64, rows of its original.

    Notes
    -----
    Each released record is learned from twice, with a value drawn from what each cell leaves
    open; records whose value of `name` is left open are not. Trees grow until their leaves are
    pure or hold one record: of a record that is published as it is, most trees know the value.
    Features are ranks and codes, so that any value can be told from all others. Guessed is the
    likeliest category; of numbers, each tree names that of a record in the leaf, and the one
    that the most trees come near to is guessed: a mean of several would be nobody's.
    Cost O(trees · n log n · columns).

    """
    # By what records say, so that their order means nothing.
    order = np.lexsort([cell_codes(column)[0] for column in joined.columns])
    taught, truth = _targets(joined, name)
    order = np.repeat(order[~np.isnan(taught[order])], COPIES)
    columns = [column for column in joined.columns if column.name in known and column.name != name]
    asked = _features(columns, [column.original[persons].astype(np.float64) for column in columns])
    lessons = _features(columns, [_draw_values(column, order, random) for column in columns])
    taught, truth = taught[order], truth[persons]
    guesses, likely, usual = np.full((3, len(persons)), np.nan)
    if not len(order):
        return LearnedValues(guesses, likely, usual)
    if isinstance(joined.column(name), NumericColumn):
        votes = np.concatenate(list(_vote_numbers(lessons, taught, asked, random, told)))
        return LearnedValues(_most_near(votes, reach), likely, usual)
    classes, counts = np.unique(taught, return_counts=True)
    chances = np.zeros((len(persons), len(classes)))
    for category in _predict_categories(lessons, taught, asked, random, told):
        chances += category / TREES
    # Rounding must not decide between categories.
    chances = chances.round(9)
    at = np.minimum(np.searchsorted(classes, truth), len(classes) - 1)
    own = classes[at] == truth
    likely = np.where(own, chances[np.arange(len(at)), at], 0.0)
    usual = np.where(own, counts[at] / counts.sum(), 0.0)
    return LearnedValues(classes[chances.argmax(axis=1)], likely, usual)


def _targets(joined: TablePair, name: str) -> tuple[Vector, Vector]:
    """Return (n_released,) and (n_original,) values; NaN for null, and where they are left open."""
    values, column = values_of(joined, name), joined.column(name)
    line = values.line
    if line is None:
        line = np.arange(values.size, dtype=np.float64)
        if column.categories.null_count():  # type: ignore[union-attr]
            line[-1] = np.nan
    return np.append(line, np.nan)[values.released], line[values.own]


def _draw_values(column: Column, records: NDArray[np.int64], random: np.random.Generator) -> Vector:
    """Return (n,) float64: a number or a code of those that each record leaves open."""
    if isinstance(column, NumericColumn):
        return draw_numbers(column, records, random)
    return draw_categories(column, records, random).astype(np.float64)


def _features(columns: Sequence[Column], values: Sequence[Vector]) -> Matrix:
    """Return (n, n_columns) float32: places among the persons' numbers, and codes."""
    places = []
    for column, own in zip(columns, values, strict=True):
        place = own
        if isinstance(column, NumericColumn):
            line = np.unique(column.original[~np.isnan(column.original)])
            place = np.interp(own, line, np.arange(len(line))) if len(line) else own
        places.append(np.where(np.isnan(place), -1, place))
    return np.column_stack(places).astype(np.float32)


def _predict_categories(
    lessons: Matrix,
    taught: Vector,
    asked: Matrix,
    random: np.random.Generator,
    told: Callable[[float], None],
) -> Iterator[Vector]:
    """Yield (n_asked, n_classes) sums of the probabilities of some trees."""
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 - takes a while to load

    n_classes = len(np.unique(taught))
    for number, seed in _batches(max(1, min(10, HELD // n_classes)), random, told):
        forest = RandomForestClassifier(number, random_state=seed)
        yield number * forest.fit(lessons, taught).predict_proba(asked)


def _vote_numbers(
    lessons: Matrix,
    taught: Vector,
    asked: Matrix,
    random: np.random.Generator,
    told: Callable[[float], None],
) -> Iterator[Vector]:
    """Yield (n_trees, n_asked) numbers, each of a record in the same leaf, drawn."""
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 - takes a while to load

    for number, seed in _batches(10, random, told):
        # Of all features, as a regression forest does, hardly any tree would differ.
        forest = RandomForestRegressor(number, max_features="sqrt", random_state=seed)
        forest.fit(lessons, taught)
        order = random.permutation(len(taught))
        leaves, own = forest.apply(lessons[order]), forest.apply(asked)
        votes = np.empty((number, len(asked)))
        for tree in range(number):
            value = np.full(int(leaves[:, tree].max()) + 1, np.nan)
            value[leaves[:, tree]] = taught[order]  # of several the last one stays
            votes[tree] = value[own[:, tree]]
        yield votes


def _most_near(votes: Vector, reach: float) -> Vector:
    """Return (n,) float64: of (n_trees, n) numbers the one that the most are within reach of."""
    votes = np.sort(votes, axis=0)
    near = np.zeros(votes.shape, np.int64)
    for vote in votes:
        near += np.abs(votes - vote) <= reach
    return np.asarray(np.take_along_axis(votes, near.argmax(axis=0)[None], axis=0)[0])


def _batches(
    most: int, random: np.random.Generator, told: Callable[[float], None]
) -> Iterator[tuple[int, int]]:
    """Yield a number of trees and a seed, until there are enough."""
    for done in range(0, TREES, most):
        yield min(most, TREES - done), int(random.integers(1 << 31))
        told(min(1.0, (done + most) / TREES))
