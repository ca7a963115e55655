"""Non-uniform entropy and divergence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.data.table import EncodedTable, MergedTable, distinct_sizes
from kanonym.metrics.information_loss.base import (
    DIGITS,
    SLACK,
    ClassFloors,
    FactorMetric,
    FinestClasses,
    Generalized,
    LevelBounds,
    Metric,
    Terms,
    aggregate,
    attribute_weights,
    parts_of_factor,
)
from kanonym.metrics.information_loss.labels import LabelTables, ordered_sum, x_log2_x


@dataclass(frozen=True, slots=True)
class NonUniformEntropy(FactorMetric):
    """The bits that it takes to get the values back from the labels, over all records.

    With n(v) records of value v in the table, n(u) of label u at the level of attribute
    j (suppressed ones included), and m(u) of them among the S suppressed records,

        E_j = g · sum over records of log2(n(label) / n(value))
              + s · sum over labels u of m(u) · log2(S / m(u)),

    cut off after ten digits. The score is the sum of E_j · w_j.

    Parameters
    ----------
    factor
        In [0, 1]; s and g as in `Loss`.

    Raises
    ------
    PolicyError
        The factor is out of its range.

    Notes
    -----
    Score from 0 (every value as it was) to 2 · d · N · log2(N). Cost O(n_classes · d) for
    the suppressed classes; the first part depends on the levels alone.

    Gionis and Tassa 2009, "k-anonymization with minimal loss of information", §3.1;
    de Waal and Willenborg 1999, "Information loss through global recoding and local
    suppression". Deviations: a sum over records, not a mean; suppression is charged on
    top of generalization, as the way from the level to the root among the suppressed
    records alone, as in ARX.

    Examples
    --------
    >>> NonUniformEntropy().to_dict()
    {'type': 'non-uniform-entropy', 'factor': 0.5}

    """

    type: ClassVar[str] = "non-uniform-entropy"
    title: ClassVar[str] = _("Non-uniform entropy")
    counted: ClassVar[str] = _("bits")
    unit: ClassVar[str] = "bits"
    source: ClassVar[str] = "Gionis and Tassa 2009"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundEntropy:
        """Prepare for a table: see `Metric.bind`."""
        tables = LabelTables.of(table)
        g, s = parts_of_factor(self.factor)
        scale = np.ones(tables.d)
        return BoundEntropy(
            tables, g * _lost_bits(tables), s, scale, attribute_weights(table, weights)
        )


@dataclass(frozen=True, slots=True)
class NormalizedEntropy(Metric):
    """Non-uniform entropy, each attribute divided by what generalizing it to the root costs.

    x_j = E_j / U_j, where E_j is that of `NonUniformEntropy` with factor 0.5 and U_j the
    sum over values of n(v) · log2(N / n(v)); 0 for an attribute of one value. The score
    is the sum of x_j · w_j.

    Notes
    -----
    Score from 0 to 2 · d: suppression is charged on top. Cost as `NonUniformEntropy`.
    Gionis and Tassa 2009, §3.1; the normalisation is that of ARX.

    Examples
    --------
    >>> NormalizedEntropy().to_dict()
    {'type': 'normalized-entropy'}

    """

    type: ClassVar[str] = "normalized-entropy"
    title: ClassVar[str] = _("Normalized entropy")
    counted: ClassVar[str] = _("share of the entropy")
    unit: ClassVar[str] = "share of the attribute's entropy"
    source: ClassVar[str] = "Gionis and Tassa 2009"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundEntropy:
        """Prepare for a table: see `Metric.bind`."""
        tables = LabelTables.of(table)
        bits = _lost_bits(tables)
        whole = truncate_bits(bits[:, -1])
        scale = np.where(whole > 0, whole, 1.0)
        return BoundEntropy(tables, bits, 1.0, scale, attribute_weights(table, weights))


@dataclass(frozen=True, slots=True)
class BoundEntropy(LevelBounds):
    """Non-uniform entropy over one table.

    bits: (d, n_levels) float64, what generalizing all records to a level costs.
    scale: (d,) float64, what each attribute's bits are divided by.
    weights: (d,) float64.
    """

    tables: LabelTables
    bits: NDArray[np.float64]
    suppression: float
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        bits = self.tables.at(self.bits, classes.levels)
        n_lost = self.tables.n_rows - int(classes.sizes @ classes.kept)
        if n_lost:
            every = self.tables.gather(self.tables.counts, classes.levels)
            widths = self.tables.widths[np.arange(self.tables.d), classes.levels]
            lost = x_log2_x(every - self.tables.kept_counts(classes))
            apart = n_lost * math.log2(n_lost) - np.add.reduceat(lost, np.cumsum(widths) - widths)
            bits = bits + self.suppression * np.maximum(apart, 0.0)
        return self._combine(bits)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        What suppression adds is an entropy, at least 0, and what generalization costs
        grows from level to level: n(u) does.
        """
        return self._combine(self.tables.at(self.bits, levels))

    def terms(self) -> Terms:
        """Return the entropy of levels as constants by record, and the charge for suppression."""
        a_record = [
            [
                np.full(width, self.bits[j, level] / max(self.tables.n_rows, 1))
                for level, width in enumerate(self.tables.widths[j, : height + 1].tolist())
            ]
            for j, height in enumerate(self.tables.heights.tolist())
        ]
        low = np.zeros(self.tables.d)
        return Terms(
            kept=a_record,
            lost=a_record,
            low=low,
            high=self.scale,
            weights=self.weights,
            geometric=False,
            rounded=True,
            charged=self.suppression,
        )

    def _combine(self, bits: NDArray[np.float64]) -> float:
        x = truncate_bits(bits) / self.scale
        return aggregate(x.tolist(), self.weights.tolist(), geometric=False)


def truncate_bits(bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return bits cut off after ten digits."""
    return np.asarray(np.floor(bits * DIGITS) / DIGITS)


def _lost_bits(tables: LabelTables) -> NDArray[np.float64]:
    """Return (d, n_levels) float64: the sum over all records of log2(n(label) / n(value)).

    Sums are rounded once, so that levels which group alike cost the same.
    """
    terms = x_log2_x(tables.counts)
    bits = np.zeros(tables.starts.shape)
    for j, height in enumerate(tables.heights.tolist()):
        values = math.fsum(tables.own(terms, j, 0).tolist())
        for level in range(1, height + 1):
            bits[j, level:] = math.fsum(tables.own(terms, j, level).tolist()) - values
    return bits


@dataclass(frozen=True, slots=True)
class KLDivergence(Metric):
    """Divergence of the original tuples from those that the release lets one expect.

    The sum over distinct original tuples of p · log2(p / q), where p is the tuple's
    share of the records and q spreads each class evenly over the combinations of
    leaves below its labels: (class size / N) / (product of leaves below the labels).
    The suppressed records are one class over the whole domain. Attribute weights do
    not matter.

    Notes
    -----
    Score at least 0; cost O(n_classes · d + n_classes log n_classes).

    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007, "l-diversity: privacy
    beyond k-anonymity", ACM TKDD 1(1), §6.2. Deviations: base 2. ARX sums over
    records, so that a tuple of m records counts m times; here each counts once, as in
    the paper.

    Examples
    --------
    >>> KLDivergence().to_dict()
    {'type': 'kl-divergence'}

    """

    type: ClassVar[str] = "kl-divergence"
    title: ClassVar[str] = _("Kullback–Leibler divergence")
    counted: ClassVar[str] = _("bits")
    short: ClassVar[str] = "KL divergence"
    unit: ClassVar[str] = "bits"
    source: ClassVar[str] = "Machanavajjhala et al. 2007"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundDivergence:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        tables = LabelTables.of(table)
        logs = np.log2(np.maximum(tables.leaves, 1))  # a column without values has no leaf
        return BoundDivergence(
            tables=tables,
            logs=logs,
            own=_tuple_term(table),
            totals=tables.totals(logs),
            spreads=tables.totals(np.log2(np.maximum(tables.counts, 1))),
            domain=float(np.log2(np.maximum(tables.sizes, 1)).sum()),
        )


@dataclass(frozen=True, slots=True)
class BoundDivergence(ClassFloors):
    """Divergence over one table, times N: it falls apart into three sums.

    N · score = sum of n · log2(n) over distinct tuples + sum over records of the log2 of
    the leaves below their labels - sum of n · log2(n) over classes.

    logs: (n_entries,) float64, their log2.
    totals, spreads: (d, n_levels) float64: sums over all records of the log2 of the leaves below
    their label, and of the log2 of the records with their label.
    """

    tables: LabelTables
    logs: NDArray[np.float64]
    own: float
    totals: NDArray[np.float64]
    spreads: NDArray[np.float64]
    domain: float

    n_floors: ClassVar[int] = 2

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        kept = self.tables.kept_counts(classes)
        boxes = float(kept @ self.tables.gather(self.logs, classes.levels))
        sizes = classes.sizes[classes.kept]
        n_lost = self.tables.n_rows - int(sizes.sum())
        alike = ordered_sum(x_log2_x(np.append(sizes, n_lost).astype(np.float64)))
        return self._combine(boxes + n_lost * self.domain - alike)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        Classes that are joined, by generalization or suppression, have disjoint boxes
        inside the joined one, and by the log sum inequality the sum of n · log2(box / n)
        does not fall: so no node above is below this one with every class kept. Of the
        classes the marginals know that the sum of n · log2(n) over classes is at most
        that over the labels of any one attribute.
        """
        boxes = float(self.tables.at(self.totals, levels).sum())
        alike = float(self.tables.at(self.spreads, levels).min(initial=np.inf))
        return self._combine(boxes - alike - self._slack)

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return what the records of each class add to the sums, and the least of it.

        Kept, n · log2(box / n), as `floor` says. With S records suppressed, these add
        S · log2(domain / S), whose slope falls with S: one more adds at the least
        log2(domain / (e · N)).
        """
        sizes = classes.sizes
        boxes = self.tables.boxes(classes.levels, map(classes.column, range(self.tables.d)))
        spread = np.log2(np.maximum(boxes, 1) / np.maximum(sizes, 1))
        per_record = np.column_stack([spread, np.minimum(spread, self._least_lost)])
        return np.asarray(sizes[:, None] * per_record)

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`.

        Where no record has to go, what `floor` says holds for all of them.
        """
        del levels
        if not lost:
            return self._combine(float(sums[:, 0].sum()) - self._slack)
        apart = lost * (self.domain - math.log2(lost))
        return self._combine(float(sums[:, 1].sum()) + apart - self._slack)

    @property
    def _least_lost(self) -> float:
        return self.domain - math.log2(math.e * max(self.tables.n_rows, 1))

    @property
    def _slack(self) -> float:
        n_rows = self.tables.n_rows
        return SLACK * n_rows * (1.0 + self.domain + math.log2(n_rows + 1))

    def _combine(self, others: float) -> float:
        return max((self.own + others) / max(self.tables.n_rows, 1), 0.0)


def _tuple_term(table: EncodedTable) -> float:
    """Return the sum of n · log2(n) over distinct tuples of a table."""
    if not isinstance(table, MergedTable):
        return ordered_sum(x_log2_x(distinct_sizes(table).astype(np.float64)))
    if table.repeated is None:
        raise AssertionError("the table was merged without its distinct tuples")
    sizes, groups = table.repeated.T.astype(np.float64)
    return math.fsum((x_log2_x(sizes) * groups).tolist())
