"""Names of persons: capitalized words, some of them common given names."""

from __future__ import annotations

from kanonym.actions.free_text.given_names import GIVEN_NAMES
from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample
from kanonym.profiling.words import fold_accents

SHAPED = 0.9
"""Share of the rows whose value has the shape of a name, here and 0.7 where the column's
name says so."""
SHAPED_HINTED = 0.7
GIVEN, GIVEN_ALONE, GIVEN_HINTED = 0.2, 0.35, 0.1
"""Share of the rows with a common given name: of full names, of names of one word, and where
the column's name may mean names of other things."""
LEAST_DIFFERENT = 5
"""Of fewer values, nearly all must be full names: a capitalized word may be a category."""

_MOST_WORDS = 6
_FULL_WORDS = 4
_INNER = str.maketrans("", "", "'’-.`()\"“”")
_TITLE_WORDS = (
    "dr prof mr mrs ms miss mx sir dame herr frau mme mlle sr sra srta sig dipl ing med jr "
    "md phd dds dvm ii iii iv rer nat h c univ mag ir drs dhr mevr ddr pan pani bay bayan"
)
_PARTICLE_WORDS = (
    "de del della delle di da do dos das du des la le lo van von vom zu zum zur der den ter ten "
    "het el al bin ibn ben y e i st san o"
)
_TITLES = frozenset(_TITLE_WORDS.split())
_PARTICLES = frozenset(_PARTICLE_WORDS.split())


def find_persons(sample: Sample, hinted: frozenset[str], *, sure: bool) -> tuple[Finding, ...]:
    """Return whether the values are names of persons.

    Notes
    -----
    A heuristic: of a column with any other name it finds given names and full names where
    they are among the common ones of the languages in `given_names`, and never surnames on
    their own.

    """
    if sample.form != "text":
        return ()
    hint = "name of a person" in hinted
    words = [_words(value) for value in sample.values]
    shaped = sample.matching(has_shape)
    share = sample.share(shaped)
    if share < (SHAPED_HINTED if hint else SHAPED):
        return ()
    if hint and sure and not sample.has_few_values:
        return (finding_by_values("name of a person", share, share_reason("names", share)),)
    if len(sample.values) < LEAST_DIFFERENT:
        full = sample.share(sample.matching(is_full_name))
        reason = share_reason("full-names", full)
        return (finding_by_values("name of a person", full, reason),) if full >= SHAPED else ()
    given = shaped & sample.matching(has_given_name)
    given_share = sample.share(given)
    single = sum(len(parts) == 1 for parts in words) * 2 > len(words)
    if given_share < (GIVEN_HINTED if hint else GIVEN_ALONE if single else GIVEN):
        return ()
    reasons = share_reason("names", share), share_reason("given-names", given_share)
    return (finding_by_values("name of a person", share, *reasons),)


def _words(value: str) -> list[str]:
    """Return the words of a value without titles."""
    words = value.replace(",", " ").split()
    return [word for word in words if fold_accents(word).strip(".").lower() not in _TITLES]


def has_shape(value: str) -> bool:
    """Return whether a value is one to six capitalized words of letters, particles aside.

    Examples
    --------
    >>> [has_shape(text) for text in ("Ada Lovelace", "Berg, Mrs. Jan van der (Eva)", "type 2")]
    [True, True, False]

    """
    words = _words(value)
    if not 1 <= len(words) <= _MOST_WORDS:
        return False
    capitalized = 0
    for word in words:
        letters = word.translate(_INNER)
        if (
            letters.isalpha()
            and _begins_like_name(letters)
            and (len(letters) < 2 or _has_name_case(letters))
        ):
            capitalized += 1
        elif fold_accents(word).lower() not in _PARTICLES:
            return False
    return capitalized > 0


def _begins_like_name(letters: str) -> bool:
    """Return whether a word begins with a capital, or is of a script that has none."""
    return letters[0].isupper() or (len(letters) > 1 and letters.upper() == letters.lower())


def _has_name_case(letters: str) -> bool:
    """Return whether letters are written as in `Anna`, `ANNA`, `McKay` or `DeVito`."""
    return letters.upper() == letters or any(letter.islower() for letter in letters)


def is_full_name(value: str) -> bool:
    """Return whether a value is two to four capitalized words, one a common given name.

    Examples
    --------
    >>> [is_full_name(text) for text in ("Anna Schmidt", "Charlotte", "San Diego")]
    [True, False, False]

    """
    words = [
        word for word in _words(value) if fold_accents(word).lower().strip(".") not in _PARTICLES
    ]
    return 2 <= len(words) <= _FULL_WORDS and has_shape(value) and has_given_name(value)


def has_given_name(value: str) -> bool:
    """Return whether one of the words is a common given name."""
    for word in _words(value):
        plain = fold_accents(word).lower().strip(".")
        if plain in GIVEN_NAMES or any(part in GIVEN_NAMES for part in plain.split("-")):
            return True
    return False
