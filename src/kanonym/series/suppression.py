"""Classes of a batch that fail, alone or in the union with all before it, are suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.prefix_suppression import suppress_prefix
from kanonym.data.errors import InfeasibleError
from kanonym.data.schema import Schema
from kanonym.models import PrivacyModel
from kanonym.models.base import whole_table_models
from kanonym.series.batches import Series
from kanonym.series.decision import BatchDecision
from kanonym.series.tally import Tally


def suppress_failing(
    series: Series, schema: Schema, decided: BatchDecision, before: Tally | None
) -> BatchDecision:
    """Suppress the classes of a batch that fail, alone or in the union with all before.

    Raises
    ------
    InfeasibleError
        Their records are more than the policy allows to suppress.

    """
    models, n_rows = series.policy.models, decided.table.n_rows
    first: list[int] = []
    n_failing = 0
    while True:
        failing = _failing_classes(series, schema, models, decided, before)
        if not failing.any():
            break
        first += _first_rows(decided, failing)[: 3 - len(first)]
        n_failing += int(failing.sum())
        decided = decided.suppress_classes(failing)
    decided = _suppress_smallest(series, decided, before)
    gone = int(decided.table.weights[decided.partition.labels < 0].sum())
    allowed = int(series.policy.suppression_limit * n_rows + 1e-9)
    if gone > allowed:
        alone = "alone or in the union" if series.each_batch else "in the union"
        raise InfeasibleError(
            f"{n_failing} classes of the batch fail the policy {alone} (of the records in row "
            f"{', '.join(map(str, first))}{', …' if n_failing > len(first) else ''}): "
            f"{gone} of {n_rows} records would be suppressed, and suppression_limit "
            f"{series.policy.suppression_limit:g} allows {allowed}. Wait for more records, "
            "allow more, or fit a coarser recoding"
        )
    return decided


def _failing_classes(
    series: Series,
    schema: Schema,
    models: Sequence[PrivacyModel],
    decided: BatchDecision,
    before: Tally | None,
) -> NDArray[np.bool_]:
    """Return (n_classes,) bool: which classes of a batch fail a model."""
    table, labels = decided.table, decided.partition.labels
    failing = np.zeros(decided.partition.n_classes, np.bool_)
    kept = labels >= 0
    if not kept.any():
        return failing
    of_class = labels[kept]
    hidden = [
        values.gather(pl.Series(np.where(codes < 0, len(values) - 1, codes)))
        for values, codes in (
            (domain.values.extend_constant(None, 1), table.sensitive_codes[:, j])
            for j, domain in enumerate(table.sensitive)
        )
    ]
    left = tuple(values.filter(pl.Series(~kept)) for values in hidden)
    mine = Tally(
        tuple(
            column.gather(pl.Series(one.label_of_class[of_class].astype(np.uint32)))
            for one in decided.recoded
            for column in one.columns
        ),
        tuple(values.filter(pl.Series(kept)) for values in hidden),
        table.weights[kept],
        left,
        (table.weights[~kept],) * len(left),
    )
    wrong = np.zeros(len(of_class), np.bool_)
    if series.each_batch or before is None:
        wrong |= mine.failing_rows(schema, models)
    if before is not None:
        # Persons are counted in each batch: a class of all has at least those of one.
        asked = [one for one in models if one.entity is None]
        both = before.plus(mine.without(series.policy.entities))
        wrong |= both.failing_rows(schema, asked)[len(before.counts) :]
    failing[of_class[wrong]] = True
    return failing


def _suppress_smallest(
    series: Series, decided: BatchDecision, before: Tally | None
) -> BatchDecision:
    """Suppress the smallest classes, until models of the whole batch hold of the others.

    As it is where none is asked for, or the limit does not go so far: verification then says so.
    """
    models = whole_table_models(series.policy.models)
    if not models or not (series.each_batch or before is None or not before.n_records):
        return decided
    table, labels = decided.table, decided.partition.labels
    n = decided.partition.n_classes
    sizes = np.bincount(labels[labels >= 0], table.weights[labels >= 0], n).astype(np.int64)
    allowed = int(series.policy.suppression_limit * table.n_rows + 1e-9)
    losses = sizes * np.sum([one.loss for one in decided.recoded], axis=0)
    budget = allowed - (table.n_rows - int(sizes.sum()))
    kept = suppress_prefix(models, sizes, np.ones(n, np.bool_), losses, max(budget, 0))
    return decided if kept is None or kept.all() else decided.suppress_classes(~kept)


def _first_rows(decided: BatchDecision, failing: NDArray[np.bool_]) -> list[int]:
    """Return the first row, from 1, of up to three of the classes, smallest first."""
    labels, table = decided.partition.labels, decided.table
    kept = labels >= 0
    sizes = np.bincount(labels[kept], table.weights[kept], len(failing))
    classes = np.flatnonzero(failing)
    of_row = labels[table.tuple_of_row]
    smallest = classes[np.argsort(sizes[classes], kind="stable")][:3]
    return [int((of_row == number).argmax()) + 1 for number in smallest]
