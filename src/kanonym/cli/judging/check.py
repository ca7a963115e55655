"""`kanonym check`: the faults of a policy, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import inputs, options


def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Policy, YAML or JSON.")],
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]", help="Table that the policy is for; - for standard input."
        ),
    ] = None,
    *,
    reading: options.ReadingOptions,
    schema: options.Schema = None,
    json: options.Json = False,
) -> None:
    """Check a policy, and whether it fits a table, without anonymizing.

    All faults of the policy are listed at once, with the nearest valid names. Its SHA-256 is that
    of the manifest and the report of a release; give the table where the policy leaves it open how
    dates and numbers are written. With a table: its columns and their roles, whether hierarchies
    cover its values, and whether a release can satisfy the models at all. With a policy about
    several tables, TABLE is the place of all of them: keys, references and roles are checked, and
    columns that repeat others are listed.

    Example: kanonym check policy.yaml patients.csv
    """
    from kanonym.cli.printing.profile import policy_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.frames import to_eager
    from kanonym.engines import engine_of, is_local
    from kanonym.models.differential import sampling_model
    from kanonym.pipeline import with_readings
    from kanonym.pipeline.planning import check_policy
    from kanonym.policy import Policy
    from kanonym.policy.document import is_linked
    from kanonym.policy.faults import policy_hash

    if is_linked(policy):
        _check_linked(policy, table, schema, json=json)
        return
    asked = Policy.from_file(policy)
    found: dict[str, Any] = {}
    if table is not None:
        from kanonym.synthesis.marginals.domains import count_beyond  # loads much

        with show_progress() as step:
            step("read")
            decimals: dict[str, int] = {}
            given = reading.table(
                table,
                schema=schema,
                declared=asked.attributes if sampling_model(asked.models) else None,
                decimals=decimals,
            )
            engine = None if is_local(given) else engine_of(given)
            frame = inputs.group_long(to_eager(given), inputs.long_columns(None, asked))
            step("check")
            if sampling_model(asked.models) is None:  # else only what is declared may decide
                read = frame if engine is None else given
                tell = inputs.sentence_printer(step)
                asked, _ = with_readings(asked, read, tell, decimals=decimals)
            found["table"] = check_policy(frame, asked, engine).to_dict()
            found["table"]["beyond_domains"] = count_beyond(frame, asked.attributes)
    found.update(policy=asked.to_dict(), sha256=policy_hash(asked.to_dict()))
    show_result(found, *policy_tables(found), json=json)


def _check_linked(policy: Path, place: str | None, schema: str | None, *, json: bool) -> None:
    """Check a policy about several tables, and keys, references and roles of these."""
    from kanonym.cli.terminal import grid, show, show_json
    from kanonym.linked import LinkedPolicy
    from kanonym.linked.given_tables import Place, check_tables, read_tables, with_column_roles
    from kanonym.linked.person_rows import LinkedRows, copied_columns
    from kanonym.linked.released_rows import numbered_parts, unnumbered_parts

    asked = LinkedPolicy.from_file(policy)
    found: dict[str, Any] = {"policy": dict(asked.form)}
    if place is not None:
        tables = read_tables(Place.of(place, schema), list(asked.tables))
        check_tables(tables, asked)
        asked = with_column_roles(asked, tables)
        rows = LinkedRows.of(tables, asked)
        found["tables"] = {name: frame.height for name, frame in tables.items()}
        found["copies"] = {
            ".".join(column): ".".join(other) for column, other in copied_columns(tables, rows)
        }
        found["numbered_key_columns"] = [
            f"{name}.{part}" for name in asked.order for part in numbered_parts(asked, name)
        ]
        found["counted_key_columns"] = [
            f"{name}.{part}"
            for name in asked.order
            for part in unnumbered_parts(tables, asked, name)
        ]
    if json:
        show_json(found)
        return
    checked = [(name, f"{rows:,} rows") for name, rows in found.get("tables", {}).items()]
    told = [
        *((name, f"repeats {other}") for name, other in found.get("copies", {}).items()),
        *((name, "in a key: numbered anew") for name in found.get("numbered_key_columns", ())),
        *((name, "in a key: it counts") for name in found.get("counted_key_columns", ())),
    ]
    show(grid(("policy", "no faults"), ("persons", asked.person), *checked, *told))
