"""Where tables and releases are: files, databases by their URL, engines that read files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kanonym.data.databases import database_kind, table_list
from kanonym.data.text_encoding import ENCODING

if TYPE_CHECKING:
    from kanonym.cli.options import Writing
    from kanonym.data.files import Content


def is_database(place: str) -> bool:
    """Whether a place is a database: a URL, or a file of SQLite or DuckDB."""
    return database_kind(place) is not None


def table_at(
    place: str,
    format: str | None,
    *,
    engine: str | None = None,
    memory: str | None = None,
    name: str | None = None,
    option: str = "--table",
    texts: dict[str, Any] | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    user_missing: str | None = None,
    columns: Sequence[str] | None = None,
    schema: str | None = None,
    declared: Iterable[str] | None = None,
    decimals: dict[str, int] | None = None,
) -> Any:
    """Return a table: read from a file, or where it is.

    name: of the table in a database, which `option` says; schema: of PostgreSQL. texts, sheet,
    header_row, user_missing, columns, declared, decimals: as of `read_table`.
    """
    if (engine is not None or is_database(place)) and (sheet or header_row):
        raise typer.BadParameter("only for Excel files", param_hint="--sheet, --header-row")
    if user_missing and (engine is not None or is_database(place)):
        raise typer.BadParameter(
            "only for files of SPSS, Stata and SAS", param_hint="--user-missing"
        )
    if columns and (engine == "spark" or is_database(place)):
        found = "a database has names" if is_database(place) else "Spark takes them from a header"
        raise typer.BadParameter(f"for CSV and Excel files: {found}", param_hint="--columns")
    if engine is not None and _is_encoded(place):
        raise typer.BadParameter(
            f"not with --engine, which reads UTF-8: convert the file before (iconv -f "
            f"{ENCODING.get()} -t UTF-8), or leave --engine out",
            param_hint="--encoding",
        )
    if is_database(place):
        return _table_of_database(place, name, option, schema, engine=engine, memory=memory)
    _check_options(None if engine == "duckdb" else memory, name, option, schema)
    if engine is not None and texts is not None:
        _tell_unread(place, engine, texts)
    if engine == "duckdb":
        from kanonym.engines.duckdb import scan_duckdb

        return scan_duckdb(place, memory=memory, columns=columns)
    if engine == "spark":
        from kanonym.engines.spark import scan_spark

        return scan_spark(place)
    from kanonym.data.files import read_table

    return read_table(
        place,
        format,
        texts=texts,
        sheet=sheet,
        header_row=header_row,
        user_missing=user_missing,
        columns=columns,
        declared=declared,
        decimals=decimals,
    )


def _tell_unread(place: str, engine: str, texts: dict[str, Any]) -> None:
    """Name what a file has that an engine does not read."""
    from kanonym.data.files import FORMATS, CellTexts, unread_parts

    kinds = {FORMATS.get(one.lower()) for one in Path(place).suffixes}
    if not isinstance(texts, CellTexts):
        return
    if "parquet" in kinds:
        texts.unread += unread_parts(place)
    elif engine == "spark" and kinds & {"json", "jsonl"}:
        texts.unread.append("how its numbers, texts of digits and missing keys are written")


def _is_encoded(place: str) -> bool:
    """Tell whether --encoding is given, and a place may be a text file."""
    from kanonym.data.files import is_text

    return ENCODING.get() is not None and is_text(place.partition("?")[0], None)


def _table_of_database(
    place: str,
    name: str | None,
    option: str,
    schema: str | None,
    *,
    engine: str | None,
    memory: str | None,
) -> Any:
    in_duckdb = database_kind(place) == "duckdb"
    _check_options(None if in_duckdb else memory, None)
    if engine is not None and not (in_duckdb and engine == "duckdb"):
        raise typer.BadParameter(
            "not allowed for a database, which is its own engine", param_hint="--engine"
        )
    _check_options(None, None, schema=None if database_kind(place) == "postgresql" else schema)
    from kanonym.engines import database, duckdb

    if name is None:
        names = duckdb.table_names(place) if in_duckdb else database.table_names(place)
        raise typer.BadParameter(
            f"name the table of the database ({table_list(names)})", param_hint=option
        )
    if in_duckdb:
        return duckdb.scan_duckdb(place, name=name, memory=memory)
    return database.scan_database(place, name, schema=schema)


def user_missing_of(choice: str | None, *places: str | None) -> dict[str | None, str | None]:
    """Return by table what --user-missing says of it: it is for files of SPSS, Stata and SAS."""
    from kanonym.data.files import is_statistical

    told = {place for place in places if place and (place == "-" or is_statistical(place))}
    if choice is not None and not told:
        raise typer.BadParameter(
            "only for files of SPSS, Stata and SAS", param_hint="--user-missing"
        )
    return {place: choice if place in told else None for place in places}


def _check_options(
    memory: str | None, name: str | None, option: str = "--table", schema: str | None = None
) -> None:
    """Refuse options of DuckDB and of databases beside a table that is neither."""
    if schema is not None:
        raise typer.BadParameter("only for postgresql://…", param_hint="--schema")
    if memory is not None:
        raise typer.BadParameter("only with --engine duckdb", param_hint="--memory")
    if name is not None:
        raise typer.BadParameter(
            "only for databases: a SQLite or DuckDB file, or postgresql://…", param_hint=option
        )


_READING = ("sheet", "header_row", "user_missing", "columns", "declared", "decimals")


def table_with_content(
    place: str, format: str | None, **options: Any
) -> tuple[Any, Content | None]:
    """Return a table as `table_at`, and the hash of the bytes that were read of it.

    Of a file that an engine reads, the hash is that of before the work.
    """
    if is_database(place) or options.get("engine") is not None:
        before = content_at(place)
        return table_at(place, format, **options), before
    _check_options(options.get("memory"), options.get("name"), schema=options.get("schema"))
    from kanonym.data.files import read_with_content

    return read_with_content(place, format, **{name: options.get(name) for name in _READING})


def content_at(place: str) -> Content | None:
    """Return name and hash of a file as it is now; None of anything else."""
    from kanonym.data.files import Content

    file = file_at(place)
    return None if file is None else Content.of(file)


def verify_unchanged(place: str, before: Content | None) -> Content | None:
    """Return name and hash of a file that an engine has read, if it is still the same file."""
    if before is not None and content_at(place) != before:
        from kanonym.cli.progress import print_note

        print_note(f"{place} changed while it was read: its hash is left out")
        return None
    return before


def place_name(place: str) -> str:
    """Return what may be printed of a place: no user, password or host of a URL."""
    from kanonym.data.databases import displayable_url

    return displayable_url(place)


def file_at(place: str) -> str | None:
    """Return the file that a place is; None for standard input, databases and folders."""
    return place if place != "-" and not is_database(place) and Path(place).is_file() else None


@dataclass(frozen=True)
class Place:
    """Where a release is written."""

    given: str
    table: str = ""
    same: bool = False

    @classmethod
    def of(cls, output: str, source: str, name: str | None, new: str | None) -> Place:
        """Return the place of an output: new is its table, name that of the input in source."""
        if not is_database(output):
            if new is not None:
                raise typer.BadParameter("only for databases", param_hint="--output-table")
            return cls(output)
        if database_kind(output) == "duckdb":
            raise typer.BadParameter(
                "a single table is not written into a DuckDB file; name a Parquet or CSV file",
                param_hint="-o",
            )
        stem = name or Path(source).stem
        if source == "-" and new is None:
            raise typer.BadParameter("name the new table", param_hint="--output-table")
        return cls(output, new or f"{stem}_released", output == source)

    @property
    def file(self) -> str | None:
        """The file, None for a database."""
        return None if self.table else self.given

    @property
    def display_name(self) -> str:
        """What may be printed of it: no user, password or host."""
        return f"{place_name(self.given)} table {self.table}" if self.table else self.given

    def for_engine(self, writing: Writing, *, aggregate: bool) -> str:
        """Return the place as the engine of the input takes it; aggregate: the form to write."""
        if writing.no_read_back or writing.safe_cells:
            raise typer.BadParameter(
                "not allowed with an engine: it always counts what it wrote, and has no safe cells",
                param_hint="--no-read-back and --safe-cells",
            )
        if aggregate:
            raise typer.BadParameter("not supported by engines", param_hint="--aggregate")
        if self.given == "-":
            raise typer.BadParameter(
                "not supported by engines: name a file or a table", param_hint="-o -"
            )
        if self.table and not self.same:
            raise typer.BadParameter(
                "the table stays where it is: write to its own database, or to a file",
                param_hint="-o",
            )
        return self.table or self.given

    def write(
        self,
        frame: Any,
        format: str | None,
        like: str | None,
        writing: Writing,
        *,
        coded: Collection[str],
        beside: Callable[[Content | None], None],
    ) -> Content | None:
        """Write a table of this process, and return the hash of its file.

        like, coded, beside: as of `write_table`; of a table in a database, what is beside comes
        after it.
        """
        if not self.table:
            return writing.write(frame, self.given, format, like, coded=coded, beside=beside)
        if writing.no_read_back or writing.safe_cells:
            raise typer.BadParameter("for files", param_hint="--no-read-back and --safe-cells")
        from kanonym.engines.database import write_table

        write_table(frame, self.given, self.table)
        beside(None)
        return None
