"""Full-domain generalization where the frequency set stays on the engine: counted at levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kanonym.algorithms.full_domain.premerged import (
    Levels,
    labels_of,
    merge_at_levels,
    search_premerged,
)
from kanonym.algorithms.full_domain.space import hierarchies
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.merged_table import MergedTable, first_leaves
from kanonym.data.partition import Partition
from kanonym.data.schema import Role
from kanonym.engines.decision import EncodedDecision, decide, with_input
from kanonym.engines.sql.frequencies import (
    Frequencies,
    changed_error,
    coded_key,
    coded_sensitive,
    frequency_set,
)
from kanonym.engines.sql.level_counter import LevelCounter
from kanonym.engines.sql.store import Source
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.information_loss import KLDivergence, Metric, Weighted, metric_from
from kanonym.metrics.release_loss import InformationLoss, measure_utility
from kanonym.verification.release_view import sensitive_names


@dataclass(frozen=True)
class PremergedSearch:
    """What a search found, and the input as it sees it: quasi-identifiers are codes of labels.

    Everything goes on with these as it does with a table that was counted whole.
    """

    task: Task
    partition: Partition
    ready: Prepared
    counted: Frequencies
    source: Source
    dtypes: dict[str, pl.DataType]
    engine: LevelCounter

    def decide(self, watch: Stopwatch) -> EncodedDecision:
        """Give the classes their values."""
        decision = decide(self.task, self.ready, watch, self.partition)
        counted = frequency_set(self.counted)
        return with_input(replace(decision, fixed=None), self.task, counted)

    def utility(self, decision: EncodedDecision) -> InformationLoss:
        """Return what the release lost; errors of numbers are those of the original values.

        decision: of `decide`. Where records are suppressed, an attribute
        with too many combinations of value and class for this process has no `rmse`.

        Notes
        -----
        Cost on the engine: one GROUP BY for each numeric attribute that was not counted value
        by value, where records are suppressed.

        """
        table, partition = decision.table, decision.partition
        kept = partition.labels >= 0
        sizes = np.bincount(partition.labels[kept], table.weights[kept], partition.n_classes)
        sizes = sizes.astype(np.int64)
        measured = measure_utility(table, partition, decision.recoded, sizes)
        if not isinstance(table, MergedTable) or "levels" not in partition.account:
            return measured
        levels = tuple(partition.account["levels"].values())
        rmse = dict(measured.rmse)
        for a, domain in enumerate(table.domains):
            if domain.name in rmse and table.lowest[a] > 0:
                del rmse[domain.name]
                by_value = self._restore_values(table, a, levels, lost=measured.suppressed > 0)
                if by_value is not None:
                    labels = labels_of(by_value, table, partition.labels, levels)
                    own = replace(partition, labels=labels)
                    loss = measure_utility(by_value, own, decision.recoded, sizes)
                    rmse[domain.name] = loss.rmse[domain.name]
        return replace(measured, rmse={name: rmse[name] for name in measured.rmse if name in rmse})

    def _restore_values(
        self, table: MergedTable, a: int, levels: Levels, *, lost: bool
    ) -> MergedTable | None:
        """Return tuples with the original values of an attribute, of the records that are kept.

        lost: whether some are not: which, the others tell. Else a value alone says what it is
        released as.
        """
        if lost:
            return self.engine.count((*levels[:a], 0, *levels[a + 1 :]))
        leaves = first_leaves(hierarchies(table)[a], levels[a])
        held = np.flatnonzero(table.records[a])
        # Any tuple with the same label.
        place = np.zeros(len(leaves), np.int64)
        place[leaves[table.codes[:, a]]] = np.arange(len(table.codes))
        codes = table.codes[place[leaves[held]]]
        codes[:, a] = held
        return replace(table, codes=codes, weights=table.records[a][held])


def search_on_engine(
    source: Source, task: Task, dtypes: Mapping[str, pl.DataType], watch: Stopwatch
) -> PremergedSearch:
    """Find the best node of a table whose frequency set is too large for this process.

    See `algorithms.full_domain.premerged.search_premerged`.
    """
    algorithm = task.algorithm.lattice
    if algorithm is None:
        raise PolicyError(f"{task.algorithm.type} does not count at levels of hierarchies")
    for model in task.models:
        if model.guarantee == "population":
            raise PolicyError(
                f"{model.type} counts a population table in every tuple, and the table has more "
                f"than {source.most_tuples} of them: raise most_tuples"
            )
    with watch.stage("count"):
        of_levels = [
            coded_key(source, name, task, dtypes, watch)
            for name in task.schema.names(Role.QUASI_IDENTIFIER)
        ]
        hidden = [
            coded_sensitive(source, name, task, dtypes)
            for name in sensitive_names(task.schema, task.models)
        ]
    whole = _looks_at_tuples(algorithm.metric)
    names = task.schema.names(Role.QUASI_IDENTIFIER)
    engine = LevelCounter(source, dtypes, of_levels, hidden, whole=whole)
    with watch.stage("algorithm"):
        heights = dict(zip(names, engine.heights, strict=True))
        searches = algorithm.with_chance(heights, task.draw_key())
        for search in searches:
            try:
                table, partition = search_premerged(
                    search, task.models, task.suppression_limit, engine, watch.tell
                )
            except InfeasibleError:
                if search is searches[-1]:
                    raise
            else:
                break
        levels = engine.heights
        if "levels" in partition.account:
            levels = tuple(partition.account["levels"].values())
        rows = engine.fetch_tuples(levels)
        if rows is None:  # it is coarser than what was counted
            raise changed_error()
    ready = Prepared(
        table=replace(
            table, tuple_of_row=engine.places(rows, merge_at_levels(table, levels), table)
        ),
        recodings=["hierarchy"] * len(of_levels),
        dtypes=[level.dtype for level in of_levels],
        costs=certainty_costs([], []),
        built={name: one for level in of_levels for name, one in level.built.items()},
    )
    return PremergedSearch(
        task,
        partition,
        ready,
        engine.frequencies(rows),
        engine.coded_source(levels),
        engine.coded_types,
        engine,
    )


def _looks_at_tuples(metric: object) -> bool:
    """Say whether a metric looks at the distinct tuples of the original."""
    built: Metric = metric_from(metric)
    if isinstance(built, Weighted):
        return any(_looks_at_tuples(part[0]) for part in built.parts if isinstance(part, tuple))
    return isinstance(built, KLDivergence)
