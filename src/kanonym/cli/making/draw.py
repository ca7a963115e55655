"""`kanonym draw`: one value per cell, drawn from the labels of a released table."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import options


def draw(
    released: Annotated[
        str, typer.Argument(metavar="RELEASED", help="Released table; - for standard input.")
    ],
    policy: Annotated[
        Path, typer.Option("--policy", "-p", metavar="FILE", help="Policy of the released table.")
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table with one value per cell; - for standard output.",
        ),
    ],
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help=(
                "Condition that every record meets, such as 'discharge >= admission'; may be "
                "repeated."
            ),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Random seed; default: a new one each time."),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="How the values were drawn and what was verified, as JSON."
        ),
    ] = None,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> None:
    """Draw one value per cell from the labels of a released table.

    For programs that cannot read labels. The labels are verified first; the drawn values are not
    k-anonymous, and their protection is that of the labels. To draw by the values of each class,
    use anonymize --drawn FILE --drawn-by class.
    """
    from kanonym.cli.printing.cell_values import drawn_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, check_table_output, read_with_content
    from kanonym.policy import Policy
    from kanonym.synthesis import draw_values

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    asked = Policy.from_file(policy)
    options.check_places(
        {"RELEASED": released, "--policy": policy},
        [("-o", output), ("--manifest", manifest)],
        asked,
    )
    check_table_output(output, options.format_of(output, format))
    if manifest is not None:
        check_output(str(manifest))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame, source = read_with_content(
            released,
            options.format_of(released, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
        )
        step("draw")
        drawn = draw_values(frame, asked, constraints=constraint or (), seed=seed)
        step("write")
        result = write_table(
            drawn.frame,
            output,
            format,
            released,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            catalog=catalog,
        )
        if manifest is not None:
            drawn.manifest(manifest, released=source, drawn=result)
    written = [output, *([] if manifest is None else [str(manifest)])]
    found = {**drawn.to_dict(), "seconds": {"total": perf_counter() - start}, "written": written}
    if json:
        show_json(found)
    else:
        show(*drawn_tables(found), to_stderr=output == "-")
