"""`kanonym profile`: the role that each column should have, why, and a policy to edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanonym.cli import locations, options
from kanonym.cli.commands import next_command


def profile(
    context: typer.Context,
    table: options.Table,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi-identifiers",
            "-q",
            metavar="A,B",
            help="Columns known to be quasi-identifiers.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File for the suggested policy, as YAML."),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=1, metavar="K", help="k-anonymity of the suggested policy.")
    ] = 5,
    free_text: Annotated[
        bool,
        typer.Option("--free-text", help='Search texts for identifiers; needs "kanonym[text]".'),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for a page with histograms and pairs of columns, .html or .pdf; it shows "
            "original data.",
        ),
    ] = None,
    language: options.Language = "en",
    table_name: locations.TableName = None,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Suggest a role for each column, with the reasons.

    --write writes a policy that runs as it is and can be edited: kanonym anonymize TABLE
    --policy FILE.
    """
    from kanonym import profiling
    from kanonym.cli.printing.profile import profile_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json

    if json and str(write) == "-":
        raise typer.BadParameter(
            "standard output cannot hold both", param_hint="--json and --write -"
        )
    options.check_places({"INPUT": table}, [("--write", write), ("--report", report)])
    with show_progress() as step:
        step("read")
        frame = locations.rows_at(
            table,
            options.format_of(table, format),
            name=table_name,
            sheet=sheet,
            header_row=header_row,
            columns=options.COLUMNS.get(),
            user_missing=user_missing,
        )
        found = profiling.profile(
            frame,
            quasi_identifiers=options.parse_names(quasi_identifiers),
            free_text=free_text,
            progress=step,
        )
        if write is not None:
            step("write")
            found.write_policy(write, k)
        if report is not None:
            step("report")
            found.report(frame, report, language=language)
    if json:
        show_json(found.to_dict())
    else:
        written = [str(one) for one in (write, report) if one is not None]
        more = next_command(context, table, [] if write is None else [str(write)])
        show(*profile_tables(found.to_dict(), written), *more, to_stderr=str(write) == "-")
