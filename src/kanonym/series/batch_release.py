"""A batch through a fitted recoding: placed, recoded, verified alone and with all before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.registry import ColumnActions
from kanonym.data import frames
from kanonym.data.conventions import canonical_table, styled_columns, typed_table
from kanonym.data.errors import DataError, InfeasibleError, SchemaError
from kanonym.data.schema import Role, Schema, Sensitive
from kanonym.data.table import EncodedTable, encode
from kanonym.engines.decision import Decision
from kanonym.engines.frequency_set import values_of
from kanonym.engines.local import LocalEngine, bind_actions, sorting_keys
from kanonym.engines.records import released_values
from kanonym.engines.stopwatch import Stopwatch
from kanonym.pipeline.checks import unmodelled_attributes
from kanonym.pipeline.dependent_columns import (
    dependence_warnings,
    dependent_columns,
    knowable_warnings,
)
from kanonym.pipeline.person_checks import (
    amount_warnings,
    input_warnings,
    taken_agreement_warnings,
)
from kanonym.policy import Policy
from kanonym.recoding.ordering import released_rows
from kanonym.release import Release
from kanonym.series.batches import Series
from kanonym.series.decision import BatchDecision
from kanonym.series.known_attribute import PlacedColumn
from kanonym.series.repeated_persons import RepeatedPersons
from kanonym.series.suppression import suppress_failing
from kanonym.series.tally import Tally, compared_attributes
from kanonym.series.values import align_column
from kanonym.verification import Verification, VerificationWarning, unprotected_warnings

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
        told = ("satisfied", "verdict", "rows", "classes", "models", "largest_shares", "warnings")
        return {
            **super().to_dict(),
            "batch": {"number": self.batch, "unseen": self.unseen, "outside": self.outside},
            "union": {name: union[name] for name in told},
            **({} if self.repeated is None else {"repeated": self.repeated.to_dict()}),
        }


def release_batch(
    series: Series,
    before: Tally | None,
    number: int,
    batch: Any,
    progress: Callable[[str], None] | None = None,
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

    Raises
    ------
    SchemaError, DataError
        Columns or cells are not as in the fit; or a value is unseen, and that is an error.
    InfeasibleError
        Classes fail, and more records would have to be suppressed than the policy allows.

    """
    policy, watch = series.policy, Stopwatch(progress)
    with watch.stage("read"):
        given = frames.to_eager(batch)
        schema = _schema(series, frames.column_names(given))
        native = typed_table(given, schema.conventions)
        acting = bind_actions(native, schema, _seed(policy.seed, number))
        for name in acting.actions:
            acting.before(name)
    n_rows = frames.n_rows(native)
    with watch.stage("encode"):
        hidden = [align_column(acting.before(name), one) for name, one in series.sensitive.items()]
        placed = [
            known.place(acting.before(known.name), named)
            for known, named in zip(
                series.recoding.known, series.recoding.named_values, strict=True
            )
        ]
        table = _encode_batch(placed, hidden, schema, n_rows)
    with watch.stage("algorithm"):
        decided = series.recoding.decide(table, placed)
        if series.unseen == "error":
            _refuse_unseen(decided)
        decided = suppress_failing(series, schema, decided, before)
    with watch.stage("recode"):
        decision = Decision.of(table, decided.partition, decided.recoded)
        seed = None if policy.keep_order else acting.seed
        rows = _rows(decision, schema, acting, sorting_keys(native, acting), seed)
        columns = released_values(decision, schema, rows, acting, {})
        frame = frames.assemble(given, rows, styled_columns(columns, schema.conventions), batch)
    with watch.stage("verify"):
        checked = canonical_table(frames.to_eager(frame), schema.conventions)
        mine = _tally(checked, decision, series, hidden)
        both = mine if before is None else before.plus(mine).merge_equal_rows()
        warned = _batch_warnings(policy, schema, native, checked)
        alone = mine.verify(schema, policy.models).with_warnings(*warned)
        union = both.verify(schema, policy.models).with_warnings(*warned)
        told = _column_warnings(policy, schema, native, checked, decision, alone)
        alone, union = alone.with_warnings(*told), union.with_warnings(*told)
        if series.each_batch:
            _require_satisfied(alone, f"batch {number}")
        _require_satisfied(union, f"the union of {number} batches")
    gone = decision.labels < 0
    release = BatchRelease(
        frame=frame,
        policy=policy,
        schema=schema,
        verification=alone,
        rows_in=n_rows,
        rows_out=len(rows),
        suppressed=int(gone.sum()),
        decision=decision,
        seconds=watch.seconds,
        rows=rows,
        columns=tuple(frames.column_names(checked)),
        batch=number,
        union=union,
        unseen={
            known.name: int(table.weights[decided.strange[:, a]].sum())
            for a, known in enumerate(series.recoding.known)
        },
        outside=int(table.weights[decided.outside].sum()),
    )
    return release, both


def _batch_warnings(
    policy: Policy, schema: Schema, native: Any, frame: Any
) -> list[VerificationWarning]:
    """Return what a batch tells of persons, and which sensitive attributes nothing protects."""
    released = frames.to_eager(frame)
    return [
        *unprotected_warnings(unmodelled_attributes(schema, policy), policy.models),
        *input_warnings(policy, schema, partial(values_of, partial(frames.column, native))),
        *amount_warnings(
            policy,
            schema,
            frames.column_names(released),
            partial(values_of, partial(frames.column, released)),
        ),
    ]


def _column_warnings(
    policy: Policy,
    schema: Schema,
    native: Any,
    released: Any,
    decision: Decision,
    found: Verification,
) -> list[VerificationWarning]:
    """Return which columns of a batch tell of its persons although nobody said so."""
    before, after = LocalEngine(native), LocalEngine(released)
    asked = after.columns, after.take, decision.columns, found
    return [
        *dependence_warnings(dependent_columns(schema, before), *asked),
        *knowable_warnings(policy, *asked),
        *taken_agreement_warnings(policy, schema.names(Role.QUASI_IDENTIFIER), before.take),
    ]


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
        attribute = schema.attributes[values.name]
        assert isinstance(attribute, Sensitive)  # noqa: S101 - the fit saw to it
        seen.append((values, attribute.hierarchy, attribute.nulls == "exclude"))
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


def _rows(
    decision: Decision,
    schema: Schema,
    acting: ColumnActions,
    key: Callable[[str], pl.Series],
    seed: int | None,
) -> NDArray[np.int64]:
    """Return the records that are released, in the order of the release."""
    named = [name for name in schema.names(Role.IDENTIFIER) if name in acting.actions]
    named += schema.names(Role.SENSITIVE) + schema.names(Role.INSENSITIVE)
    return released_rows(decision.labels, decision.recoded, named, key, seed)


def _tally(checked: Any, decision: Decision, series: Series, hidden: Sequence[pl.Series]) -> Tally:
    """Count what was released, from the released values alone."""
    names = [column.name for one in decision.recoded for column in one.columns]
    gone = pl.Series(decision.labels < 0)
    asked = compared_attributes(series.policy.models)
    return Tally.of(
        [frames.column(checked, name) for name in names],
        [align_column(frames.column(checked, name), one) for name, one in series.sensitive.items()],
        [values.filter(gone) if values.name in asked else values.clear() for values in hidden],
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
