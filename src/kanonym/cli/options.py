"""Options that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kanonym.cli import inputs, locations
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.data.files import Content

INPUT = "Input"
OUTPUT = "Output"
LINKED = "Linked tables"

Table = Annotated[str, typer.Argument(metavar="INPUT", help="Table to read; - for standard input.")]
TableOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="INPUT", show_default=False, help="Table to read; - for standard input."
    ),
]
Released = Annotated[
    str, typer.Argument(metavar="RELEASED", help="Released table; - for standard input.")
]
Output = Annotated[str, Option("Table to write; - for standard output.", "FILE", "-o")]
PolicyFile = Annotated[
    Path | None, Option("Policy, YAML or JSON.", "FILE", "-p", group="requirement")
]
Policy = Annotated[Path, Option("Policy, YAML or JSON.", "FILE", "-p")]
Seed = Annotated[int, Option("Random seed.", "N", least=0)]
DrawnSeed = Annotated[
    int | None, Option("Random seed; default: a new one each time.", "N", least=0)
]
Drop = Annotated[Sequence[str], Option("Columns to drop, such as identifiers.", "A,B")]
Constraints = Annotated[
    Sequence[str],
    Option(
        "Condition that every record meets, such as 'discharge >= admission'; may be repeated.",
        "RULE",
        "--constraint",
    ),
]
Aligned = Annotated[
    bool | None,
    Option(
        "Whether row i of both tables is the same record; default: detected.",
        flag="--aligned/--shuffled",
    ),
]
WrittenPolicy = Annotated[Path | None, Option("File for the policy, as YAML.", "FILE", "--write")]
FirstPolicy = Annotated[Path | None, Option("File for the policy, as YAML.", "FILE", "--write -o")]
Chart = Annotated[
    Path | None, Option("Chart of privacy and loss: .html, .svg or .png.", "FILE", group=OUTPUT)
]
Language = Annotated[
    Literal["en", "es"],
    Option("Language of the report or the chart.", "en|es", group=OUTPUT, rare=True),
]
Json = Annotated[bool, Option("Print one JSON object instead of tables.", group=OUTPUT)]
Statement = Annotated[
    Literal[
        "bigquery",
        "databricks",
        "duckdb",
        "postgres",
        "snowflake",
        "spark",
        "sqlite",
        "trino",
        "tsql",
    ]
    | None,
    Option(
        "Read nothing: print one SQL statement that does it in the database, about the table of "
        "this name.",
        "DIALECT",
        group=OUTPUT,
    ),
]
LongTable = Annotated[
    str | None,
    Option(
        "The table has one row per person and item: the column that says whose a row is, and "
        "the column of the set.",
        "PERSON,ITEM",
        group=INPUT,
    ),
]
ReleasedTable = Annotated[
    str | None, Option("Table to read if RELEASED is a database.", "NAME", group=INPUT)
]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How an input is read."""

    table_name: Annotated[
        str | None,
        Option(
            "Table to read if INPUT is a database: a SQLite or DuckDB file, or postgresql://….",
            "NAME",
            "--table",
            group=INPUT,
        ),
    ] = None
    schema: Annotated[
        str | None,
        Option("Schema of the table, or of linked tables, in PostgreSQL.", "NAME", group=INPUT),
    ] = None
    format: Annotated[
        str | None,
        Option("Format of - and of files without a known extension.", "FORMAT", group=INPUT),
    ] = None
    sheet: Annotated[
        str | None,
        Option("Sheet of an Excel input; default: the first one.", "NAME|NUMBER", group=INPUT),
    ] = None
    header_row: Annotated[
        int | None,
        Option("Row of the column names in an Excel input, from 1.", "ROW", group=INPUT, least=1),
    ] = None
    user_missing: Annotated[
        Literal["null", "keep"] | None,
        Option(
            "User-missing codes of SPSS, Stata and SAS: null, or keep as categories.",
            "null|keep",
            group=INPUT,
        ),
    ] = None

    def format_of(self, place: str) -> str | None:
        """Return the format of a place: nothing where its extension tells it."""
        return inputs.format_of(place, self.format)

    def arguments(self) -> dict[str, Any]:
        """Return what `locations.table_at` takes of this."""
        return {
            "name": self.table_name,
            "schema": self.schema,
            "sheet": self.sheet,
            "header_row": self.header_row,
            "user_missing": self.user_missing,
            "columns": inputs.COLUMNS.get(),
        }

    def table(self, place: str, **further: Any) -> Any:
        """Return a table: read from a file, or where it is; further: as of `table_at`."""
        return locations.table_at(place, self.format_of(place), **self.arguments() | further)

    def rows(self, place: str, **further: Any) -> Any:
        """Return a table in this process; further: as of `table_at`."""
        from kanonym.data.frames import to_eager

        return to_eager(self.table(place, **further))

    def with_release(
        self, original: str, released: str | None, name: str | None, *others: str | None
    ) -> list[Any]:
        """Return a table, its release and further tables, None where there is none.

        name: of the release in a database.
        """
        places = (original, released, *others)
        missing = locations.user_missing_of(self.user_missing, *places)
        in_database = released is not None and locations.is_database(released)
        schema = self.schema if in_database else None
        named = {"name": name, "option": "--released-table", "schema": schema}
        own: list[dict[str, Any]] = [self.arguments(), named, *({} for _ in others)]
        return [
            place
            and ReadingOptions(format=self.format).rows(
                place, **arguments | {"user_missing": missing[place]}
            )
            for place, arguments in zip(places, own, strict=True)
        ]

    def table_with_content(self, place: str, **further: Any) -> tuple[Any, Content | None]:
        """Return a table, and the hash of the bytes that were read of it."""
        return locations.table_with_content(
            place, self.format_of(place), **self.arguments() | further
        )

    def read_again(self, place: str, content: Content | None, rows: Any, decimals: Any) -> Any:
        """Return some records of a table; the rest as of `files.read_again`."""
        from kanonym.data.files import read_again

        if self.arguments().get("engine") or locations.is_database(place):
            return None
        own = self.arguments()
        how: dict[str, Any] = {name: own[name] for name in ("columns", "sheet", "header_row")}
        return read_again(place, content, rows, decimals, self.format_of(place), **how)


@dataclass(frozen=True, kw_only=True)
class EngineReading(ReadingOptions):
    """How an input is read that may stay on its engine."""

    engine: Annotated[
        Literal["duckdb", "spark"] | None,
        Option("Engine for a table that is too large for memory.", "duckdb|spark", group=INPUT),
    ] = None
    memory: Annotated[
        str | None, Option("Memory limit of DuckDB, such as 1GB.", "SIZE", group=INPUT)
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return what `locations.table_at` takes of this."""
        return super().arguments() | {"engine": self.engine, "memory": self.memory}


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a table is written."""

    no_read_back: Annotated[
        bool,
        Option(
            "Do not read the written file back and compare it with the table.",
            group=OUTPUT,
            rare=True,
        ),
    ] = False
    safe_cells: Annotated[
        bool,
        Option(
            "In CSV, put an apostrophe before cells that Excel would run as formulas.",
            group=OUTPUT,
            rare=True,
        ),
    ] = False
    catalog: Annotated[
        str | None,
        Option(
            "Catalog of value labels of a .sas7bdat input; default: INPUT.sas7bcat next to it.",
            "FILE",
            group=INPUT,
        ),
    ] = None

    def write(
        self,
        frame: Any,
        output: str,
        format: str | None,
        like: str | None = None,
        *,
        coded: Collection[str] = (),
        beside: Callable[[Content], None] | None = None,
    ) -> Content:
        """Write a table, and tell which columns of a CSV file Excel would run as formulas.

        format: what --format says; like, coded, beside: as of `files.write_table`.
        """
        from kanonym.cli.progress import print_note
        from kanonym.data import files

        kind = inputs.format_of(output, format)
        content = files.write_table(
            frame,
            output,
            kind,
            read_back=not self.no_read_back,
            safe_cells=self.safe_cells,
            like=like,
            coded=coded,
            catalog=self.catalog,
            beside=beside,
        )
        if not self.safe_cells and files.check_table_output(output, kind) in ("csv", "tsv"):
            columns = files.formula_columns(frame)
            if columns:
                print_note(
                    f"Excel and other spreadsheet programs run cells of {', '.join(columns)} as "
                    "formulas (they start with = + - or @); --safe-cells puts an apostrophe before "
                    "them"
                )
        return content
