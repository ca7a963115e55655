"""Columns that identify persons or records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

import polars as pl

from kanonym.actions.free_text.rules import GIVEN_NAMES
from kanonym.profiling.identifiers.contacts import has_house_number, has_street
from kanonym.profiling.identifiers.sample import Finding, Sample, finding_by_values, share_reason
from kanonym.profiling.reasons import Reason
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

    A heuristic: of a column with any other name it finds given names and full names where they are
    among the common ones of the languages in `given_names`, and never surnames on their own.
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


_CATEGORY_WORDS = """
yes no y n true false t f on off not ja nein oui non si sim nao nee tak nie da
male female woman men women m f w d divers other others mannlich weiblich
none nil null na nan n/a unknown unspecified missing refused unbekannt keine inconnu
known withheld hidden redacted anonymous anonymized removed deleted masked
low medium middle high large bad poor normal abnormal positive negative present absent
control controls cases treatment treated untreated placebo exposed group arm trial test
pass passed fail failed success failure ok error valid invalid open closed done pending
active inactive new old existing returning former current first second last
daily weekly monthly yearly never rarely sometimes often always
public private internal external retail corporate business company individual person personal
basic standard premium free paid default single married left right in out
available unavailable confirmed unconfirmed verified unverified registered unregistered
inpatient outpatient patient customer client staff student user admin guest
"""
_CATEGORIES = frozenset(_CATEGORY_WORDS.split())
"""Words of flags and of small categories; a column `phone` of them says who has one."""

_CODE = re.compile(r"(?=.*\d)[^\s,;]{1,64}|\d[\d ./-]{0,30}")
_FLAGS = frozenset(("0", "1", "-1"))
_LONG_CODE = re.compile(r"(?=.*\d.*\d)[\w ./*·-]{4,40}")
_DIGITS = re.compile(r"(?:\D*\d){6,15}\D{0,10}")
_NUMBERED = re.compile(r"(?:\D*\d){4}.*")
_HOUSE = re.compile(r"\d{2,5} ?[a-zA-Z]?|\d ?[a-zA-Z]")


def can_be(value: str, kind: str, *, ambiguous: bool = False) -> bool:
    """Return whether a value that many records share has the form of an identifier.

    Forms are narrower than those of columns of many values, as flags and small categories
    have a few values, too: a column `passport` of 0 and 1 says who has one.

    Examples
    --------
    >>> can_be("Berg", "name of a person"), can_be("Yes", "name of a person")
    (True, False)
    >>> can_be("C01X00T47", "passport number"), can_be("1", "passport number")
    (True, False)
    >>> can_be("Berg", "name of a person", ambiguous=True)
    False
    """
    words = re.findall(r"[^\W_]+(?:/[^\W_]+)?", fold_accents(value).lower())
    if all(word in _CATEGORIES for word in words):
        return False
    if kind == "name of a person":
        return has_given_name(value) or (not ambiguous and has_shape(value))
    if kind in {"record number", "medical record number"}:
        return _is_number(value, ambiguous=ambiguous)
    return bool(_FORMS.get(kind, _LONG_CODE.fullmatch)(value))


def _is_number(value: str, *, ambiguous: bool) -> bool:
    """Return whether a value may number a person; 0 and 1 are a flag."""
    if _CODE.fullmatch(value) is None or value in _FLAGS:
        return False
    return not ambiguous or len(value) > 2  # 1 and 2 may mean yes and no


def _is_address(value: str) -> bool:
    words = value.split()
    numbered = has_house_number(value) or _HOUSE.fullmatch(value) is not None
    return numbered or has_street(value) or (len(words) > 1 and has_shape(value))


def _is_path(value: str) -> bool:
    """Return whether a text may be a file's name, an address of one, or its bytes."""
    return len(value) > 3 and (re.search(r"[./\\]\w", value) is not None or len(value) > 15)


_FORMS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "user name": re.compile(r"[^\s]{3,64}").fullmatch,
        "e-mail address": re.compile(r"[^@]+@[^@]+").fullmatch,
        "phone number": _DIGITS.fullmatch,
        "fax number": _DIGITS.fullmatch,
        "street address": _is_address,
        "coordinates": re.compile(r"-?\d{1,3}\.\d{2,}|.*\d\.\d.*\d\.\d.*").fullmatch,
        "web address": _is_path,
        "IP address": re.compile(r"[\da-fA-F.:]+[.:][\da-fA-F.:]+").fullmatch,
        "MAC address": re.compile(r"[\da-fA-F:.-]{12,17}").fullmatch,
        "national number": _NUMBERED.fullmatch,
        "social security number": _NUMBERED.fullmatch,
        "biometric": _is_path,
        "photograph": _is_path,
        "UUID": re.compile(r"(?=.*\d)[\w{}-]{8,64}").fullmatch,
    }
)
"""Of all other kinds: four characters or more, two digits among them."""


LEAST_ROWS = 20
LEAST_HINTED = 5
"""Fewer values may differ by chance; the second where the column's name hints at a number."""
LEAST_CODES = 100
LONG_NUMBER = 8
LONG_CODE = 6

_UNIFORM = 0.99
# What else differs from row to row and looks alike: dates, times, amounts, measured numbers.
_QUANTITY = re.compile(
    r"[-+]?[\d ,.']*\d[.,]\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d{2}.*|[-+$€£%].*|.*[$€£%]"
)
_CALENDAR = re.compile(r"(?:1[89]|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?")
_EPOCH = range(900_000_000, 2_500_000_000)
_RECORD_CODE = re.compile(r"[^\s]{1,64}")


def find_records(sample: Sample, column: pl.Series, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether each value stands for one record.

    Notes
    -----
    Whether values differ is known exactly of those in the sample: a value that is in it is
    there with all its rows. Without a hint, integers count as a counter when they fill their
    range (a span no wider than their number, in long tables than twice their number), or as
    serial numbers when they all have the same eight digits or more and are no times. Texts
    count when they have one pattern of letters and digits. Floating-point numbers never do:
    what is measured finely differs too.
    """
    hint = "record number" in hinted
    if sample.form not in {"text", "integer"} and not (hint and _is_whole(sample)):
        return ()
    least = LEAST_HINTED if hint else LEAST_ROWS
    if sample.n_filled < least or bool((sample.counts > 1).any()):
        return ()
    reason = None
    if hint and all(map(_RECORD_CODE.fullmatch, sample.values)):
        reason = Reason("unshared")
    elif sample.form == "integer":
        reason = _integers(sample, column)
    elif sample.form == "text":
        reason = _codes(sample)
    return () if reason is None else (finding_by_values("record number", 1.0, reason),)


def _is_whole(sample: Sample) -> bool:
    return sample.form == "decimal" and all("." not in value for value in sample.values)


def _integers(sample: Sample, column: pl.Series) -> Reason | None:
    low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
    span = high - low + 1
    if span <= (2 * sample.n_filled if sample.n_filled >= 10 * LEAST_CODES else sample.n_filled):
        return Reason("counter")
    digits = len(str(low))
    long = low > 0 and digits == len(str(high)) and digits >= LONG_NUMBER
    if not long or sample.n_filled < LEAST_CODES or _is_time(sample, low, high):
        return None
    return Reason("serial", {"digits": digits})


def _is_time(sample: Sample, low: int, high: int) -> bool:
    """Return whether integers may be days or seconds."""
    seconds = any(low // unit in _EPOCH and high // unit in _EPOCH for unit in (1, 10**3, 10**6))
    return seconds or all(map(_CALENDAR.fullmatch, sample.values))


def _codes(sample: Sample) -> Reason | None:
    """Return what texts of one pattern are, or None."""
    patterns = Counter(
        re.sub("[^\\W\\d_]", "a", re.sub(r"\d", "9", value)) for value in sample.values
    )
    pattern, count = patterns.most_common(1)[0]
    if count < _UNIFORM * len(sample.values) or "9" not in pattern or " " in pattern:
        return None
    if any(_QUANTITY.fullmatch(value) for value in sample.values):
        return None
    if len(pattern) < LONG_CODE or all(map(_CALENDAR.fullmatch, sample.values)):
        return None
    if pattern.isdigit() and sample.n_filled < LEAST_CODES and not _has_leading_zeros(sample):
        return None
    return Reason("pattern")


def _has_leading_zeros(sample: Sample) -> bool:
    return any(value.startswith("0") for value in sample.values)
