"""Options that several commands share, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.data.command_line import split_names
from kanonym.data.credentials import displayable_url

if TYPE_CHECKING:
    from kanonym.data.columns.frame_types import Population
    from kanonym.policy import Policy

ASKED = "Requirements"
WRITTEN = "Output"

COLUMNS: ContextVar[list[str] | None] = ContextVar("COLUMNS", default=None)
"""The names of --columns, which every command has."""

Table = Annotated[str, typer.Argument(metavar="INPUT", help="Table to read; - for standard input.")]
TableOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="INPUT", show_default=False, help="Table to read; - for standard input."
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy", "-p", metavar="FILE", help="Policy, YAML or JSON.", rich_help_panel=ASKED
    ),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="Format of - and of files without a known extension."),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME|NUMBER", help="Sheet of an Excel input; default: the first one."),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(metavar="ROW", min=1, help="Row of the column names in an Excel input, from 1."),
]
UserMissing = Annotated[
    str | None,
    typer.Option(
        metavar="null|keep",
        help="User-missing codes of SPSS, Stata and SAS: null, or keep as categories.",
    ),
]
LongTable = Annotated[
    str | None,
    typer.Option(
        "--long",
        metavar="PERSON,ITEM",
        help=(
            "The table has one row per person and item: the column that says whose a row is, and "
            "the column of the set."
        ),
    ),
]
Catalog = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Catalog of value labels of a .sas7bdat input; default: INPUT.sas7bcat next to it.",
    ),
]
Manifest = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=(
            "How to reproduce and check the release, as JSON; default: OUTPUT.manifest.json, where "
            "verify looks for it."
        ),
        rich_help_panel=WRITTEN,
    ),
]
NoManifest = Annotated[
    bool, typer.Option("--no-manifest", help="No manifest.", rich_help_panel=WRITTEN)
]
NoInputHash = Annotated[
    bool,
    typer.Option(
        "--no-input-hash",
        help=(
            "No hash of the input in manifest and reports: whoever has a candidate for the input "
            "recognizes it by the hash."
        ),
        rich_help_panel=WRITTEN,
    ),
]
NoReadBack = Annotated[
    bool,
    typer.Option(
        "--no-read-back",
        help="Do not read the written file back and compare it with the table.",
        rich_help_panel=WRITTEN,
    ),
]
SafeCells = Annotated[
    bool,
    typer.Option(
        "--safe-cells",
        help="In CSV, put an apostrophe before cells that Excel would run as formulas.",
        rich_help_panel=WRITTEN,
    ),
]


def _language(code: str) -> str:
    from kanonym.language import LANGUAGES

    if code not in LANGUAGES:
        raise typer.BadParameter(f"{code!r} is none of {', '.join(LANGUAGES)}")
    return code


Language = Annotated[
    str,
    typer.Option(
        metavar="en|es",
        callback=_language,
        help="Language of the report or the chart.",
        rich_help_panel=WRITTEN,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


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


def parse_names(given: list[str] | None) -> list[str]:
    """Return the columns that an option names: separated by commas, and it may be repeated.

    A name with a comma in it stands in double quotes.
    """
    return split_names(given or [])


def parse_words(given: list[str]) -> dict[str, list[str]]:
    """Return the words for missing values by column, those of all columns by the empty name."""
    found: dict[str, list[str]] = {}
    for entry in given:
        column, equals, words = entry.rpartition("=")
        found.setdefault(column if equals else "", []).extend(parse_names([words]))
    return found


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


def hierarchy_files(given: list[str] | None) -> dict[str, str]:
    """Return the hierarchy file of each column."""
    files = {}
    for entry in given or []:
        column, equals, file = entry.partition("=")
        if not (column and equals and file):
            raise typer.BadParameter(f"{entry!r} is not COLUMN=FILE", param_hint="--hierarchy")
        files[column] = file
    return files


def check_places(
    read: Mapping[str, str | Path | None],
    written: Iterable[tuple[str, str | Path | None]],
    *asked: Any,
) -> None:
    """Refuse outputs that would overwrite an input or each other, by whatever name or link.

    read: the inputs by the option that names them; written: option and place of each output;
    asked: a policy, hierarchies or actions, whose files are inputs as well.
    """
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


def parse_secret(given: str) -> dict[str, str]:
    """Return where a secret is kept: the variable that `env:NAME` names, or a file."""
    kind, mark, name = given.partition(":")
    return {"env": name} if mark and kind == "env" else {"file": given}


def parse_shares(given: list[str] | None, flag: str) -> dict[str, float]:
    """Return the share of each name that `--attack-limit linkage=0.2,inference=0.1` gives."""
    asked: dict[str, float] = {}
    for entry in parse_names(given):
        name, _, share = entry.rpartition("=")
        try:
            asked[name] = float(share)
        except ValueError:
            name = ""
        if not name:
            raise typer.BadParameter(f"{entry!r} is not NAME=SHARE", param_hint=flag)
    return asked


def parse_levels(given: list[str] | None) -> dict[str, int | tuple[int, int]]:
    """Return the levels that `--levels age=2,education=1-3` asks for: one, or least and most."""
    asked: dict[str, int | tuple[int, int]] = {}
    for entry in parse_names(given):
        column, _, level = entry.rpartition("=")
        least, dash, most = level.partition("-")
        if not (column and least.isdecimal() and (not dash or most.isdecimal())):
            raise typer.BadParameter(
                f"{entry!r} is not COLUMN=LEVEL or COLUMN=LEAST-MOST", param_hint="--levels"
            )
        asked[column] = (int(least), int(most)) if dash else int(least)
    return asked
