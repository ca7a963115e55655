"""Whether one or two values, which all records share, can be what the column's name says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from kanonym.profiling.identifiers.persons import has_given_name, has_shape
from kanonym.profiling.identifiers.places import has_house_number, has_street
from kanonym.profiling.words import fold_accents

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
