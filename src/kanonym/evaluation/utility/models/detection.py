"""Can a classifier tell other records from real ones? The area under its ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.utility.models.learning import draw_records
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.metrics.measured_value import Meaning, MeasuredValue

RECORDS = 5_000
"""Most records of each table; of more, so many are drawn."""

CATEGORIES = 254
"""Categories that the classifier sees by themselves; the rarer ones are one, and have a rank."""

ALIKE = 20
"""Equal records that are kept in one fold; no leaf of a tree holds fewer records."""

CONFIDENCE = 0.95


def detection(
    real: Sequence[pl.Series],
    other: Sequence[pl.Series],
    random: np.random.Generator,
    *,
    weights: Floats | None = None,
    folds: int = 5,
) -> MeasuredValue:
    """Measure how well a classifier tells records of another table from real ones.

    weights: (n_real,) float64 at least 0: how much each real record counts, as where the others
        imitate a part of the table only. None: all the same.

    Notes
    -----
    Gradient-boosted trees by scikit-learn, which find categories that do not belong together,
    numbers that lie too close or too wide, and what joins columns. Scores are compared within a
    fold only, as each is given by another classifier, and the areas weighted by the pairs they
    compare. A record and its copy in the other table are one point with both labels. Were they
    dealt out by chance, the classifier would learn the label of the one by heart and give it to the
    other: a table of copies would have an area near 0. So equal records (to the classifier) stay in
    one fold, which gives copies the same score there and an area of 0.5. Of more than 20 equal ones
    each is dealt by itself: a value that many have is no copy, and how many have it is among what
    tells tables apart. The interval is the score interval of Newcombe (2006, method 5) with the
    variance of Hanley and McNeil (1982), which also holds near 0 and 1; real records that are
    weighted count as (Σ w)² / Σ w². Each two folds judge one another, so that what they have in
    common by chance counts twice: records count half for the interval, without which tables of one
    population have areas outside of it in one case of six.
    """
    if not real:
        return MeasuredValue(DETECTION, None, reason=Message("the tables have no column in common"))
    n_real, n_other = len(real[0]), len(other[0])
    weight = np.ones(n_real) if weights is None else np.asarray(weights, np.float64)
    held = np.flatnonzero(weight > 0)
    if min(len(held), n_other) < 2 * folds:
        reason = Message(
            "{table} has {records} records: too few for {folds} folds",
            table=REAL if len(held) < 2 * folds else OTHER,
            records=min(len(held), n_other),
            folds=folds,
        )
        return MeasuredValue(DETECTION, None, reason=reason)
    held = held[draw_records(len(held), RECORDS, random)]
    rows = draw_records(n_other, RECORDS, random)
    records, categorical = _features(real, other, held, rows)
    labels = np.arange(len(records)) >= len(held)
    weight = np.concatenate([weight[held], np.ones(len(rows))])
    fold = _deal_folds(records, folds, random)
    found, pairs = np.zeros(folds), np.zeros(folds)
    for number in range(folds):
        out = fold == number
        mine, theirs = out & ~labels, out & labels
        pairs[number] = weight[mine].sum() * theirs.sum()
        if pairs[number]:
            scores = _scores(records, labels, weight, out, categorical)
            found[number] = _area(scores[labels[out]], scores[~labels[out]], weight[mine])
    if not pairs.any():
        reason = Message("records are equal to so few others that no fold has some of both tables")
        return MeasuredValue(DETECTION, None, reason=reason)
    area = float(np.average(found, weights=pairs))
    alike = weight[~labels].sum() ** 2 / (weight[~labels] ** 2).sum()
    low, high = area_interval(area, alike / 2, len(rows) / 2)
    parts = {"low": low, "high": high, "real": float(len(held)), "other": float(len(rows))}
    return MeasuredValue(DETECTION, area, parts)


def area_interval(area: float, n: float, m: float) -> tuple[float, float]:
    """Return the interval of an area under the ROC curve of n against m records.

    Newcombe (2006), Statistics in Medicine 25, method 5: the areas θ from which the measured
    one is not further than z standard errors, those of θ itself, by bisection.
    """
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    half = (n + m) / 2 - 1

    def near(theta: float) -> bool:
        spread = 1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (theta - area) ** 2 <= z * z * theta * (1 - theta) * spread / (n * m)

    ends = []
    for far in (0.0, 1.0):
        close, away = area, far
        for _round in range(60):
            middle = (close + away) / 2
            close, away = (middle, away) if near(middle) else (close, middle)
        ends.append(close)
    return ends[0], ends[1]


def _features(
    real: Sequence[pl.Series], other: Sequence[pl.Series], held: Ints, rows: Ints
) -> tuple[Floats, Bools]:
    """Return (n, d) float64 features of the chosen records of both, and (d,) which are codes."""
    features: list[Floats] = []
    categorical: list[bool] = []
    for column, two in zip(real, other, strict=True):
        both = column.gather(held), two.gather(rows)
        if all(map(_is_number, both)):
            features.append(_numbers(*both))
            categorical.append(False)
        else:
            # The trees pass over categories of few records; as ranks they see them together.
            ranks = _ranks(*both)
            features += [np.minimum(ranks, CATEGORIES), ranks]
            categorical += [True, False]
    return np.column_stack(features), np.array(categorical)


def _is_number(column: pl.Series) -> bool:
    dtype = column.dtype
    return dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean


def _numbers(one: pl.Series, two: pl.Series) -> Floats:
    """Return (n,) float64 numbers of both columns, NaN for null; times in one unit."""
    if one.dtype != two.dtype and one.dtype.is_temporal() and two.dtype.is_temporal():
        two = two.cast(one.dtype)
    parts = []
    for column in (one, two):
        plain = column.to_physical() if column.dtype.is_temporal() else column
        parts.append(plain.cast(pl.Float64).fill_null(np.nan).to_numpy())
    return np.concatenate(parts)


def _ranks(one: pl.Series, two: pl.Series) -> Floats:
    """Return (n,) float64 ranks of categories, the most frequent one 0, NaN for null."""
    values = pl.concat([column.cast(pl.String).alias("value") for column in (one, two)])
    counts = values.drop_nulls().value_counts(name="records")
    ordered = counts.sort("records", "value", descending=[True, False])["value"]
    if not len(ordered):
        return np.full(len(values), np.nan)
    ranks = pl.int_range(len(ordered), eager=True)
    found = values.replace_strict(ordered, ranks, default=None, return_dtype=pl.Float64)
    return found.fill_null(np.nan).to_numpy()


def _deal_folds(records: Floats, folds: int, random: np.random.Generator) -> Ints:
    """Deal (n, d) records out to folds by chance; equal ones together unless they are many."""
    n = len(records)
    codes = [np.unique(column, return_inverse=True)[1] for column in records.T]
    _, same, sizes = np.unique(
        np.column_stack(codes), axis=0, return_inverse=True, return_counts=True
    )
    same = same.reshape(n)
    unit = np.where(sizes[same] > ALIKE, len(sizes) + np.arange(n), same)
    _, unit, sizes = np.unique(unit, return_inverse=True, return_counts=True)
    order = random.permutation(len(sizes))
    before = np.empty(len(sizes), np.int64)
    before[order] = np.cumsum(sizes[order]) - sizes[order]
    found: Ints = (before * folds // n)[unit]
    return found


def _scores(
    records: Floats, labels: Bools, weight: Floats, out: Bools, categorical: Bools
) -> Floats:
    """Return how likely each record of a fold is of the other table, learned from the rest."""
    # A second to load: only who asks for this measure pays for it.
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    mask = labels[~out]
    seen = ~np.isnan(records[~out]).all(axis=0)
    if mask.all() or not mask.any() or not seen.any():
        return np.zeros(int(out.sum()))  # nothing to learn: all are alike
    records, categorical = records[:, seen], categorical[seen]
    counts = weight[~out].copy()
    for label in (False, True):
        counts[mask == label] *= len(mask) / (2 * counts[mask == label].sum())
    model = HistGradientBoostingClassifier(
        min_samples_leaf=ALIKE,
        categorical_features=categorical,
        early_stopping=False,
        random_state=0,
    )
    # One thread: the order in which several add up would show in the last digits.
    with threadpool_limits(1):
        model.fit(records[~out], mask, sample_weight=counts)
        scores: Floats = model.decision_function(records[out])
    return scores


def _area(others: Floats, real: Floats, weight: Floats) -> float:
    """Return the weighted share of pairs in which the other record scores higher, ties half."""
    order = np.argsort(real, kind="stable")
    up_to = np.concatenate([[0.0], np.cumsum(weight[order])])
    below = up_to[np.searchsorted(real[order], others)]
    upto = up_to[np.searchsorted(real[order], others, side="right")]
    return float((below + upto).sum() / (2 * up_to[-1] * len(others)))


REAL, OTHER = Message("the real table"), Message("the other table")

DETECTION = Meaning(
    name="detection",
    unit="area under the ROC curve of distinguishing the tables' records; 0.5 is chance",
    source="Lopez-Paz and Oquab (2017), ICLR: classifier two-sample tests; here the area under "
    "the curve of boosted trees, cross-validated, equal records in one fold; interval by "
    "Newcombe (2006), Stat. Med. 25, method 5",
    title=_("Distinguishability of records of release and original (AUC)"),
    counted=_("from 0 to 1; 0.5 is chance"),
)
