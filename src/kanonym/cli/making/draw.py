"""`kanonym draw`: one value per cell, drawn from the labels of a released table."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

from kanonym.cli import inputs, options
from kanonym.data.option import Option


def draw(
    released: options.Released,
    policy: options.Policy,
    output: options.Output,
    constraints: options.Constraints = (),
    seed: options.DrawnSeed = None,
    manifest: Annotated[
        Path | None, Option("How the values were drawn and what was verified, as JSON.", "FILE")
    ] = None,
    *,
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Draw one value per cell from the labels of a released table.

    For programs that cannot read labels. The labels are verified first; the drawn values are not
    k-anonymous, and their protection is that of the labels. To draw by the values of each class,
    use anonymize --drawn FILE --drawn-by class.

    Example: kanonym draw released.csv --policy policy.yaml -o drawn.csv
    """
    from kanonym.cli.printing.synthesis import drawn_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.files import check_output, check_table_output
    from kanonym.policy import Policy
    from kanonym.synthesis import draw_values

    asked = Policy.from_file(policy)
    inputs.check_places(
        {"RELEASED": released, "--policy": policy},
        [("-o", output), ("--manifest", manifest)],
        asked,
        json=json,
    )
    check_table_output(output, reading.format_of(output))
    if manifest is not None:
        check_output(str(manifest))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame, source = reading.table_with_content(released)
        step("draw")
        drawn = draw_values(frame, asked, constraints=constraints, seed=seed)
        step("write")
        result = writing.write(drawn.frame, output, reading.format, released)
        if manifest is not None:
            drawn.manifest(manifest, released=source, drawn=result)
    written = [output, *([] if manifest is None else [str(manifest)])]
    found = {**drawn.to_dict(), "seconds": {"total": perf_counter() - start}, "written": written}
    show_result(found, *drawn_tables(found), json=json, to_stderr=output == "-")
