"""Errors, each a `KanonymError`, and sentences that are translated when they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self


class Sentence(str):
    """A template that is translated when it is shown; `many` is its plural."""

    __slots__ = ("context", "many")

    context: str
    many: str

    def __new__(cls, one: str, many: str = "", context: str = "") -> Self:
        """Keep both forms, and the context that tells equal words apart."""
        self = super().__new__(cls, one)
        self.many, self.context = many, context
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        """Return what a copy is made of."""
        return type(self), (str(self), self.many, self.context)


def gettext(text: str) -> Sentence:
    """Mark a sentence; modules import this as `_`."""
    return Sentence(text)


def ngettext(one: str, many: str) -> Sentence:
    """Mark a sentence about a number of things."""
    return Sentence(one, many)


def pgettext(context: str, text: str) -> Sentence:
    """Mark a sentence that other languages translate differently by context."""
    return Sentence(text, context=context)


class Message(str):
    """An English sentence: a template, and what stands in its places.

    It is the text itself wherever a text is wanted. `Translator.translate` says it in the language
    of a report.

    Examples
    --------
    >>> told = Message("{n:,} records have no {column!r}", n=30162, column="age")
    >>> told, told.template
    ("30,162 records have no 'age'", '{n:,} records have no {column!r}')
    """

    __slots__ = ("facts", "template")

    template: str
    facts: dict[str, Any]

    def __new__(cls, template: str, /, **facts: Any) -> Self:
        """Fill in the template."""
        self = super().__new__(cls, template.format(**facts))
        self.template = template
        self.facts = facts
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Return what a copy in another process is made of."""
        return (self.template,), self.facts


LONGEST = 60
"""Characters of a wrong parameter that an error shows."""


def shown_value(given: object) -> str:
    """Return a wrong parameter as an error shows it.

    Of a collection or a table, which may hold values of people, only its type and its size.

    >>> shown_value(3), shown_value("abc"), shown_value(["abc", "abd"])
    ('3', "'abc'", 'a list of 2')
    """
    if isinstance(given, str) and len(given) > LONGEST:
        return f"a text of {len(given)} characters"
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        text = repr(given)
        return text if len(text) <= LONGEST else f"a {type(given).__name__}"
    return f"a {type(given).__name__} of {len(given)}"


class KanonymError(Exception):
    """Base of every error that kanonym raises on purpose.

    A message names columns, rows and numbers, and at most the one faulty cell. Where several
    values are at fault, `values` has them all: `--show-values` prints them.
    """

    def __init__(self, *args: object, values: Sequence[object] = ()) -> None:
        super().__init__(*args)
        self.values = tuple(values)


class DataError(KanonymError, ValueError):
    """A table cannot be read, written or used; the message has file, row, column and value."""


class SchemaError(KanonymError, ValueError):
    """Roles and columns do not fit; the message has the columns."""


class HierarchyError(KanonymError, ValueError):
    """A hierarchy is invalid, or does not cover the data."""


class PolicyError(KanonymError, ValueError):
    """A policy, or one of its parameters, is invalid; the message lists all faults."""


class InfeasibleError(KanonymError):
    """No release of this table can satisfy the models.

    The message names the model that fails and the best value that is possible.
    """


class Progress(str):
    """A sentence on how far a step is, with the figures behind it.

    Examples
    --------
    >>> told = Progress("3 of 10 combinations done", done=3, total=10)
    >>> told, told.done / told.total
    ('3 of 10 combinations done', 0.3)
    """

    __slots__ = ("done", "total")

    done: int
    total: int

    def __new__(cls, sentence: str, *, done: int, total: int) -> Progress:  # noqa: PYI034 - final
        """Write a sentence."""
        progress = super().__new__(cls, sentence)
        progress.done, progress.total = done, total
        return progress

    def of(self, stage: str) -> Progress:
        """Return the same after the name of its stage: `stage: sentence`."""
        return Progress(f"{stage}: {self}", done=self.done, total=self.total)
