"""A batch through a fitted recoding: an input of the run whose decision is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, InfeasibleError, SchemaError
from kanonym.data.message import Message
from kanonym.data.schema import Role, Schema, Sensitive
from kanonym.data.table import EncodedTable, encode
from kanonym.engines.decision import EncodedDecision, with_input
from kanonym.engines.local import (
    LocalEngine,
    LocalInput,
    LocalRelease,
    encoded_columns,
    resolve_seed,
)
from kanonym.engines.run import Run
from kanonym.engines.stopwatch import Stopwatch
from kanonym.pipeline.publishing import publish
from kanonym.release import Release
from kanonym.series.batches import Series
from kanonym.series.decision import BatchDecision
from kanonym.series.known_attribute import PlacedColumn
from kanonym.series.repeated_persons import BatchComparison, RepeatedPersons
from kanonym.series.suppression import suppress_failing
from kanonym.series.tally import Tally, compared_attributes, union_view
from kanonym.series.values import align_column
from kanonym.verification import FrequencySet, Part, ReleaseView, Verification, verify_release
from kanonym.verification.recorded import RecordedRelease

SEVERAL_BATCHES = Message(
    "it is not known which persons are in several batches: name their column and a key for each "
    "batch (person)"
)
LATER = 0x626174  # keeps the draws of later batches apart from those of the policy's own seed


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchRelease(Release):
    """The release of one batch of a series.

    Attributes
    ----------
    batch
        Its number in the series, from 1.
    union
        What was found in all that the series has released, this batch included.
    unseen
        Records of the batch by attribute whose value the recoding does not know: they
        release the root there.
    outside
        Records of known values that fall in no class: they release the root everywhere.
    repeated
        What all batches together give away of persons who are in several; None where persons
        are not looked for.

    `verification` is of the batch alone; it may fail where the union alone must satisfy.
    """

    _shown: ClassVar[tuple[str, ...]] = (
        "batch",
        "rows_in",
        "rows_out",
        "suppressed",
        "verification.k",
        "verification.verdict",
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


def release_batch(
    series: Series,
    before: Tally | None,
    number: int,
    batch: Any,
    progress: Callable[[str], None] | None = None,
    known_k: float | None = None,
    comparison: BatchComparison | None = None,
) -> tuple[BatchRelease, Tally]:
    """Return the release of a batch, and the tally of all releases with it.

    Parameters
    ----------
    series
        What is fixed.
    before
        What was released before, None at first.
    number
        Of this batch, from 1.
    batch
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    progress
        Called with the name of each stage as it begins.
    known_k
        The fewest persons of a class in any batch before, where persons are counted.
    comparison
        Of persons with those of earlier batches; None does not look for them.

    Raises
    ------
    SchemaError, DataError
        Columns or cells are not as in the fit; or a value is unseen, and that is an error.
    InfeasibleError
        Classes fail, and more records would have to be suppressed than the policy allows.

    """
    watch = Stopwatch(progress)
    with watch.stage("read"):
        engine = LocalEngine(batch)
        schema = _schema(series, engine.columns)
        seed = resolve_seed(_seed(series.policy.seed, number))
        given = engine.read(Run(series.policy, schema, seed, None, watch))
        source = BatchInput(
            given.engine, given.native, given.run, given.acting, series, before, comparison
        )
    decision = source.decide()
    found = publish(source, decision, required=False)
    with watch.stage("verify"):
        alone = found.verification
        tally = source.tally(decision, found.staged.checked)
        both = tally if before is None else before.plus(tally).merge_equal_rows()
        union = _verify_union(source, both, alone, known_k)
        if series.each_batch:
            _require_satisfied(alone, f"batch {number}")
        _require_satisfied(union, f"the union of {number} batches")
    weights, placed = source.decided.table.weights, source.decided
    release = BatchRelease(
        frame=found.frame,
        policy=series.policy,
        schema=schema,
        verification=alone,
        rows_in=decision.rows_in,
        rows_out=decision.rows_out,
        suppressed=decision.rows_in - decision.rows_out,
        decision=decision,
        seconds=watch.seconds,
        rows=found.staged.rows,
        columns=tuple(found.staged.columns),
        batch=number,
        union=union,
        repeated=None if comparison is None else comparison.repeated,
        unseen={
            known.name: int(weights[placed.strange[:, a]].sum())
            for a, known in enumerate(series.recoding.known)
        },
        outside=int(weights[placed.outside].sum()),
    )
    return release, both


@dataclass(frozen=True, repr=False)
class BatchInput(LocalInput):
    """A batch, whose decision a recoding gives.

    Attributes
    ----------
    series, before
        What is fixed, and what was released before.
    comparison
        Compares the persons of the batch with those of earlier ones; None where nobody asked.

    """

    series: Series
    before: Tally | None
    comparison: BatchComparison | None

    def column(self, name: str) -> pl.Series:
        """Return a column as actions leave it; of who is counted, that of the input."""
        return encoded_columns(self.native, self.run.policy, self.acting)(name)

    @cached_property
    def hidden(self) -> list[pl.Series]:
        """The attributes that models look at, in the types of the fit."""
        return [align_column(self.column(name), one) for name, one in self.series.sensitive.items()]

    @cached_property
    def decided(self) -> BatchDecision:
        """The classes of the recoding, without those that fail."""
        recoding, schema, watch = self.series.recoding, self.run.schema, self.run.watch
        with watch.stage("encode"):
            placed = [
                known.place(self.acting.before(known.name), named)
                for known, named in zip(recoding.known, recoding.named_values, strict=True)
            ]
            table = _encode_batch(placed, self.hidden, schema, frames.n_rows(self.native))
        with watch.stage("algorithm"):
            decided = recoding.decide(table, placed)
            if self.series.unseen == "error":
                _refuse_unseen(decided)
            return suppress_failing(self.series, schema, decided, self.before)

    def decide(self) -> EncodedDecision:
        """Return the decision of the recoding."""
        decided = self.decided
        decision = EncodedDecision.of(decided.table, decided.partition, decided.recoded)
        given = FrequencySet(self.column, frames.n_rows(self.native))
        return with_input(decision, self.run.task, given)

    def view(self, decision: EncodedDecision, staged: LocalRelease) -> ReleaseView:
        """Return what was staged, as verification sees it."""
        view = super().view(decision, staged)
        if self.comparison is None:
            return view
        repeated = self.comparison.compare(staged, decision.columns)
        return replace(view, given_away=repeated.given_away(self.run.policy.models))

    def tally(self, decision: EncodedDecision, checked: Any) -> Tally:
        """Count what was released, without the persons, from the released values alone."""
        gone = pl.Series(decision.labels < 0)
        asked = compared_attributes(self.run.policy.models)
        hidden = [one for one in self.hidden if one.name not in self.run.policy.entities]
        return Tally.of(
            [frames.column(checked, name) for name in decision.columns],
            [
                align_column(frames.column(checked, one.name), self.series.sensitive[one.name])
                for one in hidden
            ],
            [values.filter(gone) if values.name in asked else values.clear() for values in hidden],
        )


def _verify_union(
    source: BatchInput, tally: Tally, alone: Verification, known_k: float | None
) -> Verification:
    """Return the verdict on all batches together.

    A class of the union has at least the persons that it has in one batch, and every batch was
    checked: so the fewest persons of a class in any batch bound those of the union.

    known_k: that of the batches before; None for the first one.
    """
    persons = {
        str(one.attribute): min(one.achieved, one.achieved if known_k is None else known_k)
        for one in alone.checks
        if one.attribute in source.run.policy.entities
    }
    recorded = RecordedRelease(persons, ())
    view = union_view(source.run.policy, source.run.schema, tally, recorded)
    union = verify_release(view).with_findings(*alone.findings)
    unknown = source.before is not None and source.comparison is None
    parts = tuple(
        Part("persons", "not assessed", SEVERAL_BATCHES)
        if unknown and one.name == "persons" and one.assessed
        else together
        if one.assessed
        else one
        for one, together in zip(alone.parts, union.parts, strict=True)
    )
    return replace(union, parts=parts, not_looked_for=())


def _schema(series: Series, columns: Sequence[str]) -> Schema:
    """Return the roles of a batch's columns: those that the recoding is about must be the fit's."""
    schema = series.policy.schema_for(columns)
    known = {one.name for one in series.recoding.known}
    found = set(schema.names(Role.QUASI_IDENTIFIER))
    if found != known:
        raise SchemaError(
            "the quasi-identifiers are not those of the fit: "
            + "; ".join(
                f"{what} {', '.join(sorted(names))}"
                for what, names in (("lacking", known - found), ("new", found - known))
                if names
            )
        )
    return schema


def _seed(seed: int | None, number: int) -> int | None:
    """Return the seed of a batch: the policy's for the first, others for later ones.

    The same draws for every batch could be taken out again by comparing batches. Without a
    seed in the policy each batch draws its own.
    """
    if seed is None or number == 1:
        return seed
    state = np.random.SeedSequence([seed, LATER, number]).generate_state(2, np.uint64)
    return int(state[0]) << 64 | int(state[1])


def _encode_batch(
    placed: Sequence[PlacedColumn], hidden: Sequence[pl.Series], schema: Schema, n_rows: int
) -> EncodedTable:
    """Return the frequency set of a batch."""
    known = [(pl.Series(one.domain.name, one.codes), None) for one in placed]
    seen = []
    for values in hidden:
        attribute = schema.attributes.get(values.name)
        if isinstance(attribute, Sensitive):
            seen.append((values, attribute.hierarchy, attribute.nulls == "exclude"))
        else:  # who is counted
            seen.append((values, None, False))
    table = encode(known, seen, n_rows)
    codes = [domain.values.to_numpy()[table.codes[:, a]] for a, domain in enumerate(table.domains)]
    return replace(
        table,
        domains=tuple(one.domain for one in placed),
        codes=np.ascontiguousarray(np.stack(codes, axis=1), dtype=np.int32),
    )


def _refuse_unseen(decided: BatchDecision) -> None:
    """Refuse a value that the recoding does not know, and a record in no class."""
    table = decided.table
    wrong = (decided.strange.any(axis=1) | decided.outside)[table.tuple_of_row]
    if not wrong.any():
        return
    row = int(wrong.argmax())
    own = table.tuple_of_row[row]
    for a, domain in enumerate(table.domains):
        if decided.strange[own, a]:
            code = int(table.codes[own, a])
            value = None if code == domain.null_code else domain.values[code]
            raise DataError(
                f"column {domain.name!r}, row {row + 1}: {value!r} was not seen in the fit. "
                "Correct the cell, or fit with unseen values released as the root (unseen: root)"
            )
    raise DataError(
        f"row {row + 1} falls in no class of the fit, though each of its values was seen. "
        "Fit again, or release such records as the root (unseen: root)"
    )


def _require_satisfied(verification: Verification, what: str) -> None:
    if verification.satisfied is False:
        failed = [check.type for check in verification.checks if not check.satisfied]
        n = verification.n_violating
        classes = f" in {n} classes" if n else ""
        raise InfeasibleError(
            f"{what} fails {', '.join(failed)}{classes}; nothing is released. "
            "Wait for more records, or fit a coarser recoding"
        )
