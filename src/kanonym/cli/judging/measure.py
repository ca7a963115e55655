"""`kanonym measure`: every privacy model's value, for any table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy
from kanonym.data.option import Option


@takes_policy(*COLUMNS, file=False)
def measure(
    table: options.Table,
    *,
    asked: PolicyOptions,
    of_tables: Annotated[
        Path | None,
        Option(
            "Policy of linked tables; INPUT is then the place of all of them.",
            "FILE",
            "--policy -p",
            group=options.LINKED,
        ),
    ] = None,
    reading: options.EngineReading,
    sql: options.Statement = None,
    json: options.Json = False,
) -> None:
    """Measure the k, l, t and other values of a table.

    A hierarchy of a sensitive attribute adds t-closeness with hierarchical distance. With a
    policy about several tables: the persons in the smallest class, for intruders who know more
    or less of their rows. With --sql, INPUT is the name of a table, and the statement that is
    printed returns the figures.

    Example: kanonym measure released.csv -q age,zip -s disease
    """
    if of_tables is not None:
        from kanonym.cli.judging.linked import measure_linked

        inputs.refuse_beside_sql({"--policy": sql})
        if asked.given:
            raise typer.BadParameter("not allowed with -q and -s", param_hint="--policy")
        measure_linked(table, reading.schema, of_tables, json=json)
        return
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.readings import detect_readings, typed_table
    from kanonym.engines import is_local

    columns = asked.columns()
    if sql is not None:
        beside = {"--hierarchy": columns["hierarchies"], "--json": json}
        about = {"--table": reading.table_name, "--schema": reading.schema}
        inputs.refuse_beside_sql({**beside, **about})
        from kanonym.data.loading import require_extra

        with require_extra("sql"):
            from kanonym.engines.sql.model_query import figures_query

        keys, sensitive = list(columns["quasi_identifiers"]), list(columns["sensitive"])
        inputs.print_statement(figures_query(table, keys, sensitive, sql), table)
        return
    texts: dict[str, Any] = {}
    with show_progress() as step:
        step("read")
        frame = reading.table(table, texts=texts)
        if is_local(frame):
            amounts = [name for name in columns["sensitive"] if name in frame.columns]
            detected = detect_readings(frame, amounts, lenient=True)
            for note in detected.sentences:
                inputs.sentence_printer(step)(note)
            frame = typed_table(frame, detected.readings)
        step("measure")
        found = pipeline.measure(frame, **columns, texts=texts)
    show_result(found.to_dict(), found.tables, json=json)
