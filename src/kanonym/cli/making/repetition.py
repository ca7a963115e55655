"""The command that makes a release again, from the options that were given."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer

TOLD = (
    *("report", "title", "purpose", "author", "language", "attack", "manifest", "dry_run", "json"),
    *("drawn", "drawn_by", "constraint"),
)
"""Parameters that change no release."""
PLACES = (
    *("table", "output", "policy", "engine", "memory", "table_name", "output_table"),
    *("no_read_back", "safe_cells", "aggregate", "format", "sheet", "header_row"),
    *("catalog", "user_missing"),
)
"""Parameters that say where and how tables are read and written, and change no policy."""
FILES = ("policy", "output", "catalog")


class Repetition(NamedTuple):
    """How a release is made again.

    Attributes
    ----------
    command
        What to run; files are named without their folders.
    policy_file
        The policy file, if no option changed its policy; else None.

    """

    command: str
    policy_file: str | None


def repetition(context: typer.Context) -> Repetition:
    """Return how to repeat the command that runs now."""
    given = {
        one.name: one
        for one in context.command.params
        if one.name is not None and one.name not in TOLD and _is_given(context, one.name)
    }
    words = ["kanonym", "anonymize"]
    for name in sorted(given, key="output".__eq__):  # where it goes stands last
        words += _option_words(given[name], context.params[name])
    policy = context.params.get("policy")
    changed = set(given) - set(PLACES)
    return Repetition(shlex.join(words), None if policy is None or changed else Path(policy).name)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _option_words(parameter: Any, value: Any) -> Iterator[str]:
    """Yield an option and its value, once for each of several values; an argument is a place."""
    from kanonym.data.credentials import displayable_url

    if parameter.param_type_name == "argument":
        yield displayable_url(value) if "://" in value else Path(value).name
        return
    option = "--policy" if parameter.name == "policy" else min(parameter.opts, key=len)
    if parameter.is_flag:
        yield option
        return
    for one in value if isinstance(value, list | tuple) else [value]:
        yield option
        if parameter.name == "hierarchies":
            column, _, file = str(one).partition("=")
            yield f"{column}={Path(file).name}"
        elif parameter.name in FILES:
            yield displayable_url(str(one)) if "://" in str(one) else Path(one).name
        else:
            yield str(one)
