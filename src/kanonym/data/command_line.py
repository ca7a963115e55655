"""Command lines that are printed: quoted for a shell, without what opens a database."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterable
from pathlib import Path

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
