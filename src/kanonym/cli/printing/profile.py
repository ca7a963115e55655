"""Profiles and policies on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from kanonym.cli.terminal import format_number, grid, plain_table, text_table, written_files_table


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
    roles = text_table("column", "role", "hierarchy", whole={"role"})
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


SETS = 10  # column sets that are shown; --json has all that were found
MOST_COLUMNS = 40  # of wider tables, columns are ranked and summarized
RANKED = 8  # columns that tell most, and stand alone
FEWEST_ALIKE = 3
NAMED = 3
SIMILAR = 1.25  # alike columns have at most so many times as many values
SIMILAR_SEPARATION = 0.05  # and tell shares of the pairs apart that differ by no more
STYLES = {
    "identifier": "bold red",
    "quasi-identifier": "yellow",
    "sensitive": "magenta",
    "insensitive": "dim",
}


def profile_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym profile` tells: roles with the evidence, and column sets."""
    known = found["quasi_identifiers"]
    facts = grid(
        ("records", found["rows"]),
        ("current k", found["k"]),
        ("records alone in their class", known["uniques"]),
        ("distinguishable pairs", f"{100 * known['separation']:.2f} %"),
    )
    columns = text_table("column", "role", "content, reasons, remarks", whole={"role"})
    for names, one in _rows(found["columns"]):
        columns.add_row(
            Text(names),
            Text(one["role"], style=STYLES[one["role"]]),
            Text(
                ". ".join(map(_capitalize, [_content_text(one), *one["evidence"], *one["remarks"]]))
            ),
        )
    persons = found["persons"]
    told = [*persons["proposed"], *([persons["repeated"]] if persons["repeated"] else [])]
    about = [Text(f"persons: {one['reason']}") for one in told]
    return [
        facts,
        *about,
        columns,
        *_sets(found),
        *([written_files_table(written)] if written else []),
    ]


def _rows(columns: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the columns to show; of a wide table, those that tell most first, and alike ones once.

    Identifiers are always shown, and so are those that tell most.
    """
    if len(columns) <= MOST_COLUMNS:
        return list(columns.items())
    ranked = sorted(columns.items(), key=lambda item: -item[1]["separation"])
    shown = [item for item in ranked if item[1]["role"] == "identifier"]
    others = [item for item in ranked if item not in shown]
    shown += others[:RANKED]
    groups = sorted(_group_similar(others[RANKED:]), key=lambda some: -some[0][1]["separation"])
    for group in groups:
        shown += [_summary(group)] if len(group) >= FEWEST_ALIKE else group
    return shown


Column = tuple[str, Mapping[str, Any]]


def _group_similar(columns: Sequence[Column]) -> list[list[Column]]:
    """Return columns in groups of one role, type and meaning that tell about equally much."""
    groups: dict[tuple[Any, ...], list[list[Column]]] = {}
    for name, one in sorted(columns, key=lambda item: (item[1]["distinct"], item[0])):
        similar = groups.setdefault((one["role"], one["type"], *one["kinds"]), [])
        group = next((some for some in similar if _is_similar(one, some[0][1])), None)
        if group is None:
            similar.append([(name, one)])
        else:
            group.append((name, one))
    return [some for similar in groups.values() for some in similar]


def _is_similar(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two columns have about as many values, and tell about as many pairs apart."""
    apart = abs(one["separation"] - other["separation"])
    return bool(one["distinct"] <= SIMILAR * other["distinct"] and apart <= SIMILAR_SEPARATION)


def _summary(some: Sequence[Column]) -> Column:
    """Return what alike columns have in common, in the form of one column."""
    names, columns = zip(*sorted(some, key=itemgetter(0)), strict=True)
    values = _range(
        [format_number(column["distinct"]) for column in sorted(columns, key=_distinct)]
    )
    apart = _range(
        [f"{100 * column['separation']:.2f}" for column in sorted(columns, key=_separation)]
    )
    noted = sum(bool(column["remarks"]) for column in columns)
    kinds = f"their names suggest: {', '.join(columns[0]['kinds'])}"
    told = f"{values} values distinguish {apart} % of the pairs of records"
    named = f"{', '.join(names[:NAMED])}, …" if len(names) > NAMED else ", ".join(names)
    return f"{len(names)} columns alike: {named}", {
        **columns[0],
        "distinct": None,
        "evidence": [*([kinds] if columns[0]["kinds"] else []), told, "--json has every column"],
        "remarks": [f"remarks on {noted} of them"] if noted else [],
    }


_distinct, _separation = itemgetter("distinct"), itemgetter("separation")


def _range(ascending: Sequence[str]) -> str:
    """Write the first and the last of some figures, or the one that all are.

    >>> _range(["2", "5", "7"]), _range(["2", "2"])
    ('2 to 7', '2')
    """
    first, last = ascending[0], ascending[-1]
    return first if first == last else f"{first} to {last}"


def _capitalize(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _content_text(column: Mapping[str, Any]) -> str:
    """Return what a column holds, in a few words, but for what the evidence begins with."""
    if column["distinct"] is None:  # a summary of several columns
        return str(column["type"])
    values = f"{format_number(column['distinct'])} value{'' if column['distinct'] == 1 else 's'}"
    told = any(one.startswith(values) for one in column["evidence"])
    nulls = [f"{format_number(column['nulls'])} null"] if column["nulls"] else []
    return ", ".join([column["type"], *([] if told else [values]), *nulls])


def _sets(found: Mapping[str, Any]) -> list[RenderableType]:
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
        for one in sets[:SETS]:
            names = Text(", ".join(one["columns"]))
            table.add_row(names, format_number(one["distinct"]), format_number(one["uniques"]))
        if len(sets) > SETS:
            table.caption = f"the first of {format_number(len(sets))} sets; --json has all"
        shown.append(table)
    return shown
