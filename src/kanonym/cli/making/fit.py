"""`kanonym fit`: the recoding of a table, kept for further ones."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Literal

from kanonym.cli import inputs, options
from kanonym.cli.policy_options import PolicyOptions, takes_policy
from kanonym.data.option import Option

SERIES = "Requirements for every batch"


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "entity", "rows", "l", "t"),
    *("models", "hierarchies", "suppression_limit", "algorithm", "levels", "metric"),
)
def fit(
    table: options.Table,
    output: Annotated[str, Option("Recoding for `kanonym apply`, as JSON.", "FILE", "-o")],
    *,
    asked: PolicyOptions,
    unseen: Annotated[
        Literal["root", "error"],
        Option("How unseen values are released: root, or error.", "root|error", group=SERIES),
    ] = "root",
    union_only: Annotated[
        bool, Option("Require the policy for all batches together, not for each one.", group=SERIES)
    ] = False,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Fit a recoding to a table, and save it for future batches.

    Nothing is released: to release the table itself, apply the recoding to it. The file has no
    records, but it has the values of hierarchies and the bounds of classes: protect it like the
    table. Leave room for the next batch: a class with just k records may have fewer there, and is
    then suppressed. Coarser hierarchies and full-domain leave more, at the cost of detail.

    Example: kanonym fit patients.csv --policy policy.yaml -o recoding.json
    """
    from kanonym import pipeline, series
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_output

    policy = asked.policy()
    inputs.check_places({"INPUT": table, **asked.files}, [("-o", output)], policy, json=json)
    check_output(output)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        decimals: dict[str, int] = {}
        frame = reading.rows(table, decimals=decimals)
        tell = inputs.sentence_printer(step)
        policy, _ = pipeline.with_readings(policy, frame, tell, decimals=decimals)
        fitted = series.fit(frame, policy, unseen=unseen, each_batch=not union_only, progress=step)
        step("write")
        fitted.save(output)
    show_written(fitted.describe(), fitted.tables, perf_counter() - start, output, json=json)
