"""Full-domain generalization where the frequency set stays on the engine: counted at levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.algorithms.full_domain.premerged import (
    Levels,
    labels_of,
    merge_at_levels,
    search_premerged,
)
from kanonym.algorithms.full_domain.space import hierarchies
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import Partition
from kanonym.data.schema import Role
from kanonym.data.table import MergedTable, first_leaves
from kanonym.engines.decision import EncodedDecision, decide, with_input
from kanonym.engines.sql.frequencies import (
    CODED_VALUE,
    CodedKey,
    CodedSensitive,
    Frequencies,
    changed_error,
    coded_key,
    coded_sensitive,
    frequency_set,
)
from kanonym.engines.sql.statements import (
    COUNT,
    alias_column,
    count_query,
    exact_column,
    nan_as_null,
    project,
    subquery,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows, one_group
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.information_loss import KLDivergence, Metric, Weighted, metric_from
from kanonym.metrics.release_loss import InformationLoss, measure_utility
from kanonym.verification.release_view import sensitive_names


class LevelCounter:
    """The engine as who counts at levels: see `Counter`."""

    def __init__(
        self,
        source: Source,
        dtypes: Mapping[str, pl.DataType],
        known: Sequence[CodedKey],
        hidden: Sequence[CodedSensitive],
        *,
        whole: bool,
    ) -> None:
        self._source, self._dtypes, self._whole = source, dtypes, whole
        self._known, self._hidden = known, hidden
        self._maps: dict[int, Query] = {}
        self.most = source.most_tuples
        names = [one.domain.name for one in known] + [one.domain.name for one in hidden]
        self._aliases = {name: f"c{place}" for place, name in enumerate(names)}
        self.heights: Levels = tuple(key.hierarchy.n_levels - 1 for key in known)

    @property
    def coded_types(self) -> dict[str, pl.DataType]:
        """The types of the columns of `coded_source`."""
        codes = dict.fromkeys((key.domain.name for key in self._known), pl.Int32())
        return {**self._dtypes, **codes}

    @cached_property
    def _repeated_records(self) -> Ints | None:
        """How many records may be equal in all quasi-identifiers, and how many groups there are."""
        if not self._whole:
            return None
        aliases = {key.domain.name: self._aliases[key.domain.name] for key in self._known}
        tuples = count_query(project(self._source, aliases, self._dtypes), list(aliases.values()))
        sizes = exp.select(alias_column(exact_column(COUNT, "t"), "size")).from_(
            subquery(tuples, "t")
        )
        frame = self._source.store.fetch(count_query(sizes, ["size"]))
        return frame.select(pl.all().cast(pl.Int64)).select("size", COUNT).to_numpy()

    def count(self, levels: Levels) -> MergedTable | None:
        """Return the frequency set at some levels: see `Counter.count`."""
        rows = self._known_frequencies(levels)
        if rows is None:
            rows = self.fetch_tuples(levels)
        if rows is None:
            return None
        d = len(self._known)
        codes, sizes = self._codes(rows), [one.domain.size for one in self._known]
        # Null that does not count is -1: shifted, it is one more value.
        codes[d:] = [column + np.int32(1) for column in codes[d:]]
        sizes += [one.domain.size + 1 for one in self._hidden]
        groups = group_rows(codes, sizes) if codes else one_group(len(rows))
        counts = rows[COUNT].to_numpy()
        weights = np.bincount(groups.labels, counts, len(groups.sizes)).astype(np.int64)
        records = tuple(key.records for key in self._known)
        if any(int(record.sum()) != int(weights.sum()) for record in records):
            raise changed_error()
        return MergedTable(
            domains=tuple(key.domain for key in self._known),
            sensitive=tuple(sensitive.domain for sensitive in self._hidden),
            codes=np.ascontiguousarray(groups.codes[:, :d]),
            sensitive_codes=np.ascontiguousarray(groups.codes[:, d:] - np.int32(1)),
            weights=weights,
            tuple_of_row=groups.labels,
            lowest=np.array(levels, np.int64),
            records=records,
            repeated=self._repeated_records,
        )

    def _known_frequencies(self, levels: Levels) -> pl.DataFrame | None:
        """Return the frequency set of one attribute or none: it is known already."""
        wide = [a for a, height in enumerate(self.heights) if levels[a] < height]
        if self._hidden or len(wide) > 1 or not self._known:
            return None
        a = wide[0] if wide else 0
        records = np.bincount(
            self._known[a].first(levels[a]), self._known[a].records, len(self._known[a].records)
        ).astype(np.int64)
        held = np.flatnonzero(records)
        return pl.DataFrame({f"c{a}": held.astype(np.int32), COUNT: records[held]})

    def fetch_tuples(self, levels: Levels) -> pl.DataFrame | None:
        """Return the tuples at some levels as the engine has them; None for too many.

        Columns are codes of the quasi-identifiers that are not at their root, raw sensitive
        values, and the number of records.
        """
        wide = [a for a, height in enumerate(self.heights) if levels[a] < height]
        names = [self._known[a].domain.name for a in wide]
        names += [one.domain.name for one in self._hidden]
        aliases = {name: self._aliases[name] for name in names}
        query = project(self._source, aliases, self._dtypes) if names else self._source.query
        if names:
            hidden = [self._aliases[one.domain.name] for one in self._hidden]
            query = self._label_query(
                query,
                {a: (f"c{a}", exact_column(f"c{a}", "t"), levels[a]) for a in wide},
                {alias: exact_column(alias, "t") for alias in hidden},
            )
        many = self.most + 1
        frame = self._source.store.fetch(count_query(query, list(aliases.values())).limit(many))
        if len(frame) == many:
            return None
        return frame.with_columns(
            pl.col(COUNT).cast(pl.Int64), *(pl.col(f"c{a}").cast(pl.Int32) for a in wide)
        )

    def coded_source(self, levels: Levels) -> Source:
        """Return the input with the codes of labels in the place of quasi-identifiers."""
        place = {key.domain.name: a for a, key in enumerate(self._known)}
        columns = {
            place[name]: (
                name,
                nan_as_null(self._source, exact_column(name, "t"), self._dtypes[name]),
                levels[place[name]],
            )
            for name in self._dtypes
            if name in place
        }
        others = {name: exact_column(name, "t") for name in self._dtypes if name not in place}
        query = self._label_query(self._source.query, columns, others, order=list(self._dtypes))
        return replace(self._source, query=query)

    def _label_query(
        self,
        query: Query,
        columns: Mapping[int, tuple[str, exp.Condition, int]],
        others: Mapping[str, exp.Column],
        order: Sequence[str] = (),
    ) -> Query:
        """Return a query of columns as they are, and of others as codes of their labels.

        columns: by attribute, the name that its codes have, its values, and a level.
        """
        picked: dict[str, exp.Condition] = dict(others)
        reads = exp.select().from_(subquery(query, "t"))
        for a, (name, values, level) in columns.items():
            constant = exp.Literal.number(self._known[a].null(level))
            if level == self.heights[a]:
                picked[name] = exp.cast(exp.Literal.number(0), exp.DataType.Type.INT)
                continue
            # No value but null is without a label: equality is a condition that every engine
            # can hash, a comparison that takes null for a value is not.
            label = exact_column(f"l{level}", f"m{a}")
            picked[name] = exp.Coalesce(this=label, expressions=[constant])
            same = exp.EQ(this=values, expression=exact_column(CODED_VALUE, f"m{a}"))
            reads = reads.join(subquery(self._label_map(a), f"m{a}"), on=same, join_type="left")
        names = order or [*(name for name, _, _ in columns.values()), *others]
        return reads.select(*(alias_column(picked[name], name) for name in names))

    def _label_map(self, a: int) -> Query:
        """Return what reads the labels of an attribute's values on the engine."""
        if a not in self._maps:
            self._maps[a] = self._source.store.put(self._known[a].labels())
        return self._maps[a]

    def _codes(self, rows: pl.DataFrame) -> list[Int32s]:
        """Return the codes of tuples, quasi-identifiers first; null that does not count is -1."""
        nothing = np.zeros(len(rows), np.int32)
        codes = [
            rows[f"c{a}"].to_numpy() if f"c{a}" in rows.columns else nothing
            for a in range(len(self._known))
        ]
        return codes + [one.of(rows[self._aliases[one.domain.name]])[0] for one in self._hidden]

    def places(self, rows: pl.DataFrame, merged: MergedTable, table: MergedTable) -> Int32s:
        """Return (n,) int32: of each row at the levels of a node, one tuple of a table below it.

        merged: the table at the levels of the rows.
        """
        columns = [*merged.codes.T, *merged.sensitive_codes.T]
        names = [f"k{place}" for place in range(len(columns))]
        # `tuple_of_row` of both tables is about the same rows.
        first = np.zeros(len(merged.weights), np.int32)
        first[merged.tuple_of_row] = table.tuple_of_row
        frame = pl.DataFrame(
            [pl.Series(name, column) for name, column in zip(names, columns, strict=True)]
        ).with_columns(place=pl.Series(first))
        asked = pl.DataFrame(
            [pl.Series(name, one) for name, one in zip(names, self._codes(rows), strict=True)]
        )
        found = asked.join(frame, on=names, how="left", maintain_order="left")["place"]
        if found.null_count():
            raise changed_error()
        return found.to_numpy()

    def frequencies(self, rows: pl.DataFrame) -> Frequencies:
        """Return tuples as the pipeline has them: see `PremergedSearch.counted`."""
        codes = self._codes(rows)
        raw = [pl.Series(one.domain.name, codes[a]) for a, one in enumerate(self._known)]
        typed = raw.copy()
        for sensitive in self._hidden:
            values = rows[self._aliases[sensitive.domain.name]]
            raw.append(values.alias(sensitive.domain.name))
            typed.append(sensitive.of(values)[1].alias(sensitive.domain.name))
        return Frequencies(pl.DataFrame(raw), pl.DataFrame(typed), rows[COUNT].to_numpy())


@dataclass(frozen=True)
class PremergedSearch:
    """What a search found, and the input as it sees it: quasi-identifiers are codes of labels."""

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
