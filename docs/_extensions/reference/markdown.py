"""Pieces of Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any


def code(text: str) -> str:
    """Return a text as code."""
    return f"`{text}`"


def cell(text: str) -> str:
    """Return a text that may stand in a cell of a table."""
    plain = " ".join(text.split()).replace("|", r"\|").replace("*", r"\*").replace("<", "&lt;")
    return plain.replace("](", "](../")  # a text of the package links from `docs/`


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; nothing if it has no row."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if not lines:
        return ""
    ruler = "|" + "---|" * len(heads)
    return "\n".join(["| " + " | ".join(heads) + " |", ruler, *lines, ""])


def summary(thing: Any) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def autodoc(name: str, thing: Any, *options: str) -> str:
    """Return what lets Sphinx write the signature and the docstring of a public name."""
    kind = "class" if inspect.isclass(thing) else "function"
    if inspect.isclass(thing) and issubclass(thing, Exception):
        kind = "exception"
    lines = [f".. auto{kind}:: {name}", *(f"   {one}" for one in options)]
    return "\n".join(["```{eval-rst}", *lines, "```", ""])
