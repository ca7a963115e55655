"""`kanonym fit`: the recoding of a table, kept for further ones."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import options
from kanonym.cli.policy_options import PolicyOptions, takes_policy

SERIES = "Requirements for every batch"


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "entity", "rows", "l", "t"),
    *("models", "hierarchies", "suppression_limit", "algorithm", "levels", "metric"),
)
def fit(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Recoding for `kanonym apply`, as JSON."
        ),
    ],
    *,
    asked: PolicyOptions,
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
    from kanonym import pipeline, series
    from kanonym.cli.printing.series import fit_tables as tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, read_table

    if unseen not in ("root", "error"):
        raise typer.BadParameter(f"{unseen!r} is neither root nor error", param_hint="--unseen")
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    policy = asked.policy()
    options.check_places({"INPUT": table, **asked.files}, [("-o", output)], policy)
    check_output(output)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        decimals: dict[str, int] = {}
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
            decimals=decimals,
        )
        tell = options.sentence_printer(step)
        policy, _ = pipeline.with_readings(policy, frame, tell, decimals=decimals)
        fitted = series.fit(
            frame,
            policy,
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
