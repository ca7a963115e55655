"""What any release leaves open, in the metrics of the full-domain search, from its values.

Of a full-domain release each measure is the score of its node (factor 0.5, no weights).
Under local recoding, where a value may be released at several levels or in overlapping
intervals, each label is charged for itself:

- Loss, precision and height take each record's own label; a suppressed cell is the root.
- Ambiguity multiplies what each record's own labels leave open.
- Non-uniform entropy is the number of bits from each record's label to its value, where a
  suppressed record has the label of all records; the charge on top that full-domain
  suppression has (see `NonUniformEntropy`) is left out, for there is no level to charge from.
- The divergence spreads each class over its own labels alone: an upper bound where the
  classes of others overlap with them.

Without a hierarchy the values of the domain are the distinct values of the original.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import Generalization, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.kernels.arrays import Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics import information_loss
from kanonym.metrics.information_loss.base import aggregate
from kanonym.metrics.information_loss.entropy import truncate_bits as cut_off_bits
from kanonym.metrics.information_loss.labels import ordered_sum, x_log2_x
from kanonym.metrics.information_loss.loss import bounds, scale_sums
from kanonym.metrics.measured_value import Meaning, MeasuredValue

Found = tuple[float, dict[str, float]]

GCP = Meaning(
    name="gcp",
    axis=_("GCP"),
    unit="share of the range",
    source=(
        "Ghinita et al. 2007, §2, the mean over attributes of the normalized certainty penalty "
        "(parts) of Xu et al. 2006, §3.1; n of N values lose (n - 1) / (N - 1)"
    ),
    title=_("Certainty penalty (GCP)"),
    counted=_("share of the range"),
    short="GCP",
)


SPAN_LOSS = Meaning(
    name="span-loss",
    axis=_("span loss"),
    unit="share of the range",
    source=(
        "Xu et al. 2006, §3.1, where a list costs what the smallest range around it costs; without "
        "an order n of N values lose (n - 1) / (N - 1); mean over records, then attributes (parts)"
    ),
    title=_("Range covered by released values (span loss)"),
    counted=_("share of the range"),
)


MORE_RECORDS = Message(
    "the release has more records than the original: so it is not a generalization of the original"
)


class _UnknownError(Exception):
    """Why a pair of tables gives no number."""


def measures(pair: TablePair) -> dict[str, MeasuredValue]:
    """Return every measure of this module by name; see `MEASURES`."""
    drawn = np.random.default_rng(0)  # none of them draws
    return {measure.meaning.name: measure.take(pair, drawn) for measure in MEASURES}


def _measure(meaning: Meaning, found: Callable[[TablePair], Found]) -> Measure:
    def take(pair: TablePair, rng: np.random.Generator) -> MeasuredValue:
        del rng
        if not pair.generalizations:
            return MeasuredValue(meaning, None, reason=Message("there is not a quasi-identifier"))
        if not pair.n_original:
            return MeasuredValue(meaning, None, reason=Message("the original has no records"))
        if pair.n_released > pair.n_original:
            return MeasuredValue(meaning, None, reason=MORE_RECORDS)
        try:
            value, parts = found(pair)
        except _UnknownError as why:
            return MeasuredValue(meaning, None, reason=why.args[0])
        return MeasuredValue(meaning, value, parts)

    return Measure(meaning, take)


def _metric_meaning(metric: type[information_loss.Metric]) -> Meaning:
    return Meaning(
        name=metric.type,
        low=metric.low,
        high=metric.high,
        better=metric.better,
        unit=metric.unit,
        source=metric.source,
        title=metric.title,
        counted=metric.counted,
        short=metric.short,
    )


@dataclass(frozen=True, slots=True)
class _OpenValues:
    """What each quasi-identifier leaves open, the suppressed records apart."""

    counts: list[Ints]
    lost: int

    @classmethod
    def of(cls, pair: TablePair) -> _OpenValues:
        """Count the records of each label, and refuse values of which nothing is known."""
        counts = []
        for generalization in pair.generalizations:
            if generalization.unknown is not None:
                raise _UnknownError(generalization.unknown)
            counts.append(np.bincount(generalization.labels, minlength=len(generalization.values)))
            if (counts[-1] * (generalization.values == 0)).any():
                raise _UnknownError(
                    Message(
                        "{name} is released with values that no record of the original has: what "
                        "they stand for is known only where the rows of both tables are aligned",
                        name=generalization.name,
                    )
                )
        return cls(counts, _count_lost(pair))


def _count_lost(pair: TablePair) -> int:
    return max(_count_records(pair) - pair.n_released, 0)


def _count_records(pair: TablePair) -> int:
    return pair.n_original + pair.suppressed


def _class_sizes(pair: TablePair) -> Ints:
    if pair.classes is None:
        raise _UnknownError(Message("the classes of the release are not known"))
    return np.bincount(pair.classes).astype(np.int64)


def _gcp(pair: TablePair) -> Found:
    open_ = _OpenValues.of(pair)
    parts = {
        generalization.name: float(counts @ generalization.penalties + open_.lost)
        / _count_records(pair)
        for generalization, counts in zip(pair.generalizations, open_.counts, strict=True)
    }
    return float(np.mean(list(parts.values()))), parts


def _span_loss(pair: TablePair) -> Found:
    open_ = _OpenValues.of(pair)
    parts = {
        generalization.name: float(counts @ generalization.spans + open_.lost)
        / _count_records(pair)
        for generalization, counts in zip(pair.generalizations, open_.counts, strict=True)
    }
    return float(np.mean(list(parts.values()))), parts


def _losses(pair: TablePair) -> dict[str, float]:
    open_ = _OpenValues.of(pair)
    sizes = np.array([generalization.size for generalization in pair.generalizations], np.float64)
    sums = np.array(
        [
            float(counts @ one.values) + open_.lost * one.size
            for one, counts in zip(pair.generalizations, open_.counts, strict=True)
        ]
    )
    x = scale_sums(sums, *bounds(_count_records(pair), sizes)).tolist()
    return dict(
        zip((generalization.name for generalization in pair.generalizations), x, strict=True)
    )


def _loss(pair: TablePair) -> Found:
    x = _losses(pair)
    return aggregate(x.values(), [1.0] * len(x), geometric=True), x


def _loss_arithmetic(pair: TablePair) -> Found:
    x = _losses(pair)
    return aggregate(x.values(), [1.0 / len(x)] * len(x), geometric=False), x


def _average_class_size(pair: TablePair) -> Found:
    sizes, lost = _class_sizes(pair), _count_lost(pair)
    released = float(sizes.mean()) if len(sizes) else 0.0
    parts = {"classes": float(len(sizes)), "suppressed": float(lost), "released": released}
    return _count_records(pair) / (len(sizes) + (lost > 0)), parts


def _discernibility(pair: TablePair) -> Found:
    sizes, lost = _class_sizes(pair), _count_lost(pair)
    squares, suppressed = int(sizes @ sizes), _count_records(pair) * lost
    parts = {"classes": float(squares), "suppressed": float(suppressed)}
    return float(squares + suppressed), parts


def _ambiguity(pair: TablePair) -> Found:
    open_ = _OpenValues.of(pair)
    generalizations = pair.generalizations
    groups = group_rows(
        [one.labels for one in generalizations], [len(one.values) for one in generalizations]
    )
    boxes = np.ones(len(groups.sizes))
    for generalization, labels in zip(generalizations, groups.codes.T, strict=True):
        boxes *= generalization.values[labels]
    domain = math.prod(float(one.size) for one in generalizations)
    return ordered_sum(groups.sizes * boxes) + open_.lost * domain, {}


def _level_sums(pair: TablePair) -> list[tuple[Generalization, int, int]]:
    """Return of each quasi-identifier the height of its root and its records' levels, added up."""
    found = []
    for generalization in pair.generalizations:
        if generalization.levels is None or generalization.height is None:
            raise _UnknownError(
                Message(
                    "{name} is not released as labels of a hierarchy: it has no levels",
                    name=generalization.name,
                )
            )
        found.append(
            (
                generalization,
                generalization.height,
                int(generalization.levels[generalization.labels].sum(dtype=np.int64)),
            )
        )
    return found


def _precision(pair: TablePair) -> Found:
    lost, n_rows = _count_lost(pair), _count_records(pair)
    x = {
        generalization.name: (climbed + lost * height) / (n_rows * height)
        for generalization, height, climbed in _level_sums(pair)
    }
    return aggregate(x.values(), [1.0 / len(x)] * len(x), geometric=False), x


def _height(pair: TablePair) -> Found:
    if not pair.n_released:
        raise _UnknownError(Message("no record is released, so that none has a level"))
    x = {
        generalization.name: climbed / pair.n_released
        for generalization, _, climbed in _level_sums(pair)
    }
    return float(sum(x.values())), x


def _bits(pair: TablePair) -> list[tuple[str, float, float]]:
    """Return of each quasi-identifier the bits that are lost, and those that there are to lose."""
    pair = replace(pair, suppressed=0)
    open_ = _OpenValues.of(pair)
    found = []
    for generalization, counts in zip(pair.generalizations, open_.counts, strict=True):
        values = _entropy_sum(np.bincount(generalization.original))
        every = _entropy_sum(np.array([pair.n_original]))
        if (
            generalization.expected is not None
            and generalization.missing is not None
            and (generalization.missing >= 0).all()
        ):
            bits = _entropy_sum(generalization.expected) - values
            apart = _entropy_sum(np.array([open_.lost])) - _entropy_sum(generalization.missing)
            bits += max(apart, 0.0)
        else:
            own = counts * np.log2(np.maximum(generalization.records, 1))
            bits = math.fsum(own.tolist()) + open_.lost * math.log2(pair.n_original) - values
        found.append(
            (
                generalization.name,
                *cut_off_bits(np.array([max(bits, 0.0), every - values])).tolist(),
            )
        )
    return found


def _entropy_sum(counts: Ints) -> float:
    """Return the sum of n · log2(n), rounded once."""
    return math.fsum(x_log2_x(counts.astype(np.float64)).tolist())


def _non_uniform_entropy(pair: TablePair) -> Found:
    x = {name: lost for name, lost, _ in _bits(pair)}
    return aggregate(x.values(), [1.0] * len(x), geometric=False), x


def _normalized_entropy(pair: TablePair) -> Found:
    x = {name: lost / (whole if whole > 0 else 1.0) for name, lost, whole in _bits(pair)}
    return aggregate(x.values(), [1.0] * len(x), geometric=False), x


def _divergence(pair: TablePair) -> Found:
    pair = replace(pair, suppressed=0)  # as of `_bits`
    open_, every = _OpenValues.of(pair), pair.generalizations
    tuples = group_rows([one.original for one in every], [one.size for one in every]).sizes
    own = ordered_sum(x_log2_x(tuples.astype(np.float64)))
    boxes = math.fsum(
        float(counts @ np.log2(np.maximum(generalization.values, 1)))
        for generalization, counts in zip(every, open_.counts, strict=True)
    )
    domain = math.fsum(math.log2(generalization.size) for generalization in every)
    sizes = np.append(_class_sizes(pair), open_.lost)
    alike = ordered_sum(x_log2_x(sizes.astype(np.float64)))
    return max((own + boxes + open_.lost * domain - alike) / pair.n_original, 0.0), {}


_FOUND: Mapping[type[information_loss.Metric], Callable[[TablePair], Found]] = {
    information_loss.Loss: _loss,
    information_loss.LossArithmetic: _loss_arithmetic,
    information_loss.AverageClassSize: _average_class_size,
    information_loss.Discernibility: _discernibility,
    information_loss.NonUniformEntropy: _non_uniform_entropy,
    information_loss.NormalizedEntropy: _normalized_entropy,
    information_loss.Precision: _precision,
    information_loss.Height: _height,
    information_loss.KLDivergence: _divergence,
    information_loss.Ambiguity: _ambiguity,
}

MEASURES: tuple[Measure, ...] = (
    _measure(SPAN_LOSS, _span_loss),
    _measure(GCP, _gcp),
    *(_measure(_metric_meaning(metric), found) for metric, found in _FOUND.items()),
)
"""Every measure of what a release leaves open; each costs a pass or two over the labels."""
