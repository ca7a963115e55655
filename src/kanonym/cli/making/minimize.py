"""`kanonym minimize`: the features of a table, as coarse as a model of one column allows."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import options


def minimize(
    table: options.Table,
    label: Annotated[str, typer.Option(metavar="COLUMN", help="Column that the model predicts.")],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Minimized table; - is standard output."
        ),
    ],
    accuracy: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the predictions that must stay the same; R² for numbers.",
        ),
    ] = 0.95,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to minimize, others stay as they are; default: all but the label.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to drop, such as identifiers."),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=1, metavar="K", help="Records that every cell is to have.")
    ] = 1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Random seed.")] = 0,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Minimize the data that a model of one column needs.

    Trains boosted trees on 70 % of the records, makes the features as coarse as the predictions
    allow, and measures on the other records. This is not anonymization: the columns that are
    not minimized still distinguish people. Use ka.Minimizer in Python for a model of your own.
    """
    from kanonym.cli.printing.minimization import minimization_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_table_output, read_table
    from kanonym.data.readings import styled_table
    from kanonym.minimization.minimized_table import minimize_table

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if not 0 < accuracy <= 1:
        raise typer.BadParameter(
            f"{accuracy:g} is not above 0 and at most 1", param_hint="--accuracy"
        )
    options.check_places({"INPUT": table}, [("-o", output)])
    check_table_output(output, options.format_of(output, format))
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
        ).drop(options.parse_names(drop))
        frame, written = options.read_values(frame, step)
        step("train and minimize")
        made = minimize_table(
            frame, label, accuracy, features=options.parse_names(features), k=k, seed=seed
        )
        step("write")
        write_table(
            styled_table(made.frame, written),
            output,
            format,
            table,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
        )
    found = made.to_dict() | {"seconds": {"total": perf_counter() - start}, "written": [output]}
    if json:
        show_json(found)
    else:
        show(*minimization_tables(found), to_stderr=output == "-")
