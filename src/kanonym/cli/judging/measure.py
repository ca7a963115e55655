"""`kanonym measure`: every privacy model's value, for any table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import locations, options
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy


@takes_policy(*COLUMNS, file=False)
def measure(
    table: options.Table,
    *,
    asked: PolicyOptions,
    of_tables: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="FILE",
            help="Policy of linked tables; INPUT is then the place of all of them.",
            rich_help_panel=locations.LINKED,
        ),
    ] = None,
    schema: locations.SchemaName = None,
    engine: locations.Engine = None,
    memory: locations.Memory = None,
    table_name: locations.TableName = None,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Measure the k, l, t and other values of a table.

    A hierarchy of a sensitive attribute adds t-closeness with hierarchical distance. With a
    policy about several tables: the persons in the smallest class, for intruders who know more
    or less of their rows.
    """
    if of_tables is not None:
        from kanonym.cli.judging.linked import measure_linked

        if asked.given:
            raise typer.BadParameter("not allowed with -q and -s", param_hint="--policy")
        measure_linked(table, schema, of_tables, json=json)
        return
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import measurement_tables, show, show_json
    from kanonym.data.readings import detect_readings, typed_table
    from kanonym.engines import is_local

    columns = asked.columns()
    texts: dict[str, Any] = {}
    with show_progress() as step:
        step("read")
        frame = locations.table_at(
            table,
            options.format_of(table, format),
            engine=engine,
            memory=memory,
            name=table_name,
            texts=texts,
            sheet=sheet,
            header_row=header_row,
            columns=options.COLUMNS.get(),
            user_missing=user_missing,
        )
        if is_local(frame):
            amounts = [name for name in columns["sensitive"] if name in frame.columns]
            detected = detect_readings(frame, amounts, lenient=True)
            for note in detected.sentences:
                options.sentence_printer(step)(note)
            frame = typed_table(frame, detected.readings)
        step("measure")
        found = pipeline.measure(
            frame,
            **columns,
            texts=texts,
        ).to_dict()
    if json:
        show_json(found)
    else:
        show(*measurement_tables(found))
