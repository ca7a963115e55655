"""What several tables tell of the persons in them: counted, and found by an intruder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.evaluation.attacks.result import AttackResult, AttackResults, SuccessCount
from kanonym.kernels.arrays import Ints
from kanonym.linked.given_tables import (
    banded_policy,
    check_tables,
    polars_tables,
    with_column_roles,
)
from kanonym.linked.linked_policy import LinkedPolicy, LinkedPolicySource, Tables
from kanonym.linked.person_classes import known_columns
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of, combine
from kanonym.linked.released_rows import counted_parts, known_codes, limit_rows
from kanonym.policy.document import read_or_given
from kanonym.verification.linked_rows import collections_of

KNOWN_ROWS = 2
"""Rows of a person that an intruder knows, in `TableCounts.known_rows`."""

MOST_GROUPS = 2_000_000
"""Combinations of known rows that are counted."""


class TableCounts(NamedTuple):
    """Rows, and sizes of the smallest class of one table, for intruders who know more or less."""

    rows: int
    rows_k: int  # rows of the table by itself
    join_rows_k: int  # rows of the table joined with all that it belongs to
    join_persons_k: int  # persons there
    known_rows_k: Mapping[str, int | None]  # persons with a class and 1, … rows; None: too many
    by_count_k: int  # persons with a class and a number of rows
    most_rows: int  # of one person


@dataclass(frozen=True, slots=True, repr=False)
class LinkedMeasurement(Result):
    """What several tables tell of the persons in them.

    Attributes
    ----------
    persons
        Rows of the table of persons.
    persons_k
        Persons in the smallest class of their own table by itself.
    by_set, by_multiset, by_count
        Persons in the smallest class when an intruder knows all rows of a person but not how
        often each occurs; all of them; only how many there are in each table.
    unique_persons
        Persons who are alone in their class by multiset.
    by_table
        What each of the other tables tells.

    """

    _shown: ClassVar[tuple[str, ...]] = ("persons", "by_multiset", "unique_persons")

    persons: int
    persons_k: int
    by_set: int
    by_multiset: int
    by_count: int
    unique_persons: int
    by_table: Mapping[str, TableCounts]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "persons": self.persons,
            "persons_k": self.persons_k,
            "persons_by_set_k": self.by_set,
            "persons_by_multiset_k": self.by_multiset,
            "persons_by_count_k": self.by_count,
            "unique_persons": self.unique_persons,
            "tables": {name: counts._asdict() for name, counts in self.by_table.items()},
        }

    def tables(self) -> list[ResultTable]:
        """Return the smallest classes of persons for intruders who know more or less."""
        whole = (
            ("the table of persons alone", f"{self.persons_k:,}"),
            ("all rows, not how often each occurs", f"{self.by_set:,}"),
            ("all rows, repeated ones included", f"{self.by_multiset:,}"),
            ("the numbers of rows", f"{self.by_count:,}"),
            ("persons who are alone", f"{self.unique_persons:,}"),
        )
        known = [f"{m} known row{'s' if m > 1 else ''}" for m in range(1, KNOWN_ROWS + 1)]
        header = ("smallest class by", "joined", *known, "number of rows", "most rows of one")
        each = [
            (name, *map(format_number, (one.join_persons_k, *one.known_rows_k.values(), *one[-2:])))
            for name, one in self.by_table.items()
        ]
        knows = ("an intruder knows", "persons in the smallest class")
        return [
            ResultTable(knows, whole, frozenset({1})),
            *([ResultTable(header, each, frozenset(range(1, len(header))))] if each else []),
        ]


def measure(tables: Mapping[str, Any], policy: LinkedPolicySource) -> LinkedMeasurement:
    """Count persons in the smallest class, for intruders who know more or less.

    Parameters
    ----------
    tables
        pandas, polars or pyarrow tables by name, released or not.
    policy
        A `LinkedPolicy`, or its path: which tables there are, and which columns an intruder may
        know.

    Raises
    ------
    SchemaError, DataError
        A table or a column is missing, or keys and references are not in order.

    """
    policy = read_or_given(policy, LinkedPolicy)
    tables = polars_tables(tables, policy)
    rows = LinkedRows.read(tables, policy)
    return count_persons(rows, known_codes(tables, rows.policy))


def count_persons(rows: LinkedRows, own: Mapping[str, Codes]) -> LinkedMeasurement:
    """Return the figures of `measure`; own: as of `LinkedRows.classes`."""
    person, others = own[rows.policy.person], rows.policy.order[1:]
    counts = [rows.counts(name) for name in others if rows.policy.tables[name].known]
    by_multiset = rows.classes(own)
    return LinkedMeasurement(
        persons=rows.n_persons,
        persons_k=_smallest(person),
        by_set=_smallest(rows.classes(own, counting="set")),
        by_multiset=_smallest(by_multiset),
        by_count=_smallest(combine([person, *counts], rows.n_persons)),
        unique_persons=int((np.bincount(by_multiset) == 1).sum()),
        by_table={name: _table_counts(rows, own, name) for name in others},
    )


def _smallest(codes: Codes) -> int:
    """Return the size of the smallest group of equal numbers; 0 of none."""
    sizes = np.bincount(codes)
    return int(sizes[sizes > 0].min(initial=len(codes)))


def _table_counts(rows: LinkedRows, own: Mapping[str, Codes], name: str) -> TableCounts:
    size, persons, person = rows.sizes[name], rows.persons[name], own[rows.policy.person]
    chain = [own[at][row] for at, row in rows.way_up(name)]
    joined = combine(chain, size)
    counts = rows.counts(name)
    return TableCounts(
        rows=size,
        rows_k=_smallest(own[name]),
        join_rows_k=_smallest(joined),
        join_persons_k=_smallest(np.unique(np.stack([persons, joined], axis=1), axis=0)[:, 1]),
        known_rows_k=_known_rows(person, combine(chain[:-1], size), persons),
        by_count_k=_smallest(combine([person, counts], rows.n_persons)),
        most_rows=int(counts.max(initial=0)),
    )


def _known_rows(person: Codes, row: Codes, persons: Codes) -> dict[str, int | None]:
    """Return by number of known rows the persons in the smallest group; None if too many."""
    frame = pl.DataFrame({"person": persons, "class": person[persons], "1": row}).unique()
    numbers = frame.group_by("person").len()["len"].to_list()
    sets, found, least, groups = frame, dict[str, int | None](), frame.height, 0
    for size in range(1, KNOWN_ROWS + 1):
        groups += sum(comb(n, size) for n in numbers)
        if groups > MOST_GROUPS:
            return {**found, **dict.fromkeys(map(str, range(size, KNOWN_ROWS + 1)))}
        if size > 1:
            further = frame.select("person", pl.col("1").alias(f"{size}"))
            sets = sets.join(further, on="person").filter(pl.col(f"{size - 1}") < pl.col(f"{size}"))
        sizes = sets.group_by(pl.exclude("person")).len()["len"]
        found[f"{size}"] = least = int(np.min(sizes.to_numpy(), initial=least))
    return found


QUESTION = "Can someone who knows a person and some of the person's rows find the person's rows?"


class _Persons(NamedTuple):
    """Persons of the original, the first n, and of the release; equal ones have equal numbers."""

    n: int
    classes: Codes  # (n_persons,) by the own row
    wholes: Codes  # (n_persons,) by all rows
    owners: Codes  # (n_items,) of the different rows that persons have
    items: Codes  # (n_items,)


def attack(
    original: Mapping[str, Any],
    released: Mapping[str, Any],
    policy: LinkedPolicySource,
    *,
    rows: int = 2,
    attempts: int = 2000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> AttackResults:
    """Attack released tables as an intruder who knows a person and some of the person's rows.

    The intruder knows the quasi-identifiers in the person's own row and 0, 1, … up to `rows`
    different rows of the person in other tables, drawn, with all quasi-identifiers of the rows
    above them; in `all-rows` all rows whose number can be known, and that there are no others. Of
    n released persons who have all that, each would be picked with probability 1/n.
    Nobody knows which released person is whose: the person is taken to be among them, also where
    the person was suppressed, so that the rate is at most too high.

    Parameters
    ----------
    original, released
        pandas, polars or pyarrow tables by name.
    policy
        The policy of the release, or its path: keys, references, quasi-identifiers and their
        hierarchies.
    rows, attempts
        How many rows are known, and how many persons are attacked, at most.
    seed
        Of what is drawn.
    progress
        Called with the name of each attack as it begins.

    Returns
    -------
    results
        An attack for each number of known rows, `known-rows-0`, `known-rows-1`, …, and `all-rows`.
        The baseline is exact: any person, 1 / n. `parts` has, as `alone`, the share of persons
        with a single candidate.

    Raises
    ------
    PolicyError
        `rows` or `attempts` is too small.
    SchemaError, DataError, HierarchyError
        A table or a column is missing, keys or references are not in order, or a hierarchy lacks
        a value.

    Notes
    -----
    Columns with an action and references to other tables are not used, nor are columns whose
    released values are no level of their hierarchy: a note names them. Cost O(persons with the
    rarest known row) for each attempt.

    """
    if rows < 0 or attempts < 1:
        raise PolicyError(f"rows must be at least 0 and attempts at least 1: {rows}, {attempts}")
    random = np.random.default_rng(seed)
    policy = read_or_given(policy, LinkedPolicy)
    persons, notes = _paired(
        polars_tables(original, policy), polars_tables(released, policy), policy, random
    )
    n = persons.n
    attacked = random.permutation(n)[: attempts if n < len(persons.classes) else 0]
    tried = len(attacked)
    reason = None if tried else "the original or the release has no persons"
    found = []
    for known in (*range(rows + 1), None):
        name = "all-rows" if known is None else f"known-rows-{known}"
        if progress is not None:
            progress(name)
        if known is None:
            sizes = np.bincount(persons.wholes[n:], minlength=len(persons.wholes))
            sizes = sizes[persons.wholes[attacked]]
        else:
            sizes = _candidates(persons, attacked, known, random)
        chances = np.divide(1, sizes, out=np.zeros(tried), where=sizes > 0)
        found.append(
            AttackResult(
                name,
                QUESTION,
                SuccessCount(float(chances.sum()), tried),
                SuccessCount(tried / max(n, 1), tried, exact=bool(tried)),
                seed=seed,
                reason=reason,
                parts={"alone": float((sizes == 1).mean())} if tried else {},
            )
        )
    return AttackResults(tuple(found), notes)


def _candidates(
    persons: _Persons, attacked: Codes, known: int, random: np.random.Generator
) -> Ints:
    """Return by attacked person the number of released persons who have what is known."""
    n, released = persons.n, persons.owners >= persons.n
    none = np.zeros(0, np.int64)
    own = _by_code(persons.owners, persons.items)
    by_class = _by_code(persons.classes[n:], np.arange(n, len(persons.classes)))
    by_item = _by_code(persons.items[released], persons.owners[released])
    sizes = np.zeros(len(attacked), np.int64)
    for i, person in enumerate(attacked.tolist()):
        items = own.get(person, none)
        drawn = random.choice(items, min(known, len(items)), replace=False)
        fitting = by_class.get(int(persons.classes[person]), none)
        for item in drawn.tolist():
            fitting = np.intersect1d(fitting, by_item.get(item, none), assume_unique=True)
        sizes[i] = len(fitting)
    return sizes


def _by_code(codes: Codes, values: Codes) -> dict[int, Codes]:
    """Return by code the values that stand beside it."""
    order = np.argsort(codes, kind="stable")
    distinct, starts = np.unique(codes[order], return_index=True)
    return dict(zip(distinct.tolist(), np.split(values[order], starts[1:]), strict=False))


def _paired(
    original: Tables, released: Tables, policy: LinkedPolicy, random: np.random.Generator
) -> tuple[_Persons, tuple[str, ...]]:
    """Return the persons of both, and notes."""
    check_tables(original, policy)
    uncapped = {name: replace(one, cap=None) for name, one in policy.tables.items()}
    limited = limit_rows(original, replace(policy, tables=uncapped), random)
    asked = with_column_roles(banded_policy(policy), limited)
    rows = LinkedRows.of(limited, asked)
    n = rows.n_persons
    rows = rows.followed_by(LinkedRows.read(released, asked))
    columns, notes = _columns(limited, released, asked)
    codes = {
        name: combine([codes_of(one) for one in columns[name]], height)
        for name, height in rows.sizes.items()
    }
    wholes = [codes[asked.person]]
    owners, items, base = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for name in asked.order[1:]:
        table, whose = asked.tables[name], rows.persons[name]
        chain = combine([codes[at][row] for at, row in rows.way_up(name)[:-1]], rows.sizes[name])
        if table.known:
            repeated = asked.counting == "multiset" and not table.merge
            wholes.append(collections_of(whose, chain, rows.n_persons, repeated=repeated))
        if columns[name]:
            owners.append(whose)
            items.append(chain + base)
            base += int(chain.max(initial=-1)) + 1
    pairs = np.unique(np.stack([np.concatenate(owners), np.concatenate(items)], axis=1), axis=0)
    whole = combine(wholes, rows.n_persons)
    return _Persons(n, codes[asked.person], whole, pairs[:, 0], pairs[:, 1]), notes


def _columns(
    original: Tables, released: Tables, policy: LinkedPolicy
) -> tuple[dict[str, list[pl.Series]], tuple[str, ...]]:
    """Return what the intruder knows: the labels of the original, then those of the release."""
    skipped = []
    for name in policy.order:
        known, referring = policy.tables[name].quasi_identifiers, policy.tables[name].referring
        unused = sorted(n for n, one in known.items() if one.action or n in referring)
        skipped += [f"{name}.{one}" for one in (*unused, *counted_parts(released, policy, name))]
    found: dict[str, list[pl.Series]] = {name: [] for name in policy.order}
    for column in known_columns(original, policy, {}, skipped):
        after = released[column.table][column.name].cast(pl.String)
        levels = (column.released(level).cast(pl.String) for level in range(column.highest + 1))
        for labels in levels:  # the lowest level that has all released ones
            if {*after.unique()} <= {*labels.unique()}:
                found[column.table].append(pl.concat([labels.alias(column.name), after]))
                break
        else:
            skipped.append(f"{column.table}.{column.name}")
    told = f"the intruder does not use {', '.join(skipped)}: the labels are not comparable"
    return found, (told,) if skipped else ()
