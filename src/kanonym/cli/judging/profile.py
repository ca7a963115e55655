"""`kanonym profile`: the role that each column should have, why, and a policy to edit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.cli.commands import next_command
from kanonym.data.option import Option
from kanonym.data.results import ResultTable


def profile(
    context: typer.Context,
    table: options.Table,
    quasi_identifiers: Annotated[
        Sequence[str], Option("Columns known to be quasi-identifiers.", "A,B", "-q")
    ] = (),
    write: options.FirstPolicy = None,
    k: Annotated[int, Option("k-anonymity of the suggested policy.", "K", "-k", least=1)] = 5,
    ask: Annotated[
        bool,
        Option("Ask at most seven questions, with a default each; the answers are the policy."),
    ] = False,
    free_text: Annotated[
        bool, Option('Search texts for identifiers; needs "kanonym[text]".')
    ] = False,
    report: Annotated[
        Path | None,
        Option(
            "File for a page with histograms and pairs of columns, .html or .pdf; it shows "
            "original data.",
            "FILE",
            group=options.OUTPUT,
        ),
    ] = None,
    language: options.Language = "en",
    *,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Suggest a role for each column, with the reasons.

    --write writes a policy that runs as it is and can be edited: kanonym anonymize TABLE
    --policy FILE. --ask asks a few questions first, on standard error; answers are lines of
    standard input. Without --write, the policy is then printed.

    Example: kanonym profile patients.csv --ask --write policy.yaml
    """
    from kanonym import profiling
    from kanonym.cli.asking import ask as ask_questions
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import closing, show_result
    from kanonym.comparison.column_costs import column_costs, cost_sentences

    written = [("--write", write), ("--report", report)]
    inputs.check_places({"INPUT": table, "--ask": "-" if ask else None}, written, json=json)
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        found = profiling.profile(
            frame, quasi_identifiers=quasi_identifiers, free_text=free_text, progress=step
        )
        costs = () if json else cost_sentences(column_costs(frame, found, k))
    if ask:
        found = ask_questions(found, costs, k)
        write = write or (None if json else Path("-"))
    if write is not None:
        found.write_policy(write, None if ask else k)
    if report is not None:
        with show_progress() as step:
            step("report")
            found.report(frame, report, language=language)
    files = [str(one) for _, one in written if one is not None]
    more = next_command(context, table, [] if write is None else [str(write)])
    losses = ResultTable((), [], notes=tuple(f"loss: {sentence}" for sentence in costs))
    show_result(
        found.to_dict(),
        lambda: [] if ask else [*found.tables(), losses, *closing(written=files or None)],
        *more,
        json=json,
        to_stderr=str(write) == "-",
    )
