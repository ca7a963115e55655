"""An intruder who knows a person's own attributes and some of the person's rows in other tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.schema import QuasiIdentifier
from kanonym.evaluation.attacks.result import AttackResult, AttackResults, SuccessCount
from kanonym.linked.given_tables import Column, check_tables, polars_tables
from kanonym.linked.levels import KnownColumn, known_columns
from kanonym.linked.linked_keys import counted_parts
from kanonym.linked.linked_policy import (
    LinkedPolicy,
    LinkedPolicySource,
    Tables,
    banded_policy,
    with_column_roles,
)
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of_values, collections_of, combine
from kanonym.linked.released_rows import limit_rows
from kanonym.policy.document import read_or_given

QUESTION = "Can someone who knows a person and some of the person's rows find the person's rows?"


@dataclass(frozen=True, slots=True)
class _Persons:
    """Persons of one set of tables: (n_persons,) the class of each, by the own row and by all rows.

    owners, items: (n_items,) the different rows that persons have, each once.
    """

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
    before, after, notes = _paired(
        polars_tables(original, policy), polars_tables(released, policy), policy, random
    )
    n = len(before.classes)
    attacked = random.permutation(n)[:attempts]
    found = []
    for known in (*range(rows + 1), None):
        name = "all-rows" if known is None else f"known-rows-{known}"
        if progress is not None:
            progress(name)
        if not n or not len(after.classes):
            empty = SuccessCount(0, 0)
            reason = "the original or the release has no persons"
            found.append(AttackResult(name, QUESTION, empty, empty, seed=seed, reason=reason))
            continue
        if known is None:
            places = before.wholes[attacked]
            sizes = np.bincount(after.wholes, minlength=int(places.max()) + 1)[places]
        else:
            sizes = _candidates(before, after, attacked, known, random)
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
    before: _Persons, after: _Persons, attacked: Codes, known: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return by attacked person the number of released persons who have what is known."""
    own = _index(before.owners, before.items)
    by_class = _index(after.classes, np.arange(len(after.classes)))
    by_item = _index(after.items, after.owners)
    sizes = np.zeros(len(attacked), np.int64)
    for i, person in enumerate(attacked.tolist()):
        items = own(person)
        drawn = random.choice(items, min(known, len(items)), replace=False)
        fitting = by_class(int(before.classes[person]))
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
) -> tuple[_Persons, _Persons, tuple[str, ...]]:
    """Return the persons before and after, with equal numbers for equal released values."""
    check_tables(original, policy)
    uncapped = {name: replace(one, cap=None) for name, one in policy.tables.items()}
    limited = limit_rows(original, replace(policy, tables=uncapped), random)
    asked = with_column_roles(banded_policy(policy), limited)
    halves = LinkedRows.of(limited, asked), LinkedRows.read(released, asked)
    columns, notes = _columns(limited, released, asked)
    split = halves[0].sizes
    codes = {}
    for name in asked.order:
        used = [one for (table, _), one in columns.items() if table == name]
        values = pl.DataFrame([one.alias(str(i)) for i, one in enumerate(used)])
        height = sum(one.sizes[name] for one in halves)
        codes[name] = combine([codes_of_values(values, values.columns)] if used else [], height)

    def joined(name: str, attribute: str) -> Codes:
        """Return parents or persons of the rows of both, the second behind the first."""
        target = asked.person if attribute == "persons" else asked.parent(name)
        first, second = (getattr(one, attribute)[name] for one in halves)
        return np.append(first, second + split[target])

    person, none = codes[asked.person], np.zeros(0, np.int64)
    wholes, owners, items, base = [person], [none], [none], 0
    chained = {asked.person: np.zeros(len(person), np.int64)}
    for name in asked.order[1:]:
        above = chained[asked.parent(name)][joined(name, "parents")]
        chained[name] = combine([codes[name], above], len(above))
        owned, table = joined(name, "persons"), asked.tables[name]
        if table.known:
            repeated = asked.counting == "multiset" and not table.merge
            wholes.append(collections_of(owned, chained[name], len(person), repeated=repeated))
        if any(one == name for one, _ in columns):
            owners.append(owned)
            items.append(chained[name] + base)
            base += int(chained[name].max(initial=-1)) + 1
    whole, n = combine(wholes, len(person)), split[asked.person]
    pairs = np.unique(np.stack([np.concatenate(owners), np.concatenate(items)], axis=1), axis=0)
    first = pairs[:, 0] < n
    return (
        _Persons(person[:n], whole[:n], pairs[first, 0], pairs[first, 1]),
        _Persons(person[n:], whole[n:], pairs[~first, 0] - n, pairs[~first, 1]),
        notes,
    )


def _columns(
    original: Tables, released: Tables, policy: LinkedPolicy
) -> tuple[dict[Column, pl.Series], tuple[str, ...]]:
    """Return what the intruder knows: the labels of the original, then those of the release."""
    skipped: list[str] = []
    tables = dict(policy.tables)
    for name in policy.order:
        table = tables[name]
        referring = policy.tables[name].referring
        unused = {
            column
            for column, one in table.attributes.items()
            if isinstance(one, QuasiIdentifier) and (one.action or column in referring)
        }
        skipped += [f"{name}.{column}" for column in sorted(unused)]
        skipped += [f"{name}.{one}" for one in counted_parts(released, policy, name)]
        kept = {column: one for column, one in table.attributes.items() if column not in unused}
        tables[name] = replace(table, attributes=kept)
    reduced = replace(policy, tables=tables)
    found = {}
    for one in known_columns(original, reduced, {}):
        after = released[one.table][one.name].cast(pl.String)
        labels = _at_level_of(one, after)
        if labels is None:
            skipped.append(f"{one.table}.{one.name}")
        else:
            found[one.table, one.name] = pl.concat([labels.alias(one.name), after])
    told = f"the intruder does not use {', '.join(skipped)}: the labels are not comparable"
    return found, (told,) if skipped else ()


def _at_level_of(column: KnownColumn, released: pl.Series) -> pl.Series | None:
    """Return the labels of a column at the lowest level that has all released ones, or None."""
    asked = set(released.unique().to_list())
    for level in range(column.highest + 1):
        labels = column.released(level).cast(pl.String)
        if asked <= set(labels.unique().to_list()):
            return labels
    return None
