"""Sentences that know what they are made of, so that catalogues can say them in other languages."""

from __future__ import annotations

from typing import Any, Self


class Sentence(str):
    """A template that is translated when it is shown; `many` is its plural.

    `gettext`, `ngettext` and `pgettext` mark it where it stands, and `Translator.text` fills it in.
    """

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
