"""Words of the names that a table has, looked for in its texts, in capital or small letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from kanonym.actions.free_text.rules import fold, words_of

LEAST_LETTERS = 3
"""Shorter words of others' names, such as de, are no name by themselves."""

LEAST_OWN = 2
"""Letters of a word of the record's own values, with a capital letter: Wu, Li."""

MANY_TEXTS = 5
MANY_SHARE = 0.02
"""A word in small letters in more texts than this, and this share of them, is an ordinary word."""

_PARTICLES = """
von van der den des dem das die zum zur und del las los dos the and for bin ibn san sao
"""
_ORDINARY = """
will may can new old north south east west upper lower great little port lake
bad neu alt nueva nuevo villa una uno con por para que era son
"""
PARTICLES = frozenset(_PARTICLES.split())
"""Folded words that are no name by themselves."""

ORDINARY = frozenset(_ORDINARY.split())
"""Folded words that are no name in small letters."""

_JOINT = re.compile(r"[-'’]")
_SMALL = re.compile(r"(?<![\w])[^\W\d_A-Z]+(?![\w])")


class NameWords(NamedTuple):
    """Folded words of names.

    words: those found with a capital letter. small: those found in small letters, too.
    """

    words: frozenset[str]
    small: frozenset[str]

    @classmethod
    def of_record(cls, value: str) -> Self:
        """Return the words of a value, for the record's own text."""
        words = _words_of_values([value], LEAST_OWN)
        return cls(
            words, frozenset(word for word in words if len(word) >= LEAST_LETTERS) - ORDINARY
        )

    @classmethod
    def of_table(cls, values: Iterable[str], texts: Iterable[str]) -> Self:
        """Return the words of all values, for all texts; what many texts have is ordinary."""
        words = _words_of_values(values, LEAST_LETTERS)
        return cls(words, words - ORDINARY - _frequent_words(texts)) if words else cls(words, words)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where one or more of the words stand side by side in a text."""
        if not self.words:
            return
        begun: tuple[int, int] | None = None
        for word, start, end in words_of(text):
            if not self._has(word, text[start:end]):
                continue
            if begun and text[begun[1] : start].strip(" ,") == "":
                begun = begun[0], end
                continue
            if begun:
                yield begun
            begun = start, end
        if begun:
            yield begun

    def _has(self, word: str, written: str) -> bool:
        """Whether a word of a text, or a part of it, is one of these; in a genitive, too.

        word: `written`, folded.
        """
        if self._is_one(word, written):
            return True
        parts = _JOINT.split(written)
        if len(parts) == 1:
            return False
        joined = "-" in written  # x-ray is no Ray
        return any(
            self._is_one(fold(part), part) for part in parts if not (joined and part[0].islower())
        )

    def _is_one(self, word: str, written: str) -> bool:
        if written[0].islower():
            return word in self.small
        genitive = word[:-1] if word.endswith("s") and len(word) > LEAST_LETTERS else word
        return word in self.words or genitive in self.words


def _words_of_values(values: Iterable[str], least: int) -> frozenset[str]:
    """Return the folded words of values, and the parts of joined ones."""
    return frozenset(
        part
        for value in values
        for word, _, _ in words_of(value)
        for part in (word, *_JOINT.split(word))
        if len(part) >= least and part not in PARTICLES
    )


def _frequent_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the folded words that stand in many texts in small letters."""
    counts: Counter[str] = Counter()
    n = 0
    for text in texts:
        n += 1
        counts.update(set(_SMALL.findall(text)))
    least = max(MANY_TEXTS, MANY_SHARE * n)
    return frozenset(fold(word) for word, count in counts.items() if count > least)
