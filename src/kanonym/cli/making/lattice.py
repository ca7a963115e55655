"""`kanonym lattice`: every way to generalize a table, and what each costs."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

from kanonym.cli import inputs, options
from kanonym.cli.policy_options import PolicyOptions, takes_policy
from kanonym.data.results import ResultTable


@takes_policy(
    *("quasi_identifiers", "sensitive", "identifiers", "others", "k", "entity", "rows", "l", "t"),
    *("models", "hierarchies", "levels", "metric", "steps", "seconds"),
)
def lattice(
    table: options.Table,
    output: options.Output,
    chart: options.Chart = None,
    language: options.Language = "en",
    *,
    asked: PolicyOptions,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Evaluate every node of the generalization lattice.

    A node is a level of generalization for each quasi-identifier. Each node is written with its
    levels, its score by the policy's metric, suppressed records, classes, whether it satisfies
    the policy, and the achieved value of each model; the best first. For more than 100,000
    nodes, only the best ones that the search finds are written. To release another node than
    the best, give its levels to anonymize: --levels age=2,sex=0.

    Example: kanonym lattice patients.csv --policy policy.yaml -o nodes.csv
    """
    from kanonym import pipeline
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.comparison import lattice_nodes
    from kanonym.data.files import check_table_output, write_table

    policy = asked.policy()
    inputs.check_chart(chart)
    places = [("-o", output), ("--chart", chart)]
    inputs.check_places({"INPUT": table, **asked.files}, places, policy, json=json)
    check_table_output(output, reading.format_of(output))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        policy, _ = pipeline.with_readings(policy, frame, inputs.sentence_printer(step))
        nodes = lattice_nodes.lattice(frame, policy, chart=chart, language=language, progress=step)
        step("write")
        write_table(nodes, output, reading.format_of(output))
    seconds = perf_counter() - start
    best, satisfied = _best(nodes), int(nodes["satisfied"].sum())
    counts = {"nodes": len(nodes), "satisfied": satisfied, "best": best}
    tables = partial(_tables, len(nodes), satisfied, best)
    show_written(counts, tables, seconds, output, chart, json=json)


def _tables(nodes: int, satisfied: int, best: dict[str, Any] | None) -> list[ResultTable]:
    """Return how many nodes there are, and the best."""
    facts = ResultTable.of_facts(("nodes", nodes), ("satisfying the policy", satisfied))
    if best is None:
        return [facts]
    levels = [(name, f"{level:,}") for name, level in best["levels"].items()]
    values = [(name, best[name]) for name in ("score", "suppressed", "classes")]
    return [
        facts,
        ResultTable(("best node", "level"), levels, frozenset({1})),
        ResultTable.of_facts(*values, *best["achieved"].items()),
    ]


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
