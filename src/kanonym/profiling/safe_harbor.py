"""The identifiers that HIPAA's Safe Harbor removes: 45 CFR 164.514(b)(2)(i)(A) to (R)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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

_LETTERS = {
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
    letter = _LETTERS.get(kind)
    return None if letter is None else f"({letter}) {CATEGORIES[letter]}"
