"""Machine learning on the release: how well it predicts people it has not seen.

Models learn from released records and predict original ones that were held out; models that
learn from the original show what could be had.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, TablePair
from kanonym.evaluation.utility.cells import nothing_to_compare
from kanonym.evaluation.utility.measure import Measure
from kanonym.evaluation.utility.models.features import Features, draw_records, features_of
from kanonym.evaluation.utility.models.prediction import (
    TrainingData,
    compare_categories,
    compare_numbers,
)
from kanonym.metrics.measured_value import Meaning, MeasuredValue

RECORDS = 50_000
"""Most records of each table; of more, so many are drawn."""

CLASSES = 25
"""Most categories of a target."""

EDGE = 0.01
"""What the original must predict better than a guess, for a share of it to mean anything."""

Vector = NDArray[np.float64]


def learning(
    pair: TablePair, target: str, random: np.random.Generator, folds: int = 5
) -> MeasuredValue:
    """Measure what a release teaches about one column, against what the original teaches.

    Notes
    -----
    Where `pair.rows` is known, released copies of held-out records are kept out of what is
    learned from. Where it is not (a shuffled release), nobody can tell which they are: models
    learn from as large a share of the release, drawn at random, which holds copies of some of
    the persons that they then predict. Numbers are then too good where models learn by
    heart; the more a release was generalized, the less they can.

    Records that the release lacks are missing from what is learned from, and are predicted
    nonetheless. Scores are taken once, of all predictions of all folds. Models: logistic
    regression (ridge regression for numbers) and boosted trees, by scikit-learn, categories
    weighted to count the same. Trees see a column of categories by the mean targets of its
    categories (`prediction.category_means`). Cost 4 · folds fits.

    """
    meaning = replace(LEARNING, name=f"{LEARNING.name}-{target}")
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
    copies: NDArray[np.int64]
    taught: Vector
    fold: NDArray[np.int64]
    categorical: bool
    counts: dict[str, float]


def learning_task(
    pair: TablePair, target: str, random: np.random.Generator, folds: int
) -> LearningTask | str:
    """Deal the records of both tables out to folds; parameters as of `learning`.

    Returns why, where nothing can be learned.
    """
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
    categorical = isinstance(column, CategoricalColumn)
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
    take = partial(_take_learning, target)
    return Measure(replace(LEARNING, name=f"{LEARNING.name}-{target}"), take, slow=True)


def _take_learning(target: str, pair: TablePair, random: np.random.Generator) -> MeasuredValue:
    return learning(pair, target, random)


def _original_target(column: Column) -> Vector:
    """Return (n_original,) float64 numbers or codes, NaN for null."""
    if not isinstance(column, CategoricalColumn):
        return column.original
    return _without_null(column, column.original)


def _released_target(column: Column) -> Vector:
    """Return (n_released,) float64 numbers or codes, NaN for null and where it is left open."""
    if not isinstance(column, CategoricalColumn):
        return np.where(column.suppressed, np.nan, column.released)
    alone = np.diff(column.offsets) == 1
    codes = _without_null(column, column.members[column.offsets[:-1]])
    return np.where(alone, codes, np.nan)[column.labels]


def _without_null(column: CategoricalColumn, codes: NDArray[np.int32]) -> Vector:
    last = len(column.categories) - 1
    null = (codes == last) & (column.categories[last] is None)
    return np.where(null, np.nan, codes)


def _learning_obstacle(known: Vector, target: str, folds: int, *, categorical: bool) -> str | None:
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
    target: Vector, folds: int, random: np.random.Generator, *, stratified: bool
) -> NDArray[np.int64]:
    """Deal records out to folds by chance; each category evenly where stratified."""
    order = random.permutation(len(target))
    if stratified:
        order = order[np.argsort(target[order], kind="stable")]
    fold = np.empty(len(target), np.int64)
    fold[order] = np.arange(len(target)) % folds
    return fold


def _copies(
    pair: TablePair, originals: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.int64]:
    """Return released records to learn from: copies of those originals where they are known.

    Their order does not depend on that of the release.
    """
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
)
"""Its name goes with the name of the column, as `learning-salary`."""
