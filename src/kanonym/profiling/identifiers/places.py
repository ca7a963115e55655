"""Where somebody lives: street addresses and coordinates."""

from __future__ import annotations

import re

from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample
from kanonym.profiling.words import fold_accents, name_words

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
    """Return whether the values are coordinates on the earth, to about a kilometre or finer.

    Pairs of numbers in one text are told by their form, numbers on their own only where the
    column's name hints at them.
    """
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
