"""Several tables of the same persons in, a verified release of all of them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from polars import selectors

from kanonym.actions.base import Drawn
from kanonym.actions.masking.dates import ShiftDate
from kanonym.actions.registry import ColumnActions
from kanonym.data import files
from kanonym.data.errors import InfeasibleError, Message, PolicyError, SchemaError
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.engines.local import resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.arrays import Bools
from kanonym.linked.given_tables import (
    Column,
    banded_policy,
    check_tables,
    is_plain,
    like_given,
    polars_tables,
    released_policy,
    with_column_roles,
)
from kanonym.linked.linked_policy import LinkedPolicy, LinkedPolicySource, Tables
from kanonym.linked.linked_verification import (
    LinkedVerification,
    LinkedView,
    measured_persons,
    view_of_tables,
)
from kanonym.linked.person_classes import (
    PersonClasses,
    SearchedLevels,
    find_levels,
    known_columns,
    person_columns,
)
from kanonym.linked.person_rows import (
    Codes,
    LinkedRows,
    Masks,
    check_one_shift,
    codes_of,
    copied_columns,
    order_notes,
)
from kanonym.linked.released_rows import (
    KeptRows,
    MergedRows,
    count_merged,
    equal_but_for_levels,
    limit_rows,
    released_keys,
    table_seed,
    unnumbered_parts,
    with_pseudonyms,
)
from kanonym.pipeline import publish
from kanonym.policy.document import read_or_given
from kanonym.release import versions

PERSON = "\0person"
"""The person of each row, for actions that treat all rows of a person alike."""


class LinkedDecision(NamedTuple):
    """Levels, by table the row that stands for each, and (n_persons,) who is suppressed."""

    search: SearchedLevels
    stands: Mapping[str, Codes]
    suppressed: Bools

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


class LinkedInput:
    """Tables as limits and actions leave them, and the persons in them with all their rows.

    given, asked: what came in, and its policy without bands. before, tables: tables before and
    after actions, these with all columns that are released.
    """

    def __init__(
        self, tables_in: Mapping[str, Any], policy: LinkedPolicy, watch: Stopwatch
    ) -> None:
        self.given, self.asked, self.watch = tables_in, banded_policy(policy), watch
        with watch.stage("read"):
            tables = polars_tables(tables_in, policy)
            check_tables(tables, policy)
            self.rows_in = {name: frame.height for name, frame in tables.items()}
            self.seed = resolve_seed(policy.seed)
            self.random = np.random.default_rng(np.random.SeedSequence([self.seed, *b"linked"]))
            self.before = limit_rows(tables, policy, self.random)
            policy = with_column_roles(banded_policy(policy), self.before, whole=True)
            rows = LinkedRows.of(self.before, policy)
            self.keys = released_keys(self.before, policy, self.seed)
            self.tables = tables = _acted_tables(self.before, self.keys, rows, self.seed)
            check_one_shift(self.before, tables, rows)
            for column, other in copied_columns(self.before, rows):
                watch.tell(f"{'.'.join(column)} repeats {'.'.join(other)}")
        with watch.stage("encode"):
            self.built: dict[str, str] = {}
            columns = known_columns(tables, policy, self.built)
            for sentence in self.built.values():
                watch.tell(f"no hierarchy given; built {sentence}")
            policy = released_policy(policy, tables)
            rows = replace(rows, policy=policy)
            parts = {name: unnumbered_parts(tables, policy, name) for name in policy.order}
            for name, several in parts.items():
                for one in several:
                    watch.tell(
                        f"{name}.{one} is in a key and repeats: it counts, and is not generalized"
                    )
            self.persons = PersonClasses(
                rows,
                columns,
                person_columns(tables, rows),
                equal_but_for_levels(tables, rows, self.keys),
                {n: [codes_of(tables[n][one]) for one in parts[n]] for n in parts},
            )

    @property
    def policy(self) -> LinkedPolicy:
        """What is asked of the tables as they will be released."""
        return self.persons.rows.policy

    def decide(self) -> LinkedDecision:
        """Return the levels that lose least and protect every person who is not suppressed."""
        with self.watch.stage("algorithm"):
            levels = find_levels([one.losses for one in self.persons.known], self.persons.satisfies)
            if levels is not None:
                return LinkedDecision(levels, *self.persons.at(levels.levels))
        _, failing = self.persons.at(tuple(column.highest for column in self.persons.known))
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
            for column, level in zip(self.persons.known, decision.search.levels, strict=True):
                labels = column.released(level).alias(column.name)
                whole[column.table] = whole[column.table].with_columns(labels)
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


PROMISE = (
    "k counts persons with all their rows in all tables of this release, joined by their keys. A "
    "further release about the same persons is judged together with this one"
)

LEAST_SUPPRESSED = 5
"""Of fewer suppressed persons, or fewer than k, no numbers of rows are told."""

_SEARCHED = ("highest_levels", "lattice_size", "nodes_checked")
"""What a search tells of all persons."""


@dataclass(frozen=True, repr=False)
class LinkedRelease(Result):
    """Released tables that satisfy their policy together.

    Attributes
    ----------
    frames
        The released tables by name, each of the type of the table that came in.
    policy
        What was asked.
    verification
        What was found in the released values.
    rows_in
        Rows by table, before.
    suppressed
        Persons who were suppressed with all their rows.
    merged
        By table that merges rows, how many an equal row stands for, and what that lost: nothing.
    algorithm
        How the levels were found: those of each `table.column`, the highest ones, and which
        hierarchies were built because none was given.
    keys
        How each key space was replaced.
    seconds
        Seconds by stage.

    """

    _shown: ClassVar[tuple[str, ...]] = ("rows_in", "rows_out", "suppressed", "verification.k")

    frames: Mapping[str, Any]
    policy: LinkedPolicy
    verification: LinkedVerification
    rows_in: Mapping[str, int]
    suppressed: int
    merged: Mapping[str, MergedRows]
    algorithm: Mapping[str, Any]
    keys: list[dict[str, Any]]
    seconds: Mapping[str, float]

    @property
    def rows_out(self) -> Mapping[str, int]:
        """Rows by table, after."""
        return self.verification.table_rows

    @property
    def levels(self) -> Mapping[str, int]:
        """The level at which each quasi-identifier is released, by `table.column`."""
        levels: Mapping[str, int] = self.algorithm["levels"]
        return levels

    @property
    def told_rows_in(self) -> dict[str, int | None]:
        """`rows_in` as published; None where it would tell the rows of few suppressed persons."""
        k = max((getattr(model, "k", 1) for model in self.policy.models), default=1)
        few = 0 < self.suppressed < max(k, LEAST_SUPPRESSED)
        person = self.policy.person
        below = {*self.policy.order} - {person} if few else set()
        return {name: None if name in below else n for name, n in self.rows_in.items()}

    @property
    def published_algorithm(self) -> dict[str, Any]:
        """`algorithm` as manifest and report tell it: nothing that suppressed persons decide on."""
        hidden = _SEARCHED if self.suppressed else ()
        return {name: value for name, value in self.algorithm.items() if name not in hidden}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        checked = self.verification.to_dict()
        del checked["violating"]
        return {
            "tables": {
                name: {
                    "rows_in": count,
                    "rows_out": self.rows_out.get(name, 0),
                    **({"merged": self.merged[name]._asdict()} if name in self.merged else {}),
                }
                for name, count in self.told_rows_in.items()
            },
            "suppressed_persons": self.suppressed,
            "algorithm": self.algorithm,
            "keys": self.keys,
            "verification": checked,
            "seconds": {**self.seconds, "total": sum(self.seconds.values())},
        }

    def manifest(self, path: str | Path, facts: Mapping[str, Any]) -> None:
        """Write what was asked and found, and facts of places, as JSON: no value of a record."""
        parts = {
            "versions": versions(),
            "policy": self.policy.form,
            "promise": PROMISE,
            "counting": self.policy.counting,
            **facts,
            **self.to_dict(),
            "algorithm": self.published_algorithm,
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False, default=str) + "\n")

    def tables(self) -> list[ResultTable]:
        """Return rows by table, levels, and the verdict."""
        search = self.algorithm
        proof = "minimal" if search["optimal"] else "not proven minimal"
        rows = [
            (
                name,
                format_number(count),
                format_number(self.rows_out.get(name)),
                format_number(self.merged[name].rows) if name in self.merged else "–",
            )
            for name, count in self.told_rows_in.items()
        ]
        levels = [
            (name, f"{level} of {search['highest_levels'][name]}")
            for name, level in self.levels.items()
        ]
        return [
            ResultTable.of_facts(
                ("suppressed persons", self.suppressed),
                ("span loss", f"{100 * search['score']:.1f} %, {proof}"),
                (
                    "combinations of levels",
                    f"{search['nodes_checked']:,} of {search['lattice_size']:,}",
                ),
            ),
            ResultTable(("table", "rows in", "rows out", "merged"), rows, frozenset({1, 2, 3})),
            ResultTable(("quasi-identifier", "level"), levels, frozenset({1})),
            *self.verification.tables(),
        ]


def anonymize(
    tables: Mapping[str, Any],
    policy: LinkedPolicySource,
    *,
    progress: Callable[[str], None] | None = None,
) -> LinkedRelease:
    """Release several tables in which persons are alike with all their rows.

    Parameters
    ----------
    tables
        pandas, polars or pyarrow tables by name.
    policy
        A `LinkedPolicy`, or the path of a policy file with `tables`.
    progress
        Called with the name of each stage as it begins.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says which table and column.
    InfeasibleError
        No levels satisfy the policy with so few persons suppressed; nothing is released.

    """
    policy = read_or_given(policy, LinkedPolicy)
    watch = Stopwatch(progress)
    source = LinkedInput(tables, policy, watch)
    decided = source.decide()
    published = publish(source, decided)
    staged = published.staged
    with watch.stage("verify"):
        assert isinstance(published.view, LinkedView)  # noqa: S101 - the input made it
        verified = measured_persons(published.view, published.verification, staged.notes)
    return LinkedRelease(
        frames=published.frame,
        policy=policy,
        verification=verified,
        rows_in=source.rows_in,
        suppressed=int(decided.suppressed.sum()),
        merged=staged.merged,
        algorithm=decided.search.account(source.persons.known, source.built),
        keys=staged.keys,
        seconds=watch.seconds,
    )
