"""`kanonym recommend`: a first policy for a table, and why."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.cli.commands import next_command
from kanonym.data.option import Option


def recommend(
    context: typer.Context,
    table: options.Table,
    write: options.FirstPolicy = None,
    k: Annotated[int, Option("k-anonymity.", "K", "-k", least=1)] = 5,
    *,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Recommend the first policy of a table, and try it beside other algorithms.

    --write writes the policy, with the evidence as comments: the one that profile writes. Read it,
    correct what is wrong, and run it: kanonym anonymize TABLE --policy FILE.

    Example: kanonym recommend patients.csv --write policy.yaml
    """
    from kanonym import comparison
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import closing, show_result

    inputs.check_places({"INPUT": table}, [("--write", write)], json=json)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        recommendation = comparison.recommend(frame, k=k, progress=step)
        if write is not None:
            step("write")
            recommendation.write_policy(write)
    seconds = perf_counter() - start
    written = [] if write is None else [str(write)]
    show_result(
        {**recommendation.to_dict(), "seconds": seconds, "written": written},
        recommendation.tables,
        *closing(seconds, written or None),
        *next_command(context, table, written),
        json=json,
    )
