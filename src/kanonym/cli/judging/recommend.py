"""`kanonym recommend`: a first policy for a table, and why."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import options
from kanonym.cli.commands import next_command


def recommend(
    context: typer.Context,
    table: options.Table,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File for the policy, as YAML.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, metavar="K", help="k-anonymity.")] = 5,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Recommend a first policy: roles from the profile, the algorithm by trying a few.

    --write writes the policy, with the evidence as comments. Read it, correct what is wrong,
    and run it: kanonym anonymize TABLE --policy FILE.
    """
    from kanonym import comparison
    from kanonym.cli.printing.comparison import recommendation_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, read_table

    options.check_places({"INPUT": table}, [("--write", write)])
    if write is not None:
        check_output(write)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
        )
        recommendation = comparison.recommend(frame, k=k, progress=step)
        if write is not None:
            step("write")
            recommendation.write_policy(write)
    seconds = perf_counter() - start
    written = [] if write is None else [str(write)]
    if json:
        show_json({**recommendation.to_dict(), "seconds": seconds, "written": written})
    else:
        show(
            *recommendation_tables(recommendation.to_dict(), written, seconds),
            *next_command(context, table, written),
        )
