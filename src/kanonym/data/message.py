"""Sentences that know what they are made of, so that catalogues can say them in other languages."""

from __future__ import annotations

from typing import Any, Self


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
