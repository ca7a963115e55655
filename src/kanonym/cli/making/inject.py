"""`kanonym inject`: records of people who do not exist, added to classes that lack some."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from time import perf_counter
from typing import Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.cli.policy_options import PolicyOptions, takes_policy
from kanonym.data.option import Option
from kanonym.data.results import ResultTable

TARGETS = "Targets for classes (at least one)"
MARKED = "Marks"


@takes_policy("quasi_identifiers", "sensitive", file=False)
def inject(
    table: options.Table,
    output: options.Output,
    *,
    asked: PolicyOptions,
    size: Annotated[int | None, Option("Records per class.", "K", group=TARGETS)] = None,
    diversity: Annotated[
        float | None,
        Option(
            "Distinct values of every sensitive attribute, in percent of the class.",
            "P",
            group=TARGETS,
        ),
    ] = None,
    l: Annotated[
        int | None,
        Option(
            "Distinct values of every sensitive attribute, per class.", "L", "-l", group=TARGETS
        ),
    ] = None,
    drop: options.Drop = (),
    named: Annotated[
        Sequence[str],
        Option(
            "A class that must reach the target, instead of all classes; may be repeated. An "
            "empty value is null; an entry with a comma needs double quotes: '\"age=[20, "
            "30)\",sex=f'.",
            "A=V,B=W",
            "--class",
            kind="values",
        ),
    ] = (),
    constraints: options.Constraints = (),
    key: Annotated[str | None, Option("Key of the marks.", "FILE", group=MARKED)] = None,
    marks: Annotated[
        str | None,
        Option(
            "Marks by which the key finds the added records: written, or read with --remove.",
            "FILE",
            group=MARKED,
        ),
    ] = None,
    remove: Annotated[
        bool, Option("Remove the marked records from a table.", group=MARKED)
    ] = False,
    seed: Annotated[
        int | None,
        Option(
            "Random seed; whoever knows it can find the added records. Default: a new one each "
            "time.",
            "N",
            least=0,
        ),
    ] = None,
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Add records that look real, until classes reach a target size and diversity.

    As few records as possible are drawn from a model of the whole table. They are not marked in
    the table; --key and --marks write a separate file by which the owner can find them.

    Example: kanonym inject released.csv -q age,zip -s disease --size 5 -o more.csv
    """
    if (key is None) != (marks is None):
        raise typer.BadParameter("must be given together", param_hint="--key and --marks")
    if marks == "-":
        raise typer.BadParameter("marks need a file of their own", param_hint="--marks")
    if remove:
        others = (asked.given or None, size, diversity, l, drop, named, constraints, seed)
        if any(other not in (None, [], ()) for other in others):
            raise typer.BadParameter(
                "only --key and --marks can be combined with it", param_hint="--remove"
            )
        if key is None or marks is None:
            raise typer.BadParameter("needs --key and --marks", param_hint="--remove")
        _remove(table, output, key, marks, reading, writing, json=json)
        return
    from kanonym import synthesis
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_output, check_table_output
    from kanonym.data.readings import styled_table

    places = [("-o", output), ("--marks", marks)]
    inputs.check_places({"INPUT": table, "--key": key}, places, json=json)
    check_table_output(output, reading.format_of(output))
    if marks is not None:
        check_output(marks)
    columns = asked.columns()
    classes = [_class(entry) for entry in named] if named else None
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame = reading.rows(table)
        kept = [name for name in frame.columns if name not in drop]
        frame, styles = inputs.read_values(frame, step, kept)
        step("inject")
        done = synthesis.inject(
            frame,
            quasi_identifiers=columns["quasi_identifiers"],
            sensitive=columns["sensitive"],
            size=size,
            diversity=diversity,
            l=l,
            classes=None if classes is None else [_plain(one, styles) for one in classes],
            drop=drop,
            constraints=constraints,
            key=key,
            seed=seed,
        )
        step("write")
        if marks is not None:
            done.write_marks(marks)
        released = styled_table(done.frame, styles)
        coded = inputs.columns_of_known_values(frame, done.frame)
        writing.write(released, output, reading.format, table, coded=coded)
    show_written(done.to_dict(), done.tables, perf_counter() - start, output, marks, json=json)


def _class(entry: str) -> dict[str, str | None]:
    """Return the values of a class that `age=34,sex=f` names; an empty one is null."""
    found: dict[str, str | None] = {}
    for part in next(csv.reader([entry], skipinitialspace=True), []):
        name, equals, value = part.partition("=")
        if not (name.strip() and equals):
            raise typer.BadParameter(f"{part!r} is not COLUMN=VALUE", param_hint="--class")
        if name.strip() in found:
            raise typer.BadParameter(f"{name.strip()!r} is given twice", param_hint="--class")
        found[name.strip()] = value or None
    return found


def _plain(values: dict[str, str | None], styles: dict[str, Any]) -> dict[str, str | None]:
    """Return the values of a class without the style of their columns."""
    from kanonym.data.readings import plain_text

    return {
        name: plain_text(value, styles[name]) if value is not None and name in styles else value
        for name, value in values.items()
    }


def _remove(
    table: str,
    output: str,
    key: str,
    marks: str,
    reading: options.ReadingOptions,
    writing: options.Writing,
    *,
    json: bool,
) -> None:
    """Write a table without its marked records."""
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_table_output
    from kanonym.synthesis import Marks, injected_rows

    places = {"INPUT": table, "--key": key, "--marks": marks}
    inputs.check_places(places, [("-o", output)], json=json)
    check_table_output(output, reading.format_of(output))
    start = perf_counter()
    with show_progress() as step:
        known = Marks.read(marks)
        step("read")
        frame = reading.rows(table)
        step("find")
        values, _ = inputs.read_values(frame, step)
        rows = injected_rows(values, known, key)
        step("write")
        unmarked = frame.filter(~rows)
        writing.write(unmarked, output, reading.format, table, coded=frame.columns)
    seconds, removed = perf_counter() - start, int(rows.sum())
    kept, marked = len(rows) - removed, len(known.records)
    facts = ResultTable.of_facts(
        ("records", f"{len(rows):,} in, {kept:,} written"),
        ("removed", f"{removed:,} of {marked:,} that are marked"),
    )
    counts = {"rows_in": len(rows), "marks": marked, "removed": removed, "rows_out": kept}
    show_written(counts, lambda: [facts], seconds, output, json=json)
