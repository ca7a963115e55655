"""What is decided about a table: its classes, and the values that each of them releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import polars as pl

from kanonym.algorithms.base import Problem, classes_of
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.frames import values_of, with_exceptions
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.item_sets import EncodedSets
from kanonym.data.partition import Partition, RecodedAttribute
from kanonym.data.readings import MARK
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Recoding, Role
from kanonym.data.table import Domain, EncodedTable, encode, value_codes
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task, prepare
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import take
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.record_risk import PersonRisk, person_risk
from kanonym.metrics.release_loss import InformationLoss, measure_utility
from kanonym.models import PrivacyModel
from kanonym.models.base import lost_by_joining
from kanonym.recoding.balance import with_balanced_values
from kanonym.recoding.recode import join_equal, recode, relabel_classes
from kanonym.verification.released_classes import FrequencySet


def released_part(decision: EncodedDecision, fixed: Collection[str]) -> EncodedDecision:
    """Return a decision about the released records alone.

    fixed: attributes whose hierarchy does not come from their values: it keeps all leaves. The
    released labels, and the numbers of classes, are those of the decision. Levels are counted as
    in hierarchies of the released values.
    """
    table, partition = decision.table, decision.partition
    kept = np.flatnonzero(partition.labels >= 0)
    rows = table.tuple_of_row[kept] if partition.by_row else kept
    weights = None if partition.by_row else table.weights[kept]
    levels, account = partition.levels, dict(decision.account)
    levels = levels if levels is None else levels.copy()
    known = []
    for a, domain in enumerate(table.domains):
        codes, whole = table.codes[rows, a], domain.name in fixed
        tree = _released_hierarchy(domain, codes, whole=whole)
        if tree is not None and levels is not None and not (whole or "premerged" in account):
            tree, places = tree.without_repeated_levels(np.unique(levels[:, a]).tolist())
            levels[:, a] = places[levels[:, a]]
            if "levels" in account:
                level = int(places[account["levels"][domain.name]])
                account["levels"] = {**account["levels"], domain.name: level}
        known.append((_decoded(domain, codes), tree))
    hidden = [
        (_decoded(domain, table.sensitive_codes[rows, j]), domain.hierarchy, not domain.has_null)
        for j, domain in enumerate(table.sensitive)
    ]
    target = None
    if table.target is not None and table.target_codes is not None:
        target = _decoded(table.target, table.target_codes[rows])
    part = encode(known, hidden, len(rows), target=target, counts=weights)
    labels = partition.labels[kept]
    if not partition.by_row:
        labels = np.zeros(len(part.weights), np.int32)
        labels[part.tuple_of_row] = partition.labels[kept]
        place = np.full(len(table.weights), -1, np.int32)
        place[kept] = part.tuple_of_row
        of_row = place[table.tuple_of_row]
        part = replace(part, tuple_of_row=of_row[of_row >= 0])
    chosen = partition.chosen
    if chosen is not None:
        chosen = np.column_stack(
            [
                _new_codes(before, after, chosen[:, a])
                for a, (before, after) in enumerate(zip(table.domains, part.domains, strict=True))
            ]
        )
    own_partition = replace(partition, labels=labels, levels=levels, chosen=chosen, account=account)
    recodings: list[Recoding] = [
        "interval" if one.recoding == "value" else one.recoding for one in decision.recoded
    ]
    measured = recode(part, own_partition, recodings, certainty_costs(part.domains, recodings))
    recoded = tuple(
        replace(attribute, low=own.low, high=own.high, loss=own.loss)
        for attribute, own in zip(decision.recoded, measured, strict=True)
    )
    return replace(
        decision,
        table=part,
        partition=own_partition,
        recoded=recoded,
        account=account,
        refinement=None,
        fixed=None,
    )


def _decoded(domain: Domain, codes: Int32s) -> pl.Series:
    """Return the values and exceptions behind codes; no code, and that of null, is null."""
    last = len(domain.values)
    places = np.where((codes >= 0) & (codes < last), codes, last)
    values = domain.values.extend_constant(None, 1).gather(places).alias(domain.name)
    if not domain.exceptions:
        return values
    texts = [text.removeprefix(MARK) for text in domain.exceptions]
    named = pl.Series([*([None] * domain.apart), *texts, None], dtype=pl.String)
    return with_exceptions(values, named.gather(places))


def _released_hierarchy(domain: Domain, codes: Int32s, *, whole: bool) -> Hierarchy | None:
    """Return a hierarchy without the values, and the null, that only suppressed records have."""
    if domain.hierarchy is None:
        return None
    kept = np.zeros(domain.size, np.bool_)
    kept[codes] = True
    if whole:
        kept[: len(domain.values)] = True
    kept[domain.apart : len(domain.values)] = False  # exceptions are put behind its leaves anew
    return domain.hierarchy.restrict(kept)


def _new_codes(before: Domain, after: Domain, codes: Int32s) -> Int32s:
    """Return the codes that values have in another domain of theirs; -1 stays."""
    mask = codes >= 0
    values = values_of(_decoded(before, codes[mask]))
    order = pl.DataFrame({"value": after.values.head(after.apart), "code": np.arange(after.apart)})
    frame = pl.DataFrame({"value": values}).join(
        order, on="value", how="left", maintain_order="left"
    )
    result = codes.copy()
    result[mask] = frame["code"].fill_null(after.null_code).to_numpy()
    for place, text in enumerate(before.exceptions):
        if text in after.exceptions:
            result[codes == before.apart + place] = after.apart + after.exceptions.index(text)
    return result


if TYPE_CHECKING:
    from kanonym.algorithms.full_domain import EvaluatedNode

Mix = Callable[[EncodedTable, Partition], Partition]
"""Decides which of the records of a tuple is in which class."""


@dataclass(frozen=True, slots=True, repr=False)
class DecidedSets(ShortRepr):
    """What is released of the sets of items."""

    _shown: ClassVar[tuple[str, ...]] = ("account",)

    given: EncodedSets
    released: EncodedSets
    account: Mapping[str, Any]


@dataclass(frozen=True, repr=False, kw_only=True)
class Decision(ShortRepr, ABC):
    """What is released of a table, before a value of it is written.

    class_sizes: (n_classes,) int64 records.
    """

    _shown: ClassVar[tuple[str, ...]] = ("rows_in", "rows_out", "n_classes")

    recoded: tuple[RecodedAttribute, ...]
    class_sizes: Ints
    rows_in: int
    account: Mapping[str, Any] = field(default_factory=dict)
    built: Mapping[str, str] = field(default_factory=dict)
    original: FrequencySet | None = None
    persons: PersonRisk | None = None
    plan: Any = None
    lasting: bool = True

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_sizes)

    @property
    def rows_out(self) -> int:
        """Records that are released."""
        return int(self.class_sizes.sum())

    @property
    def columns(self) -> list[str]:
        """The released columns of quasi-identifiers."""
        return [column.name for one in self.recoded for column in one.columns]

    @property
    def made_anew(self) -> set[str]:
        """The quasi-identifiers of which a mean, a median or a hierarchy made other values."""
        return {one.name for one in self.recoded if one.recoding in ("mean", "median", "hierarchy")}

    @abstractmethod
    def encoded(self) -> EncodedDecision:
        """Return the decision about the encoded table."""

    @abstractmethod
    def loss(self, class_sizes: Ints) -> InformationLoss:
        """Return what the release loses; class_sizes: as verification counted them."""


@dataclass(frozen=True, repr=False, kw_only=True)
class EngineDecision(Decision):
    """A decision about a table whose frequency set stayed on its engine."""

    measured: InformationLoss

    def encoded(self) -> EncodedDecision:
        """Refuse: nothing was encoded here."""
        raise DataError(
            "the frequency set stayed on its engine, so there is nothing to draw or to compare "
            "record by record: give the source a larger most_tuples, or take the manifest"
        )

    def loss(self, class_sizes: Ints) -> InformationLoss:
        """Return what the engine counted."""
        del class_sizes
        return self.measured


@dataclass(frozen=True, repr=False, kw_only=True)
class EncodedDecision(Decision):
    """A decision about an encoded table."""

    table: EncodedTable
    partition: Partition
    refinement: tuple[Problem, Partition] | None = None
    sets: DecidedSets | None = None
    measured: InformationLoss | None = None
    fixed: frozenset[str] | None = None

    @classmethod
    def of(
        cls,
        table: EncodedTable,
        partition: Partition,
        recoded: tuple[RecodedAttribute, ...],
        built: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the decision that an encoded table is divided so."""
        labels, weights = partition.labels, None if partition.by_row else table.weights
        if labels.min(initial=0) < 0:
            kept = labels >= 0
            labels, weights = labels[kept], None if weights is None else weights[kept]
        sizes = np.bincount(labels, weights, partition.n_classes)
        return cls(
            recoded=recoded,
            class_sizes=sizes.astype(np.int64),
            rows_in=int(table.weights.sum()),
            account=partition.account,
            built=built or {},
            table=table,
            partition=partition,
        )

    @property
    def made_anew(self) -> set[str]:
        """As of `Decision`, without attributes that all classes have at level 0."""
        levels = self.partition.levels
        return {
            one.name
            for a, one in enumerate(self.recoded)
            if one.recoding in ("mean", "median")
            or (one.recoding == "hierarchy" and (levels is None or levels[:, a].any()))
        }

    @cached_property
    def labels(self) -> Int32s:
        """(n_rows,) int32, the class of each record of the input, -1 for the suppressed."""
        if self.partition.by_row:
            return self.partition.labels
        labels = np.empty_like(self.table.tuple_of_row)
        take(self.partition.labels, self.table.tuple_of_row, labels)
        return labels

    def encoded(self) -> EncodedDecision:
        """Return itself."""
        return self

    def loss(self, class_sizes: Ints) -> InformationLoss:
        """Return what was measured, or else what the released records tell."""
        if self.measured is not None:
            return self.measured
        own = self.released
        return measure_utility(own.table, own.partition, own.recoded, class_sizes, self.rows_in)

    @cached_property
    def released(self) -> EncodedDecision:
        """The same about the released records alone: what may be published follows from them."""
        if self.fixed is None or self.rows_out == self.rows_in:
            return self
        return released_part(self, self.fixed)


def run_task(
    task: Task,
    column: Callable[[str], pl.Series],
    n_rows: int,
    watch: Stopwatch,
    counts: Ints | None = None,
    *,
    given: Callable[[str], pl.Series] | None = None,
    with_sets: Callable[[EncodedDecision, Prepared], EncodedDecision] | None = None,
    mix: Mix | None = None,
) -> EncodedDecision:
    """Carry out a task on a table in this process.

    counts: (n_rows,) records that each row stands for; None for one each. Algorithms that may
    separate equal records then see as many in the place of each row, and the labels of the decision
    are theirs; else those of the rows.
    """
    ready = prepare(task, column, n_rows, watch, counts, given=given)
    decision = decide(task, ready, watch, mix=mix)
    decision = decision if with_sets is None else with_sets(decision, ready)
    return with_input(decision, task, FrequencySet(column, n_rows, counts))


def with_input(decision: EncodedDecision, task: Task, given: FrequencySet) -> EncodedDecision:
    """Return a decision with what its verification compares with, and the risk of persons.

    given: the columns that were encoded.
    """
    original = given if decision.rows_out < decision.rows_in else None
    return replace(with_persons(decision, task, given), original=original)


def with_persons(decision: EncodedDecision, task: Task, given: FrequencySet) -> EncodedDecision:
    """Return a decision with the risk of persons; given: as of `with_input`."""
    entities = [model.entity for model in task.models if model.entity is not None]
    if not entities:
        return decision
    codes, _ = value_codes(given.column(entities[0]))
    if given.counts is not None and len(codes) != len(decision.labels):
        codes = np.repeat(codes, given.counts)
    return replace(decision, persons=person_risk(decision.labels, decision.n_classes, codes))


def decide(
    task: Task,
    ready: Prepared,
    watch: Stopwatch,
    found: Partition | None = None,
    *,
    mix: Mix | None = None,
) -> EncodedDecision:
    """Divide a prepared table, and give classes their values; errors as of `run_task`.

    found: the division, where it is known already. mix: decides which of the records of a tuple
    is in which class; None where they are not told apart.
    """
    table, costs = ready.table, ready.costs
    problem = task.problem(table, costs, ready.persons)
    values_of = partial(
        recode,
        table,
        recodings=ready.recodings,
        costs=costs,
        dtypes=ready.dtypes,
        keep_integers=task.keep_integers,
    )
    if found is None and not table.domains and task.schema.names(Role.SET):
        found = Partition(np.zeros(len(table.weights), np.int32), int(len(table.weights) > 0))

    def divide(problem: Problem) -> Partition:
        partition = task.algorithm.partition(problem)
        return partition if mix is None else mix(table, partition)

    if found is None:
        with watch.stage("algorithm"):
            found = divide(replace(problem, listen=watch.tell))
    with watch.stage("recode"):
        partition = with_balanced_values(table, found, ready.recodings)
        recoded = values_of(partition)
        joined = join_equal(table, partition, recoded)
        while joined is not partition:
            partition = _repair_partition(task, problem, joined, divide)
            recoded = values_of(partition)
            joined = join_equal(table, partition, recoded)
    decision = EncodedDecision.of(table, partition, recoded, ready.built)
    return replace(decision, refinement=(problem, found), fixed=task.fixed_hierarchies)


def evaluate_nodes_of_task(
    task: Task, column: Callable[[str], pl.Series], n_rows: int, watch: Stopwatch
) -> tuple[list[str], list[EvaluatedNode]]:
    """Return the quasi-identifiers, and the nodes of their lattice with what they are worth."""
    search = task.algorithm.lattice
    if search is None:
        raise PolicyError(f"{task.algorithm.type} searches no lattice; full-domain does")
    table = prepare(task, column, n_rows, watch).table
    with watch.stage("algorithm"):
        from kanonym.algorithms.full_domain import evaluate_lattice  # noqa: PLC0415 - loads much

        nodes = evaluate_lattice(search, table, task.models, task.suppression_limit, watch.tell)
    return [domain.name for domain in table.domains], nodes


def _repair_partition(
    task: Task, problem: Problem, partition: Partition, divide: Callable[[Problem], Partition]
) -> Partition:
    """Join classes further where joining those of equal values has made one fail a model."""
    table, fragile = problem.table, [model for model in task.models if lost_by_joining(model)]
    while fragile:
        failing = _failing_classes(table, partition, fragile)
        if not failing.any():
            break
        if partition.n_classes == 1:
            # What is left after suppression fails against the whole table.
            return divide(replace(problem, suppression_limit=0))
        starts = ~failing
        starts[0] = True
        starts[1] &= not failing[0]
        place = np.cumsum(starts, dtype=np.int32) - np.int32(1)
        partition = relabel_classes(table, partition, place)
    return partition


def _failing_classes(
    table: EncodedTable, partition: Partition, models: Sequence[PrivacyModel]
) -> Bools:
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
