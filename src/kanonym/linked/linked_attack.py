"""An intruder who knows a person's own attributes and some of the person's rows in other tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.result import AttackResult, AttackResults, SuccessCount
from kanonym.linked.given_tables import check_tables, polars_tables
from kanonym.linked.levels import known_columns
from kanonym.linked.linked_keys import counted_parts
from kanonym.linked.linked_policy import (
    LinkedPolicy,
    LinkedPolicySource,
    Tables,
    banded_policy,
    with_column_roles,
)
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of, collections_of, combine
from kanonym.linked.released_rows import limit_rows
from kanonym.policy.document import read_or_given

QUESTION = "Can someone who knows a person and some of the person's rows find the person's rows?"


class _Persons(NamedTuple):
    """Persons of the original, the first n, and of the release, with equal numbers for equals.

    classes, wholes: (n_persons,) by the own row, and by all rows. owners, items: (n_items,) the
    different rows that persons have, each once.
    """

    n: int
    classes: Codes
    wholes: Codes
    owners: Codes
    items: Codes


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
    rows
        How many rows are known at most.
    attempts
        How many persons are attacked at most.
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
    attacked = random.permutation(n)[:attempts]
    found = []
    for known in (*range(rows + 1), None):
        name = "all-rows" if known is None else f"known-rows-{known}"
        if progress is not None:
            progress(name)
        if not 0 < n < len(persons.classes):
            empty = SuccessCount(0, 0)
            reason = "the original or the release has no persons"
            found.append(AttackResult(name, QUESTION, empty, empty, seed=seed, reason=reason))
            continue
        if known is None:
            sizes = np.bincount(persons.wholes[n:], minlength=int(persons.wholes.max()) + 1)
            sizes = sizes[persons.wholes[attacked]]
        else:
            sizes = _candidates(persons, attacked, known, random)
        chances = np.divide(1, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
        found.append(
            AttackResult(
                name,
                QUESTION,
                SuccessCount(float(chances.sum()), len(attacked)),
                SuccessCount(len(attacked) / n, len(attacked), exact=True),
                seed=seed,
                parts={"alone": float((sizes == 1).mean())},
            )
        )
    return AttackResults(tuple(found), notes)


def _candidates(
    persons: _Persons, attacked: Codes, known: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return by attacked person the number of released persons who have what is known."""
    n, released = persons.n, persons.owners >= persons.n
    own = _index(persons.owners, persons.items)
    by_class = _index(persons.classes[n:], np.arange(n, len(persons.classes)))
    by_item = _index(persons.items[released], persons.owners[released])
    sizes = np.zeros(len(attacked), np.int64)
    for i, person in enumerate(attacked.tolist()):
        items = own(person)
        drawn = random.choice(items, min(known, len(items)), replace=False)
        fitting = by_class(int(persons.classes[person]))
        for item in drawn.tolist():
            fitting = np.intersect1d(fitting, by_item(item), assume_unique=True)
        sizes[i] = len(fitting)
    return sizes


def _index(codes: Codes, values: Codes) -> Callable[[int], Codes]:
    """Return a function from a code to the values that stand beside it."""
    order = np.argsort(codes, kind="stable")
    ordered, held = codes[order], values[order]

    def find(code: int) -> Codes:
        found: Codes = held[np.searchsorted(ordered, code) : np.searchsorted(ordered, code + 1)]
        return found

    return find


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
    skipped, tables = [], dict(policy.tables)
    for name in policy.order:
        table = tables[name]
        unused = {
            column
            for column in table.quasi_identifiers
            if table.attributes[column].action or column in table.referring
        }
        parts = counted_parts(released, policy, name)
        skipped += [f"{name}.{one}" for one in (*sorted(unused), *parts)]
        kept = {column: one for column, one in table.attributes.items() if column not in unused}
        tables[name] = replace(table, attributes=kept)
    found: dict[str, list[pl.Series]] = {name: [] for name in policy.order}
    for column in known_columns(original, replace(policy, tables=tables), {}):
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
