"""Options of commands: how they are declared, and how a command is written."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from kanonym.data.databases import displayable_url


def split_names(texts: Iterable[str]) -> list[str]:
    """Return names that are separated by commas; a name with a comma stands in double quotes.

    Examples
    --------
    >>> split_names(['age, "last, first"'])
    ['age', 'last, first']
    """
    rows = csv.reader(texts, skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def command_line(*words: object) -> str:
    """Return a command as a shell takes it; URLs have no user, password, host and parameters.

    Examples
    --------
    >>> print(command_line("kanonym", "check", "our policy.yaml"))
    kanonym check 'our policy.yaml'
    """
    texts = map(str, words)
    return shlex.join(displayable_url(text) if "://" in text else text for text in texts)


def file_word(file: str | Path) -> str:
    """Return a file as a word that no command takes for an option.

    Examples
    --------
    >>> file_word("-k.csv"), file_word("-"), file_word("a.csv")
    ('./-k.csv', '-', 'a.csv')
    """
    return f"./{file}" if str(file).startswith("-") and str(file) != "-" else str(file)


# fmt: off
Kind = Literal[
    "value", "values", "columns", "files", "paths", "sets", "parts", "part", "levels", "shares",
    "words", "secret",
]
# fmt: on
LISTS = ("values", "columns", "files", "paths", "sets", "parts", "levels", "shares", "words")


@dataclass(frozen=True, slots=True)
class Option:
    """How a parameter is described, and how its value is written as text."""

    help: str
    value: str = ""
    flag: str = ""
    kind: Kind = "value"
    group: str = ""
    least: float | None = None
    most: float | None = None
    default: float | None = None
    rare: bool = False

    @property
    def sentence(self) -> str:
        """The help, with the range and the default."""
        reach = "" if self.most is None else f", {self.least:,g} to {self.most:,g}"
        otherwise = "" if self.default is None else f"; default: {self.default:g}"
        return f"{self.help.removesuffix('.')}{reach}{otherwise}."

    @property
    def is_list(self) -> bool:
        """Whether it may be given several times."""
        return self.kind in LISTS


def option_of(annotation: Any) -> tuple[type, Option] | None:
    """Return the type of a value and its option, None where an annotation declares none."""
    if get_origin(annotation) is not Annotated:
        return None
    kind, *metadata = get_args(annotation)
    option = next((one for one in metadata if isinstance(one, Option)), None)
    if option is None:
        return None
    if option.kind == "value" and get_origin(kind) in (list, Sequence):
        own: Kind = "columns" if "A,B" in option.value else "values"
        own = "paths" if Path in get_args(kind) else own
        option = replace(option, kind=own)
    if option.is_list:
        return list, option
    types = [one for one in get_args(kind) or (kind,) if one in (bool, int, float, Path)]
    return (types[0] if types else str), option


def choices_of(annotation: Any) -> tuple[str, ...]:
    """Return the words that an annotated parameter may have, () where it may have any."""
    kind = get_args(annotation)[0]
    if any(get_origin(one) is Sequence for one in get_args(kind)):
        return ()  # a list of names, or a word in its place
    literals = [one for one in (kind, *get_args(kind)) if get_origin(one) is Literal]
    return get_args(literals[0]) if literals else ()
