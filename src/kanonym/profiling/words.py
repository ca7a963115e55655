"""What the name of a column hints at."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from kanonym.data.schema import Role
from kanonym.profiling.safe_harbor import safe_harbor
from kanonym.profiling.vocabulary import ENTRIES

LONGEST_PHRASE = 5

_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")
# Letters that are no letter with an accent, so that decomposing leaves them as they are.
_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "æ": "ae",
        "Æ": "Ae",
        "\u0131": "i",
        "œ": "oe",
    }
)


class Hint(NamedTuple):
    """What a word in a column's name says."""

    role: Role
    what: str
    sure: bool = True
    safe_harbor: str | None = None


@functools.lru_cache(maxsize=1024)
def name_hints(name: str) -> frozenset[Hint]:
    """Return what the name of a column hints at.

    The name is cut into words at spaces, underscores, hyphens, dots, digits and where small
    letters end and capitals begin; accents are folded. Of phrases that overlap the longest
    count: `e-mail address` hints at no street.

    Examples
    --------
    >>> sorted((hint.role.value, hint.what) for hint in name_hints("dateOfBirth"))
    [('quasi-identifier', 'date of birth')]
    >>> [hint.what for hint in name_hints("Prénom_2")]
    ['name of a person']
    >>> name_hints("total")
    frozenset()

    """
    words = name_words(name)
    found: set[Hint] = set()
    for start, stop in _phrases(words):
        phrase = "".join(words[start:stop])
        alone = stop - start == len(words)
        found |= _sure().get(phrase, frozenset())
        if alone:
            found |= _alone().get(phrase, frozenset())
        found |= _vague().get(phrase, frozenset())
    # What one phrase is sure of another one need not guess.
    return frozenset(hint for hint in found if hint.sure or hint._replace(sure=True) not in found)


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name, small and without accents.

    Examples
    --------
    >>> name_words("PatientID_größe-2")
    ('patient', 'id', 'grosse')

    """
    return tuple(_WORD.findall(_BOUNDARY.sub(" ", fold_accents(name)).lower()))


def fold_accents(text: str) -> str:
    """Return a text with its accents taken off.

    Examples
    --------
    >>> fold_accents("Łódź, Straße, São")
    'Lodz, Strasse, Sao'

    """
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    # Korean syllables are decomposed, too.
    return unicodedata.normalize("NFC", plain)


def _phrases(words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where known phrases start and stop, without those inside a longer one."""
    known = _sure().keys() | _alone().keys() | _vague().keys()
    runs = [
        (start, stop)
        for start in range(len(words))
        for stop in range(start + 1, min(start + LONGEST_PHRASE, len(words)) + 1)
        if "".join(words[start:stop]) in known
    ]
    return [
        (start, stop)
        for start, stop in runs
        if not any(
            first <= start and stop <= last and last - first > stop - start for first, last in runs
        )
    ]


@functools.cache
def _sure() -> dict[str, frozenset[Hint]]:
    return _lexicon("sure", sure=True)


@functools.cache
def _alone() -> dict[str, frozenset[Hint]]:
    return _lexicon("alone", sure=True)


@functools.cache
def _vague() -> dict[str, frozenset[Hint]]:
    return _lexicon("vague", "alone", sure=False)


def _lexicon(*fields: str, sure: bool) -> dict[str, frozenset[Hint]]:
    """Return the hints of each phrase of some fields of the entries, plurals with an s too."""
    lexicon: dict[str, frozenset[Hint]] = {}
    for entry in ENTRIES:
        hint = Hint(entry.role, entry.what, sure, safe_harbor(entry.what))
        for field in fields:
            for phrase in getattr(entry, field).split():
                for form in (phrase, f"{phrase}s"):
                    lexicon[form] = lexicon.get(form, frozenset()) | {hint}
    return lexicon
