"""The tables of a linked policy as one input: its records are persons with all their rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors

from kanonym.actions.base import Drawn
from kanonym.actions.masking.shift_date import ShiftDate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import InfeasibleError, PolicyError, SchemaError
from kanonym.data.message import Message
from kanonym.engines.local import resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.linked.copied_columns import copied_columns
from kanonym.linked.dates import check_one_shift, order_notes
from kanonym.linked.given_tables import Column, check_tables, like_given, polars_tables
from kanonym.linked.levels import (
    PersonClasses,
    SearchedLevels,
    find_levels,
    known_columns,
)
from kanonym.linked.linked_keys import (
    released_keys,
    table_seed,
    unnumbered_parts,
    with_pseudonyms,
)
from kanonym.linked.linked_policy import (
    LinkedPolicy,
    Tables,
    banded_policy,
    is_plain,
    released_policy,
    with_column_roles,
)
from kanonym.linked.linked_verification import view_of_tables
from kanonym.linked.linked_view import LinkedView
from kanonym.linked.person_models import PersonModels
from kanonym.linked.person_rows import Codes, LinkedRows, Masks, codes_of
from kanonym.linked.released_rows import (
    KeptRows,
    MergedRows,
    count_merged,
    equal_but_for_levels,
    limit_rows,
)

PERSON = "\0person"
"""The person of each row, for actions that treat all rows of a person alike."""


class LinkedDecision(NamedTuple):
    """Levels, by table the row that stands for each, and (n_persons,) who is suppressed."""

    search: SearchedLevels
    stands: Mapping[str, Codes]
    suppressed: NDArray[np.bool_]

    @property
    def rows_out(self) -> int:
        """Persons who are released."""
        return int((~self.suppressed).sum())


class StagedTables(NamedTuple):
    """Tables that are ready to be verified, and what a release tells of how they were made."""

    frames: Mapping[str, Any]
    keys: list[dict[str, Any]]
    merged: Mapping[str, MergedRows]
    notes: list[Message]

    def publish(self) -> Mapping[str, Any]:
        """Return the released tables."""
        return self.frames

    def discard(self) -> None:
        """Leave everything as it is: nothing is written."""


@dataclass(frozen=True)
class LinkedInput:
    """Tables as limits and actions leave them, and the persons in them with all their rows.

    given, asked: what came in, and its policy without bands. rows_in: rows by table.
    before, tables: tables before and after actions, these with all columns that are released.
    keys: as of `released_keys`. built: hierarchies that were not given, a sentence each.
    """

    given: Mapping[str, Any]
    asked: LinkedPolicy
    rows_in: Mapping[str, int]
    watch: Stopwatch
    before: Tables
    tables: Tables
    persons: PersonClasses
    keys: Mapping[Column, Column]
    built: Mapping[str, str]
    random: np.random.Generator
    seed: int

    @property
    def policy(self) -> LinkedPolicy:
        """What is asked of the tables as they will be released."""
        return self.persons.rows.policy

    @classmethod
    def read(
        cls, tables_in: Mapping[str, Any], policy: LinkedPolicy, watch: Stopwatch
    ) -> LinkedInput:
        """Return what tables hold, once keys, references and roles are in order."""
        asked = banded_policy(policy)
        with watch.stage("read"):
            given = polars_tables(tables_in, policy)
            check_tables(given, policy)
            seed = resolve_seed(policy.seed)
            random = np.random.default_rng(np.random.SeedSequence([seed, *b"linked"]))
            before = limit_rows(given, policy, random)
            policy = with_column_roles(banded_policy(policy), before, whole=True)
            rows = LinkedRows.of(before, policy)
            keys = released_keys(before, policy, seed)
            tables = _acted_tables(before, keys, rows, seed)
            check_one_shift(before, tables, rows)
            for column, other in copied_columns(before, rows):
                watch.tell(f"{'.'.join(column)} repeats {'.'.join(other)}")
        with watch.stage("encode"):
            built: dict[str, str] = {}
            known = known_columns(tables, policy, built)
            for sentence in built.values():
                watch.tell(f"no hierarchy given; built {sentence}")
            policy = released_policy(policy, tables)
            rows = replace(rows, policy=policy)
            parts = {name: unnumbered_parts(tables, policy, name) for name in policy.order}
            for name, several in parts.items():
                for one in several:
                    watch.tell(
                        f"{name}.{one} is in a key and repeats: it counts, and is not generalized"
                    )
            persons = PersonClasses(
                rows,
                known,
                PersonModels.of(tables, rows, policy),
                equal_but_for_levels(tables, rows, keys),
                {n: [codes_of(tables[n][one]) for one in parts[n]] for n in parts},
            )
        rows_in = {name: frame.height for name, frame in given.items()}
        return cls(
            tables_in, asked, rows_in, watch, before, tables, persons, keys, built, random, seed
        )

    def decide(self) -> LinkedDecision:
        """Return the levels that lose least and protect every person who is not suppressed."""
        with self.watch.stage("algorithm"):
            found = find_levels([one.losses for one in self.persons.known], self.persons.satisfies)
            if found is not None:
                return LinkedDecision(found, *self.persons.at(found.levels))
        _, failing = self.persons.at(tuple(one.highest for one in self.persons.known))
        fixed = [
            f"{name}.{one}"
            for name in self.policy.order
            for one in self.policy.tables[name].key
            if one in unnumbered_parts(self.tables, self.policy, name)
            or one in self.policy.tables[name].quasi_identifiers
        ]
        keys = (
            f"; {', '.join(fixed)} count as they are, since keys cannot be generalized: a column "
            "of a key without a role, that nothing else refers to, is numbered anew and does not "
            "count"
        )
        raise InfeasibleError(
            f"no levels satisfy the policy with at most {100 * self.policy.suppression_limit:g} % "
            "of the persons suppressed: even with every quasi-identifier at its root, "
            f"{int(failing.sum()):,} of {len(failing):,} persons have rows that too few others "
            "have. Nothing is released. Bound the rows of tables (cap, merge, band), raise "
            f"suppression_limit, or lower k{keys if fixed else ''}"
        )

    def stage(self, decision: LinkedDecision) -> StagedTables:
        """Return the released tables: recoded, without rows that go, keys numbered, shuffled."""
        with self.watch.stage("recode"):
            rows, stands, suppressed = self.persons.rows, decision.stands, decision.suppressed
            kept: Masks = {
                name: (row == np.arange(len(row))) & ~suppressed[rows.persons[name]]
                for name, row in stands.items()
            }
            whole = dict(self.tables)
            for one, level in zip(self.persons.known, decision.search.levels, strict=True):
                labels = one.released(level).alias(one.name)
                whole[one.table] = whole[one.table].with_columns(labels)
            merged = count_merged(whole, rows, self.keys, kept, suppressed)
            notes = order_notes(self.before, whole, rows, kept)
            frames = KeptRows(whole, rows, kept, stands, self.random).frames()
            frames, keys = with_pseudonyms(frames, self.policy, self.keys, self.seed)
            frames = {
                # Categories would name values that only suppressed rows had.
                name: frame.with_columns(
                    selectors.by_dtype(pl.Categorical, pl.Enum).cast(pl.String)
                )[self.random.permutation(frame.height)]
                for name, frame in frames.items()
            }
            if any(one.lost for one in merged.values()):
                raise InfeasibleError(
                    "the recoded tables lack values of merged rows; nothing is released. This is a "
                    "defect of kanonym: please report it"
                )
            return StagedTables(like_given(frames, self.given), keys, merged, notes)

    def view(self, decision: LinkedDecision, staged: StagedTables) -> LinkedView:
        """Return what was staged, as verification sees it."""
        del decision
        person = self.tables[self.policy.person] if self.policy.models else None
        tables = polars_tables(staged.frames, self.asked)
        return view_of_tables(tables, self.asked, self.before, person)


def _acted_tables(
    tables: Tables, keys: Mapping[Column, Column], rows: LinkedRows, seed: int
) -> dict[str, pl.DataFrame]:
    """Return all columns that are released, as actions leave them; keys as they are."""
    person = rows.policy.person
    texts = pl.concat_str(pl.col(rows.policy.tables[person].key).cast(pl.String), separator="\0")
    subjects = tables[person].select(texts.alias(PERSON)).to_series()
    found = {}
    drawn: dict[Hashable, Drawn] = {}
    for name, table in rows.policy.tables.items():
        frame = tables[name]
        if name in rows.persons:
            frame = frame.with_columns(subjects.gather(rows.persons[name]))
        attributes = {n: one for n, one in table.attributes.items() if n not in table.linking}
        actions = {
            column: tuple(_bound(one, f"{name}.{column}", frame) for one in attribute.action)
            for column, attribute in attributes.items()
            if attribute.action
        }
        acting = ColumnActions(partial(_column, frame), actions, table_seed(seed, name), drawn)
        found[name] = pl.DataFrame(
            [
                frame[one] if (name, one) in keys else acting.before(one).alias(one)
                for one in tables[name].columns
                if (name, one) in keys or (one in attributes and not is_plain(table, one))
            ]
        )
    return found


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        raise SchemaError(
            f"an action reads the column {name!r}, which its table lacks: actions of linked tables "
            f"read columns of their own table. It has: {', '.join({*frame.columns} - {PERSON})}"
        )
    return frame[name]


def _bound(action: Any, where: str, frame: pl.DataFrame) -> Any:
    """Return an action that treats all rows of a person alike, where it is one of these."""
    of_persons = PERSON in frame.columns and isinstance(action, ShiftDate)
    if not of_persons or action.subject is not None:
        return action
    if action.key is None:
        raise PolicyError(
            f"{where}: shift-date needs key: {{env: NAME}} in linked tables, so that all dates of "
            "a person shift by one amount, in all tables and runs"
        )
    return replace(action, subject=PERSON)
