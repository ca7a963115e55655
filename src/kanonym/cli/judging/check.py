"""`kanonym check`: the faults of a policy, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import options


def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Policy, YAML or JSON.")],
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]", help="Table that the policy is for; - for standard input."
        ),
    ] = None,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Check a policy, and whether it fits a table, without anonymizing.

    All faults of the policy are listed at once, with the nearest valid names. With a table: its
    columns and their roles, whether hierarchies cover its values, and whether a release can
    satisfy the models at all. With a policy about several tables, TABLE is the place of all of
    them: keys and references are checked.
    """
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import policy_tables, show, show_json
    from kanonym.data.files import read_table
    from kanonym.linked.policies.linked_policy import is_linked
    from kanonym.pipeline.policy_check import check_policy
    from kanonym.policy import Policy

    if is_linked(policy):
        _check_linked(policy, table, json=json)
        return
    asked = Policy.from_file(policy)
    found: dict[str, Any] = {"policy": asked.to_dict()}
    if table is not None:
        with show_progress() as step:
            step("read")
            frame = read_table(
                table,
                options.format_of(table, format),
                sheet=sheet,
                header_row=header_row,
                user_missing=user_missing,
            )
            step("check")
            found["table"] = check_policy(frame, asked).to_dict()
    if json:
        show_json(found)
    else:
        show(*policy_tables(found))


def _check_linked(policy: Path, place: str | None, *, json: bool) -> None:
    """Check a policy about several tables, and keys and references of these."""
    from kanonym.cli.terminal import grid, show, show_json
    from kanonym.linked import LinkedPolicy
    from kanonym.linked.keys.integrity import check_columns, check_keys
    from kanonym.linked.places import Place, read_tables

    asked = LinkedPolicy.from_file(policy)
    found: dict[str, Any] = {"policy": dict(asked.form)}
    if place is not None:
        tables = read_tables(Place.of(place), list(asked.tables))
        check_columns(tables, asked)
        check_keys(tables, asked)
        found["tables"] = {name: frame.height for name, frame in tables.items()}
    if json:
        show_json(found)
        return
    checked = [(name, f"{rows:,} rows") for name, rows in found.get("tables", {}).items()]
    show(grid(("policy", "no faults"), ("persons", asked.person), *checked))
