"""The tables of a linked policy as one input: its records are persons with all their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors

from kanonym.actions.masking.shift_date import ShiftDate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import InfeasibleError, PolicyError, SchemaError
from kanonym.data.message import Message
from kanonym.engines.local import resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.linked.copied_columns import copied_columns
from kanonym.linked.dates import check_one_shift, order_notes
from kanonym.linked.fitted_policy import (
    banded_policy,
    is_plain,
    released_policy,
    with_column_roles,
)
from kanonym.linked.given_tables import Column, Tables, check_tables
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
from kanonym.linked.linked_policy import LinkedPolicy
from kanonym.linked.person_models import PersonModels
from kanonym.linked.person_rows import Codes, LinkedRows, Masks, codes_of_values
from kanonym.linked.released_rows import (
    KeptRows,
    MergedRows,
    compared_columns,
    count_merged,
    further_codes,
    limit_rows,
)

PERSON = "\0person"
"""The person of each row, for actions that treat all rows of a person alike."""


@dataclass(frozen=True, slots=True)
class LinkedDecision:
    """Which rows are released, at which levels.

    stands: by table, the row that stands for each. suppressed: (n_persons,) bool.
    """

    search: SearchedLevels
    stands: Mapping[str, Codes]
    suppressed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StagedTables:
    """Tables that are ready to be verified, and what a release tells of how they were made."""

    frames: Mapping[str, pl.DataFrame]
    keys: list[dict[str, Any]]
    merged: Mapping[str, MergedRows]
    notes: list[Message]


@dataclass(frozen=True)
class LinkedInput:
    """Tables as limits and actions leave them, and the persons in them with all their rows.

    policy: of the tables as they will be released. tables: before actions. columns: after them,
    all that are released. compared: by table that merges rows, in what equal rows are equal.
    built: hierarchies that were not given, a sentence each.
    """

    policy: LinkedPolicy
    tables: Tables
    columns: Mapping[Column, pl.Series]
    persons: PersonClasses
    keys: Mapping[Column, Column]
    compared: Mapping[str, list[str]]
    built: Mapping[str, str]
    random: np.random.Generator
    seed: int

    @classmethod
    def read(cls, given: Tables, policy: LinkedPolicy, watch: Stopwatch) -> LinkedInput:
        """Return what polars tables hold, once keys, references and roles are in order."""
        with watch.stage("read"):
            check_tables(given, policy)
            seed = resolve_seed(policy.seed)
            random = np.random.default_rng(np.random.SeedSequence([seed, *b"linked"]))
            limited = limit_rows(given, policy, random)
            asked = with_column_roles(banded_policy(policy), limited, whole=True)
            rows = LinkedRows.of(limited, asked)
            keys = released_keys(limited, asked, seed)
            columns = _acted_columns(limited, keys, rows, seed)
            check_one_shift(limited, columns, rows)
            for column, other in copied_columns(limited, rows):
                watch.tell(f"{'.'.join(column)} repeats {'.'.join(other)}")
        with watch.stage("encode"):
            built: dict[str, str] = {}
            known = known_columns(columns, asked, built)
            for sentence in built.values():
                watch.tell(f"no hierarchy given; built {sentence}")
            acted = _frames(columns, asked)
            asked = released_policy(asked, acted)
            rows = replace(rows, policy=asked)
            parts = {name: unnumbered_parts(acted, asked, name) for name in asked.order}
            for name, several in parts.items():
                for one in several:
                    watch.tell(
                        f"{name}.{one} is in a key and repeats: it counts, and is not generalized"
                    )
            compared = compared_columns(acted, rows, keys)
            persons = PersonClasses(
                rows,
                known,
                PersonModels.of(acted, rows, asked),
                further_codes(acted, rows, compared),
                {n: [codes_of_values(acted[n], [one]) for one in parts[n]] for n in parts},
            )
        return cls(asked, limited, columns, persons, keys, compared, built, random, seed)

    def decide(self) -> LinkedDecision:
        """Return the levels that lose least and protect every person who is not suppressed."""
        found = find_levels([one.losses for one in self.persons.known], self.persons.satisfies)
        if found is not None:
            return LinkedDecision(found, *self.persons.at(found.levels))
        _, failing = self.persons.at(tuple(one.highest for one in self.persons.known))
        fixed = [
            f"{name}.{one}"
            for name in self.policy.order
            for one in self.policy.tables[name].key
            if one in unnumbered_parts(_frames(self.columns, self.policy), self.policy, name)
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
        rows, stands, suppressed = self.persons.rows, decision.stands, decision.suppressed
        kept: Masks = {
            name: (row == np.arange(len(row))) & ~suppressed[rows.persons[name]]
            for name, row in stands.items()
        }
        labels = {
            (one.table, one.name): one.released(level).alias(one.name)
            for one, level in zip(self.persons.known, decision.search.levels, strict=True)
        }
        released = {**self.columns, **labels}
        whole = _frames(released, self.policy)
        merged = count_merged(whole, rows, self.compared, kept, suppressed)
        notes = order_notes(self.tables, whole, rows, kept)
        frames = KeptRows(whole, rows, kept, stands, self.random).frames()
        frames, keys = with_pseudonyms(frames, self.policy, self.keys, self.seed)
        frames = {
            # Categories would name values that only suppressed rows had.
            name: frame.with_columns(selectors.by_dtype(pl.Categorical, pl.Enum).cast(pl.String))[
                self.random.permutation(frame.height)
            ]
            for name, frame in frames.items()
        }
        return StagedTables(frames, keys, merged, notes)


def _frames(columns: Mapping[Column, pl.Series], policy: LinkedPolicy) -> dict[str, pl.DataFrame]:
    return {
        name: pl.DataFrame([one for (table, _), one in columns.items() if table == name])
        for name in policy.tables
    }


def _acted_columns(
    tables: Tables, keys: Mapping[Column, Column], rows: LinkedRows, seed: int
) -> dict[Column, pl.Series]:
    """Return every column that is released, as actions leave it; keys as they are."""
    policy = rows.policy
    found: dict[Column, pl.Series] = {}
    for name, table in policy.tables.items():
        frame, persons = tables[name], None
        if name in rows.persons:
            key = tables[policy.person].select(policy.tables[policy.person].key)
            persons = _subjects(key).gather(rows.persons[name])
        attributes = {n: one for n, one in table.attributes.items() if n not in table.linking}
        actions = {
            column: tuple(_bound(one, f"{name}.{column}", persons) for one in attribute.action)
            for column, attribute in attributes.items()
            if attribute.action
        }
        acting = ColumnActions(partial(_column, frame, persons), actions, table_seed(seed, name))
        for column in frame.columns:
            if (name, column) in keys:
                found[name, column] = frame[column]
            elif column in attributes and not is_plain(table, column):
                found[name, column] = acting.before(column).alias(column)
    return found


def _subjects(key: pl.DataFrame) -> pl.Series:
    """Return the text of each person's key: that of a single column as it is."""
    if key.width == 1:
        return key.to_series().alias(PERSON)
    texts = pl.concat_str(pl.all().cast(pl.String), separator="\0")
    return key.select(texts.alias(PERSON)).to_series()


def _column(frame: pl.DataFrame, persons: pl.Series | None, name: str) -> pl.Series:
    """Return a column of a table, or the person of each row."""
    if name == PERSON and persons is not None:
        return persons
    if name not in frame.columns:
        raise SchemaError(
            f"an action reads the column {name!r}, which its table lacks: actions of linked tables "
            f"read columns of their own table. It has: {', '.join(frame.columns)}"
        )
    return frame[name]


def _bound(action: Any, where: str, persons: pl.Series | None) -> Any:
    """Return an action that treats all rows of a person alike, where it is one of these."""
    if not isinstance(action, ShiftDate) or persons is None or action.subject is not None:
        return action
    if action.key is None:
        raise PolicyError(
            f"{where}: shift-date needs key: {{env: NAME}} in linked tables, so that all dates of "
            "a person shift by one amount, in all tables and runs"
        )
    return replace(action, subject=PERSON)
