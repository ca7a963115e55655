"""`kanonym measure`: every privacy model's value, for any table."""

from __future__ import annotations

from typing import Any

from kanonym.cli import locations, options
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy


@takes_policy(*COLUMNS, file=False)
def measure(
    table: options.Table,
    *,
    asked: PolicyOptions,
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

    A hierarchy of a sensitive attribute adds t-closeness with hierarchical distance.
    """
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import measurement_tables, show, show_json
    from kanonym.data.conventions import detect_conventions, typed_table
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
            user_missing=user_missing,
        )
        if is_local(frame):
            amounts = [name for name in columns["sensitive"] if name in frame.columns]
            conventions, notes = detect_conventions(frame, amounts, lenient=True)
            for note in notes:
                options.sentence_printer(step)(note)
            frame = typed_table(frame, conventions)
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
