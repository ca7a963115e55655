"""How the rows of linked tables hang together, and what columns of them tell each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from kanonym.actions.masking.dates import ShiftDate
from kanonym.actions.registry import unwrap
from kanonym.data.errors import Message, PolicyError
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Sensitive
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Bools, Ints
from kanonym.linked.given_tables import (
    Column,
    as_key,
    check_tables,
    parent_rows,
    released_policy,
    with_column_roles,
)
from kanonym.linked.linked_policy import Counting, LinkedPolicy, Reference, Tables
from kanonym.verification.linked_rows import collections_of

Codes = Ints
"""(n_rows,) int64: equal numbers for rows that are equal."""

Masks = dict[str, Bools]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The rows of persons in all tables, each below the row it belongs to: (n_rows,) int64."""

    policy: LinkedPolicy
    sizes: Mapping[str, int]  # of each table of `LinkedPolicy.order`
    targets: Mapping[str, Mapping[Reference, Codes]]  # the row that each refers to, or -1
    parents: Mapping[str, Codes]  # the row that each belongs to, but persons
    persons: Mapping[str, Codes]  # the person of each row

    @classmethod
    def read(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return the rows of tables, released or not, that are found to be what a policy says."""
        policy = released_policy(policy, tables)
        check_tables(tables, policy)
        return cls.of(tables, with_column_roles(policy, tables))

    @classmethod
    def of(cls, tables: Tables, policy: LinkedPolicy) -> LinkedRows:
        """Return how the rows of tables hang together; `check_tables` found them in order."""
        targets = {
            name: {
                reference: parent_rows(tables, table, reference, policy)
                for reference in table.references
            }
            for name, table in policy.tables.items()
        }
        parents: dict[str, Codes] = {}
        persons = {policy.person: np.arange(tables[policy.person].height, dtype=np.int64)}
        for name in policy.order[1:]:
            parents[name] = targets[name][policy.owners[name]]
            persons[name] = persons[policy.parent(name)][parents[name]]
        sizes = {name: tables[name].height for name in policy.order}
        return cls(policy, sizes, targets, parents, persons)

    def followed_by(self, other: LinkedRows) -> LinkedRows:
        """Return these rows and, behind them, those of other tables of the same policy."""
        sizes = {name: size + other.sizes[name] for name, size in self.sizes.items()}
        parents = {
            name: np.append(rows, other.parents[name] + self.sizes[self.policy.parent(name)])
            for name, rows in self.parents.items()
        }
        persons = {
            name: np.append(rows, other.persons[name] + self.n_persons)
            for name, rows in self.persons.items()
        }
        return LinkedRows(self.policy, sizes, {}, parents, persons)

    @property
    def n_persons(self) -> int:
        """Number of persons."""
        return self.sizes[self.policy.person]

    def way_up(self, name: str) -> list[tuple[str, Codes]]:
        """Return a table and those that it belongs to, each with the row of every row."""
        way = [(name, np.arange(self.sizes[name], dtype=np.int64))]
        while way[-1][0] != self.policy.person:
            at, rows = way[-1]
            way.append((self.policy.parent(at), self.parents[at][rows]))
        return way

    def knowing(self, names: Iterable[str]) -> LinkedRows:
        """Return the same rows, where numbers of rows of some tables are known."""
        known = {at for name in names for at, _ in self.way_up(name)}
        tables = {
            name: replace(policy, known=policy.known or name in known)
            for name, policy in self.policy.tables.items()
        }
        return replace(self, policy=replace(self.policy, tables=tables))

    def merged(self, equal: Mapping[str, Codes]) -> dict[str, Codes]:
        """Return by table what stands for each row: itself, or an equal row of its parent."""
        stands = {name: np.arange(size, dtype=np.int64) for name, size in self.sizes.items()}
        for name, codes in equal.items():
            parent = stands[self.policy.parent(name)][self.parents[name]]
            groups = combine([parent, codes], len(codes))
            stands[name] = np.unique(groups, return_index=True)[1].astype(np.int64)[groups]
        return stands

    def classes(
        self,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None = None,
        counting: Counting = "multiset",
    ) -> Codes:
        """Return (n_persons,) int64: equal numbers for persons equal with all their rows."""
        person = self.policy.person
        return combine([own[person], self.trees(own, stands, counting)], self.n_persons)

    def trees(
        self,
        own: Mapping[str, Codes],
        stands: Mapping[str, Codes] | None = None,
        counting: Counting = "multiset",
        name: str | None = None,
    ) -> Codes:
        """Return (n_rows,) int64: equal numbers for rows of a table with equal rows below them."""
        name = name or self.policy.person
        found: list[Codes] = []
        for child in self.policy.children(name):
            if not self.policy.tables[child].known:
                continue
            below = self.trees(own, stands, counting, child)
            parent, codes = self.parents[child], combine([own[child], below], self.sizes[child])
            if stands is not None:
                kept = stands[child] == np.arange(len(codes))
                parent, codes = stands[name][parent[kept]], codes[kept]
            repeated = counting == "multiset"
            found.append(collections_of(parent, codes, self.sizes[name], repeated=repeated))
        return combine(found, self.sizes[name])

    def class_sizes(self, own: Mapping[str, Codes], counting: Counting = "multiset") -> Codes:
        """Return (n_persons,) int64: the persons in the class of each person, as of `classes`."""
        classes = self.classes(own, counting=counting)
        return np.bincount(classes, minlength=1)[classes]

    def counts(self, name: str) -> Codes:
        """Return (n_persons,) int64: the number of rows that each person has in a table."""
        return np.bincount(self.persons[name], minlength=self.n_persons).astype(np.int64)


def combine(columns: Sequence[Codes], n_rows: int) -> Codes:
    """Return (n_rows,) int64: equal numbers, from 0, for rows that are equal in all columns."""
    codes = np.zeros(n_rows, np.int64)
    for column in columns:
        span = int(column.max(initial=0)) + 1
        _, codes = np.unique(codes * span + column, return_inverse=True)
    return codes


def codes_of(values: pl.Series) -> Codes:
    """Return (n_rows,) int64: equal numbers for equal values."""
    return value_codes(values)[0].astype(np.int64)


def codes_of_values(frame: pl.DataFrame, columns: Sequence[str]) -> Codes:
    """Return (n_rows,) int64: equal numbers for rows with equal values in some columns."""
    return combine([codes_of(frame[name]) for name in columns], frame.height)


DISTINCT = 10
"""Different values that columns of two names have in common before they are called copies."""

GLANCED = 100
"""Rows that are compared before all rows are."""


def copied_columns(tables: Tables, rows: LinkedRows) -> list[tuple[Column, Column]]:
    """Return columns with that of a table above, or referred to, that they repeat."""
    policy = rows.policy
    free = {
        name: [one for one in tables[name].columns if one not in table.linking]
        for name, table in policy.tables.items()
    }
    above = {
        name: [
            *(
                (reference.table, rows.targets[name][reference])
                for reference in table.other_references
            ),
            *(rows.way_up(name)[1:] if name in rows.sizes else ()),
        ]
        for name, table in policy.tables.items()
    }
    return [
        ((name, column), (at, other))
        for name in policy.tables
        for at, row in above[name]
        for column in free[name]
        for other in free[at]
        if at != name
        and _is_copy(tables[name][column], tables[at][other], row, same=column == other)
    ]


def _is_copy(column: pl.Series, other: pl.Series, rows: Codes, *, same: bool) -> bool:
    """Whether a column has, in all rows with both, the value of the row above."""
    plain = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime)
    if not all(one.dtype.is_numeric() or one.dtype in plain for one in (column, other)):
        return False
    held = np.flatnonzero((rows >= 0) & column.is_not_null().to_numpy())
    for part in (held[:GLANCED], held):
        here, there = as_key(column.gather(part)), as_key(other.gather(rows[part]))
        both = there.is_not_null()
        if not both.any() or not (here == there).filter(both).all():
            return False
    return here.n_unique() >= (2 if same else DISTINCT)


def hidden_copies(before: Tables, rows: LinkedRows, after: Tables) -> list[tuple[str, str]]:
    """Return the columns that are released as they are, and repeat one that is not, with it."""
    found = []
    for pair in copied_columns(before, rows):
        for shown, hidden in (pair, pair[::-1]):
            attribute, other = (
                rows.policy.tables[name].attributes[c] for name, c in (shown, hidden)
            )
            open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
            hides = isinstance(other, Identifier | QuasiIdentifier) or bool(other.action)
            if open_ and hides and _is_changed(before, after, *hidden):
                found.append((".".join(shown), ".".join(hidden)))
    return found


def _is_changed(before: Tables, after: Tables, name: str, column: str) -> bool:
    """Whether released values of a column are not those of the input."""
    if column not in after[name].columns:
        return True
    given, released = (set(as_key(one[name][column].unique())) for one in (before, after))
    return not released <= given


NONE = np.iinfo(np.int64).min
"""Stands for a missing date."""


def shifted_columns(policy: LinkedPolicy) -> list[Column]:
    """Return the columns of persons' tables whose dates an action shifts."""
    return [
        (name, column)
        for name in policy.order
        for column, attribute in policy.tables[name].attributes.items()
        if any(isinstance(one, ShiftDate) for one in unwrap(attribute.action))
    ]


def check_one_shift(before: Tables, after: Tables, rows: LinkedRows) -> None:
    """Refuse shifts that differ between the dates of a person."""
    named = []
    low, high = np.full(rows.n_persons, -NONE - 1), np.full(rows.n_persons, NONE)
    for name, column in shifted_columns(rows.policy):
        if len(unwrap(rows.policy.tables[name].attributes[column].action)) > 1:
            continue
        old, new = milliseconds(before[name][column]), milliseconds(after[name][column])
        if old is None or new is None:  # all cells are empty
            continue
        held = old != NONE
        whose, moved = rows.persons[name][held], (new - old)[held]
        np.minimum.at(low, whose, moved)
        np.maximum.at(high, whose, moved)
        named.append(f"{name}.{column}")
    if (high > low).any():
        raise PolicyError(
            f"{', '.join(named)}: dates of a person would shift by different amounts. Give "
            "shift-date the same days, multiple_of and key in all of them, and no subject"
        )


def times_since_first(dates: Mapping[Column, Codes], rows: LinkedRows) -> dict[Column, Codes]:
    """Return equal numbers for rows whose dates are equally far from the person's first date."""
    first = np.full(rows.n_persons, -NONE - 1)
    for (name, _), when in dates.items():
        held = when != NONE
        np.minimum.at(first, rows.persons[name][held], when[held])
    found = {}
    for (name, column), when in dates.items():
        since = np.where(when == NONE, NONE, when - first[rows.persons[name]])
        found[name, column] = np.unique(since, return_inverse=True)[1].astype(np.int64)
    return found


def order_notes(before: Tables, after: Tables, rows: LinkedRows, kept: Masks) -> list[Message]:
    """Return which dates were never after others, in a row or the rows above it, and now are."""
    messages: list[Message] = []
    dated: dict[str, dict[str, tuple[Codes, Codes]]] = {}
    for name in rows.policy.order:
        dated[name] = {
            f"{name}.{column.name}": (old, new)
            for column in after[name]
            if (old := milliseconds(before[name][column.name])) is not None
            and (new := milliseconds(column)) is not None
        }
        every = {
            label: (old[row], new[row])
            for at, row in reversed(rows.way_up(name))
            for label, (old, new) in dated[at].items()
        }
        for first, second in combinations(every, 2):
            if second not in dated[name]:
                continue
            (old_1, new_1), (old_2, new_2) = every[first], every[second]
            given = [one != NONE for one in (old_1, old_2, new_1, new_2)]
            held = np.logical_and.reduce([kept[name], *given])
            for low, high, sign in ((first, second, 1), (second, first, -1)):
                was = sign * np.sign(old_2 - old_1)[held]
                now = sign * np.sign(new_2 - new_1)[held]
                if (was >= 0).all() and (was > 0).any() and (now < 0).any():
                    messages.append(
                        Message(
                            "{low} was never after {high}, and is in the release: these dates do "
                            "not move together",
                            low=low,
                            high=high,
                        )
                    )
    return messages


def milliseconds(values: pl.Series) -> Ints | None:
    """Return (n,) the times of dates or ISO texts, `NONE` for null; None of other values."""
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        texts = values.cast(pl.String)
        head = texts.drop_nulls().head(1)
        if parse_times(head).null_count():
            return None
        values = parse_times(texts)
        if values.null_count() > texts.null_count():
            return None
    if values.dtype not in (pl.Date, pl.Datetime) or values.null_count() == len(values):
        return None
    precise = values.cast(pl.Datetime("ms", getattr(values.dtype, "time_zone", None)))
    return precise.cast(pl.Int64).fill_null(NONE).to_numpy().astype(np.int64)
