"""Phone numbers and places."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from kanonym.data.loading import LazyModule
from kanonym.kernels.arrays import Bools
from kanonym.profiling.identifiers.sample import Finding, Sample, finding_by_values, share_reason
from kanonym.profiling.words import fold_accents, name_words

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LazyModule("phonenumbers")

LOOKED_AT = 200
"""A check takes about 40 microseconds, twice that where it fails."""

LEAST = 0.9
WRITTEN = 0.5
LEAST_HINTED = 0.5
"""Shares of the rows: with digits only, grouped as in telephone numbers, and valid in the best
fitting plan, which numbers that were made up for tests often are not."""

REGIONS = (
    "US", "GB", "DE", "FR", "ES", "IT", "PT", "NL", "BE", "AT", "CH", "SE", "DK", "NO", "FI",
    "PL", "CZ", "BR", "MX", "AR", "IN", "CN", "JP", "KR", "AU", "ZA", "TR",
)  # fmt: skip
"""Whose national numbers are known, in order of trial."""

_INTERNATIONAL = re.compile(r"(?:tel:)?(?:\+|00)[\d\s()./-]{7,20}(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?")
# Groups of digits as people write them: an area code in brackets, a leading zero, or 3-3-4.
_NATIONAL = re.compile(
    r"(?:\(\d{2,5}\)\s?\d[\d\s/.-]{4,12}|0\d{1,4}[\s/.-]\d[\d\s/.-]{4,12}"
    r"|(?:1[\s.-])?\d{3}[\s.-]\d{3}[\s.-]\d{4})(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?"
)
_BARE = re.compile(r"[+(]?\d[\d\s()./x#-]{5,24}")
# Days and amounts are digits with dots and hyphens too.
_QUANTITY = re.compile(
    r"\d{1,2}([-/.])\d{1,2}\1\d{2,4}.*|\d{4}([-/.])\d{1,2}\2\d{1,2}.*|\d+\.\d{1,2}"
)


def find_phones(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are telephone numbers."""
    named = hinted & {"phone number", "fax number"}
    if sample.form == "other" or (sample.form != "text" and not named):
        return ()
    looked = Sample(
        sample.name, sample.form, sample.values[:LOOKED_AT], sample.counts[:LOOKED_AT], 0
    )
    international = looked.matching(lambda value: _is_international(value, strict=not named))
    share = looked.share(international)
    if share >= LEAST:
        kind = "fax number" if "fax number" in hinted else "phone number"
        return (finding_by_values(kind, share, share_reason("international-phones", share)),)
    best = _best_plan(looked, international, named=bool(named))
    if best < LEAST_HINTED:
        return ()
    kind = "fax number" if "fax number" in hinted else "phone number"
    return (finding_by_values(kind, best, share_reason("national-phones", best)),)


def _best_plan(sample: Sample, international: Bools, *, named: bool) -> float:
    """Return the share of the rows with a number of the plan that fits best, or 0."""
    written = international | sample.matching(
        lambda value: _NATIONAL.fullmatch(value) and not _QUANTITY.fullmatch(value)
    )
    bare = written | sample.matching(
        lambda value: _BARE.fullmatch(value) and not _QUANTITY.fullmatch(value)
    )
    if not named and (sample.share(written) < WRITTEN or sample.share(bare) < LEAST):
        return 0.0
    best = 0.0
    for region in REGIONS:
        valid = bare & sample.matching(partial(_is_number, region=region, possible=named))
        best = max(best, sample.share(valid | international))
        if best > LEAST:
            break
    return best


def _is_international(value: str, *, strict: bool) -> bool:
    if _INTERNATIONAL.fullmatch(value) is None:
        return False
    number = re.sub(r"^(?:tel:)?00", "+", value)
    return _is_number(number, region=None, possible=not strict)


def _is_number(value: str, *, region: str | None, possible: bool) -> bool:
    try:
        number = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return False
    if possible:
        return phonenumbers.is_possible_number(number)
    return phonenumbers.is_valid_number(number)


ADDRESSES = 0.7
STREETS = 0.3
"""Shares of the rows with a house number beside words, and with a word for a street."""

_MOST_NUMBERED = 8
_SHORT_WORD = 6
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_NUMBER_FIRST = re.compile(r"\d{1,6}[a-z]?(?:[-/]\d{1,4}[a-z]?)?(?: ?(?:bis|ter))?,? +[^\W\d_].*")
_NUMBER_LATER = re.compile(r"[^\W\d_][^\d]*[, ](?:n[or°º.]* ?)?\d{1,5} ?[a-z]?(?:[ ,/-].*)?")
_STREET = re.compile(
    r"\b(?:street|st|avenue|ave?|road|rd|lane|ln|drive|dr|boulevard|blvd|bvd|way|court|ct|terrace"
    r"|close|crescent|square|place|pl|gardens|gdns|green|grove|hill|mews|park|row|view|walk|flat|parkway|highway|trail|trace|route|rte|apt|suite|unit"
    r"|rue|chemin|allee|impasse|quai|cours|calle|c|avenida|avda?|paseo|plaza|pasaje|camino"
    r"|carretera|ronda|glorieta|via|viale|piazza|piazzale|corso|vicolo|largo|contrada|strada"
    r"|borgo|rua|travessa|praca|alameda|estrada|av|ul|ulica|al|aleja|os|osiedle|sok|sokak|cad|cadde|mah|platz|ring|damm|ufer|gasse|weg|strasse|str)\b"
    r"|(?:strasse|str\.|weg|gasse|platz|allee|damm|ufer|straat|laan|plein|gracht|dreef|kade"
    r"|gatan|vagen|gade|vej|veien|gata|katu|tie|steeg|singel|hof|pad|ring)\b"
)

_PAIR = re.compile(r"[(\[]?\s*(-?\d{1,3}\.\d{3,})\s*[,; ]\s*(-?\d{1,3}\.\d{3,})\s*[)\]]?")
_FINE = re.compile(r"-?\d{1,3}\.\d{2,}")
_LATITUDES = frozenset(("latitude", "lat", "latitud", "latitudine", "breitengrad", "breedtegraad"))


def find_addresses(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are addresses: words with a house number, and streets."""
    if sample.form != "text":
        return ()
    numbered = sample.matching(has_house_number)
    if sample.has_few_values:  # `Unit 1` and `Unit 2` are wards
        numbered &= sample.matching(_is_long)
    share = sample.share(numbered)
    streets = sample.share(numbered & sample.matching(has_street))
    if share < ADDRESSES or (streets < STREETS and "street address" not in hinted):
        return ()
    named = [share_reason("streets", streets)] if streets else []
    return (
        finding_by_values("street address", share, share_reason("house-numbers", share), *named),
    )


def find_coordinates(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether the values are coordinates on the earth, to about a kilometre or finer."""
    if sample.form == "text":
        pairs = sample.matching(_is_pair)
        share = sample.share(pairs)
        if share >= 0.9:
            return (finding_by_values("coordinates", share, share_reason("pairs", share)),)
    if "coordinates" not in hinted or sample.form not in {"decimal", "text"}:
        return ()
    limit = 90.0 if _LATITUDES & set(name_words(sample.name)) else 180.0
    fine = sample.matching(
        lambda value: _FINE.fullmatch(value) is not None and abs(float(value)) <= limit
    )
    share = sample.share(fine)
    if share < 0.8 or sample.distinctness < 0.01:
        return ()
    kind = "latitudes" if limit == 90.0 else "longitudes"
    return (finding_by_values("coordinates", share, share_reason(kind, share)),)


def has_house_number(value: str) -> bool:
    """Return whether a text begins with a number and words, or has one after words.

    Examples
    --------
    >>> [has_house_number(t) for t in ("12 Main Street", "Hauptstr. 5a", "5 mg", "Room")]
    [True, True, True, False]
    """
    first_line = " ".join(value.lower().split())
    if len(first_line.split()) > _MOST_NUMBERED * 2:
        return False
    return bool(_NUMBER_FIRST.fullmatch(first_line) or _NUMBER_LATER.fullmatch(first_line))


def _is_long(value: str) -> bool:
    """Return whether a text has two words, or a long one."""
    words = _LETTERS.findall(value)
    return len(words) > 1 or any(len(word) > _SHORT_WORD for word in words)


def has_street(value: str) -> bool:
    """Return whether a text has a word for a street."""
    return _STREET.search(fold_accents(value).lower()) is not None


def _is_pair(value: str) -> bool:
    pair = _PAIR.fullmatch(value)
    return pair is not None and abs(float(pair[1])) <= 90 and abs(float(pair[2])) <= 180
