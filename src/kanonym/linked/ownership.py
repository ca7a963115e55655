"""Whose the rows of linked tables are: references that lead to the table of persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kanonym.linked.table_policy import TablePolicy, raise_all, with_below
from kanonym.policy.faults import Fault, unknown_name


def with_owners(person: str, tables: Mapping[str, TablePolicy]) -> dict[str, TablePolicy]:
    """Return the tables, each with the reference that says whose its rows are."""
    raise_all(_reference_faults(person, tables))
    leading = {person}
    for _ in tables:  # as long as the longest way is
        leading |= {
            name
            for name, table in tables.items()
            if any(one.table in leading for one in table.references)
        }
    faults: list[Fault] = []
    found: dict[str, TablePolicy] = {}
    for table in tables.values():
        candidates = [
            one for one in table.references if one.table in leading and one.table != table.name
        ]
        owner = table.owner
        if table.name == person:
            candidates, owner = [], None
        elif owner is None and len(candidates) > 1:
            ways = " and ".join(f"{one.text} → {one.table}" for one in candidates)
            reason = (
                f"its rows belong to persons in several ways ({ways}): name the reference of the "
                "person whom a row is about, owner: COLUMN"
            )
            faults.append(Fault((table.name,), reason))
        elif owner is not None and owner not in candidates:
            reason = f"{owner.text} does not lead to {person}"
            faults.append(Fault((table.name, "owner"), reason))
        found[table.name] = replace(table, owner=owner or next(iter(candidates), None))
    reached = with_below([person], found)
    faults += [
        Fault((name,), f"its references go round and never reach {person}: name the owner")
        for name, table in found.items()
        if table.owner is not None and name not in reached
    ] or [fault for table in found.values() for fault in table_faults(table, person, found)]
    raise_all(faults)
    return found


def _reference_faults(person: str, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return the references that lead to no key."""
    faults = []
    for table in tables.values():
        for one in table.references:
            target, n = tables.get(one.table), len(one.columns)
            where = (table.name, "references", one.text)
            if target is None:
                faults.append(Fault(where, unknown_name("table", one.table, tables)))
            elif len(target.key) != n:
                reason = f"has {n} column(s), and the key of {one.table} has {len(target.key)}"
                faults.append(Fault(where, f"{reason}: name as many"))
    if not tables[person].key:
        faults.append(Fault((person, "key"), "is missing: the table of persons needs a key"))
    return faults


def table_faults(
    table: TablePolicy, person: str, tables: Mapping[str, TablePolicy]
) -> Iterator[Fault]:
    """Yield what is wrong in one table whose owner is known."""
    structural = set(table.owner.columns if table.owner else ())
    for name in sorted(structural & {*table.attributes} - {*table.key}):
        reason = "says whose a row is, and has no role of its own"
        yield Fault((table.name, "attributes", name), reason)
    for one in table.references:
        for name, key in zip(one.columns, tables[one.table].key, strict=True):
            if name in table.attributes and table.attributes[name].action:
                reason = f"refers to {one.table}.{key}, whose pseudonyms it gets: move it there"
                yield Fault((table.name, "attributes", name, "action"), reason)
    for name in sorted(table.referring - structural - {*table.attributes}):
        reason = (
            "refers to another table: say its role (identifier drops it, quasi-identifier counts "
            "it, insensitive releases its pseudonym)"
        )
        yield Fault((table.name, "attributes", name), reason)
    for name in table.quasi_identifiers if table.owner is None and table.name != person else ():
        reason = f"is a quasi-identifier, but no reference leads to {person}: "
        yield Fault((table.name, "attributes", name), f"{reason}anonymize this table by itself")
    if (table.cap or table.merge or table.band) and table.owner is None:
        reason = "cap, merge and band are for tables whose rows belong to persons"
        yield Fault((table.name,), reason)
    below = with_below([table.name], tables)
    if not table.known and any(tables[name].quasi_identifiers for name in below):
        reason = (
            "is 'unknown', but there are quasi-identifiers in its rows or below them: who knows "
            "these knows that there are rows"
        )
        yield Fault((table.name, "rows"), reason)
