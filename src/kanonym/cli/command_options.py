"""Commands whose parameters carry their options: flags, ranges, choices and parsed values.

A parameter is declared as `Annotated[type, Option(…)]`, on its own or as a field of a dataclass
that several commands take.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from kanonym.data.option import Option, choices_of, option_of, split_names

LARGEST = 50_000_000  # bytes of a table that is read for its columns while a user waits
TABLES = ("table", "original", "released", "batch")

Completion = Callable[..., list[str]]


def complete_words(words: Sequence[str]) -> Completion:
    """Return what completes one of several words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the last of several column names that are separated by commas."""
    given, comma, last = incomplete.rpartition(",")
    taken = given.split(",")
    return [
        f"{given}{comma}{name}"
        for name in _columns(ctx)
        if name.startswith(last) and name not in taken
    ]


def _columns(ctx: typer.Context) -> list[str]:
    """Return the columns of the table on the command line; none where it cannot be read."""
    from kanonym.data.errors import KanonymError
    from kanonym.data.files import read_table

    # An option that has no value yet ends the reading of the line: what is left are its files.
    places = [*(ctx.params.get(name) for name in TABLES), *ctx.args]
    place = next((one for one in places if one and Path(one).is_file()), None)
    if place is None or Path(place).stat().st_size > LARGEST:
        return []
    try:
        return list(read_table(place).columns)
    except KanonymError:
        return []


Command = Callable[..., None]

PANELS = {
    "requirement": "Requirements",
    "method": "Algorithm",
    "search": "Full-domain and local recoding",
    "output": "Output",
}
"""Headings of the groups that policies have; other groups are headings themselves."""
RARE = {
    *("Input", "Linked tables", "Report", "Differential privacy", "search"),
    "Second table with one value per cell",
}
"""Groups that few calls need: long helps leave them to `--help-all`."""
FLAGS = {
    "models": "--model",
    "hierarchies": "--hierarchy",
    "sets": "--set",
    "attack_limits": "--attack-limit",
}
"""Options that are named in the singular: each names one, and they may be repeated."""


def declared_options(command: Command) -> Command:
    """Return a command as typer reads it; fields of dataclasses become options of their own."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in parameters if is_dataclass(p.annotation)
    }
    spelt: list[inspect.Parameter] = []
    for parameter in parameters:
        name = parameter.name
        spelt += _fields(parameter.annotation) if name in groups else [parameter]
    declared = {p.name: (p, pair[1]) for p in spelt if (pair := option_of(p.annotation))}

    @functools.wraps(command)
    def run_command(**values: Any) -> None:
        values.pop("help_all", None)
        for name, (parameter, option) in declared.items():
            values[name] = _parse_value(parameter, option, values[name])
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        command(**values)

    typed = [_typer_parameter(parameter) for parameter in spelt]
    made: Any = run_command
    made.__signature__ = inspect.Signature(typed)
    made.__annotations__ = {parameter.name: parameter.annotation for parameter in typed}
    made.rare = {name for name, (_, option) in declared.items() if _is_rare(option)}
    return run_command


def _is_rare(option: Option) -> bool:
    """Whether the help of a command with many options leaves it to `--help-all`."""
    return option.rare or option.group in RARE


def _fields(kind: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]


def flags_of(name: str, option: Option) -> list[str]:
    """Return how an option is written: its own flags, or the name of its parameter."""
    own = option.flag.split()
    if len(name) == 1 or any(flag.startswith("--") for flag in own):
        return own
    return [FLAGS.get(name, f"--{name.replace('_', '-')}"), *own]


def _typer_parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter with typer's option in the place of the declared parameter."""
    pair = option_of(parameter.annotation)
    parameter = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    if pair is None:
        return parameter
    kind, option = pair
    group = option.group or None
    info = typer.Option(
        *flags_of(parameter.name, option),
        metavar=option.value or None,
        help=option.sentence,
        rich_help_panel=PANELS.get(group, group) if group else None,
        autocompletion=_completion(option, choices_of(parameter.annotation)),
    )
    whole: Any = list[str] if option.is_list else kind
    default = (
        None if option.is_list and parameter.default is not parameter.empty else parameter.default
    )
    if kind is bool and default is None and "/" not in option.flag:
        default = False
    optional = whole | None if default is None else whole
    return parameter.replace(default=default, annotation=Annotated[optional, info])


def _completion(option: Option, choices: tuple[str, ...]) -> Completion | None:
    """Return what completes the values of an option, None where files are."""
    if choices:
        return complete_words(choices)
    named = option.kind == "columns" or option.value == "COLUMN"
    return complete_columns if named else None


def _parse_value(parameter: inspect.Parameter, option: Option, given: Any) -> Any:
    """Return the value of a parameter from what was typed; its default where nothing was."""
    if given in (None, [], ()):
        return parameter.default
    choices = choices_of(parameter.annotation)
    flag = flags_of(parameter.name, option)[0]
    if choices and given not in choices:
        raise typer.BadParameter(f"{given!r} is none of {', '.join(choices)}", param_hint=flag)
    least, most = option.least, option.most
    if most is not None and not (least or 0) <= given <= most:
        raise typer.BadParameter(
            f"{given:,g} is not between {least or 0:,g} and {most:,g}", param_hint=flag
        )
    if least is not None and given < least:
        raise typer.BadParameter(f"{given:,g} is not {least:,g} or more", param_hint=flag)
    return PARSERS[option.kind](given, flag) if option.kind in PARSERS else given


def parse_names(given: list[str] | None, _flag: str = "") -> list[str]:
    """Return the columns that an option names: separated by commas, and it may be repeated.

    A name with a comma in it stands in double quotes.
    """
    return split_names(given or [])


def _parse_words(given: list[str], _flag: str) -> dict[str, list[str]]:
    """Return the words for missing values by column, those of all columns by the empty name."""
    words: dict[str, list[str]] = {}
    for entry in given:
        column, equals, several = entry.rpartition("=")
        words.setdefault(column if equals else "", []).extend(parse_names([several]))
    return words


def _parse_files(given: list[str], flag: str) -> dict[str, str]:
    """Return the hierarchy file of each column."""
    files = {}
    for entry in given:
        column, equals, file = entry.partition("=")
        if not (column and equals and file):
            raise typer.BadParameter(f"{entry!r} is not COLUMN=FILE", param_hint=flag)
        files[column] = file
    return files


def _parse_sets(given: list[str], _flag: str) -> dict[str, str | None]:
    """Return the separator of each column of sets."""
    return {name: mark or None for name, _, mark in (text.partition("=") for text in given)}


def parse_secret(given: str, _flag: str = "") -> dict[str, str]:
    """Return where a secret is kept: the variable that `env:NAME` names, or a file."""
    kind, mark, name = given.partition(":")
    return {"env": name} if mark and kind == "env" else {"file": given}


def _parse_shares(given: list[str], flag: str) -> dict[str, float]:
    """Return the number of each name that `--attack-limit linkage=0.2,inference=0.1` gives."""
    shares: dict[str, float] = {}
    for entry in parse_names(given):
        name, _, share = entry.rpartition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            name = ""
        if not name:
            raise typer.BadParameter(f"{entry!r} is not NAME=NUMBER", param_hint=flag)
    return shares


def _parse_levels(given: list[str], flag: str) -> dict[str, int | tuple[int, int]]:
    """Return the levels that `--levels age=2,education=1-3` asks for: one, or least and most."""
    levels: dict[str, int | tuple[int, int]] = {}
    for entry in parse_names(given):
        column, _, level = entry.rpartition("=")
        least, dash, most = level.partition("-")
        if not (column and least.isdecimal() and (not dash or most.isdecimal())):
            raise typer.BadParameter(
                f"{entry!r} is not COLUMN=LEVEL or COLUMN=LEAST-MOST", param_hint=flag
            )
        levels[column] = (int(least), int(most)) if dash else int(least)
    return levels


def _parse_parts(given: list[str], flag: str) -> list[Any]:
    """Return parts of a policy in YAML."""
    from kanonym.policy.document import parse_part

    return [parse_part(text, flag) for text in given]


PARSERS: Mapping[str, Callable[[Any, str], Any]] = {
    "columns": parse_names,
    "paths": lambda given, _flag: [Path(path) for path in given],
    "files": _parse_files,
    "sets": _parse_sets,
    "words": _parse_words,
    "levels": _parse_levels,
    "secret": parse_secret,
    "shares": _parse_shares,
    "parts": _parse_parts,
}
"""How the text of each kind of option is read."""
