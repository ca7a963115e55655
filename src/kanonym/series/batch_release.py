"""A batch through a fitted recoding: an input of the run whose decision is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, Message, PolicyError, SchemaError
from kanonym.data.results import ResultTable
from kanonym.data.schema import Role, Schema
from kanonym.data.table import EncodedTable, encode
from kanonym.engines.base import Run
from kanonym.engines.decision import EncodedDecision, with_persons
from kanonym.engines.local import (
    LocalEngine,
    LocalInput,
    LocalRelease,
    encoded_columns,
    resolve_seed,
)
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.arrays import Bools
from kanonym.pipeline import package_release, publish, require_satisfied
from kanonym.release import Release
from kanonym.release.tables import kept_value_rows, lost_row, record_rows
from kanonym.series.known_attribute import align_column
from kanonym.series.persons import BatchPersons, PersonColumn, RepeatedPersons
from kanonym.series.recodings import Placement
from kanonym.series.tally import Released, Series, Tally, counted, suppress_failing, suppress_tuples
from kanonym.verification.findings import verify_release
from kanonym.verification.release_view import RecordedRelease, ReleaseView
from kanonym.verification.released_classes import FrequencySet, SensitiveColumn
from kanonym.verification.tables import achieved_text, model_name, required_text, verdict_table
from kanonym.verification.verdict import Part, Verification, parts_of

ADVICE = "Wait for more records, or fit a coarser recoding"
LATER = 0x626174  # keeps the draws of later batches apart from those of the policy's own seed


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchRelease(Release):
    """The release of one batch of a series.

    `verification` is of the batch alone; it may fail where the union alone must satisfy.

    Attributes
    ----------
    batch
        Its number in the series, from 1.
    union
        What was found in all that the series has released, this batch included.
    unseen, outside
        Released records by attribute whose value the recoding does not know, and those of known
        values that fall in no class: they release the root there, or everywhere.
    repeated
        What all batches together give away of persons who are in several; None where persons
        are not looked for.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        *("batch", "rows_in", "rows_out", "suppressed", "verification.k", "verification.verdict"),
    )

    batch: int
    union: Verification
    unseen: dict[str, int]
    outside: int
    repeated: RepeatedPersons | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of a release, with the batch and the union."""
        union = self.union.to_dict()
        told = ("satisfied", "verdict", "parts", "rows", "classes", "models", "largest_shares")
        return {
            **super().to_dict(),
            "batch": {"number": self.batch, "unseen": self.unseen, "outside": self.outside},
            "union": {name: union[name] for name in (*told, "findings")},
            **({} if self.repeated is None else {"repeated": self.repeated.to_dict()}),
        }

    def tables(self, *, examples: bool = False) -> list[ResultTable]:
        """Return the figures of the batch, and what holds of it and of all released so far."""
        del examples  # no labels are shown
        unseen = [f"{name} {count:,}" for name, count in self.unseen.items() if count]
        union = self.union
        facts = ResultTable.of_facts(
            ("batch", self.batch),
            *record_rows(self),
            ("classes", self.verification.n_classes),
            lost_row(self.utility.span_loss),
            ("unseen values", ", ".join(unseen) or "none"),
            ("in no class", self.outside),
            *([] if self.repeated is None else self.repeated.rows()),
            *kept_value_rows(self.values_kept),
            ("released so far", f"{union.rows:,} in {union.n_classes:,} classes"),
        )
        rows = []
        for alone, both in zip(self.verification.checks, union.checks, strict=True):
            verdict = "yes" if alone.satisfied and both.satisfied else "in the union"
            verdict = verdict if both.satisfied else "NO"
            figures = required_text(alone), achieved_text(alone), achieved_text(both)
            rows.append((model_name(alone), *figures, verdict))
        header = ("model", "required", "batch", "union", "satisfied")
        models = [ResultTable(header, rows, frozenset(range(1, 5)))] if rows else []
        return [facts, *models, verdict_table(union)]


def release_batch(
    series: Series,
    before: Released,
    batch: Any,
    person: PersonColumn | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[BatchRelease, Released]:
    """Return the release of a batch, and what the series has released with it."""
    number, watch = before.batches + 1, Stopwatch(progress)
    with watch.stage("read"):
        engine = LocalEngine(batch)
        persons = None
        if person is not None:
            entities = series.policy.entities
            persons = BatchPersons(engine.frame, person, before.persons, number, entities)
        elif before.persons is not None:
            raise PolicyError(
                "earlier batches of this series were compared by persons: name the column and the "
                "key of persons again"
            )
        schema = _schema(series, engine.columns)
        seed = resolve_seed(_seed(series.policy.seed, number))
        given = engine.read(Run(series.policy, schema, seed, None, watch))
        withheld = np.zeros(frames.n_rows(given.native), np.bool_)
        source = BatchInput(
            **vars(given), series=series, before=before, persons=persons, withheld=withheld
        )
    while True:
        decision = source.decide()
        published = publish(source, decision, required=False)
        exposed = source.withheld if persons is None else persons.exposed() | source.withheld
        if (exposed == source.withheld).all():
            break
        source = replace(source, withheld=exposed)
    alone = published.verification
    with watch.stage("verify"):
        if series.each_batch:
            require_satisfied(alone, f"batch {number}", ADVICE)
        after = source.released(decision, published.staged.checked, alone)
        union = _verify_union(source, after, alone)
        require_satisfied(union, f"the union of {number} batches", ADVICE)
    places = decision.table.tuple_of_row[published.staged.rows]
    weights = np.bincount(places, minlength=len(decision.table.weights))
    made = package_release(engine, source.run, decision, published)
    release = BatchRelease(
        **vars(made),
        batch=number,
        union=union,
        repeated=None
        if persons is None
        else replace(persons.repeated, suppressed=int(source.withheld.sum())),
        unseen={
            attribute.name: int(weights[source.placement.strange[:, a]].sum())
            for a, attribute in enumerate(series.recoding.known)
        },
        outside=int(weights[source.placement.outside].sum()),
    )
    return release, after


@dataclass(frozen=True, repr=False)
class BatchInput(LocalInput):
    """A batch, whose decision a recoding gives."""

    series: Series
    before: Released
    persons: BatchPersons | None  # beside those of earlier batches, where somebody asks
    withheld: Bools  # (n_rows,) records that are not released, whatever their class

    def column(self, name: str) -> pl.Series:
        """Return a column as actions leave it; of who is counted, that of the input."""
        return frames.values_of(encoded_columns(self.native, self.run.policy, self.acting)(name))

    @cached_property
    def placement(self) -> Placement:
        """The classes of the recoding; the target of the table marks what is withheld."""
        recoding, schema = self.series.recoding, self.run.schema
        with self.run.watch.stage("encode"):
            placed = recoding.place(self.acting.before)
            known = [(pl.Series(one.domain.name, one.codes), None) for one in placed]
            columns = [
                *(align_column(self.column(n), one) for n, one in self.series.sensitive.items()),
                *map(self.column, self.run.policy.entities),
            ]
            hidden = [SensitiveColumn.of(one, schema.attributes.get(one.name)) for one in columns]
            marks = None
            if self.withheld.any():
                marks = pl.Series(self.withheld).cast(pl.Int8).replace(0, None)
            table = encode(known, [one[:3] for one in hidden], len(self.withheld), target=marks)
            pairs = zip(table.domains, table.codes.T, strict=True)
            codes = [domain.values.to_numpy()[own] for domain, own in pairs]
            table = replace(
                table,
                domains=tuple(column.domain for column in placed),
                codes=np.ascontiguousarray(np.stack(codes, axis=1), dtype=np.int32),
            )
        with self.run.watch.stage("algorithm"):
            return recoding.decide(table, placed)

    def decide(self) -> EncodedDecision:
        """Return the decision of the recoding, without classes that fail."""
        decision, strange, outside = self.placement
        marks = decision.table.target_codes
        with self.run.watch.stage("algorithm"):
            if self.series.unseen == "error":
                _refuse_unseen(decision.table, strange, outside)
            if marks is not None:
                decision = suppress_tuples(decision, marks >= 0)
            decision = suppress_failing(self.series, self.run.schema, decision, self.before.tally)
        given = FrequencySet(self.column, len(self.withheld))
        return with_persons(replace(decision, fixed=frozenset()), self.run.task, given)

    def view(self, decision: EncodedDecision, staged: LocalRelease) -> ReleaseView:
        """Return what was staged, as verification sees it."""
        view = super().view(decision, staged)
        if self.persons is None:
            return view
        repeated = self.persons.compare(staged, decision.columns)
        return replace(view, given_away=repeated.given_away(self.run.policy.models))

    def released(self, decision: EncodedDecision, checked: Any, alone: Verification) -> Released:
        """Return what the series has released with the batch, from the released values alone."""
        columns = [frames.column(checked, name) for name in decision.columns]
        hidden = [
            align_column(frames.column(checked, name), dtype)
            for name, dtype in self.series.sensitive.items()
        ]
        tally = Tally(counted([*columns, *hidden]), len(columns)).merge_equal_rows()
        before, entities = self.before, self.run.policy.entities
        fewest = [
            check.achieved for check in alone.checks if check.attribute in entities and alone.rows
        ]
        fewest += [] if before.fewest_persons is None else [before.fewest_persons]
        return Released(
            before.batches + 1,
            before.rows_in + decision.rows_in,
            tally if before.tally is None else before.tally.plus(tally).merge_equal_rows(),
            alone.with_findings(*before.findings).findings if alone.rows else before.findings,
            min(fewest, default=None),
            None if self.persons is None else self.persons.after,
        )


def _verify_union(source: BatchInput, after: Released, alone: Verification) -> Verification:
    """Return the verdict on all batches together: nobody who is in several counts twice."""
    policy, tally = source.run.policy, after.tally
    assert tally is not None  # noqa: S101 - of this batch at least
    # Counts of records do not tell persons apart; a class of all has at least those of one batch.
    persons = dict.fromkeys(policy.entities, after.fewest_persons or 0)
    view = ReleaseView(
        policy=policy,
        schema=source.run.schema,
        released=tally.table,
        labels=[one.name for one in tally.known],
        recorded=RecordedRelease(persons, after.findings),
    )
    union = verify_release(view).with_findings(*after.findings)
    checks = [replace(check, recorded=False) for check in union.checks]
    for place, (model, own) in enumerate(zip(policy.models, alone.checks, strict=True)):
        if not (model.entity or (model.counts_records and policy.rows == "persons")):
            continue
        check, linking, achieved = checks[place], own.linked_by, checks[place].achieved
        if after.persons is not None:
            linking = tuple(dict.fromkeys([*linking, *after.persons.linking]))
            achieved = min(achieved, after.persons.fewest(alike=bool(after.persons.linking)))
        satisfied = achieved >= check.required or not tally.counts.any()
        checks[place] = replace(check, achieved=achieved, satisfied=satisfied, linked_by=linking)
    parts = list(
        parts_of(
            checks,
            view.schema.names(Role.SENSITIVE),
            view.persons,
            union.rows,
            none_sensitive=policy.sensitive is not None,
        )
    )
    if parts[-1].assessed and source.persons is not None:
        column = source.persons.asked.column
        rests_on = Message("persons are recognized in all batches by {column}", column=column)
        parts[-1] = Part("persons", "checked", rests_on)
    elif parts[-1].assessed and after.batches > 1:
        rests_on = Message(
            "it is not known which persons are in several batches: give {column} and a key for "
            "each batch (person; --person COLUMN --person-key FILE)",
            column=policy.entities[0] if policy.entities else Message("their column"),
        )
        parts[-1] = Part("persons", "not assessed", rests_on)
    return replace(union, checks=tuple(checks), parts=tuple(parts))


def _schema(series: Series, columns: Sequence[str]) -> Schema:
    """Return the roles of a batch's columns: those that the recoding is about must be the fit's."""
    schema = series.policy.schema_for(columns)
    known = {one.name for one in series.recoding.known}
    found = set(schema.names(Role.QUASI_IDENTIFIER))
    lacking, new = (", ".join(sorted(names)) for names in (known - found, found - known))
    if lacking or new:
        raise SchemaError(
            "the quasi-identifiers are not those of the fit: "
            f"lacking {lacking or 'none'}; new {new or 'none'}"
        )
    return schema


def _seed(seed: int | None, number: int) -> int | None:
    """Return the seed of a batch: equal draws could be taken out again by comparing batches."""
    if seed is None or number == 1:
        return seed
    state = np.random.SeedSequence([seed, LATER, number]).generate_state(2, np.uint64)
    return int(state[0]) << 64 | int(state[1])


def _refuse_unseen(table: EncodedTable, strange: Bools, outside: Bools) -> None:
    """Refuse a value that the recoding does not know, and a record in no class."""
    wrong = (strange.any(axis=1) | outside)[table.tuple_of_row]
    if not wrong.any():
        return
    row = int(wrong.argmax())
    own = table.tuple_of_row[row]
    if outside[own]:
        raise DataError(
            f"row {row + 1} falls in no class of the fit, though each of its values was seen. "
            "Fit again, or release such records as the root (unseen: root)"
        )
    a = int(strange[own].argmax())
    domain, code = table.domains[a], int(table.codes[own, a])
    value = None if code == domain.null_code else domain.values[code]
    raise DataError(
        f"column {domain.name!r}, row {row + 1}: {value!r} was not seen in the fit. "
        "Correct the cell, or fit with unseen values released as the root (unseen: root)"
    )
