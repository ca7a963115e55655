"""Options that several commands share, and what they say together."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from kanonym.policy import Policy

Table = Annotated[str, typer.Argument(metavar="INPUT", help="Table to read; - for standard input.")]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", "-p", metavar="FILE", help="Policy, YAML or JSON.")
]
QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option("--quasi-identifiers", "-q", metavar="A,B", help="Quasi-identifiers."),
]
SensitiveAttributes = Annotated[
    list[str] | None, typer.Option("--sensitive", "-s", metavar="C", help="Sensitive attributes.")
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=FILE", help="Hierarchy file of a column; may be repeated."),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="Format of - and of files without a known extension."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


def format_of(file: str, given: str | None) -> str | None:
    """Return what --format says of a file: nothing where its extension tells the format."""
    from kanonym.data.files import FORMATS

    extension = Path(file.lower().removesuffix(".gz")).suffix
    return None if extension in FORMATS else given


def names(given: list[str] | None) -> list[str]:
    """Return the columns that an option names: separated by commas, and it may be repeated.

    A name with a comma in it stands in double quotes.
    """
    return [name.strip() for row in csv.reader(given or []) for name in row if name.strip()]


def hierarchy_files(given: list[str] | None) -> dict[str, str]:
    """Return the hierarchy file of each column."""
    files = {}
    for entry in given or []:
        column, equals, file = entry.partition("=")
        if not (column and equals and file):
            raise typer.BadParameter(f"{entry!r} is not COLUMN=FILE", param_hint="--hierarchy")
        files[column] = file
    return files


def policy_of(file: Path | None, **short: Any) -> Policy:
    """Return the policy of a file, or the one that the short options state.

    Parameters
    ----------
    file
        The policy file.
    short
        Parameters of `Policy.short`; None, empty or False where an option was not given.

    """
    from kanonym.policy import Policy

    given = {name: v for name, v in short.items() if v is not None and v not in ([], {})}
    if file is not None:
        if given:
            options = ", ".join(name.replace("_", "-") for name in given)
            raise typer.BadParameter(
                f"the policy says it all; leave out: {options}", param_hint="--policy"
            )
        return Policy.from_file(file)
    if "quasi_identifiers" not in given:
        raise typer.BadParameter(
            "say what is asked: --policy FILE, or -q COLUMNS with -k, -l or -t", param_hint="-q"
        )
    return Policy.short(**given)
