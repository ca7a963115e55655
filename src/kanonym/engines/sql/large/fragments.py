"""Fragments of a partition on the engine, and their classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from kanonym.algorithms.base import Algorithm, Problem
from kanonym.algorithms.mondrian import refine_nodes
from kanonym.algorithms.outliers import TriedCuts
from kanonym.data.partition import Partition, RecodedAttribute
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, EncodedTable, value_codes
from kanonym.engines.sql.large.coding import CODE
from kanonym.engines.sql.large.tree_builder import NODE
from kanonym.engines.sql.release_query import FIRST, LAST
from kanonym.engines.sql.statements import COUNT
from kanonym.engines.task import Prepared, Task
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.kernels.classes.histograms import SET, Costs, span_losses
from kanonym.metrics.information_loss.loss import ReleasedValues, released_loss
from kanonym.metrics.release_loss import InformationLoss, coverages, measure_utility
from kanonym.models.base import PrivacyModel
from kanonym.recoding.recode import recode, released_names

BATCH, CLASS, SIZE = "batch", "class", "size"
RELEASED, LOW, HIGH, LOSS, ERROR = "r", "low", "high", "loss", "error"
"""Columns of a class: by place of the released column, or of the attribute."""

_FIRST_OF_BATCH = 1 << 32  # classes of a batch are numbered from its multiple of this


@dataclass(frozen=True)
class WorkerContext:
    """What every worker knows: it is small beside the fragments, and can be pickled."""

    domains: tuple[Domain, ...]
    sensitive: tuple[Domain, ...]
    recodings: Sequence[Recoding]
    dtypes: Sequence[pl.DataType]
    costs: Costs
    weighted: Costs
    keep_integers: bool
    algorithm: Algorithm
    models: Sequence[PrivacyModel]
    criteria: Criteria
    tried: TriedCuts
    missing: Sequence[int]
    key: int | None

    @classmethod
    def of(
        cls, task: Task, ready: Prepared, criteria: Criteria, tried: TriedCuts, key: int | None
    ) -> WorkerContext:
        """Gather what workers need of a task."""
        table = ready.table
        return cls(
            domains=table.domains,
            sensitive=table.sensitive,
            recodings=ready.recodings,
            dtypes=ready.dtypes,
            costs=ready.costs,
            weighted=task.weigh(table, ready.costs),
            keep_integers=task.keep_integers,
            algorithm=task.algorithm,
            models=tuple(task.models),
            criteria=criteria,
            tried=tried,
            missing=[
                int(table.weights[table.codes[:, a] == domain.null_code].sum())
                for a, domain in enumerate(table.domains)
            ],
            key=key,
        )

    @property
    def separates_equal(self) -> bool:
        """Whether equal records may be in different classes."""
        return self.algorithm.cuts is None

    @property
    def codes(self) -> list[str]:
        """The names of the columns of codes."""
        return [f"{CODE}{a}" for a in range(len(self.domains) + len(self.sensitive))]

    @property
    def tuple_columns(self) -> list[str]:
        """The names of the columns that say what becomes of a tuple."""
        return [*self.codes, CLASS, COUNT, *([FIRST, LAST] if self.separates_equal else [])]

    def table(self, codes: Int32s, weights: Ints) -> EncodedTable:
        """Return (n, n_columns) tuples as an encoded table."""
        d = len(self.domains)
        return EncodedTable(
            domains=self.domains,
            sensitive=self.sensitive,
            codes=np.ascontiguousarray(codes[:, :d]),
            sensitive_codes=np.ascontiguousarray(codes[:, d:]),
            weights=weights,
            tuple_of_row=np.arange(len(weights), dtype=np.int32),
        )

    def recode_partition(
        self, table: EncodedTable, partition: Partition
    ) -> tuple[tuple[RecodedAttribute, ...], pl.DataFrame]:
        """Return the classes of a partition: recoded, and as a table.

        Its columns are `size` records, `r0`, … the released values, and by attribute the outer
        codes, and of a set the loss; and in its first row the squared errors of all records,
        added up.
        """
        recoded = recode(
            table,
            partition,
            self.recodings,
            self.costs,
            self.dtypes,
            keep_integers=self.keep_integers,
        )
        labels, weights = partition.labels, table.weights
        if partition.by_row:
            weights = np.ones(len(labels), np.int64)
        sizes = np.bincount(labels, weights, partition.n_classes).astype(np.int64)
        columns = [pl.Series(SIZE, sizes)]
        released = [
            plain_series(column).gather(one.label_of_class)
            for one in recoded
            for column in one.columns
        ]
        columns += [column.alias(f"{RELEASED}{a}") for a, column in enumerate(released)]
        for a, attribute in enumerate(recoded):
            columns.append(pl.Series(f"{LOW}{a}", attribute.low))
            columns.append(pl.Series(f"{HIGH}{a}", attribute.high))
            if self.costs.attributes[a, 0] == SET:  # of others it follows from the codes
                columns.append(pl.Series(f"{LOSS}{a}", attribute.loss, dtype=pl.Float64))
        errors = measure_utility(table, partition, recoded, sizes).rmse
        for a, domain in enumerate(self.domains):
            if domain.kind == "number":
                mask = table.codes[:, a] < len(domain.values)
                squares = errors[domain.name] ** 2 * float(table.weights[mask].sum())
                first = pl.Series(f"{ERROR}{a}", [squares], dtype=pl.Float64)
                columns.append(first.extend_constant(None, partition.n_classes - 1))
        return recoded, pl.DataFrame(columns)


def refine_fragment(rows: pl.DataFrame, job: WorkerContext) -> pl.DataFrame:
    """Divide the fragments of one batch into classes, and give these their released values."""
    rows = rows.sort(NODE, *job.codes)
    table = job.table(
        rows.select(pl.col(job.codes).cast(pl.Int32)).to_numpy(),
        rows[COUNT].cast(pl.Int64).to_numpy(),
    )
    starts = np.flatnonzero(np.diff(rows[NODE].to_numpy(), prepend=-1))
    bounds = [*starts.tolist(), len(rows)]
    if job.separates_equal:
        table, partition = _divide_fragments(table, bounds, job)
    else:
        found = refine_nodes(table, bounds, job.weighted, job.criteria, job.tried)
        partition = Partition(*found)
    _, classes = job.recode_partition(table, partition)
    tuples, labels, sizes = np.arange(len(table.weights)), partition.labels, table.weights
    if partition.by_row:
        pairs = table.tuple_of_row.astype(np.int64) * partition.n_classes + labels
        pairs, sizes = np.unique(pairs, return_counts=True)
        tuples, labels = pairs // partition.n_classes, pairs % partition.n_classes
    codes = np.hstack([table.codes, table.sensitive_codes])[tuples]
    number = int(rows[BATCH][0]) * _FIRST_OF_BATCH + labels.astype(np.int64)
    columns = [pl.Series(name, codes[:, a]) for a, name in enumerate(job.codes)]
    columns += [pl.Series(CLASS, number), pl.Series(COUNT, sizes, dtype=pl.Int64)]
    if partition.by_row:
        ends = np.cumsum(sizes)
        starts = ends - sizes
        within = starts - starts[np.searchsorted(tuples, tuples)]
        columns += [pl.Series(FIRST, within + 1), pl.Series(LAST, within + sizes)]
    heads = np.full(len(labels), partition.n_classes)
    first = np.unique(labels, return_index=True)[1]
    heads[first] = np.arange(partition.n_classes)
    place = pl.Series(heads, dtype=pl.UInt32).replace(partition.n_classes, None)
    return pl.DataFrame(columns).hstack([column.gather(place) for column in classes])


def _divide_fragments(
    table: EncodedTable, bounds: Sequence[int], job: WorkerContext
) -> tuple[EncodedTable, Partition]:
    """Divide each fragment by itself; the table has a place for each record then."""
    places = np.arange(len(table.weights), dtype=np.int32)
    labels: list[Int32s] = []
    n_classes = 0
    for start, stop in pairwise(bounds):
        own = slice(start, stop)
        part = _expand_records(table, places[own])
        partition = job.algorithm.partition(Problem(part, job.weighted, job.models, key=job.key))
        of_record = partition.labels if partition.by_row else partition.labels[part.tuple_of_row]
        labels.append(of_record + np.int32(n_classes))
        n_classes += partition.n_classes
    return _expand_records(table, places), Partition(np.concatenate(labels), n_classes, by_row=True)


def _expand_records(table: EncodedTable, tuples: Int32s) -> EncodedTable:
    """Return some tuples of a table, with a place for each of their records."""
    weights = table.weights[tuples]
    return EncodedTable(
        domains=table.domains,
        sensitive=table.sensitive,
        codes=table.codes[tuples],
        sensitive_codes=table.sensitive_codes[tuples],
        weights=weights,
        tuple_of_row=np.repeat(np.arange(len(tuples), dtype=np.int32), weights),
    )


def plain_series(column: pl.Series) -> pl.Series:
    """Return released values in a type that every engine has."""
    return column.cast(pl.String) if column.dtype in (pl.Enum, pl.Categorical) else column


@dataclass(frozen=True)
class ReleasedClasses:
    """What the classes of a division release.

    sizes: (n_classes,) int64 records.
    numbers, classes: (n,) int64 what the tuples of the engine call their class, and (n,) int32 the
    class: fragments may have classes that release the same.
    """

    recoded: tuple[RecodedAttribute, ...]
    sizes: Ints
    numbers: Ints
    classes: Int32s
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
    table: pl.DataFrame, job: WorkerContext, recoded: Sequence[RecodedAttribute], sizes: Ints
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
    job: WorkerContext, recoded: Sequence[RecodedAttribute], sizes: Ints
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
