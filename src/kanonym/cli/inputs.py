"""What commands read: tables as people write them, and places that must not be overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kanonym.cli.command_options import parse_names
from kanonym.data.databases import displayable_url
from kanonym.data.replacing import REPLACING

if TYPE_CHECKING:
    from kanonym.data.columns.rebuild import Population
    from kanonym.policy import Policy

COLUMNS: ContextVar[list[str] | None] = ContextVar("COLUMNS", default=None)
"""The names of --columns, which every command has."""
CHARTS = (".html", ".svg", ".png")


def format_of(file: str, given: str | None) -> str | None:
    """Return what --format says of a file: nothing where its extension tells the format."""
    from kanonym.data.files import FORMATS

    path = file.partition("?")[0] if "://" in file else file
    extension = Path(path.lower().removesuffix(".gz")).suffix
    return None if extension in FORMATS else given


def sentence_printer(step: Callable[[str], None]) -> Callable[[str], None]:
    """Return what tells a sentence about the input on standard error, whatever is shown."""
    return lambda sentence: step(f"encode: {sentence}")


def read_like_first_table(
    asked: dict[str, Any],
    tables: Sequence[Any],
    step: Callable[[str], None],
    population: Population = None,
) -> tuple[dict[str, Any], list[Any], Population]:
    """Return what is asked and the tables, dates and numbers read as the first table writes them.

    asked: the policy, or the columns that are named. tables: the original, and releases or
    further tables, or None. population: a file of persons, also read so; a number stays.
    """
    from kanonym import pipeline
    from kanonym.data.files import read_table
    from kanonym.data.readings import canonical_table, detect_readings, typed_like

    told = sentence_printer(step)
    if "policy" in asked:
        policy, _ = pipeline.with_readings(asked["policy"], tables[0], told, lenient=True)
        return {**asked, "policy": policy}, list(tables), population
    known = [*asked["quasi_identifiers"], *asked["sensitive"]]
    free = [name for name in known if name not in asked["hierarchies"] and name in tables[0]]
    detection = detect_readings(tables[0], free, lenient=True)
    for note in detection.sentences:
        told(note)
    read = [
        table if table is None else canonical_table(table, detection.readings) for table in tables
    ]
    if isinstance(population, str):
        return asked, read, typed_like(read_table(population), detection.readings)
    return asked, read, population


def read_values(
    frame: Any, step: Callable[[str], None], columns: Sequence[str] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return a table with values where its texts are dates and numbers, and how they were written.

    columns: which to look at; None for all. Where two readings are possible, texts stay.
    """
    from kanonym.data.readings import detect_readings, typed_table

    detection = detect_readings(frame, columns, lenient=True)
    for note in detection.sentences:
        sentence_printer(step)(note)
    # What is made of a column has no exceptions: with some, it stays text.
    readings = {
        name: reading for name, reading in detection.readings.items() if not reading.exceptions
    }
    return typed_table(frame, readings), readings


def long_columns(given: str | None, policy: Policy | None) -> tuple[str, str] | None:
    """Return the columns of persons and of items, by --long or else by the policy; or None."""
    if given is None:
        from kanonym.data.item_sets import names_of_sets

        sets = {} if policy is None else names_of_sets(policy.attributes)
        found = [(one.person, name) for name, one in sets.items() if one.person is not None]
        if len(found) > 1:
            raise typer.BadParameter(
                f"{found[0][1]} and {found[1][1]} both have a person, but a table has one long set",
                param_hint="--policy",
            )
        return found[0] if found else None
    names = parse_names([given])
    if len(names) != 2:
        raise typer.BadParameter(f"{given!r} is not PERSON,ITEM", param_hint="--long")
    return names[0], names[1]


def group_long(frame: Any, columns: tuple[str, str] | None) -> Any:
    """Return a table in this process with one row per person, where it is a long one."""
    if frame is None or columns is None:
        return frame
    from kanonym.data.sets import from_long
    from kanonym.engines import is_local

    if not is_local(frame):
        raise typer.BadParameter("only for tables in memory", param_hint="--long")
    return from_long(frame, *columns)


def check_places(
    read: Mapping[str, str | Path | None],
    written: Iterable[tuple[str, str | Path | None]],
    *asked: Any,
    json: bool = False,
) -> None:
    """Refuse outputs that would overwrite an input or each other, by whatever name or link.

    read: the inputs by the option that names them; written: option and place of each output;
    asked: a policy, hierarchies or actions, whose files are inputs as well. json: whether standard
    output is taken.
    """
    written = list(written)
    replacing = REPLACING.get()
    if replacing is not None:
        replacing.inputs = [file.name for place in read.values() if (file := _file(place))]
        replacing.manifests = [
            Path(place) for option, place in written if option == "--manifest" and place
        ]
    for option, place in written if json else ():
        if str(place) == "-":
            raise typer.BadParameter(
                "standard output cannot hold both", param_hint=f"--json and {option} -"
            )
    if list(read.values()).count("-") > 1:
        raise typer.BadParameter("standard input can be read once", param_hint="-")
    taken = [(option, file) for option, place in read.items() if (file := _file(place))]
    outputs = [(option, place, _file(place)) for option, place in written]
    kept: list[tuple[str, Path, Path]] = []
    if asked:
        from kanonym.policy.referenced_files import input_files, mapping_files

        taken += input_files(asked).items()
        kept = [(option, path, path) for option, path in mapping_files(asked).items()]
    for option, place, file in [*kept, *outputs]:
        for other, known in taken:
            if file is not None and _is_same_file(file, known):
                raise typer.BadParameter(
                    f"{displayable_url(str(place))} is {other} already; name another file",
                    param_hint=option,
                )
        if file is not None:
            taken.append((option, file))


def _file(place: str | Path | None) -> Path | None:
    """Return the file behind an argument; None for standard input and output, and for servers."""
    if place is None or str(place) == "-":
        return None
    scheme, mark, rest = str(place).partition("://")
    if not mark:
        return Path(place)
    is_file = scheme.lower().partition("+")[0] == "sqlite" and rest.startswith("/")
    return Path(rest[1:].partition("?")[0]) if is_file else None


def _is_same_file(one: Path, other: Path) -> bool:
    """Tell whether two paths are one file, also by a symbolic or a hard link."""
    if one.resolve() == other.resolve():
        return True
    try:
        return one.is_file() and one.samefile(other)
    except OSError:  # one of them is not there
        return False


def check_chart(chart: Path | None) -> None:
    """Refuse a chart of a form that there is not, or that could not be written."""
    if chart is None:
        return
    from kanonym.data.files import check_output

    if chart.suffix.lower() not in CHARTS:
        raise typer.BadParameter(f"{chart} must end in {', '.join(CHARTS)}", param_hint="--chart")
    check_output(chart)


def columns_of_known_values(frame: Any, made: Any) -> list[str]:
    """Return the columns of a polars table made from another one that have no other values."""
    return [
        one.name
        for one in made
        if one.name in frame.columns
        and not one.dtype.is_nested()
        and one.drop_nulls().is_in(frame[one.name].unique().implode()).all()
    ]


def seconds_with_files(stages: dict[str, Any], read: float, **further: float) -> dict[str, float]:
    """Return the seconds of all stages, files included."""
    every = {name: value for name, value in stages.items() if name != "total"}
    every |= {"read": every.get("read", 0.0) + read, **further}
    return {**every, "total": sum(every.values())}


def refuse_beside_sql(given: Mapping[str, object]) -> None:
    """Refuse options that say what a printed statement does not."""
    unheeded = [flag for flag, value in given.items() if value]
    if unheeded:
        raise typer.BadParameter("not with --sql, which reads nothing", param_hint=unheeded)


def print_statement(statement: str, table: str) -> None:
    """Print a SQL statement; of a table of dbt, which puts it in brackets, without its end."""
    typer.echo(statement if table.startswith("{{") else f"{statement};")
