"""The classes of a division: as many as there are different released values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.recoded_attribute import RecodedAttribute
from kanonym.data.table import value_codes
from kanonym.engines.sql.large.fragments import (
    CLASS,
    ERROR,
    HIGH,
    LOSS,
    LOW,
    RELEASED,
    SIZE,
    WorkerContext,
    plain_series,
)
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.kernels.classes.penalty import SET, span_losses
from kanonym.metrics.information_loss.released_values import ReleasedValues, released_loss
from kanonym.metrics.release_loss import InformationLoss, coverages
from kanonym.recoding.recode import released_names


@dataclass(frozen=True)
class ReleasedClasses:
    """What the classes of a division release.

    sizes: (n_classes,) int64 records.
    numbers, classes: (n,) int64 what the tuples of the engine call their class, and (n,) int32 the
    class: fragments may have classes that release the same.
    """

    recoded: tuple[RecodedAttribute, ...]
    sizes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    classes: NDArray[np.int32]
    utility: InformationLoss

    def released(self) -> pl.DataFrame:
        """Return a row for each class: `r0`, …, the released columns."""
        columns = [
            column.gather(one.label_of_class) for one in self.recoded for column in one.columns
        ]
        return pl.DataFrame(
            [column.alias(f"{RELEASED}{place}") for place, column in enumerate(columns)]
        )


def released_classes(table: pl.DataFrame, job: WorkerContext) -> ReleasedClasses:
    """Join the classes of fragments that release the same, and measure them.

    table: a row for each class of a fragment: `class`, and what
    `WorkerContext.recode_partition` says, texts as categories in their order.
    """
    columns = _columns(job)
    every = [one for column in columns for one in column]
    # The numbers of classes follow from the data, whoever finished the fragments.
    table = table.sort([*every, CLASS], nulls_last=True)
    together = _group_equal(table, every)
    n_classes = len(together.sizes)
    sizes = np.bincount(together.labels, table[SIZE].to_numpy(), n_classes).astype(np.int64)
    recoded = tuple(
        _recode_attribute(table, job, a, names, together) for a, names in enumerate(columns)
    )
    return ReleasedClasses(
        recoded,
        sizes,
        table[CLASS].to_numpy(),
        together.labels,
        _utility(table, job, recoded, sizes),
    )


def _columns(job: WorkerContext) -> list[list[str]]:
    """Return what the released columns of each attribute are called."""
    numbers = iter(range(2 * len(job.domains)))
    return [
        [f"{RELEASED}{next(numbers)}" for _ in released_names(domain.name, recoding)]
        for domain, recoding in zip(job.domains, job.recodings, strict=True)
    ]


def _group_equal(table: pl.DataFrame, names: Sequence[str]) -> Groups:
    """Group the rows of a table by some columns, null included."""
    codes, sizes = zip(*(value_codes(table[name]) for name in names), strict=True)
    return group_rows(codes, sizes)


def _recode_attribute(
    table: pl.DataFrame, job: WorkerContext, a: int, names: Sequence[str], together: Groups
) -> RecodedAttribute:
    """Return one attribute as the joined classes release it."""
    domain, recoding = job.domains[a], job.recodings[a]
    n_classes = len(together.sizes)
    low = np.full(n_classes, np.iinfo(np.int32).max, np.int32)
    high = np.full(n_classes, -1, np.int32)
    np.minimum.at(low, together.labels, table[f"{LOW}{a}"].cast(pl.Int32).to_numpy())
    np.maximum.at(high, together.labels, table[f"{HIGH}{a}"].cast(pl.Int32).to_numpy())
    if job.costs.attributes[a, 0] == SET:  # equal sets lose the same
        loss = table[f"{LOSS}{a}"].to_numpy()[together.first]
    else:
        loss = span_losses(a, low, high, job.costs)
    values = table.select(names)[together.first]
    alike = _group_equal(values, names)
    columns = [
        plain_series(values[name].gather(alike.first)).alias(own)
        for name, own in zip(names, released_names(domain.name, recoding), strict=True)
    ]
    return RecodedAttribute(domain.name, recoding, tuple(columns), alike.labels, low, high, loss)


def _utility(
    table: pl.DataFrame,
    job: WorkerContext,
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
) -> InformationLoss:
    n_rows = int(sizes.sum())
    ncp = {attribute.name: float(sizes @ attribute.loss) / n_rows for attribute in recoded}
    rmse = {}
    for a, domain in enumerate(job.domains):
        if domain.kind == "number":
            held = n_rows - job.missing[a]
            squares = math.fsum(table[f"{ERROR}{a}"].drop_nulls().to_list())
            rmse[domain.name] = math.sqrt(squares / held) if held else 0.0
    loss, loss_arithmetic = _loss(job, recoded, sizes)
    return InformationLoss(
        gcp=float(np.mean(list(ncp.values()))) if ncp else 0.0,
        ncp=ncp,
        discernibility=int(sizes @ sizes),
        average_class_size=float(sizes.mean()),
        suppressed=0,
        rmse=rmse,
        coverage=coverages(job.domains, recoded, sizes, suppressed=0),
        loss=loss,
        loss_arithmetic=loss_arithmetic,
    )


def _loss(
    job: WorkerContext, recoded: Sequence[RecodedAttribute], sizes: NDArray[np.int64]
) -> tuple[float, float] | tuple[None, None]:
    """Return geometric and arithmetic Loss, None unless all attributes are labels."""
    released = []
    for domain, attribute in zip(job.domains, recoded, strict=True):
        if domain.hierarchy is None or attribute.recoding != "hierarchy":
            return None, None
        values = attribute.columns[0]
        counts = np.bincount(attribute.label_of_class, sizes, len(values)).astype(np.int64)
        released.append(ReleasedValues(attribute.name, domain.hierarchy, values, counts))
    return released_loss(released, int(sizes.sum())) if released else (None, None)
