"""The local engine: encode a table, let an algorithm divide it, give classes their values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.criteria import classes_of
from kanonym.algorithms.mondrian import Mondrian
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.partition import Partition
from kanonym.data.recoded import RecodedAttribute
from kanonym.data.schema import QuasiIdentifier, Recoding, Role, Schema, Sensitive
from kanonym.data.table import EncodedTable, encode, kind_of
from kanonym.kernels.parallel import parallel
from kanonym.kernels.penalty import Costs
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import DeltaDisclosure, PrivacyModel
from kanonym.transforms.recoding import (
    choose_recoding,
    join_equal,
    recode,
    relabelled,
    released_names,
)


@dataclass(frozen=True, slots=True)
class Task:
    """What an engine is asked to do: built objects, no policy.

    Attributes
    ----------
    schema
        The role of every column.
    models
        What every class must satisfy.
    algorithm
        Who finds the classes.
    recoding
        The recoding of attributes that name none, where it fits them; or None.
    suppression_limit
        Largest share of records that may be suppressed, in [0, 1].

    """

    schema: Schema
    models: Sequence[PrivacyModel]
    algorithm: Mondrian
    recoding: Recoding | None
    suppression_limit: float


@dataclass(frozen=True)
class Outcome:
    """What an engine decided: classes, and the values that each of them releases."""

    table: EncodedTable
    partition: Partition
    recoded: tuple[RecodedAttribute, ...]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """(n_rows,) int32, the class of each record of the input, -1 for the suppressed."""
        labels = self.partition.labels
        return labels if self.partition.by_row else labels[self.table.tuple_of_row]

    def columns(self, schema: Schema, rows: NDArray[np.int64]) -> list[str | pl.Series]:
        """Return the columns of the release in order, as `data.frames.assemble` takes them.

        rows: (n_released,) the records of the input that are released, in their new order.
        """
        # As unsigned 32-bit Series, polars takes indices without a copy.
        labels = pl.Series(self.labels[rows].view(np.uint32))

        def values(attribute: RecodedAttribute) -> list[pl.Series]:
            place = pl.Series(attribute.label_of_class.view(np.uint32)).gather(labels)
            return [column.gather(place) for column in attribute.columns]

        recoded = dict(
            zip((one.name for one in self.recoded), parallel(values, self.recoded), strict=True)
        )
        released: list[str | pl.Series] = []
        for name, attribute in schema.attributes.items():
            if attribute.role is not Role.IDENTIFIER:
                released += recoded.get(name, [name])
        return released


class Stopwatch:
    """Seconds by stage; tells a listener when a stage begins."""

    def __init__(self, listener: Callable[[str], None] | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._listener = listener

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage."""
        if self._listener is not None:
            self._listener(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def run(task: Task, column: Callable[[str], pl.Series], n_rows: int, watch: Stopwatch) -> Outcome:
    """Carry out a task on a table in this process.

    Parameters
    ----------
    task
        What is asked.
    column
        Gives a column of the table by name.
    n_rows
        Number of records.
    watch
        Notes the seconds of `encode`, `algorithm` and `recode`.

    Raises
    ------
    DataError, SchemaError, HierarchyError, InfeasibleError
        As the steps raise them.

    """
    asked = sensitive_names(task.schema, task.models)
    with watch.stage("encode"):
        known, recodings = _quasi_identifiers(task, column)
        hidden = [(column(name), task.schema.attributes[name]) for name in asked]
        table = encode(
            known,
            [
                (values, attribute.hierarchy, attribute.nulls == "exclude")
                for values, attribute in hidden
                if isinstance(attribute, Sensitive)
            ],
            n_rows,
        )
        costs = certainty_costs(table.domains, recodings)
    with watch.stage("algorithm"):
        partition = task.algorithm.partition(table, costs, task.models, task.suppression_limit)
    with watch.stage("recode"):
        recoded = recode(table, partition, recodings, costs)
        joined = join_equal(table.domains, partition, recoded)
        while joined is not partition:
            partition = _mended(task, table, joined, costs)
            recoded = recode(table, partition, recodings, costs)
            joined = join_equal(table.domains, partition, recoded)
    return Outcome(table, partition, recoded)


def sensitive_names(schema: Schema, models: Sequence[PrivacyModel]) -> list[str]:
    """Return the sensitive attributes that models look at, in the table's order.

    Raises
    ------
    SchemaError
        A model names a column that the table does not have.

    """
    named = {model.attribute: model.type for model in models if model.attribute is not None}
    for name, model in named.items():
        if name not in schema.attributes:
            raise SchemaError(
                f"{model} is about {name!r}, but the table has no such column. "
                f"It has: {', '.join(schema.attributes)}"
            )
    return [name for name in schema.names(Role.SENSITIVE) if name in named]


def _quasi_identifiers(
    task: Task, column: Callable[[str], pl.Series]
) -> tuple[list[tuple[pl.Series, HierarchySource | None]], list[Recoding]]:
    """Return the columns to encode, with the hierarchies in use, and the recodings.

    Raises
    ------
    SchemaError
        A recoding does not fit its column, or needs a name that is taken.

    """
    known: list[tuple[pl.Series, HierarchySource | None]] = []
    recodings: list[Recoding] = []
    released: dict[str, str] = {}
    for name, attribute in task.schema.attributes.items():
        names = [] if attribute.role is Role.IDENTIFIER else [name]
        if isinstance(attribute, QuasiIdentifier):
            values = column(name)
            kind = kind_of(values.dtype)
            recoding = attribute.recoding
            # A column without a value has no type either, and takes whatever is asked.
            if recoding is None or values.null_count() < len(values):
                recoding = choose_recoding(name, attribute, kind, task.recoding)
            in_tree = recoding == "hierarchy" or (recoding == "set" and kind == "nominal")
            known.append((values, attribute.hierarchy if in_tree else None))
            recodings.append(recoding)
            names = released_names(name, recoding)
        for one in names:
            if one in released:
                raise SchemaError(
                    f"columns {released[one]!r} and {name!r} would both be released as {one!r}: "
                    "recoding 'range' needs that name. Rename the column, or choose 'interval'"
                )
            released[one] = name
    if not released:
        raise SchemaError("every column is an identifier: there is nothing to release")
    return known, recodings


def _mended(task: Task, table: EncodedTable, partition: Partition, costs: Costs) -> Partition:
    """Join classes further where joining those of equal values has made one fail a model.

    Every model survives a join but delta-disclosure, which a value breaks that one of
    the classes has and the other lacks. A class that fails is joined with the one
    before it; the table as one class satisfies the model.
    """
    fragile = [model for model in task.models if isinstance(model, DeltaDisclosure)]
    while fragile:
        failing = _failing(table, partition, fragile)
        if not failing.any():
            break
        if partition.n_classes == 1:
            # What is left after suppression fails against the whole table.
            return task.algorithm.partition(table, costs, task.models, 0.0)
        starts = ~failing
        starts[0] = True
        starts[1] &= not failing[0]
        place = np.cumsum(starts, dtype=np.int32) - np.int32(1)
        partition = relabelled(partition, place)
    return partition


def _failing(
    table: EncodedTable, partition: Partition, models: Sequence[PrivacyModel]
) -> NDArray[np.bool_]:
    """Return (n_classes,) bool: which classes fail against the table or what is left of it."""
    codes, weights = table.sensitive_codes, table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    failing = np.zeros(partition.n_classes, np.bool_)
    kept = partition.labels >= 0
    for rows in (kept, np.ones(len(kept), np.bool_)):
        part = replace(table, sensitive_codes=codes[rows], weights=weights[rows])
        classes = classes_of(part, partition.labels[rows], partition.n_classes)
        for model in models:
            failing |= ~model.satisfied(classes)
    return failing
