"""`kanonym synthesize`: a table of records of nobody, drawn from what a model learned."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from kanonym.cli import options

if TYPE_CHECKING:
    from kanonym.synthesis.synthesizer import Synthesizer

JUDGED = "Evaluation"


def synthesize(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Synthetic table; - for standard output."
        ),
    ],
    rows: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of records; default: as many as were learned from."
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to drop, such as identifiers."),
    ] = None,
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
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=(
                "copula or trees, or a method of another library, which must be installed: "
                "sdv:gaussian-copula, sdv:ctgan, sdv:tvae, sdv:copula-gan, smartnoise:mst, "
                "smartnoise:aim, smartnoise:mwem, smartnoise:patectgan, smartnoise:dpctgan."
            ),
        ),
    ] = "copula",
    leaf: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Records in a leaf of a tree, at least 5; for trees. Default: 20.",
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to draw first, for trees; the others follow in the order of the table.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(metavar="E", help="Privacy budget; for the methods of SmartNoise."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Random seed.")] = 0,
    hold_out: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Hold out this share of INPUT as the control for attacks.",
            rich_help_panel=JUDGED,
        ),
    ] = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Compare the table with the original, and attack it.",
            rich_help_panel=JUDGED,
        ),
    ] = False,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi-identifiers",
            "-q",
            metavar="A,B",
            help="What intruders know; default: all columns that are not sensitive.",
            rich_help_panel=JUDGED,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive",
            "-s",
            metavar="C",
            help="What intruders want to learn.",
            rich_help_panel=JUDGED,
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
    """Draw a synthetic table from a model of the original.

    This is not anonymization: no record is copied on purpose, but some may equal a real one, and
    only the methods of SmartNoise give a guarantee. Judge the table before you share it:
    --hold-out 0.2 --judge -q age,zip -s disease
    """
    from kanonym import synthesis
    from kanonym.cli.printing.synthesis import synthesis_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import columns_of_known_values, write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.conventions import styled_table
    from kanonym.data.files import check_table_output, read_table

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if not judge and (quasi_identifiers or sensitive):
        raise typer.BadParameter("needs --judge", param_hint="-q and -s")
    if hold_out is not None and not 0 < hold_out < 1:
        raise typer.BadParameter(f"{hold_out:g} is not between 0 and 1", param_hint="--hold-out")
    options.check_places({"INPUT": table}, [("-o", output)])
    check_table_output(output, options.format_of(output, format))
    chosen = _method(method, epsilon, leaf, options.parse_names(order))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
        )
        dropped = options.parse_names(drop)
        kept = [name for name in frame.columns if name not in dropped]
        frame, written = options.read_values(frame, step, kept)
        step("learn and draw")
        made = synthesis.synthesize(
            frame,
            rows=rows,
            drop=dropped,
            constraints=constraint or (),
            method=chosen,
            hold_out=hold_out,
            quasi_identifiers=options.parse_names(quasi_identifiers),
            sensitive=options.parse_names(sensitive),
            seed=seed,
        )
        if judge:
            step("judge")
        found = made.to_dict() if judge else made.facts()
        step("write")
        released = styled_table(made.frame, written)
        write_table(
            released,
            output,
            format,
            table,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            coded=columns_of_known_values(frame, made.frame),
            catalog=catalog,
        )
    found |= {"seconds": {"total": perf_counter() - start}, "written": [output]}
    if json:
        show_json(found)
    else:
        show(*synthesis_tables(found), to_stderr=output == "-")


def _method(
    name: str, epsilon: float | None, leaf: int | None, order: list[str]
) -> str | Synthesizer:
    """Return the method by its name, with the parameters that it takes."""
    from kanonym.synthesis.external import SmartNoise
    from kanonym.synthesis.trees import LEAF, SequentialTrees

    library, _, synthesizer = name.partition(":")
    if epsilon is not None and library != "smartnoise":
        raise typer.BadParameter(f"{name} has no budget", param_hint="--epsilon")
    if (leaf is not None or order) and name != SequentialTrees.name:
        raise typer.BadParameter("needs --method trees", param_hint="--leaf and --order")
    if epsilon is not None:
        return SmartNoise(synthesizer, epsilon)
    if name == SequentialTrees.name:
        return SequentialTrees(LEAF if leaf is None else leaf, order)
    return name
