"""`kanonym inject`: records of people who do not exist, added to classes that lack some."""

from __future__ import annotations

import csv
from time import perf_counter
from typing import Annotated, Any

import typer

from kanonym.cli import options
from kanonym.cli.policy_options import PolicyOptions, takes_policy

TARGETS = "Targets for classes (at least one)"
MARKED = "Marks"


@takes_policy("quasi_identifiers", "sensitive", file=False)
def inject(
    table: options.Table,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table with the added records; - for standard output.",
        ),
    ],
    *,
    asked: PolicyOptions,
    size: Annotated[
        int | None,
        typer.Option(metavar="K", help="Records per class.", rich_help_panel=TARGETS),
    ] = None,
    diversity: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Distinct values of every sensitive attribute, in percent of the class.",
            rich_help_panel=TARGETS,
        ),
    ] = None,
    l: Annotated[
        int | None,
        typer.Option(
            "-l",
            metavar="L",
            help="Distinct values of every sensitive attribute, per class.",
            rich_help_panel=TARGETS,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to drop, such as identifiers.",
            rich_help_panel=options.ASKED,
        ),
    ] = None,
    named: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="A=V,B=W",
            help=(
                "A class that must reach the target, instead of all classes; may be repeated. An "
                "empty value is null; an entry with a comma needs double quotes: '\"age=[20, "
                "30)\",sex=f'."
            ),
            rich_help_panel=options.ASKED,
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help=(
                "Condition that every record meets, such as 'discharge >= admission'; may be "
                "repeated."
            ),
            rich_help_panel=options.ASKED,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Key of the marks.", rich_help_panel=MARKED),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Marks by which the key finds the added records: written, or read with --remove.",
            rich_help_panel=MARKED,
        ),
    ] = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove", help="Remove the marked records from a table.", rich_help_panel=MARKED
        ),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help=(
                "Random seed; whoever knows it can find the added records. Default: a new one each "
                "time."
            ),
        ),
    ] = None,
    no_read_back: options.NoReadBack = False,
    safe_cells: options.SafeCells = False,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> None:
    """Add records that look real, until classes reach a target size and diversity.

    As few records as possible are drawn from a model of the whole table. They are not marked in
    the table; --key and --marks write a separate file by which the owner can find them.
    """
    if json and output == "-":
        raise typer.BadParameter("standard output cannot hold both", param_hint="--json and -o -")
    if (key is None) != (marks is None):
        raise typer.BadParameter("must be given together", param_hint="--key and --marks")
    if marks == "-":
        raise typer.BadParameter("marks need a file of their own", param_hint="--marks")
    if remove:
        others = (asked.given or None, size, diversity, l, drop, named, constraint, seed)
        if any(other not in (None, []) for other in others):
            raise typer.BadParameter(
                "only --key and --marks can be combined with it", param_hint="--remove"
            )
        if key is None or marks is None:
            raise typer.BadParameter("needs --key and --marks", param_hint="--remove")
        _remove(
            table,
            output,
            key,
            marks,
            format,
            user_missing=user_missing,
            catalog=catalog,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            json=json,
        )
        return
    from kanonym import synthesis
    from kanonym.cli.printing.injection import injection_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import columns_of_known_values, write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_output, check_table_output, read_table
    from kanonym.data.readings import styled_table

    options.check_places({"INPUT": table, "--key": key}, [("-o", output), ("--marks", marks)])
    check_table_output(output, options.format_of(output, format))
    if marks is not None:
        check_output(marks)
    columns = asked.columns()
    classes = [_class(entry) for entry in named] if named else None
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
        dropped = options.parse_names(drop)
        kept = [name for name in frame.columns if name not in dropped]
        frame, styles = options.read_values(frame, step, kept)
        step("inject")
        done = synthesis.inject(
            frame,
            quasi_identifiers=columns["quasi_identifiers"],
            sensitive=columns["sensitive"],
            size=size,
            diversity=diversity,
            l=l,
            classes=None if classes is None else [_plain(one, styles) for one in classes],
            drop=dropped,
            constraints=constraint or (),
            key=key,
            seed=seed,
        )
        step("write")
        if marks is not None:
            done.write_marks(marks)
        released = styled_table(done.frame, styles)
        write_table(
            released,
            output,
            format,
            table,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            coded=columns_of_known_values(frame, done.frame),
            catalog=catalog,
        )
    found = {
        **done.to_dict(),
        "seconds": {"total": perf_counter() - start},
        "written": [output, *([] if marks is None else [marks])],
    }
    if json:
        show_json(found)
    else:
        show(*injection_tables(found), to_stderr=output == "-")


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
    format: str | None,
    *,
    user_missing: str | None,
    catalog: str | None,
    no_read_back: bool,
    safe_cells: bool,
    json: bool,
) -> None:
    """Write a table without its marked records."""
    from kanonym.cli.printing.injection import removal_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.tables import write_table
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_table_output, read_table
    from kanonym.synthesis import Marks, injected_rows

    options.check_places({"INPUT": table, "--key": key, "--marks": marks}, [("-o", output)])
    check_table_output(output, options.format_of(output, format))
    start = perf_counter()
    with show_progress() as step:
        known = Marks.read(marks)
        step("read")
        frame = read_table(
            table,
            options.format_of(table, format),
            user_missing=user_missing,
            columns=options.COLUMNS.get(),
        )
        step("find")
        values, _ = options.read_values(frame, step)
        rows = injected_rows(values, known, key)
        step("write")
        write_table(
            frame.filter(~rows),
            output,
            format,
            table,
            no_read_back=no_read_back,
            safe_cells=safe_cells,
            coded=frame.columns,
            catalog=catalog,
        )
    found = {
        "rows_in": len(rows),
        "marks": len(known.records),
        "removed": int(rows.sum()),
        "rows_out": int((~rows).sum()),
        "seconds": {"total": perf_counter() - start},
        "written": [output],
    }
    if json:
        show_json(found)
    else:
        show(*removal_tables(found), to_stderr=output == "-")
