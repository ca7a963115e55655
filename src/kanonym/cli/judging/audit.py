"""`kanonym audit`: a lower bound of the epsilon that a mechanism has, by canaries."""

from __future__ import annotations

from typing import Annotated

import typer

from kanonym.cli import options


def audit(
    table: options.Table,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            metavar="FILE",
            help="Policy with the model differential-privacy, or with the domain of each column.",
        ),
    ],
    epsilon: Annotated[
        float | None,
        typer.Option(metavar="E", help="Audit a synthetic table with this budget."),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(metavar="D", help="Probability with which a synthetic table may fail."),
    ] = 1e-9,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Synthesizer: aim (default) or mst."),
    ] = None,
    canaries: Annotated[
        int,
        typer.Option(
            min=100,
            metavar="N",
            help="Records that are put in, or left out, by a coin each.",
        ),
    ] = 1_000,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Random seed of canaries and coins.")
    ] = 0,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Audit a differentially private mechanism by canaries in one run.

    Canaries are put into the table, each by a coin, and guessed from what is released. The exit
    code is 1 where the guesses contradict the stated epsilon. An audit finds blunders, not small
    excesses: the guarantee rests on the proof.
    """
    from kanonym.audit import audit_policy
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import read_table
    from kanonym.policy.attribute_policy import attribute_policy

    asked = attribute_policy(policy)
    with show_progress() as step:
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
            declared=asked.attributes,
        )
        step("audit")
        found = audit_policy(
            frame,
            asked,
            epsilon=epsilon,
            delta=delta,
            method=method,
            canaries=canaries,
            seed=seed,
        )
    if json:
        show_json(found.to_dict())
    else:
        show(str(found))
    if not found.satisfied:
        raise typer.Exit(1)
