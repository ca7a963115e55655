"""`kanonym hierarchy`: build, check and show generalization hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.cli.command_options import declared_options
from kanonym.data.option import Option
from kanonym.data.results import ResultTable

app = typer.Typer(
    no_args_is_help=True,
    help="Build, check and show generalization hierarchies.",
    rich_markup_mode=None,
    add_completion=False,
)

EXAMPLES = 4  # labels of a level that are shown

OfTable = Annotated[
    str | None, Option("Table whose column the hierarchy must cover.", "INPUT", "--table")
]
OfColumn = Annotated[
    str | None, Option("Column that the hierarchy must cover.", "NAME", "--column")
]
Format = Annotated[
    str | None, Option("Format of - and of files without a known extension.", "FORMAT")
]


@app.command()
@declared_options
def build(
    table: options.Table,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Column of the table.")],
    form: Annotated[
        str,
        Option(
            "As in a policy: dates, 'intervals: {width: [5, 10]}', 'masking: {from: left}'.",
            "FORM",
            "--as",
        ),
    ] = "automatic",
    output: options.Output = "-",
    format: Format = None,
) -> None:
    """Build a hierarchy for a column.

    It is written as CSV, one row per value. Without --as, a hierarchy is suggested from the
    data, and the suggestion is shown on standard error.
    """
    from kanonym.cli.terminal import show as tell
    from kanonym.data.files import check_output, write_text
    from kanonym.data.hierarchy import Automatic
    from kanonym.policy.construction import source_of_text

    source = source_of_text(form)
    inputs.check_places({"INPUT": table}, [("-o", output)], source)
    check_output(output)
    values = _values(table, column, format)
    text = StringIO()
    rows = source.bind(values).to_rows()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    if isinstance(source, Automatic):
        tell(source.describe(values), to_stderr=True)
    write_text(output, text.getvalue())


@app.command()
@declared_options
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Hierarchy file.")],
    table: OfTable = None,
    column: OfColumn = None,
    format: Format = None,
    json: options.Json = False,
) -> None:
    """Check a hierarchy file.

    Exit code 0: the file is a hierarchy, and covers the column if one is named; 1: it is not.
    Every value needs one row and one parent per level, and all values share one root.
    """
    from kanonym.cli.terminal import show as tell
    from kanonym.cli.terminal import show_json
    from kanonym.data.hierarchy import from_file

    _need_each_other(table, column)
    source = from_file(file)
    labels = source.rows.labels
    if table is not None and column is not None:
        source.bind(_values(table, column, format))
    if json:
        show_json({"valid": True, "levels": [len(names) for names in labels], "covers": column})
    else:
        covers = f" that covers {column} of {table}" if column else ""
        tell(f"{file} is a hierarchy{covers}.", _level_table(labels))


@app.command()
@declared_options
def show(
    form: Annotated[
        str, typer.Argument(metavar="HIERARCHY", help="Hierarchy file, or a form as in a policy.")
    ],
    table: OfTable = None,
    column: OfColumn = None,
    format: Format = None,
) -> None:
    """Show a hierarchy.

    With --table and --column: the tree over the column's values. For a file alone: its levels.
    """
    from kanonym.cli.terminal import show as tell
    from kanonym.data.hierarchy import FromFile
    from kanonym.policy.construction import source_of_text

    _need_each_other(table, column)
    source = source_of_text(form)
    if table is not None and column is not None:
        tell(source.bind(_values(table, column, format)).show())
    elif isinstance(source, FromFile):
        tell(_level_table(source.rows.labels))
    else:
        raise typer.BadParameter(
            "is required: a hierarchy that is not a file depends on the data", param_hint="--table"
        )


def _level_table(labels: Sequence[Sequence[str | None]]) -> ResultTable:
    """Return the levels of a hierarchy file, from the values to the root."""
    rows = []
    for level, names in enumerate(labels):
        shown = ", ".join("null" if name is None else name for name in names[:EXAMPLES])
        more = ", …" if len(names) > EXAMPLES else ""
        rows.append((str(level), f"{len(names):,}", shown + more))
    return ResultTable(("level", "labels", "example"), rows, frozenset({1}))


def _need_each_other(table: str | None, column: str | None) -> None:
    if (table is None) != (column is None):
        raise typer.BadParameter("must be given together", param_hint="--table and --column")


def _values(table: str, column: str, format: str | None) -> Any:
    from kanonym.data.files import read_table
    from kanonym.data.frames import column as column_of

    return column_of(
        read_table(table, inputs.format_of(table, format), columns=inputs.COLUMNS.get()), column
    )
