"""`kanonym fit`: the recoding of a table, kept for further ones."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import options

SERIES = "Requirements for every batch"


def fit(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Recoding for `kanonym apply`, as JSON."
        ),
    ],
    policy: options.PolicyFile = None,
    quasi_identifiers: options.QuasiIdentifiers = None,
    sensitive: options.SensitiveAttributes = None,
    identifiers: options.Identifiers = None,
    others: options.Others = None,
    k: options.K = None,
    l: options.L = None,
    t: options.T = None,
    model: options.Models = None,
    hierarchy: options.Hierarchies = None,
    suppression_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Maximum share of a batch's records to suppress.",
            rich_help_panel=options.FOUND,
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="mondrian (default) or full-domain; others if their classes do not overlap.",
            rich_help_panel=options.FOUND,
        ),
    ] = None,
    levels: options.Levels = None,
    metric: options.Metric = None,
    unseen: Annotated[
        str,
        typer.Option(
            metavar="root|error",
            help="How unseen values are released: root, or error.",
            rich_help_panel=SERIES,
        ),
    ] = "root",
    union_only: Annotated[
        bool,
        typer.Option(
            "--union-only",
            help="Require the policy for all batches together, not for each one.",
            rich_help_panel=SERIES,
        ),
    ] = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Fit a recoding to a table, and save it for future batches.

    Nothing is released: to release the table itself, apply the recoding to it. The file has no
    records, but it has the values of hierarchies and the bounds of classes: protect it like the
    table.
    """
    from kanonym import pipeline
    from kanonym import series as fitting
    from kanonym.cli.printing.series import fit_tables as tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, read_table

    hierarchies = options.hierarchy_files(hierarchy)
    if unseen not in ("root", "error"):
        raise typer.BadParameter(f"{unseen!r} is neither root nor error", param_hint="--unseen")
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    read: dict[str, str | Path | None] = {"INPUT": table, "--policy": policy}
    read |= {f"--hierarchy {name}": file for name, file in hierarchies.items()}
    asked = options.policy_of(
        policy,
        quasi_identifiers=options.parse_names(quasi_identifiers),
        sensitive=options.parse_names(sensitive),
        identifiers=options.parse_names(identifiers),
        k=k,
        l=l,
        t=t,
        models=options.parse_models(model),
        hierarchies=hierarchies,
        algorithm=options.algorithm_form(
            algorithm, levels=options.parse_levels(levels), metric=metric
        ),
        suppression_limit=suppression_limit,
        others=others,
    )
    options.check_places(read, [("-o", output)], asked)
    check_output(output)
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
        asked, _ = pipeline.with_conventions(asked, frame, options.sentence_printer(step))
        fitted = fitting.fit(
            frame,
            asked,
            unseen="root" if unseen == "root" else "error",
            each_batch=not union_only,
            progress=step,
        )
        step("write")
        fitted.save(output)
    found = {
        **fitted.describe(),
        "seconds": {"total": perf_counter() - start},
        "written": [output],
    }
    if json:
        show_json(found)
    else:
        show(*tables(found), to_stderr=output == "-")
