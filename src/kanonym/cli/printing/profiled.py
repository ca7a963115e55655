"""A profile as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import files_written, grid, number

SETS = 10  # column sets that are shown; --json has all that were found
MOST_COLUMNS = 40  # of wider tables, columns are ranked and summarized
RANKED = 8
STYLES = {
    "identifier": "bold red",
    "quasi-identifier": "yellow",
    "sensitive": "magenta",
    "insensitive": "dim",
}


def profiled(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym profile` tells: roles with the evidence, and column sets."""
    known = found["quasi_identifiers"]
    facts = grid(
        ("records", found["rows"]),
        ("k as the table is", found["k"]),
        ("records alone in their class", known["uniques"]),
        ("pairs told apart", f"{100 * known['separation']:.2f} %"),
    )
    columns = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    columns.add_column("column", overflow="fold")
    columns.add_column("role", no_wrap=True)
    columns.add_column("what it holds, why, and what to look at", overflow="fold")
    for names, one in _rows(found["columns"]):
        columns.add_row(
            Text(names),
            Text(one["role"], style=STYLES[one["role"]]),
            Text(". ".join(map(_begun, [_held(one), *one["evidence"], *one["remarks"]]))),
        )
    return [facts, columns, *_sets(found), *([files_written(written)] if written else [])]


def _rows(columns: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the columns to show; of a wide table, those that tell most, and the rest summarized.

    Identifiers and sensitive attributes are always shown.
    """
    if len(columns) <= MOST_COLUMNS:
        return list(columns.items())
    ranked = sorted(columns.items(), key=lambda item: -item[1]["separation"])
    shown = [item for item in ranked if item[1]["role"] in ("identifier", "sensitive")]
    others = [item for item in ranked if item not in shown]
    rest: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    names: dict[tuple[str, str], str] = {}
    for name, one in others[RANKED:]:
        rest.setdefault((one["role"], one["type"]), []).append(one)
        names[one["role"], one["type"]] = name
    alike = [
        (f"{len(some)} columns alike", _summary(*kind, some))
        if len(some) > 1
        else (names[kind], some[0])
        for kind, some in sorted(rest.items(), key=lambda item: -len(item[1]))
    ]
    return [*shown, *others[:RANKED], *alike]


def _summary(role: str, type_: str, some: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what columns of one role and type have in common, in the form of one column."""
    values = _range([number(one["distinct"]) for one in sorted(some, key=_distinct)])
    apart = _range([f"{100 * one['separation']:.2f}" for one in sorted(some, key=_separation)])
    evidence = (
        f"{values} values tell {apart} % of the pairs of records apart; --json has every column"
    )
    return {
        "role": role,
        "type": type_,
        "distinct": None,
        "nulls": 0,
        "evidence": [evidence],
        "remarks": [],
    }


_distinct, _separation = itemgetter("distinct"), itemgetter("separation")


def _range(ascending: Sequence[str]) -> str:
    """Write the first and the last of some figures, or the one that all are.

    >>> _range(["2", "5", "7"]), _range(["2", "2"])
    ('2 to 7', '2')
    """
    first, last = ascending[0], ascending[-1]
    return first if first == last else f"{first} to {last}"


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _held(column: Mapping[str, Any]) -> str:
    """Return what a column holds, in a few words, but for what the evidence begins with."""
    if column["distinct"] is None:  # a summary of several columns
        return str(column["type"])
    values = f"{number(column['distinct'])} value{'' if column['distinct'] == 1 else 's'}"
    told = any(one.startswith(values) for one in column["evidence"])
    nulls = [f"{number(column['nulls'])} null"] if column["nulls"] else []
    return ", ".join([column["type"], *([] if told else [values]), *nulls])


def _sets(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return the sets of columns that tell the records apart, exactly and nearly."""
    shown: list[RenderableType] = []
    for key, heading in (
        ("unique_sets", "columns in which no two records are equal"),
        ("near_unique_sets", "columns in which few records are equal"),
    ):
        sets = found[key]["sets"]
        if not sets:
            continue
        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
        table.add_column(heading, overflow="fold")
        table.add_column("combinations", justify="right", no_wrap=True)
        table.add_column("unique records", justify="right", no_wrap=True)
        for one in sets[:SETS]:
            names = Text(", ".join(one["columns"]))
            table.add_row(names, number(one["distinct"]), number(one["uniques"]))
        if len(sets) > SETS:
            table.caption = f"the first of {number(len(sets))} sets; --json has all"
        shown.append(table)
    return shown
