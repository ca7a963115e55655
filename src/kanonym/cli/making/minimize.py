"""`kanonym minimize`: the features of a table, as coarse as a model of one column allows."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Annotated

import typer

from kanonym.cli import inputs, options
from kanonym.data.option import Option


def minimize(
    table: options.Table,
    label: Annotated[str, Option("Column that the model predicts.", "COLUMN")],
    output: options.Output,
    accuracy: Annotated[
        float, Option("Share of the predictions that must stay the same; R² for numbers.", "SHARE")
    ] = 0.95,
    features: Annotated[
        Sequence[str],
        Option("Columns to minimize, others stay as they are; default: all but the label.", "A,B"),
    ] = (),
    drop: options.Drop = (),
    k: Annotated[int, Option("Records that every cell is to have.", "K", "-k", least=1)] = 1,
    seed: options.Seed = 0,
    *,
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Minimize the data that a model of one column needs.

    Trains boosted trees on 70 % of the records, makes the features as coarse as the predictions
    allow, and measures on the other records. This is not anonymization: the columns that are
    not minimized still distinguish people. Use ka.Minimizer in Python for a model of your own.

    Example: kanonym minimize customers.csv --label churned -o minimized.csv
    """
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_table_output
    from kanonym.data.readings import styled_table
    from kanonym.minimization.minimized_table import minimize_table

    if not 0 < accuracy <= 1:
        raise typer.BadParameter(
            f"{accuracy:g} is not above 0 and at most 1", param_hint="--accuracy"
        )
    inputs.check_places({"INPUT": table}, [("-o", output)], json=json)
    check_table_output(output, reading.format_of(output))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table).drop(drop)
        frame, written = inputs.read_values(frame, step)
        step("train and minimize")
        made = minimize_table(frame, label, accuracy, features=features, k=k, seed=seed)
        step("write")
        writing.write(styled_table(made.frame, written), output, reading.format, table)
    show_written(made.to_dict(), made.tables, perf_counter() - start, output, json=json)
