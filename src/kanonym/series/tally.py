"""What a series has released, counted, and which classes of a batch fail beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kanonym.algorithms.full_domain.nodes import suppress_prefix
from kanonym.data.errors import InfeasibleError
from kanonym.data.partition import SUPPRESSED
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Schema
from kanonym.engines.decision import EncodedDecision
from kanonym.engines.local import LocalEngine
from kanonym.kernels.arrays import Bools, Ints
from kanonym.models import PrivacyModel
from kanonym.models.base import whole_table_models
from kanonym.policy import Policy
from kanonym.series.document import table_form, table_of
from kanonym.series.known_attribute import categories_as_text, stack_columns, values_of
from kanonym.series.persons import KnownPersons
from kanonym.series.recodings import Recoding, select_classes
from kanonym.verification.released_classes import (
    AggregatedTable,
    SensitiveColumn,
    classes_of_release,
    group_released,
)
from kanonym.verification.verdict import Finding

COUNT = "*"  # no column has this name


@dataclass(frozen=True, repr=False)
class Series(ShortRepr):
    """What is fixed for all batches."""

    policy: Policy
    recoding: Recoding
    unseen: str  # `root` or `error`, for unknown values and for records in no class
    each_batch: bool  # a batch must satisfy the policy by itself, too
    sensitive: dict[str, pl.DataType]  # the attributes that models look at


@dataclass(frozen=True, repr=False)
class Tally(ShortRepr):
    """Released records counted by class and sensitive values."""

    rows: pl.DataFrame  # quasi-identifiers as released, what models look at, and the count
    n_known: int

    @property
    def known(self) -> list[pl.Series]:
        """The released columns of quasi-identifiers."""
        return self.rows.get_columns()[: self.n_known]

    @property
    def counts(self) -> Ints:
        """The records of each row."""
        return self.rows[COUNT].to_numpy()

    @property
    def table(self) -> AggregatedTable:
        """The released records; frames do not take the name of the count."""
        return AggregatedTable(LocalEngine(self.rows.rename({COUNT: "\0"})), "\0")

    def plus(self, other: Tally) -> Tally:
        """Return both together: rows of this one first, equal rows not joined."""
        rows = pl.DataFrame(list(map(stack_columns, self.rows, other.rows)))
        return Tally(rows, self.n_known)

    def merge_equal_rows(self) -> Tally:
        """Return the tally with equal rows made one."""
        plain = pl.DataFrame([categories_as_text(row) for row in self.rows])
        grouped = plain.group_by(self.rows.columns[:-1], maintain_order=True)
        return Tally(grouped.agg(pl.col(COUNT).sum()), self.n_known)

    def failing_rows(
        self, schema: Schema, models: Sequence[PrivacyModel], persons: Sequence[pl.Series] = ()
    ) -> Bools:
        """Return which rows are of a class that fails a model; persons: (n,) of each record."""
        groups = group_released(self.known, len(self.rows))
        hidden = self.rows.get_columns()[self.n_known : -1]
        columns = [SensitiveColumn.of(one, schema.attributes[one.name]) for one in hidden]
        columns += map(SensitiveColumn, persons)
        classes = classes_of_release(groups, columns, self.counts)
        fails = np.zeros(len(classes.sizes), np.bool_)
        for model in models:
            if model.guarantee != "whole table":
                fails |= ~model.satisfied(classes)
        return fails[groups.labels]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: a row a class and sensitive values, the count last."""
        return {"quasi_identifiers": self.n_known, **table_form(self.rows.get_columns())}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Tally:
        """Return what `to_dict` wrote."""
        return cls(pl.DataFrame(table_of(form)), int(form["quasi_identifiers"]))


def counted(columns: Sequence[pl.Series], counts: Ints | None = None) -> pl.DataFrame:
    """Return columns with the records that each row stands for; one each by default."""
    numbers = np.ones(len(columns[0]), np.int64) if counts is None else counts
    return pl.DataFrame([*columns, pl.Series(COUNT, numbers)])


@dataclass(frozen=True, repr=False)
class Released(ShortRepr):
    """What a series has released so far."""

    batches: int = 0
    rows_in: int = 0
    tally: Tally | None = None
    findings: tuple[Finding, ...] = ()  # of all batches
    fewest_persons: float | None = None  # of a class in any batch, where the policy counts them
    persons: KnownPersons | None = None  # where they are looked for

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "batches": self.batches,
            "rows_in": self.rows_in,
            "findings": [finding.to_dict() for finding in self.findings],
            "fewest_persons": self.fewest_persons,
            "tally": self.tally and self.tally.to_dict(),
            "persons": self.persons and asdict(self.persons),
        }

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Released:
        """Return what `to_dict` wrote."""
        parts = {
            "tally": form["tally"] and Tally.from_dict(form["tally"]),
            "findings": tuple(map(Finding.from_dict, form["findings"])),
            "persons": form["persons"] and KnownPersons(**form["persons"]),
        }
        return cls(**{**form, **parts})


def suppress_failing(
    series: Series, schema: Schema, decision: EncodedDecision, before: Tally | None
) -> EncodedDecision:
    """Suppress the classes of a batch that fail; `InfeasibleError` beyond the policy's limit."""
    n_rows, withheld = decision.rows_in, decision.rows_in - decision.rows_out
    first, n_failing = list[int](), 0
    while (failing := _failing_classes(series, schema, decision, before)).any():
        first += _first_rows(decision, failing)[: 3 - len(first)]
        n_failing += int(failing.sum())
        decision = suppress_classes(decision, failing)
    decision = _suppress_smallest(series, decision, before)
    gone, allowed = n_rows - decision.rows_out, _allowed(series, n_rows)
    if gone <= allowed:
        return decision
    rows = f"{', '.join(map(str, first))}{', …' if n_failing > len(first) else ''}"
    alone = "alone or in the union" if series.each_batch else "in the union"
    failing_text = (
        f"{n_failing} classes of the batch fail the policy {alone} (of the records in row {rows})"
    )
    withheld_text = (
        f"{withheld} records are of persons of whom all batches together would leave too few "
        "sensitive values open"
    )
    reasons = [text for text, n in ((failing_text, n_failing), (withheld_text, withheld)) if n]
    raise InfeasibleError(
        f"{', and '.join(reasons)}: {gone} of {n_rows} records would be suppressed, and "
        f"suppression_limit {series.policy.suppression_limit:g} allows {allowed}. Wait for more "
        "records, allow more, or fit a coarser recoding"
    )


def suppress_tuples(decision: EncodedDecision, tuples: Bools) -> EncodedDecision:
    """Suppress some tuples of a batch, (n_tuples,) bool, and the classes that are empty then."""
    partition = decision.partition
    labels = np.where(tuples, np.int32(SUPPRESSED), partition.labels)
    left = EncodedDecision.of(decision.table, replace(partition, labels=labels), decision.recoded)
    return suppress_classes(left, left.class_sizes == 0)


def suppress_classes(decision: EncodedDecision, classes: Bools) -> EncodedDecision:
    """Suppress the records of some classes: (n_classes,) bool."""
    left = select_classes(decision.recoded, np.flatnonzero(~classes))
    return EncodedDecision.of(decision.table, decision.partition.without(classes), left)


def _allowed(series: Series, n_rows: int) -> int:
    return int(series.policy.suppression_limit * n_rows + 1e-9)


def _failing_classes(
    series: Series, schema: Schema, decision: EncodedDecision, before: Tally | None
) -> Bools:
    """Return (n_classes,) bool: which classes of a batch fail a model."""
    table, labels = decision.table, decision.partition.labels
    models, entities = series.policy.models, series.policy.entities
    failing = np.zeros(decision.n_classes, np.bool_)
    kept = labels >= 0
    if not kept.any():
        return failing
    n_attributes = len(series.sensitive)
    hidden = list(map(values_of, table.sensitive[:n_attributes], table.sensitive_codes.T))
    columns = [
        column.gather(one.label_of_class[labels].astype(np.uint32))
        for one in decision.recoded
        for column in one.columns
    ]
    rows = counted([*columns, *hidden], table.weights)
    mine = Tally(rows.filter(pl.Series(kept)), len(columns))
    wrong = np.zeros(len(mine.rows), np.bool_)
    if series.each_batch or before is None:
        codes = table.sensitive_codes.T[n_attributes:]
        persons = [pl.Series(name, own[kept]) for name, own in zip(entities, codes, strict=True)]
        wrong |= mine.failing_rows(schema, models, persons)
    if before is not None:
        # Persons are counted in each batch: a class of all has at least those of one.
        asked = [model for model in models if model.entity is None]
        wrong |= before.plus(mine).failing_rows(schema, asked)[len(before.counts) :]
    failing[labels[kept][wrong]] = True
    return failing


def _suppress_smallest(
    series: Series, decision: EncodedDecision, before: Tally | None
) -> EncodedDecision:
    """Suppress the smallest classes until models of the whole batch hold, within the limit."""
    models = whole_table_models(series.policy.models)
    if not models or not (series.each_batch or before is None or not before.counts.any()):
        return decision
    sizes = decision.class_sizes
    losses = sizes * np.sum([one.loss for one in decision.recoded], axis=0)
    budget = _allowed(series, decision.rows_in) - (decision.rows_in - decision.rows_out)
    kept = suppress_prefix(models, sizes, np.ones(len(sizes), np.bool_), losses, max(budget, 0))
    return decision if kept is None or kept.all() else suppress_classes(decision, ~kept)


def _first_rows(decision: EncodedDecision, failing: Bools) -> list[int]:
    """Return the first row, from 1, of up to three of the classes, smallest first."""
    classes = np.flatnonzero(failing)
    smallest = classes[np.argsort(decision.class_sizes[classes], kind="stable")][:3]
    return [int((decision.labels == number).argmax()) + 1 for number in smallest]
