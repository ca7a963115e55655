"""The local engine: encode a table, let an algorithm divide it, give classes their values."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.criteria import classes_of
from kanonym.algorithms.full_domain import Evaluated, FullDomain, evaluated
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Automatic, Hierarchy, HierarchySource
from kanonym.data.partition import Partition
from kanonym.data.population import encode_with_population, require_contained
from kanonym.data.progress import Progress
from kanonym.data.recoded import RecodedAttribute
from kanonym.data.schema import QuasiIdentifier, Recoding, Role, Schema, Sensitive
from kanonym.data.short_repr import ShortRepr
from kanonym.data.table import EncodedTable, encode, kind_of
from kanonym.kernels.parallel import parallel
from kanonym.kernels.penalty import Costs
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import DeltaDisclosure, DeltaPresence, PrivacyModel
from kanonym.transforms.actions import Acting
from kanonym.transforms.recoding import (
    CENTROIDS,
    choose_recoding,
    join_equal,
    recode,
    relabelled,
    released_names,
)

_logger = logging.getLogger(__name__)


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
    population
        Gives a column of the population table by name, for the models that count
        persons in it; or None.
    keep_integers
        Whether means and medians of integers are rounded, and keep their column's type.
    target
        The column that guides the algorithm, as it is in the input; or None.

    """

    schema: Schema
    models: Sequence[PrivacyModel]
    algorithm: Algorithm
    recoding: Recoding | None
    suppression_limit: float
    population: Callable[[str], pl.Series] | None = None
    keep_integers: bool = False
    target: pl.Series | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Outcome(ShortRepr):
    """What an engine decided: classes, and the values that each of them releases.

    `built` describes the hierarchies that were built because none was given, by
    attribute.
    """

    _shown: ClassVar[tuple[str, ...]] = (
        "table",
        "partition",
    )

    table: EncodedTable
    partition: Partition
    recoded: tuple[RecodedAttribute, ...]
    built: dict[str, str] = field(default_factory=dict)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """(n_rows,) int32, the class of each record of the input, -1 for the suppressed."""
        labels = self.partition.labels
        return labels if self.partition.by_row else labels[self.table.tuple_of_row]

    def levels_of(self, rows: NDArray[np.int64]) -> NDArray[np.int32] | None:
        """Return the (n, d) levels of released records of the input, if there are levels."""
        levels = self.partition.levels
        return None if levels is None else levels[self.labels[rows]]

    def columns(
        self,
        schema: Schema,
        rows: NDArray[np.int64],
        acting: Acting,
        changed: Mapping[str, Sequence[pl.Series]],
    ) -> list[str | pl.Series]:
        """Return the columns of the release in order, as `data.frames.assemble` takes them.

        rows: (n_released,) the records of the input that are released, in their new order.
        acting: what is done to columns before the algorithm; changed: of `self.changed`.
        """
        # As unsigned 32-bit Series, polars takes indices without a copy.
        labels = pl.Series(self.labels[rows].view(np.uint32))

        def values(attribute: RecodedAttribute) -> list[pl.Series]:
            if attribute.name in changed:
                return [column.gather(rows) for column in changed[attribute.name]]
            place = pl.Series(attribute.label_of_class.view(np.uint32)).gather(labels)
            return [column.gather(place) for column in attribute.columns]

        recoded = dict(
            zip((one.name for one in self.recoded), parallel(values, self.recoded), strict=True)
        )
        released: list[str | pl.Series] = []
        for name, attribute in schema.attributes.items():
            if attribute.role is Role.QUASI_IDENTIFIER:
                released += recoded[name]
            elif attribute.action:
                whole = changed.get(name, [acting.before(name)])
                released += [column.gather(rows) for column in whole]
            elif attribute.role is not Role.IDENTIFIER:
                released.append(name)
        return released

    def changed(self, acting: Acting) -> dict[str, list[pl.Series]]:
        """Return the columns that actions change after the algorithm, by attribute.

        Each has n_rows values in the order of the input, null for suppressed records.
        """
        if not acting.changed_after:
            return {}
        kept = self.labels >= 0
        labels = self.labels[kept]
        of_record = pl.Series(np.where(kept, np.cumsum(kept) - 1, 0), dtype=pl.UInt32).set(
            pl.Series(~kept), None
        )
        known = {one.name: one for one in self.recoded}
        columns = {}
        for name in acting.changed_after:
            if name in known:
                place = known[name].label_of_class[labels]
                released = [column.gather(place) for column in known[name].columns]
            else:
                released = [acting.before(name).filter(pl.Series(kept))]
            columns[name] = [
                acting.after(name, column, labels, np.flatnonzero(kept)).gather(of_record)
                for column in released
            ]
        return columns


class Stopwatch:
    """Seconds by stage; tells a listener when a stage begins, and what the stage says."""

    def __init__(self, listener: Callable[[str], None] | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._listener = listener
        self._stage = ""

    def tell(self, sentence: str) -> None:
        """Tell how the stage proceeds: `stage: sentence`."""
        _logger.debug("%s: %s", self._stage, sentence)
        if self._listener is not None:
            if isinstance(sentence, Progress):
                self._listener(sentence.of(self._stage))
            else:
                self._listener(f"{self._stage}: {sentence}")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage."""
        self._stage = name
        if self._listener is not None:
            self._listener(name)
        start = time.perf_counter()
        yield
        seconds = time.perf_counter() - start
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        _logger.info("%s: %.2f s", name, seconds)


@dataclass(frozen=True, slots=True, repr=False)
class Prepared(ShortRepr):
    """A table ready for its algorithm.

    Attributes
    ----------
    table
        The encoded table.
    recodings, dtypes
        How each quasi-identifier is recoded, and the type of its column.
    costs
        What releasing a span of codes loses, for algorithms that read it; else empty.
    built
        Descriptions of the hierarchies that were built because none was given.

    """

    _shown: ClassVar[tuple[str, ...]] = ("table",)

    table: EncodedTable
    recodings: list[Recoding]
    dtypes: list[pl.DataType]
    costs: Costs
    built: dict[str, str]


def prepare(
    task: Task,
    column: Callable[[str], pl.Series],
    n_rows: int,
    watch: Stopwatch,
    counts: NDArray[np.int64] | None = None,
) -> Prepared:
    """Encode a table for a task; parameters and errors as of `run`."""
    asked = sensitive_names(task.schema, task.models)
    with watch.stage("encode"):
        known, recodings = _quasi_identifiers(task, column)
        hidden = [
            (column(name), attribute.hierarchy, attribute.nulls == "exclude")
            if isinstance(attribute, Sensitive)
            else (column(name), None, False)
            for name, attribute in task.schema.attributes.items()
            if name in asked
        ]
        if task.population is None:
            table = encode(known, hidden, n_rows, target=task.target, counts=counts)
        else:
            persons = [task.population(values.name) for values, _ in known]
            table = encode_with_population(known, hidden, n_rows, persons, counts)
            if any(isinstance(model, DeltaPresence) for model in task.models):
                require_contained(table)
        spans = task.algorithm.recodes == "spans"
        costs = certainty_costs(table.domains if spans else [], recodings if spans else [])
        if counts is not None and not getattr(task.algorithm, "by_tuple", False):
            table = replace(table, tuple_of_row=np.repeat(table.tuple_of_row, counts))
        built = {
            values.name: source.description
            for values, source in known
            if isinstance(source, _Automatically)
        }
        for name, description in built.items():
            watch.tell(f"{name}: no hierarchy given; built {description}")
    return Prepared(table, recodings, [values.dtype for values, _ in known], costs, built)


def run(
    task: Task,
    column: Callable[[str], pl.Series],
    n_rows: int,
    watch: Stopwatch,
    counts: NDArray[np.int64] | None = None,
) -> Outcome:
    """Carry out a task on a table in this process.

    Parameters
    ----------
    task
        What is asked.
    column
        Gives a column of the table by name.
    n_rows
        Number of rows: of records, unless `counts` says otherwise.
    watch
        Notes the seconds of `encode`, `algorithm` and `recode`.
    counts
        (n_rows,) records that each row stands for; None for one each. Algorithms that may
        separate equal records then see as many in the place of each row, and the labels of
        the outcome are theirs; else those of the rows.

    Raises
    ------
    DataError, SchemaError, HierarchyError, InfeasibleError
        As the steps raise them.

    """
    return decide(task, prepare(task, column, n_rows, watch, counts), watch)


def decide(task: Task, ready: Prepared, watch: Stopwatch) -> Outcome:
    """Divide a prepared table, and give classes their values; errors as of `run`."""
    table, costs = ready.table, ready.costs
    values_of = partial(
        recode,
        table,
        recodings=ready.recodings,
        costs=costs,
        dtypes=ready.dtypes,
        keep_integers=task.keep_integers,
    )
    with watch.stage("algorithm"):
        partition = task.algorithm.partition(
            table, costs, task.models, task.suppression_limit, watch.tell
        )
    with watch.stage("recode"):
        recoded = values_of(partition)
        joined = join_equal(table, partition, recoded)
        while joined is not partition:
            partition = _mended(task, table, joined, costs)
            recoded = values_of(partition)
            joined = join_equal(table, partition, recoded)
    return Outcome(table, partition, recoded, ready.built)


def nodes(
    task: Task, column: Callable[[str], pl.Series], n_rows: int, watch: Stopwatch
) -> tuple[list[str], list[Evaluated]]:
    """Return the quasi-identifiers, and the nodes of their lattice with what they are worth.

    Parameters are those of `run`; the task's algorithm is full-domain.

    Raises
    ------
    PolicyError
        The algorithm is another one.

    """
    if not isinstance(task.algorithm, FullDomain):
        raise PolicyError(f"{task.algorithm.type} searches no lattice; full-domain does")
    table = prepare(task, column, n_rows, watch).table
    with watch.stage("algorithm"):
        found = evaluated(task.algorithm, table, task.models, task.suppression_limit, watch.tell)
    return [domain.name for domain in table.domains], found


def sensitive_names(schema: Schema, models: Sequence[PrivacyModel]) -> list[str]:
    """Return the attributes that models look at, in the table's order.

    These are sensitive, or identifiers by which persons are counted.

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
    return [name for name in schema.attributes if name in named]


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
        names = [name] if attribute.role is not Role.IDENTIFIER or attribute.action else []
        if isinstance(attribute, QuasiIdentifier):
            values = column(name)
            source, recoding = _way(task, attribute, values)
            known.append((values, source))
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


def _way(
    task: Task, attribute: QuasiIdentifier, values: pl.Series
) -> tuple[HierarchySource | None, Recoding]:
    """Return the hierarchy in use and the recoding of one quasi-identifier."""
    if task.algorithm.recodes == "levels":
        return attribute.hierarchy or _Automatically(), "hierarchy"
    if task.algorithm.recodes == "cells":
        return None, "interval"  # not applied: each value is released as it is, or not at all
    kind = kind_of(values.dtype)
    recoding = attribute.recoding
    # A column without a value has no type either, and takes whatever is asked.
    if recoding is None or values.null_count() < len(values):
        # An algorithm may have one of its own; microaggregation's mean is the kind's centroid.
        own = getattr(task.algorithm, "recoding", None)
        default = task.recoding or (CENTROIDS[kind] if own == "mean" else own)
        recoding = choose_recoding(values.name, attribute, kind, default)
    in_tree = recoding == "hierarchy" or (recoding == "set" and kind == "nominal")
    return attribute.hierarchy if in_tree else None, recoding


@dataclass(slots=True)
class _Automatically:
    """The hierarchy that is suggested for a column that has none; remembers which."""

    description: str = ""

    def bind(self, values: pl.Series, counts: NDArray[np.int64] | None = None) -> Hierarchy:
        """Return the hierarchy over a column: see `HierarchySource.bind`."""
        suggestion = Automatic().suggest(values, counts)
        self.description = suggestion.describe().removeprefix(f"{values.name}: ")
        return suggestion.builder.bind(values, counts)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it."""
        return Automatic().to_dict()


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
        partition = relabelled(table, partition, place)
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
