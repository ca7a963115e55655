"""Profiles and policies on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.printing.releases import first_rows
from kanonym.cli.terminal import format_number, grid, plain_table, text_table, written_files_table


def policy_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym check` tells: what the policy requires, and of a table its roles."""
    policy = found["policy"]
    models = plain_table("required")
    for model in first_rows(models, policy["models"]):
        given = ", ".join(f"{key} {value}" for key, value in model.items() if key != "type")
        models.add_row(Text(f"{model['type']}: {given}" if given else model["type"]))
    facts: list[tuple[str, object]] = [
        ("policy", "no faults"),
        ("algorithm", policy["algorithm"]["type"]),
        ("suppression limit", f"{100 * policy['suppression_limit']:g} % of the records"),
    ]
    hashed = f"  SHA-256  {found['sha256']}"
    table = found.get("table")
    if table is None:
        return [grid(*facts), hashed, *([models] if policy["models"] else [])]
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
    return [grid(*facts), hashed, *([models] if policy["models"] else []), _roles(policy, table)]


def _roles(policy: Mapping[str, Any], table: Mapping[str, Any]) -> Table:
    """Return a row for each column of a table; of a wide one, for each role."""
    roles, built = table["roles"], table["built_hierarchies"]
    declared = {name: one.get("hierarchy") for name, one in policy["attributes"].items()}
    shown = text_table("column", "role", "hierarchy", whole={"role"})
    if len(roles) <= MOST_COLUMNS:
        for name, role in roles.items():
            named = (
                f"built: {built[name]}" if name in built else _hierarchy_name(declared.get(name))
            )
            shown.add_row(Text(name), role, Text(named))
        return shown
    for role in dict.fromkeys(roles.values()):
        names = [name for name, own in roles.items() if own == role]
        made = sum(name in built for name in names)
        told = f"built of {format_number(made)}; --json has them" if made else ""
        shown.add_row(Text(f"{format_number(len(names))}: {shortened_names(names)}"), role, told)
    return shown


def _hierarchy_name(form: Any) -> str:
    """Return the kind of a hierarchy that a policy declares, with the path of a file."""
    if isinstance(form, Mapping):
        kind = next(iter(form))
        return f"{kind} {form[kind]}" if isinstance(form[kind], str) else str(kind)
    return str(form or "")


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


SETS = 10  # column sets that are shown; --json has all that were found
MOST_COLUMNS = 40  # of wider tables, what is told fits on a screen
SETS_OF_WIDE = 2
NAMED = 12  # columns of a wide table that a line names
STYLES = {
    "identifier": "bold red",
    "quasi-identifier": "yellow",
    "sensitive": "magenta",
    "insensitive": "dim",
}


def profile_tables(
    found: Mapping[str, Any], written: Sequence[str], costs: Sequence[str] = ()
) -> list[RenderableType]:
    """Return what `kanonym profile` tells: roles with the evidence, and column sets.

    costs: what quasi-identifiers cost each other.
    """
    known = found["quasi_identifiers"]
    facts = grid(
        ("records", found["rows"]),
        ("current k", found["k"]),
        ("records alone in their class", known["uniques"]),
        ("distinguishable pairs", f"{100 * known['separation']:.2f} %"),
    )
    persons = found["persons"]
    told = [*persons["proposed"], *([persons["repeated"]] if persons["repeated"] else [])]
    wide = len(found["columns"]) > MOST_COLUMNS
    return [
        facts,
        *(Text(f"persons: {one['reason']}") for one in told[: 1 if wide else None]),
        (_roles_of_wide if wide else _columns)(found["columns"]),
        *(Text(f"loss: {one}") for one in costs),
        *_sets(found, SETS_OF_WIDE if wide else SETS),
        *([written_files_table(written)] if written else []),
    ]


def _columns(columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a row for each column: its role, what it holds, and why."""
    table = text_table("column", "role", "content, reasons, remarks", whole={"role"})
    for name, one in columns.items():
        table.add_row(
            Text(name),
            Text(one["role"], style=STYLES[one["role"]]),
            Text(
                ". ".join(map(_capitalize, [_content_text(one), *one["evidence"], *one["remarks"]]))
            ),
        )
    return table


def _roles_of_wide(columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a row for each role, with its columns: those that tell most first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, one in sorted(columns.items(), key=lambda item: -item[1]["separation"]):
        kinds = {reason["kind"] for reason in one["reasons"]}
        guessed = one["role"] == "quasi-identifier" and "unknown" in kinds
        why = "no evidence" if guessed else ""
        groups.setdefault((one["role"], why), []).append(name)
    table = text_table("role", whole={"role"})
    table.add_column("columns", justify="right", no_wrap=True)
    table.add_column("those that distinguish most records first", overflow="fold")
    for role, why in sorted(groups, key=lambda group: (list(STYLES).index(group[0]), group[1])):
        names = groups[role, why]
        table.add_row(
            Text(f"{role}, {why}" if why else role, style=STYLES[role]),
            format_number(len(names)),
            Text(shortened_names(names)),
        )
    noted = sum(bool(one["remarks"]) for one in columns.values())
    remarks = f"; remarks on {noted} of them" if noted else ""
    table.caption = f"--json and the policy (--write) have each column with its reasons{remarks}"
    table.caption_justify = "left"
    return table


def shortened_names(names: Sequence[str]) -> str:
    """Return the first names of many, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {format_number(more)} more" if more > 0 else "")


def _capitalize(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _content_text(column: Mapping[str, Any]) -> str:
    """Return what a column holds, in a few words, but for what the evidence begins with."""
    values = f"{format_number(column['distinct'])} value{'' if column['distinct'] == 1 else 's'}"
    told = any(one.startswith(values) for one in column["evidence"])
    nulls = [f"{format_number(column['nulls'])} null"] if column["nulls"] else []
    return ", ".join([column["type"], *([] if told else [values]), *nulls])


def _sets(found: Mapping[str, Any], most: int) -> list[RenderableType]:
    """Return the sets of columns that tell the records apart, exactly and nearly."""
    shown: list[RenderableType] = []
    for key, heading in (
        ("unique_sets", "columns without equal records"),
        ("near_unique_sets", "columns with few equal records"),
    ):
        sets = found[key]["sets"]
        if not sets:
            continue
        table = text_table(heading)
        table.add_column("combinations", justify="right", no_wrap=True)
        table.add_column("unique records", justify="right", no_wrap=True)
        for one in sets[:most]:
            names = Text(", ".join(one["columns"]))
            table.add_row(names, format_number(one["distinct"]), format_number(one["uniques"]))
        if len(sets) > most:
            table.caption = f"the first of {format_number(len(sets))} sets; --json has all"
        shown.append(table)
    return shown
