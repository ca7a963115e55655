"""Several meanings of k for persons with rows in several tables, each from released values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.result import Result, ResultTable
from kanonym.linked.given_tables import polars_tables
from kanonym.linked.keys.integrity import check_columns, check_keys
from kanonym.linked.persons.linked_rows import LinkedRows, known_codes
from kanonym.linked.persons.person_trees import Codes, combine
from kanonym.linked.policies.column_roles import with_column_roles
from kanonym.linked.policies.linked_policy import LinkedPolicy, LinkedPolicySource
from kanonym.linked.policies.released_policy import released_policy
from kanonym.policy.document import read_or_given

KNOWN_ROWS = 2
"""Rows of a person that an intruder knows, in `TableCounts.known_rows`."""

MOST_GROUPS = 2_000_000
"""Combinations of known rows that are counted."""


@dataclass(frozen=True, slots=True)
class TableCounts:
    """What one table with rows of persons tells.

    Attributes
    ----------
    rows
        Its rows.
    rows_k
        Rows in the smallest class of the table by itself.
    join_rows, join_persons
        Rows, and persons, in the smallest class of the table joined with all that it belongs to.
    known_rows
        Persons in the smallest group for somebody who knows the person's own attributes and up
        to 1, 2, … different rows: by that number; None where there are too many to count.
    by_count
        Persons in the smallest group for somebody who knows the person's own attributes and the
        number of rows.
    most_rows
        Rows of the person with most.

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
        each = [
            (
                name,
                *(
                    "–" if number is None else f"{number:,}"
                    for number in (
                        one.rows,
                        one.rows_k,
                        one.join_rows,
                        one.join_persons,
                        *one.known_rows.values(),
                        one.by_count,
                        one.most_rows,
                    )
                ),
            )
            for name, one in self.by_table.items()
        ]
        known = [f"{m} known rows" for m in range(1, KNOWN_ROWS + 1)]
        header = ("table", "rows", "own rows", "joined rows", "joined persons", *known)
        return [
            ResultTable(("an intruder knows", "k"), whole, frozenset({1})),
            ResultTable(
                (*header, "number of rows", "most rows"), each, frozenset(range(1, len(header) + 2))
            ),
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
    policy = released_policy(policy, tables)
    check_columns(tables, policy)
    check_keys(tables, policy)
    policy = with_column_roles(policy, tables)
    rows = LinkedRows.of(tables, policy)
    own = known_codes(tables, policy)
    return count_persons(rows, own)


def count_persons(rows: LinkedRows, own: Mapping[str, Codes]) -> LinkedMeasurement:
    """Return the figures of `measure`; own: as of `LinkedRows.trees`."""
    person = own[rows.policy.person]
    others = rows.policy.order[1:]
    counted = [name for name in others if rows.policy.is_counted(name)]
    n = rows.n_persons
    by_multiset = combine([person, rows.trees(own)], n)
    alone = np.bincount(by_multiset, minlength=1)[by_multiset] == 1
    return LinkedMeasurement(
        persons=n,
        persons_k=smallest(person),
        by_set=smallest(combine([person, rows.trees(own, counting="set")], n)),
        by_multiset=smallest(by_multiset),
        by_count=smallest(combine([person, *map(rows.counts, counted)], n)),
        unique_persons=int(alone.sum()),
        by_table={name: _table_counts(rows, own, name) for name in others},
        alone=alone,
    )


def smallest(codes: Codes) -> int:
    """Return the size of the smallest group of equal numbers; 0 of none."""
    sizes = np.bincount(codes)
    return int(sizes[sizes > 0].min(initial=len(codes)))


def _table_counts(rows: LinkedRows, own: Mapping[str, Codes], name: str) -> TableCounts:
    size, persons, person = rows.sizes[name], rows.persons[name], own[rows.policy.person]
    chain, at, way = [own[name]], name, np.arange(size, dtype=np.int64)
    while at != rows.policy.person:
        owner = rows.policy.tables[at].owner
        assert owner is not None  # noqa: S101 - the chain ends at the persons
        way, at = rows.parents[at][way], owner.table
        chain.append(own[at][way])
    joined = combine(chain, size)
    known = combine(chain[:-1], size)
    pairs = np.unique(np.stack([persons, joined], axis=1), axis=0)
    return TableCounts(
        rows=size,
        rows_k=smallest(own[name]),
        join_rows=smallest(joined),
        join_persons=smallest(pairs[:, 1]),
        known_rows={m: _known_rows(person, known, persons, m) for m in range(1, KNOWN_ROWS + 1)},
        by_count=smallest(combine([person, rows.counts(name)], rows.n_persons)),
        most_rows=int(rows.counts(name).max(initial=0)),
    )


def _known_rows(person: Codes, row: Codes, persons: Codes, most: int) -> int | None:
    """Return the persons in the smallest group of those who share a class and known rows.

    person: (n_persons,) class of each person by the own attributes. row, persons: (n_rows,) what
    stands in each row, and whose it is. None where there are too many groups to be counted.
    """
    pairs = np.unique(np.stack([persons, row], axis=1), axis=0)
    counts = np.bincount(pairs[:, 0], minlength=len(person))
    if sum(comb(n, size) for n in counts.tolist() for size in range(1, most + 1)) > MOST_GROUPS:
        return None
    found: Counter[tuple[int, ...]] = Counter()
    start = 0
    for own, count in zip(person.tolist(), counts.tolist(), strict=True):
        items = pairs[start : start + count, 1].tolist()
        start += count
        for size in range(1, most + 1):
            found.update((own, *known) for known in combinations(items, size))
    return min(found.values(), default=0)
