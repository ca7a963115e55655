"""What `kanonym check` tells of a policy and a table, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from kanonym.cli.terminal import format_number, grid, plain_table


def policy_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym check` tells: what the policy requires, and of a table its roles."""
    policy = found["policy"]
    models = plain_table("required")
    for model in policy["models"]:
        given = ", ".join(f"{key} {value}" for key, value in model.items() if key != "type")
        models.add_row(Text(f"{model['type']}: {given}" if given else model["type"]))
    facts: list[tuple[str, object]] = [
        ("policy", "no faults"),
        ("algorithm", policy["algorithm"]["type"]),
        ("suppression limit", f"{100 * policy['suppression_limit']:g} % of the records"),
    ]
    table = found.get("table")
    if table is None:
        return [grid(*facts), *([models] if policy["models"] else [])]
    facts += [
        ("table", "the policy fits it"),
        ("records", table["rows"]),
        ("distinct combinations of quasi-identifiers", table["distinct"]),
        *_persons_rows(policy, table["proposed_persons"]),
        *(
            (f"beyond the domain of {name}", f"{format_number(count)} records")
            for name, count in table["beyond_domains"].items()
            if count
        ),
    ]
    roles = plain_table("column")
    roles.add_column("role", no_wrap=True)
    roles.add_column("hierarchy", overflow="fold")
    for name, role in table["roles"].items():
        built = table["built_hierarchies"].get(name)
        roles.add_row(Text(name), role, Text(f"built: {built}" if built else ""))
    return [grid(*facts), *([models] if policy["models"] else []), roles]


def _persons_rows(
    policy: Mapping[str, Any], proposed: Sequence[Mapping[str, Any]]
) -> list[tuple[str, object]]:
    """Return who the policy states the persons to be, and who they may be by their structure."""
    stated = [model["entity"] for model in policy["models"] if model.get("entity")]
    if stated:
        names = [stated[0]] if isinstance(stated[0], str) else stated[0]
        return [("persons", f"told apart by {' + '.join(names)}")]
    rows: list[tuple[str, object]] = [
        ("persons", "each row" if policy.get("rows") else "not stated: rows: persons, or entity")
    ]
    for one in proposed[:3]:
        kind = "groups of persons, or persons" if one["likely_groups"] else "persons"
        evidence = (
            f"{' and '.join(one['columns'])}: {format_number(one['values'])} values in "
            f"{format_number(one['records'])} records, each with one value of "
            f"{', '.join(one['constant'][:5]) or 'no column'}"
        )
        rows.append((f"may be {kind}", evidence))
    return rows
