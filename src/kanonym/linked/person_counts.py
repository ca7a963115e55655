"""Several meanings of k for persons with rows in several tables, each from released values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.result import Result, ResultTable
from kanonym.linked.given_tables import polars_tables
from kanonym.linked.linked_policy import LinkedPolicy, LinkedPolicySource
from kanonym.linked.person_rows import Codes, LinkedRows, combine, known_codes
from kanonym.policy.document import read_or_given

KNOWN_ROWS = 2
"""Rows of a person that an intruder knows, in `TableCounts.known_rows`."""

MOST_GROUPS = 2_000_000
"""Combinations of known rows that are counted."""


@dataclass(frozen=True, slots=True)
class TableCounts:
    """What one table tells: sizes of the smallest class, for intruders who know more or less.

    rows_k: rows of the table by itself. join_rows, join_persons: rows, and persons, of the table
    joined with all that it belongs to. known_rows: persons with a class of their own attributes and
    up to 1, 2, … different rows, by that number; None where there are too many to count. by_count:
    persons with that class and a number of rows. rows, most_rows: of all, and of one person.
    """

    rows: int
    rows_k: int
    join_rows: int
    join_persons: int
    known_rows: Mapping[int, int | None]
    by_count: int
    most_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "rows": self.rows,
            "rows_k": self.rows_k,
            "join_rows_k": self.join_rows,
            "join_persons_k": self.join_persons,
            "known_rows_k": {str(m): k for m, k in self.known_rows.items()},
            "by_count_k": self.by_count,
            "most_rows": self.most_rows,
        }


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
    alone
        (n_persons,) bool, who is alone by multiset; kept out of every output.

    """

    _shown: ClassVar[tuple[str, ...]] = ("persons", "by_multiset", "unique_persons")

    persons: int
    persons_k: int
    by_set: int
    by_multiset: int
    by_count: int
    unique_persons: int
    by_table: Mapping[str, TableCounts]
    alone: NDArray[np.bool_]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "persons": self.persons,
            "persons_k": self.persons_k,
            "persons_by_set_k": self.by_set,
            "persons_by_multiset_k": self.by_multiset,
            "persons_by_count_k": self.by_count,
            "unique_persons": self.unique_persons,
            "tables": {name: one.to_dict() for name, one in self.by_table.items()},
        }

    def tables(self) -> list[ResultTable]:
        """Return the figures as tables."""
        whole = (
            ("the table of persons alone", f"{self.persons_k:,}"),
            ("all rows, not how often each occurs", f"{self.by_set:,}"),
            ("all rows, repeated ones included", f"{self.by_multiset:,}"),
            ("the numbers of rows", f"{self.by_count:,}"),
            ("persons alone in their class", f"{self.unique_persons:,}"),
        )
        known = [f"{m} known rows" for m in range(1, KNOWN_ROWS + 1)]
        header = ("table", "rows", "own rows", "joined rows", "joined persons", *known)
        header = (*header, "number of rows", "most rows")
        each = []
        for name, one in self.by_table.items():
            first = (one.rows, one.rows_k, one.join_rows, one.join_persons)
            numbers = (*first, *one.known_rows.values(), one.by_count, one.most_rows)
            each.append((name, *("–" if n is None else f"{n:,}" for n in numbers)))
        return [
            ResultTable(("an intruder knows", "k"), whole, frozenset({1})),
            ResultTable(header, each, frozenset(range(1, len(header)))),
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
    alone = rows.class_sizes(own) == 1
    return LinkedMeasurement(
        persons=rows.n_persons,
        persons_k=_smallest(person),
        by_set=_smallest(rows.classes(own, counting="set")),
        by_multiset=_smallest(by_multiset),
        by_count=_smallest(combine([person, *counts], rows.n_persons)),
        unique_persons=int(alone.sum()),
        by_table={name: _table_counts(rows, own, name) for name in others},
        alone=alone,
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
        join_rows=_smallest(joined),
        join_persons=_smallest(np.unique(np.stack([persons, joined], axis=1), axis=0)[:, 1]),
        known_rows=_known_rows(person, combine(chain[:-1], size), persons),
        by_count=_smallest(combine([person, counts], rows.n_persons)),
        most_rows=int(counts.max(initial=0)),
    )


def _known_rows(person: Codes, row: Codes, persons: Codes) -> dict[int, int | None]:
    """Return by number the persons in the smallest group with one class and up to so many rows.

    person: (n_persons,) class of each person by the own attributes. row, persons: (n_rows,) what
    stands in each row, and whose it is. None where there are too many groups to be counted.
    """
    held = pl.DataFrame({"person": persons, "class": person[persons], "1": row}).unique()
    numbers = held.group_by("person").len()["len"].to_list()
    sets, found, least, groups = held, dict[int, int | None](), held.height, 0
    for size in range(1, KNOWN_ROWS + 1):
        groups += sum(comb(n, size) for n in numbers)
        if groups > MOST_GROUPS:
            return {**found, **dict.fromkeys(range(size, KNOWN_ROWS + 1))}
        if size > 1:
            further = held.select("person", pl.col("1").alias(f"{size}"))
            sets = sets.join(further, on="person").filter(pl.col(f"{size - 1}") < pl.col(f"{size}"))
        sizes = sets.group_by(pl.exclude("person")).len()["len"]
        found[size] = least = int(np.min(sizes.to_numpy(), initial=least))
    return found
