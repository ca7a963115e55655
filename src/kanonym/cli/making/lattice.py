"""`kanonym lattice`: every way to generalize a table, and what each costs."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from kanonym.cli import options
from kanonym.cli.policy_options import PolicyOptions, takes_policy

CHARTS = (".html", ".svg", ".png")


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "l", "t", "models"),
    *("hierarchies", "levels", "metric", "steps", "seconds"),
)
def lattice(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table with one row per node; - for standard output.",
        ),
    ],
    chart: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Chart of privacy and loss of the nodes: .html, .svg or .png."
        ),
    ] = None,
    language: options.Language = "en",
    *,
    asked: PolicyOptions,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    json: options.Json = False,
) -> None:
    """Evaluate every node of the generalization lattice.

    A node is a level of generalization for each quasi-identifier. Each node is written with its
    levels, its score by the policy's metric, suppressed records, classes, whether it satisfies
    the policy, and the achieved value of each model; the best first. For more than 100,000
    nodes, only the best ones that the search finds are written. To release another node than
    the best, give its levels to anonymize: --levels age=2,sex=0.
    """
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import lattice_tables, show, show_json
    from kanonym.comparison import lattice_nodes
    from kanonym.data.files import check_output, check_table_output, read_table, write_table

    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if chart is not None and chart.suffix.lower() not in CHARTS:
        raise typer.BadParameter(f"{chart} must end in {', '.join(CHARTS)}", param_hint="--chart")
    policy = asked.policy()
    options.check_places(
        {"INPUT": table, **asked.files}, [("-o", output), ("--chart", chart)], policy
    )
    check_table_output(output, options.format_of(output, format))
    if chart is not None:
        check_output(chart)
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            sheet=sheet,
            header_row=header_row,
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
        )
        policy, _ = pipeline.with_readings(policy, frame, options.sentence_printer(step))
        nodes = lattice_nodes.lattice(frame, policy, chart=chart, language=language, progress=step)
        step("write")
        write_table(nodes, output, options.format_of(output, format))
    written = [output, *([str(chart)] if chart else [])]
    found = {
        "nodes": len(nodes),
        "satisfied": int(nodes["satisfied"].sum()),
        "best": _best(nodes),
        "seconds": {"total": perf_counter() - start},
        "written": written,
    }
    if json:
        show_json(found)
    else:
        show(*lattice_tables(found), to_stderr=output == "-")


def _best(nodes: Any) -> dict[str, Any] | None:
    """Return the first node by parts, or None where none satisfies the policy."""
    if not len(nodes) or not nodes["satisfied"][0]:
        return None
    row = nodes.row(0, named=True)
    first = nodes.columns.index("score")
    said = ("score", "suppressed", "classes")
    return {
        "levels": {name.removeprefix("level_"): row[name] for name in nodes.columns[:first]},
        **{name: row[name] for name in said},
        "achieved": {name: row[name] for name in nodes.columns[first + len(said) + 1 :]},
    }
