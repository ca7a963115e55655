"""What the name of a column hints at."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kanonym.data.schema import Role

CATEGORIES: Mapping[str, str] = MappingProxyType(
    {
        "A": "names",
        "B": "geographic subdivisions smaller than a state",
        "C": "elements of dates except the year, and ages over 89",
        "D": "telephone numbers",
        "E": "fax numbers",
        "F": "e-mail addresses",
        "G": "social security numbers",
        "H": "medical record numbers",
        "I": "health plan beneficiary numbers",
        "J": "account numbers",
        "K": "certificate and license numbers",
        "L": "vehicle identifiers and license plates",
        "M": "device identifiers and serial numbers",
        "N": "web addresses (URLs)",
        "O": "IP addresses",
        "P": "biometric identifiers",
        "Q": "full-face photographs",
        "R": "any other unique identifying number, characteristic or code",
    }
)
"""The eighteen categories by the letter of their paragraph, in short."""

_CATEGORY_LETTERS = {
    "name of a person": "A",
    "street address": "B",
    "coordinates": "B",
    "phone number": "D",
    "fax number": "E",
    "e-mail address": "F",
    "social security number": "G",
    "medical record number": "H",
    "insurance number": "I",
    "account number": "J",
    "IBAN": "J",
    "card number": "J",
    "licence number": "K",
    "vehicle identifier": "L",
    "device identifier": "M",
    "MAC address": "M",
    "web address": "N",
    "IP address": "O",
    "biometric": "P",
    "photograph": "Q",
    "national number": "R",
    "passport number": "R",
    "user name": "R",
    "UUID": "R",
    "record number": "R",
    # Quasi-identifiers that Safe Harbor removes too.
    "postal code": "B",
    "place": "B",
    "date of birth": "C",
    "date": "C",
    "age": "C",
}


def safe_harbor(kind: str) -> str | None:
    """Return the category of Safe Harbor that a kind of attribute falls into.

    Examples
    --------
    >>> safe_harbor("phone number")
    '(D) telephone numbers'
    >>> safe_harbor("sex") is None
    True
    """
    letter = _CATEGORY_LETTERS.get(kind)
    return None if letter is None else f"({letter}) {CATEGORIES[letter]}"


class Entry(NamedTuple):
    """Phrases that hint at one thing; the head of the file says what each field means."""

    role: Role
    what: str
    sure: str = ""
    vague: str = ""
    alone: str = ""
    stems: str = ""
    yields: bool = False


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return the entries of the dictionary, one for each role."""
    listed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    both = listed.pop("both")
    for role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        listed[role] = [*listed[role], *both]
    return tuple(
        Entry(Role(role), **given) for role, several in listed.items() for given in several
    )


LONGEST_PHRASE = 5

PERIOD = re.compile(
    r"((?<![^\W_])\d+|7|12|14|24|28|30|60|90)_?(d|days?|w|wks?|weeks?|m|mo|mos|mths?|months?)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
"""The days or months in which something was done or measured: `smoked_30d`."""

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


# What is written before and after a word of files of statistics: `lwage`, `husbeduc`, `agesq`.
_AROUND = """
l ln log oth gd vg d h w f m v p my da dd mm yy num n no tot total avg mean med max min sum cum
hrs ann init std adj base pre post last first prev cur curr new other any ever app hs col term hus
husb wife spouse partner moth mother mom mo fath father dad fa par parent hh fam child self
chronic high low good poor weak bad month monthly year yearly annual hourly hr weekly daily jahres
monats brutto netto haupt neben

sq cat grp group class level lvl num no code cd yr yrs py freq type avg tot total pct perc share
rate ratio index idx flag ind cnt count grade score status size loss trouble amount amt name value
val history hist howmuch klasse gruppe stufe mo w h
"""
_BEFORE, _AFTER = (frozenset(words.split()) for words in _AROUND.split("\n\n"))
_SHORT = frozenset(("age", "sex", "inc", "exp", "edu", "occ", "alc", "dth", "gpa", "fam"))
_WHEN = ("time", "date", "year", "yr", "dt", "datum", "jahr", "zeit", "fecha")
SHORTEST, STEM, HEAD = 4, 7, 9
"""Letters of a word that such words are attached to, that any letters follow, or precede."""


class Hint(NamedTuple):
    """What a word in a column's name says."""

    role: Role
    what: str
    sure: bool = True
    safe_harbor: str | None = None
    yields: bool = False


@functools.lru_cache(maxsize=8192)
def name_hints(name: str) -> frozenset[Hint]:
    """Return what the name of a column hints at.

    The name is cut into words at spaces, underscores, hyphens, dots, digits and where small letters
    end and capitals begin; accents are folded. Of phrases that overlap the longest count: `e-mail
    address` hints at no street. What is unknown is taken apart: `lwage`, `Jahreseinkommen`. What
    follows `per` is a unit, and `30d` a period. Beside a hint at what is sensitive, occupation,
    household and the like do not count: `job_satisfaction`.

    Examples
    --------
    >>> sorted((hint.role.value, hint.what) for hint in name_hints("dateOfBirth"))
    [('quasi-identifier', 'date of birth')]
    >>> [hint.what for hint in name_hints("Prénom_2")]
    ['name of a person']
    >>> name_hints("total")
    frozenset()
    """
    words = name_words(PERIOD.sub(" ", name))
    words = words[: words.index("per")] if "per" in words[1:] else words
    hints: set[Hint] = set().union(*map(_compound_hints, words))
    for start, stop in _phrases(words):
        phrase = "".join(words[start:stop])
        alone = stop - start == len(words)
        hints |= _sure().get(phrase, frozenset())
        if alone:
            hints |= _alone().get(phrase, frozenset())
        hints |= _vague().get(phrase, frozenset())
    sensitive = any(hint.sure and hint.role is Role.SENSITIVE for hint in hints)
    # What one phrase is sure of another one need not guess.
    return frozenset(
        hint
        for hint in hints
        if (hint.sure or hint._replace(sure=True) not in hints) and not (sensitive and hint.yields)
    )


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


@functools.cache
def _known_phrases() -> frozenset[str]:
    return frozenset(_sure().keys() | _alone().keys() | _vague().keys())


def _phrases(words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where known phrases start and stop, without those inside a longer one."""
    known = _known_phrases()
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


@functools.lru_cache(maxsize=4096)
def _compound_hints(word: str) -> frozenset[Hint]:
    """Return what the parts of a word hint at that is unknown as a whole."""
    if word in _sure() or word in _alone() or word in _vague():
        return frozenset()
    parts = {
        word[start:stop]: (word[:start], word[stop:])
        for start in range(len(word))
        for stop in range(start + min(map(len, _SHORT)), len(word) + 1)
        if word[start:stop] in _attributes()
        and (stop - start >= SHORTEST or word[start:stop] in _SHORT)
    }
    hints: set[Hint] = set()
    rest = word
    for part in sorted(parts, key=len, reverse=True):
        before, after = parts[part]
        attached = _is_before(before) and after in _AFTER | {""}
        other = frozenset() if attached else _attributes().get(before or after, frozenset())
        stem = (len(part) >= STEM and not before) or (len(part) >= HEAD and not after)
        if (other and "" in (before, after)) or attached or stem:
            hints |= _attributes()[part] | other
            rest = word.removeprefix(before) if before in _BEFORE else word
            break
    else:
        hints.update(*(hint for stem, hint in _stems().items() if word.startswith(stem)))
    for when in _WHEN:
        if len(rest) > len(when) + 1 and (rest.startswith(when) or rest.endswith(when)):
            hints |= _attributes()[when]
    return frozenset(hints)


def _is_before(letters: str) -> bool:
    """Whether letters are none, or one or two of the words that stand before others."""
    return letters in _BEFORE | {""} or any(
        letters[:at] in _BEFORE and letters[at:] in _BEFORE for at in range(2, len(letters))
    )


def is_like_known(word: str) -> bool:
    """Whether a word begins or ends as one does that hints at what others know: `educdec`."""
    return any(
        hint.role is Role.QUASI_IDENTIFIER
        for length in range(SHORTEST, len(word) + 1)
        for part in (word[:length], word[-length:])
        for hint in _attributes().get(part, ())
    )


@functools.cache
def _attributes() -> dict[str, frozenset[Hint]]:
    """Return the hints of phrases that are sure of an attribute, not of an identifier."""
    return {
        phrase: hints
        for phrase, hints in _sure().items()
        if not any(hint.role is Role.IDENTIFIER for hint in hints)
    }


@functools.cache
def _stems() -> dict[str, frozenset[Hint]]:
    return {
        stem: frozenset({Hint(entry.role, entry.what)})
        for entry in entries()
        for stem in entry.stems.split()
    }


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
    for entry in entries():
        hint = Hint(entry.role, entry.what, sure, safe_harbor(entry.what), entry.yields)
        for field in fields:
            for phrase in getattr(entry, field).split():
                for form in (phrase, f"{phrase}s", f"{phrase.removesuffix('y')}ies"):
                    lexicon[form] = lexicon.get(form, frozenset()) | {hint}
    return lexicon
