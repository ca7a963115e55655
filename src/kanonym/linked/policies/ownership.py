"""Whose the rows of linked tables are: references that lead to the table of persons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kanonym.linked.policies.table_policy import TablePolicy
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name


def with_owners(person: str, tables: Mapping[str, TablePolicy]) -> dict[str, TablePolicy]:
    """Return the tables, each with the reference that says whose its rows are."""
    faults: list[Fault] = []
    for table in tables.values():
        for one in table.references:
            target = tables.get(one.table)
            if target is None:
                reason = unknown_name("table", one.table, tables)
            elif len(target.key) != len(one.columns):
                reason = (
                    f"has {len(one.columns)} column(s), and the key of {one.table} has "
                    f"{len(target.key)}: name as many"
                )
            else:
                continue
            faults.append(Fault((table.name, "references", one.text), reason))
    if not tables[person].key:
        faults.append(Fault((person, "key"), "is missing: the table of persons needs a key"))
    if faults:
        raise FaultsFoundError(faults)
    leading = _leading_to(person, tables)
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
    faults += _ownership_faults(person, found) or [
        fault for table in found.values() for fault in table_faults(table, person, found)
    ]
    if faults:
        raise FaultsFoundError(faults)
    return found


def _leading_to(person: str, tables: Mapping[str, TablePolicy]) -> set[str]:
    """Return the tables from which references lead to the persons, and the persons' own."""
    found, before = {person}, 0
    while len(found) > before:
        before = len(found)
        found |= {
            table.name
            for table in tables.values()
            if any(one.table in found for one in table.references)
        }
    return found


def _ownership_faults(person: str, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return the tables whose rows would belong to themselves."""
    faults = []
    for table in tables.values():
        passed, at = [table.name], table
        while at.owner is not None and at.owner.table not in passed:
            at = tables[at.owner.table]
            passed.append(at.name)
        if at.owner is not None:
            way = " → ".join([*passed, at.owner.table])
            reason = f"its references go round ({way}) and never reach {person}: name the owner"
            faults.append(Fault((table.name,), reason))
    return faults


def table_faults(table: TablePolicy, person: str, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return what is wrong in one table whose owner is known."""
    faults = []

    def fault(*path: str, reason: str) -> None:
        faults.append(Fault((table.name, *path), reason))

    rooted = table.owner is not None or table.name == person
    structural = set(table.owner.columns if table.owner else ())
    free = {name for one in table.references if one != table.owner for name in one.columns}
    for name in structural:
        if name in table.attributes and name not in table.key:
            fault("attributes", name, reason="says whose a row is, and has no role of its own")
    for name in free - structural:
        if name not in table.attributes:
            fault(
                "attributes",
                name,
                reason="refers to another table: say its role (identifier drops it, "
                "quasi-identifier counts it, insensitive releases its pseudonym)",
            )
    if not rooted and table.quasi_identifiers:
        fault(
            "attributes",
            table.quasi_identifiers[0],
            reason=f"is a quasi-identifier, but no reference leads to {person}: anonymize this "
            "table by itself",
        )
    if (table.cap or table.merge or table.band) and table.owner is None:
        fault(reason="cap, merge and band are for tables whose rows belong to persons")
    below = [table.name]
    for name in below:
        below += [one.name for one in tables.values() if one.owner and one.owner.table == name]
    if not table.known and any(tables[name].quasi_identifiers for name in below):
        fault(
            "rows",
            reason="is 'unknown', but there are quasi-identifiers in its rows or below them: who "
            "knows these knows that there are rows",
        )
    return faults
