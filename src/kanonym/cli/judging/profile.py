"""`kanonym profile`: the role that each column should have, why, and a policy to edit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.cli.commands import next_command
from kanonym.data.option import Option


def profile(
    context: typer.Context,
    table: options.Table,
    quasi_identifiers: Annotated[
        Sequence[str], Option("Columns known to be quasi-identifiers.", "A,B", "-q")
    ] = (),
    write: options.WrittenPolicy = None,
    k: Annotated[int, Option("k-anonymity of the suggested policy.", "K", "-k", least=1)] = 5,
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
    --policy FILE.

    Example: kanonym profile patients.csv --write policy.yaml
    """
    from kanonym import profiling
    from kanonym.cli.printing.profile import profile_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result

    written = [("--write", write), ("--report", report)]
    inputs.check_places({"INPUT": table}, written, json=json)
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        found = profiling.profile(
            frame,
            quasi_identifiers=quasi_identifiers,
            free_text=free_text,
            progress=step,
        )
        if write is not None:
            step("write")
            found.write_policy(write, k)
        if report is not None:
            step("report")
            found.report(frame, report, language=language)
    files = [str(one) for _, one in written if one is not None]
    more = next_command(context, table, [] if write is None else [str(write)])
    contract = found.to_dict()
    tables = profile_tables(contract, files)
    show_result(contract, *tables, *more, json=json, to_stderr=str(write) == "-")
