"""Commands that are printed for people to run, made of the options that were given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from kanonym.cli import inputs
from kanonym.cli.locations import file_at
from kanonym.cli.policy_options import OPTIONS
from kanonym.data.option import command_line, file_word

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kanonym.cli.locations import Place
    from kanonym.policy import Policy

TOLD = (
    *("report", "title", "purpose", "author", "language", "attack", "dry_run", "json"),
    *("public_report", "public_manifest", "drawn", "drawn_by", "constraint"),
)
"""Parameters of `anonymize` that change no release."""
READ = ("table_name", "sheet", "header_row", "user_missing", "format")
"""Parameters that say how INPUT is read."""
FILES = ("policy", "output", "catalog", "ledger", "manifest")


class Repetition(NamedTuple):
    """How a release is made again, and checked."""

    command: tuple[str, ...]
    policy_file: str | None


def repetition(
    context: typer.Context, policy: Policy, place: Place, *, verifiable: bool
) -> Repetition:
    """Return how to repeat and check what `anonymize` does now.

    place: of the release. verifiable: whether the written table, or else a manifest, has what the
    policy counts.
    """
    from kanonym.reporting.known.provenance import PRINTED

    values = context.params
    given = given_names(context, {param.name for param in context.command.params} - {*TOLD})
    changed = given & set(OPTIONS)
    file = None if changed or values["policy"] is None else Path(values["policy"]).name
    asked = ["--policy", PRINTED if file is None else file_word(file)]
    told = [one for one in given if one not in ("table", "output")]
    made: list[object] = ["anonymize", _bare(values["table"])]
    made += [*option_words(context, told, bare=True), *_of_text(context)]
    made += ["-o", _bare(values["output"])]
    several = [made]
    several += [_verification(context, policy, place, asked)] if verifiable else []
    if values["engine"] is None or (values["engine"] != "spark" and file_at(values["table"])):
        several += [_attack(context, place, asked)]
    commands = tuple(command_line("kanonym", *words) for words in several)
    return Repetition(commands, file)


def _verification(
    context: typer.Context, policy: Policy, place: Place, asked: Sequence[str]
) -> list[object]:
    """Return the command that verifies a release by itself."""
    from kanonym.data.files import is_statistical

    values = context.params
    on_engine = ["engine", "memory"] if place.file else []
    words: list[object] = ["verify", _released(place), *asked]
    words += option_words(context, ["format", "long", *on_engine])
    words += ["--table", place.table] if place.table else []
    in_memory = values["engine"] is None or file_at(values["table"])
    compared = any(model.compares_with_table for model in policy.models)
    laid_out = values["sheet"] or values["header_row"] or inputs.COLUMNS.get()
    if compared and in_memory and not laid_out:
        words += ["--original", _bare(values["table"]), *_of_text(context)]
        words += ["--original-table", values["table_name"]] if values["table_name"] else []
        words += option_words(context, ["user_missing"])
    else:
        words += option_words(context.find_root(), ["encoding"])  # of hierarchies
    if is_statistical(place.given):
        words += option_words(context, ["user_missing"])
    words += ["--count", "count"] if values["aggregate"] else []
    recorded = values["manifest"] if policy.entities and place.file else None
    return [*words, *(["--manifest", _bare(recorded)] if recorded else [])]


def _attack(context: typer.Context, place: Place, asked: Sequence[str]) -> list[object]:
    """Return the command that attacks a release."""
    words: list[object] = ["attack", _bare(context.params["table"]), _released(place), *asked]
    words += [*option_words(context, [*READ, "long"]), *_of_text(context)]
    return [*words, *(["--released-table", place.table] if place.table else [])]


def _released(place: Place) -> str:
    return "RELEASED.csv" if place.given == "-" else _bare(place.given)


def _of_text(context: typer.Context) -> list[str]:
    return option_words(context.find_root(), ["encoding", "columns"])


def next_command(
    context: typer.Context, table: str, policies: Sequence[str]
) -> list[RenderableType]:
    """Return the command that runs a policy on a table; nothing where none was written to a file.

    policies: the places where it was written.
    """
    files = [file_word(place) for place in policies if place != "-"]
    if not files:
        return []
    run = anonymize_command(context, table, ["--policy", files[0]])
    return ["\nRead the policy, change what is wrong, and run it:", run]


def anonymize_command(
    context: typer.Context, table: str, asked: Iterable[object]
) -> RenderableType:
    """Return the command that anonymizes the table of the command that runs now."""
    from kanonym.cli.terminal import command_text

    read = [*option_words(context, READ), *_of_text(context)]
    return command_text("anonymize", file_word(table), *asked, *read, "-o", "released.csv")


def given_names(context: Any, names: Collection[str | None]) -> set[str]:
    """Return the parameters that were given on the command line, of those that are named."""
    sources = {name: context.get_parameter_source(name) for name in names if name is not None}
    return {one for one, source in sources.items() if source and source.name == "COMMANDLINE"}


def option_words(context: Any, names: Iterable[str], *, bare: bool = False) -> list[str]:
    """Return options and values as they were given; bare: files without their folders."""
    given = given_names(context, {*names})
    named = [param for param in context.command.params if param.name in given]
    return [word for one in named for word in _words_of(one, context.params, bare=bare)]


def _words_of(parameter: Any, values: Any, *, bare: bool) -> Iterator[str]:
    """Yield an option and its value, once for each of several values."""
    value = values[parameter.name]
    option = "--policy" if parameter.name == "policy" else min(parameter.opts, key=len)
    if parameter.is_flag:
        yield option
        return
    for one in value if isinstance(value, list | tuple) else [value]:
        yield option
        if parameter.name == "hierarchies" and bare:
            column, _, file = str(one).partition("=")
            yield f"{column}={Path(file).name}"
        else:
            yield _bare(one) if bare and parameter.name in FILES else str(one)


def _bare(place: str | Path) -> str:
    """Return a file without its folder, anything else as it is."""
    return str(place) if "://" in str(place) else file_word(Path(place).name)
