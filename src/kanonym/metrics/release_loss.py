"""What a release lost: span loss, NCP, GCP, Loss, discernibility, class size, RMSE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.partition import BLANK, Partition, RecodedAttribute
from kanonym.data.results import Result, ResultTable
from kanonym.data.table import Domain, EncodedTable
from kanonym.metrics.certainty import Coverage, coverage_of, numeric_values
from kanonym.metrics.information_loss.loss import ReleasedValues, released_loss
from kanonym.metrics.measured_value import format_figure


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class InformationLoss(Result):
    """Information loss of one release, suppressed records counted as lost in full.

    The released labels are compared with the domain of the released records: the values of
    suppressed ones change nothing of it.
    """

    _shown: ClassVar[tuple[str, ...]] = ("span_loss", "gcp", "average_class_size", "suppressed")

    coverage: dict[str, Coverage]
    gcp: float
    ncp: dict[str, float]
    loss: float | None = None
    loss_arithmetic: float | None = None
    discernibility: int
    average_class_size: float
    suppressed: int
    rmse: dict[str, float]

    @property
    def span_loss(self) -> float:
        """Mean of the span loss over quasi-identifiers: comparable between forms of labels."""
        lost = [one.loss for one in self.coverage.values()]
        return sum(lost) / len(lost) if lost else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {"span_loss": self.span_loss, **asdict(self)}

    def tables(self) -> list[ResultTable]:
        """Return a row for each number of the whole release, and one for each attribute."""
        whole = {
            "span loss": self.span_loss,
            "GCP": self.gcp,
            "loss": self.loss,
            "discernibility": self.discernibility,
            "average class size": self.average_class_size,
            "suppressed records": self.suppressed,
        }
        rows = [(name, format_figure(value)) for name, value in whole.items() if value is not None]
        rows += [
            (f"  span loss, {name}", format_figure(one.loss)) for name, one in self.coverage.items()
        ]
        return [ResultTable(("information loss", "value"), rows, frozenset({1}))]


def measure_utility(
    table: EncodedTable,
    partition: Partition,
    recoded: Sequence[RecodedAttribute],
    released_sizes: NDArray[np.int64],
    rows_in: int | None = None,
) -> InformationLoss:
    """Measure a recoded partition.

    Notes
    -----
    Cost O(n_rows) a numeric attribute, O(n_classes) otherwise.

    """
    codes, weights = table.codes, table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    kept = partition.labels >= 0
    labels, weights = partition.labels[kept], weights[kept]
    sizes = np.bincount(labels, weights, partition.n_classes)
    n_rows = table.n_rows if rows_in is None else rows_in
    suppressed = n_rows - int(sizes.sum())
    ncp = {
        attribute.name: float(sizes @ attribute.loss + suppressed) / max(n_rows, 1)
        for attribute in recoded
    }
    rmse = {
        domain.name: _rmse(
            codes[kept, a], weights, _class_numbers(domain, attribute)[labels], domain
        )
        for a, (domain, attribute) in enumerate(zip(table.domains, recoded, strict=True))
        if domain.kind == "number"
    }
    loss, loss_arithmetic = _loss(table, partition, recoded, sizes.astype(np.int64), n_rows)
    return InformationLoss(
        gcp=float(np.mean(list(ncp.values()))) if ncp else 0.0,
        ncp=ncp,
        discernibility=int(released_sizes @ released_sizes) + n_rows * suppressed,
        average_class_size=float(released_sizes.mean()) if len(released_sizes) else 0.0,
        suppressed=suppressed,
        rmse=rmse,
        coverage=coverages(table.domains, recoded, sizes.astype(np.int64), suppressed),
        loss=loss,
        loss_arithmetic=loss_arithmetic,
    )


def coverages(
    domains: Sequence[Domain],
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
    suppressed: int,
) -> dict[str, Coverage]:
    """Return what the released values of each quasi-identifier cover, as `coverage_of`."""
    return {
        attribute.name: coverage_of(domain, attribute, sizes, suppressed)
        for domain, attribute in zip(domains, recoded, strict=True)
    }


def _loss(
    table: EncodedTable,
    partition: Partition,
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
    n_rows: int,
) -> tuple[float, float] | tuple[None, None]:
    """Return geometric and arithmetic Loss, None unless all attributes are labels.

    A null is what the partition says: a suppressed cell, which loses everything, or the
    released null. sizes: (n_classes,) records of each class.
    """
    released = []
    for a, (domain, attribute) in enumerate(zip(table.domains, recoded, strict=True)):
        if domain.hierarchy is None or attribute.recoding != "hierarchy":
            return None, None
        held = sizes if partition.levels is None else sizes * (partition.levels[:, a] != BLANK)
        values = attribute.columns[0]
        counts = np.bincount(attribute.label_of_class, held, len(values)).astype(np.int64)
        of_some = counts > 0
        values = values.filter(pl.Series(of_some))
        released.append(ReleasedValues(domain.name, domain.hierarchy, values, counts[of_some]))
    return released_loss(released, n_rows) if released else (None, None)


def _class_numbers(domain: Domain, attribute: RecodedAttribute) -> NDArray[np.float64]:
    """Return (n_classes,) the number that stands for each class: its middle or its centre.

    What a null or an exception in it leaves open (`*`, a null for a mode) is the whole domain.
    """
    values = numeric_values(domain)[: domain.apart]
    if not len(values):
        return np.full(len(attribute.low), np.nan)
    anything = (values.min() + values.max()) / 2
    if attribute.recoding in ("mean", "median", "mode", "balanced"):
        centres = attribute.columns[0].cast(pl.Float64, strict=False).fill_null(anything)
        return centres.gather(attribute.label_of_class).to_numpy()
    low, high = attribute.low, attribute.high
    if attribute.recoding == "hierarchy" and domain.hierarchy is not None:
        low, high = domain.hierarchy.subtree(low, high)
    open_ = high >= len(values)
    low, high = np.where(open_, 0, low), np.where(open_, 0, high)
    if (np.diff(values) >= 0).all():
        middles = (values[low] + values[high]) / 2
    else:  # a hierarchy whose leaves do not stand by value
        ends = np.stack([low, high + 1], axis=1).reshape(-1)
        padded = np.append(values, values[-1])
        lowest, highest = np.minimum.reduceat(padded, ends), np.maximum.reduceat(padded, ends)
        middles = (lowest[::2] + highest[::2]) / 2
    return np.where(open_, anything, middles)


def _rmse(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    released: NDArray[np.float64],
    domain: Domain,
) -> float:
    mask = codes < domain.apart
    if not mask.any():
        return 0.0
    errors = numeric_values(domain)[codes[mask]] - released[mask]
    return float(np.sqrt(np.average(errors**2, weights=weights[mask])))
