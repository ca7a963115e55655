"""Models that learn from a table: features, training and accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair import tables
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import (
    CategoryCells,
    category_cells,
    chunks,
    nothing_to_compare,
)
from kanonym.evaluation.utility.models.prediction import (
    TrainingData,
    accuracies,
    compare_categories,
    compare_numbers,
)
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.metrics.measured_value import Meaning, MeasuredValue

CATEGORIES = 50
"""Categories that have a feature each; the others of a column share one."""


@dataclass(frozen=True, slots=True, repr=False)
class Features(ShortRepr):
    """Features of both tables, on one scale.

    A number is standardized by the original's mean and deviation, a released interval by its
    middle; where one table has nulls, they are 0 with a flag. A category is 1 in its own
    feature; a label that leaves several open has an equal share in each.
    """

    numbers: tuple[tables.NumericColumn, ...]
    flagged: tuple[tables.NumericColumn, ...]
    categories: tuple[CategoryCells, ...]

    @property
    def size(self) -> int:
        """Return the number of features."""
        return (
            len(self.numbers)
            + len(self.flagged)
            + sum(category.size for category in self.categories)
        )

    @property
    def attributes(self) -> list[tuple[int, int]]:
        """Return the first feature of each column of categories, and the one after its last."""
        ends = np.cumsum([category.size for category in self.categories]) + len(self.numbers)
        ends += len(self.flagged)
        return [
            (int(end) - one.size, int(end)) for one, end in zip(self.categories, ends, strict=True)
        ]

    def original(self, records: Ints) -> Floats:
        """Return (n_records, size) float64 features of records of the original."""
        found = self._zeros(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, column.original[records])
        start = len(self.numbers)
        for i, column in enumerate(self.flagged, start):
            found[:, i] = np.isnan(column.original[records])
        start += len(self.flagged)
        for cells in self.categories:
            found[np.arange(len(records)), start + cells.original[records]] = 1.0
            start += cells.size
        return found

    def released(self, records: Ints) -> Floats:
        """Return (n_records, size) float64 features of released records."""
        found = self._zeros(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, (column.low[records] + column.high[records]) / 2)
        start = len(self.numbers)
        for i, column in enumerate(self.flagged, start):
            found[:, i] = np.isnan(column.low[records])
        start += len(self.flagged)
        for cells in self.categories:
            found[:, start : start + cells.size] = cells.shares[cells.labels[records]]
            start += cells.size
        return found

    def value_order(self, n: int) -> Ints:
        """Return the n released records in an order that their values alone decide."""
        weights = np.random.default_rng(0).random(self.size + len(self.numbers))
        keys = np.zeros(n)
        for rows in chunks(n):
            records = np.arange(n)[rows]
            widths = [
                _standardize(number, number.high[rows]) - _standardize(number, number.low[rows])
                for number in self.numbers
            ]
            # A sum for each row by itself: its rounding is the same wherever the row stands.
            parts = np.column_stack([self.released(records), *widths]) * weights
            keys[rows] = parts.sum(axis=1)
        return np.argsort(keys, kind="stable")

    def sample(self, records: Ints, random: np.random.Generator) -> Floats:
        """Return (n_records, size) float64 features of a value drawn from each cell."""
        found = self.released(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, tables.draw_numbers(column, records, random))
        start = len(self.numbers) + len(self.flagged)
        for cells in self.categories:
            drawn = cells.cell_of[tables.draw_categories(cells.column, records, random)]
            found[:, start : start + cells.size] = 0.0
            found[np.arange(len(records)), start + drawn] = 1.0
            start += cells.size
        return found

    def _zeros(self, records: Ints) -> Floats:
        return np.zeros((len(records), self.size))


def features_of(columns: Sequence[tables.Column]) -> Features:
    """Find the features of some columns. Cost O(n) a column."""
    numbers = tuple(column for column in columns if isinstance(column, tables.NumericColumn))
    flagged = tuple(
        column
        for column in numbers
        if np.isnan(column.original).any() or np.isnan(column.low).any()
    )
    categories = tuple(
        category_cells(column, CATEGORIES)
        for column in columns
        if not isinstance(column, tables.NumericColumn)
    )
    return Features(numbers, flagged, categories)


def draw_records(n: int, most: int, random: np.random.Generator) -> Ints:
    """Return all of n records, or `most` drawn ones, ascending."""
    if n <= most:
        return np.arange(n)
    return np.sort(random.choice(n, most, replace=False))


def _standardize(column: tables.NumericColumn, values: Floats) -> Floats:
    """Standardize values by the original's mean and deviation; null is the mean."""
    held = column.original[~np.isnan(column.original)]
    mean, deviation = (held.mean(), held.std()) if len(held) else (0.0, 0.0)
    return np.where(np.isnan(values), 0.0, (values - mean) / (deviation or 1.0))


RECORDS = 50_000
"""Most records of each table; of more, so many are drawn."""

CLASSES = 25
"""Most categories of a target."""

EDGE = 0.01
"""What the original must predict better than a guess, for a share of it to mean anything."""


def learning(
    pair: tables.TablePair, target: str, random: np.random.Generator, folds: int = 5
) -> MeasuredValue:
    """Measure what a release teaches about one column, against what the original teaches.

    Notes
    -----
    Where `pair.rows` is known, released copies of held-out records are kept out of what is learned
    from. Where it is not (a shuffled release), nobody can tell which they are: models learn from as
    large a share of the release, drawn at random, which holds copies of some of the persons that
    they then predict. Numbers are then too good where models learn by heart; the more a release was
    generalized, the less they can. Records that the release lacks are missing from what is learned
    from, and are predicted nonetheless. Scores are taken once, of all predictions of all folds.
    Models: logistic regression (ridge regression for numbers) and boosted trees, by scikit-learn,
    categories weighted to count the same.
    """
    meaning = LEARNING.of_column(target)
    course = learning_task(pair, target, random, folds)
    if isinstance(course, str):
        return MeasuredValue(meaning, None, reason=course)
    features = course.features.released(course.copies)
    attributes = course.features.attributes
    released = TrainingData(features, course.taught, course.fold, attributes)
    seed = int(random.integers(1 << 31))
    compare = compare_categories if course.categorical else compare_numbers
    guess, ranked, parts = compare(course.original, released, folds, seed)
    parts = parts | course.counts
    could, did = max(ranked)
    if could - guess < EDGE:
        reason = Message("the original's other columns do not predict {target!r}", target=target)
        return MeasuredValue(meaning, None, parts, reason)
    return MeasuredValue(meaning, (did - guess) / (could - guess), parts, guess=0.0)


@dataclass(frozen=True, slots=True, repr=False)
class LearningTask(ShortRepr):
    """What models learn from, and what they are asked.

    copies: (n,) int64 released records that are learned from.
    taught, fold: (n,) their target, and with which records of the original each is held out.
    """

    original: TrainingData
    features: Features
    copies: Ints
    taught: Floats
    fold: Ints
    categorical: bool
    counts: dict[str, float]


def learning_task(
    pair: tables.TablePair, target: str, random: np.random.Generator, folds: int
) -> LearningTask | str:
    """Deal the records of both tables out to folds; parameters as of `learning`."""
    # A release without records is no obstacle: who has learned nothing guesses.
    reason = nothing_to_compare(replace(pair, n_released=1))
    if reason is None and target not in {column.name for column in pair.columns}:
        reason = Message("the tables have no column {target!r} in common", target=target)
    if reason is None and len(pair.columns) < 2:
        reason = Message(
            "the tables have no column besides {target!r} to learn from", target=target
        )
    if reason is not None:
        return reason
    column = pair.column(target)
    categorical = isinstance(column, tables.CategoricalColumn)
    originals = draw_records(pair.n_original, RECORDS, random)
    truth = _original_target(column)[originals]
    reason = _learning_obstacle(truth[~np.isnan(truth)], target, folds, categorical=categorical)
    if reason is not None:
        return reason
    features = features_of([one for one in pair.columns if one.name != target])
    fold = _deal_folds(truth, folds, random, stratified=categorical)
    original = TrainingData(features.original(originals), truth, fold, features.attributes)
    copies = _copies(pair, originals, random)
    taught = _released_target(column)[copies]
    if pair.rows is None:
        fold = _deal_folds(taught, folds, random, stratified=False)
    else:
        fold = fold[np.searchsorted(originals, pair.rows[copies])]
    counts = {
        "released without target": float(np.isnan(taught).sum()),
        "suppressed": float(pair.n_original - pair.n_released),
        "copies kept out": float(pair.rows is not None),
    }
    return LearningTask(original, features, copies, taught, fold, categorical, counts)


def learning_measure(target: str) -> Measure:
    """Return the measure of what a release teaches about one column (see `learning`)."""
    return Measure(
        LEARNING.of_column(target), lambda pair, random: learning(pair, target, random), slow=True
    )


def _original_target(column: tables.Column) -> Floats:
    """Return (n_original,) float64 numbers or codes, NaN for null."""
    if not isinstance(column, tables.CategoricalColumn):
        return column.original
    return _without_null(column, column.original)


def _released_target(column: tables.Column) -> Floats:
    """Return (n_released,) float64 numbers or codes, NaN for null and where it is left open."""
    if not isinstance(column, tables.CategoricalColumn):
        return np.where(column.suppressed, np.nan, column.released)
    alone = np.diff(column.offsets) == 1
    codes = _without_null(column, column.members[column.offsets[:-1]])
    return np.where(alone, codes, np.nan)[column.labels]


def _without_null(column: tables.CategoricalColumn, codes: Int32s) -> Floats:
    last = len(column.categories) - 1
    null = (codes == last) & (column.categories[last] is None)
    return np.where(null, np.nan, codes)


def _learning_obstacle(known: Floats, target: str, folds: int, *, categorical: bool) -> str | None:
    """Say why (n_known,) values of the target cannot be learned; None where they can."""
    if len(known) < 2 * folds:
        return Message(
            "{target!r} has {values} values: too few for {folds} folds",
            target=target,
            values=len(known),
            folds=folds,
        )
    distinct = len(np.unique(known))
    if distinct == 1:
        return Message("{target!r} has the same value everywhere", target=target)
    if categorical and distinct > CLASSES:
        return Message(
            "{target!r} has {distinct} categories, more than {most}",
            target=target,
            distinct=distinct,
            most=CLASSES,
        )
    return None


def _deal_folds(
    target: Floats, folds: int, random: np.random.Generator, *, stratified: bool
) -> Ints:
    """Deal records out to folds by chance; each category evenly where stratified."""
    order = random.permutation(len(target))
    if stratified:
        order = order[np.argsort(target[order], kind="stable")]
    fold = np.empty(len(target), np.int64)
    fold[order] = np.arange(len(target)) % folds
    return fold


def _copies(pair: tables.TablePair, originals: Ints, random: np.random.Generator) -> Ints:
    """Return released records to learn from: copies of those originals where they are known."""
    if pair.rows is None:
        order = features_of(pair.columns).value_order(pair.n_released)
        return order[draw_records(pair.n_released, RECORDS, random)]
    chosen = np.zeros(pair.n_original, np.bool_)
    chosen[originals] = True
    copies = np.flatnonzero(chosen[pair.rows])
    return copies[np.argsort(pair.rows[copies], kind="stable")]


LEARNING = Meaning(
    name="learning",
    low=float("-inf"),
    high=float("inf"),
    better="higher",
    unit="share of the original's advantage over a guess in predicting one column",
    source="LeFevre, DeWitt and Ramakrishnan (2006), KDD: workload-aware anonymization; share of "
    "the advantage over ZeroR as ARX's relative classification accuracy, here of balanced "
    "accuracy or R² on held-out original records",
    title=_("Quality of predictions learned from the release"),
    counted=_("share of the original’s advantage"),
)
"""Its name goes with the name of the column, as `learning-salary`."""


MIDDLE, DRAWN = "released, middles", "released, drawn"


def accuracy(
    pair: tables.TablePair, target: str, random: np.random.Generator, folds: int = 5
) -> MeasuredValue:
    """Measure how well boosted trees that learn from a release predict held-out originals.

    Notes
    -----
    A label teaches a value drawn from what it leaves open, so that what is learned from looks like
    what is predicted. What it means on average (the middle of an interval, equal shares of the
    categories) may teach a little more where classes are small in space, and much less where they
    are cut by the target; that is told beside, and does not count: whoever has the release alone
    cannot tell which of both is better.

    """
    meaning = ACCURACY.of_column(target)
    course = learning_task(pair, target, random, folds)
    if isinstance(course, str):
        return MeasuredValue(meaning, None, reason=course)
    lessons = {"original": course.original, **training_sets(course, random)}
    seed = int(random.integers(1 << 31))
    parts = accuracies(lessons, course.original, folds, seed, categorical=course.categorical)
    truth = course.original.target[~np.isnan(course.original.target)]
    guess = np.unique(truth, return_counts=True)[1].max() / len(truth)
    parts["guess"] = float(guess) if course.categorical else 0.0
    return MeasuredValue(meaning, parts[DRAWN], parts | course.counts, guess=parts["guess"])


def training_sets(course: LearningTask, random: np.random.Generator) -> dict[str, TrainingData]:
    """Return both ways to learn from what a release says."""
    features = course.features
    return {
        MIDDLE: TrainingData(features.released(course.copies), course.taught, course.fold),
        DRAWN: TrainingData(features.sample(course.copies, random), course.taught, course.fold),
    }


def accuracy_measure(target: str) -> Measure:
    """Return the measure of how well one column is predicted (see `accuracy`)."""
    return Measure(
        ACCURACY.of_column(target), lambda pair, random: accuracy(pair, target, random), slow=True
    )


ACCURACY = Meaning(
    name="accuracy",
    low=float("-inf"),
    better="higher",
    unit="share of held-out original records whose category is predicted right; R² of numbers",
    source="LeFevre, DeWitt and Ramakrishnan (2006), KDD: workload-aware anonymization; there by "
    "the error of decision trees",
    title=_("Accuracy of predictions learned from the release"),
    counted=_("share of the predictions, or R²"),
)
"""Its name goes with the name of the column, as `accuracy-salary`."""
