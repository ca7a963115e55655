"""Identifiers by format and by the name of the column."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kanonym.data.schema import Role
from kanonym.profiling.identifiers.persons import can_be
from kanonym.profiling.identifiers.sample import Finding, Sample, finding_by_values, share_reason
from kanonym.profiling.reasons import Reason
from kanonym.profiling.words import Hint, name_hints, safe_harbor

LEAST = 0.5
"""Share of the rows that could be what the name says."""

CATEGORIES, SHORT, SHARED = 20, 3, 100
"""At most so many values of so few characters, each of so many rows on average, are categories."""

OF_PERSONS = ("name of a person", "medical record number", "national number")
"""Kinds whose few values are persons with many records, however short they are."""

_CODE = re.compile(r"(?=.*\d)[^\s,;]{1,64}|\d[\d ./-]{0,30}")
_PATHS = re.compile(r"[^\n]{3,}")

_POSSIBLE: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "name of a person": re.compile(r"[^\d@/_<>=]{1,80}"),
        "user name": re.compile(r"[^\s]{2,64}"),
        "e-mail address": re.compile(r".*@.*"),
        "phone number": re.compile(r"[^A-Za-z]*(?:\d[^A-Za-z]*){6,}.{0,10}"),
        "fax number": re.compile(r"[^A-Za-z]*(?:\d[^A-Za-z]*){6,}.{0,10}"),
        "street address": re.compile(r".*[^\W\d_].*|\d{1,5} ?[a-zA-Z]?", re.DOTALL),
        "coordinates": re.compile(r"-?\d{1,3}\.\d{2,}|.*\d\.\d.*\d\.\d.*"),
        "web address": re.compile(r".*[./].*"),
        "IP address": re.compile(r"[\da-fA-F.:]+[.:][\da-fA-F.:]+"),
        "vehicle identifier": re.compile(r"(?=.*\d)[^\W_][\w .·/-]{2,19}"),
        "MAC address": re.compile(r"[\da-fA-F:.-]{12,17}"),
        "national number": re.compile(r"(?:[^\W\d_/. -]*[/. -]?\d){5}.*"),
        "social security number": re.compile(r"(?:[^\W\d_/. -]*[*/. -]*\d){4}.*"),
        "biometric": _PATHS,
        "photograph": _PATHS,
    }
)


def find_named(sample: Sample) -> tuple[Finding, ...]:
    """Return the kinds of identifier that the column's name says, if the values can be such.

    Half of the rows must have a value that could be one, or half of the values must be
    different ones: a column `phone` of yes and no is neither, a column `email` of pseudonyms
    is the latter. Of a long column of one or two values one is enough, if it is more than a
    flag or a small category (`can_be`). A column without any value is believed its name.
    """
    findings = []
    hints = [
        one for one in sorted(name_hints(sample.name)) if one.role is Role.IDENTIFIER and one.sure
    ]
    for hint in hints:
        finding = _match_hint(sample, hint, ambiguous=len(hints) > 1)
        if finding is not None:
            findings.append(finding)
    # `patient` is a name or a number: where the values can be one, they are not the other.
    likely = [finding for finding in findings if finding.share >= LEAST]
    return tuple(sorted(likely or findings, key=lambda finding: -finding.share))


def _match_hint(sample: Sample, hint: Hint, *, ambiguous: bool) -> Finding | None:
    reason = Reason("named", terms=(hint.what,))
    if sample.n_filled == 0 or (sample.form == "text" and not sample.values):
        reasons = reason, Reason("no-values")
        return Finding(hint.what, reasons, 0.0, "name", safe_harbor(hint.what))
    if sample.form == "other" or (hint.what not in OF_PERSONS and _is_category(sample)):
        return None
    if sample.has_few_values:
        share = sample.share(
            sample.matching(lambda value: can_be(value, hint.what, ambiguous=ambiguous))
        )
    else:
        possible = _POSSIBLE.get(hint.what, _CODE)
        share = sample.share(sample.matching(possible.fullmatch))
    if share >= LEAST or (sample.has_few_values and share):
        reasons = reason, share_reason("possible", share)
    elif share == 0.0 and sample.form == "decimal":
        return None
    elif sample.distinctness >= LEAST:
        reasons = reason, share_reason("unusual", share)
    else:
        return None
    return Finding(hint.what, reasons, share, "name", safe_harbor(hint.what))


def _is_category(sample: Sample) -> bool:
    """Whether a column has a few short values that very many rows share: wards, house types."""
    values = sample.values
    return (
        0 < len(values) <= CATEGORIES
        and sample.n_filled >= SHARED * len(values)
        and all(len(value) <= SHORT for value in values)
    )


_HEX = "[0-9a-fA-F]"
_EMAIL = re.compile(r"(?:mailto:)?[^\s@,;<>()]{1,64}@[^\s@,;<>()]+\.[^\s@,;<>()\d.]{2,}")
_URL = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s/?#]+\.[^\s]{2,}", re.IGNORECASE)
_MAC = re.compile(
    rf"{_HEX}{{2}}([:-]){_HEX}{{2}}(?:\1{_HEX}{{2}}){{4}}|(?:{_HEX}{{4}}\.){{2}}{_HEX}{{4}}"
)
_UUID = re.compile(rf"\{{?{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}\}}?")
_HANDLE = re.compile(r"@[A-Za-z0-9_.]{2,30}")
# Versions of programs have four numbers too, but small ones.
_LARGE_OCTET = re.compile(r"(?<!\d)\d{3}(?!\d)")


@dataclass(frozen=True, slots=True)
class Format:
    """A form of values."""

    kind: str
    plural: str
    matches: Callable[[str], object]
    least: float
    distinctness: float = 0.0


def is_ip(text: str) -> bool:
    """Return whether a text is an IPv4 or IPv6 address, with or without a prefix length.

    Examples
    --------
    >>> is_ip("192.0.2.7"), is_ip("2001:db8::1"), is_ip("1.2.3")
    (True, True, False)
    """
    if "." not in text and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return True


FORMATS = (
    Format("e-mail address", "e-mail addresses", _EMAIL.fullmatch, 0.1),
    Format("IP address", "IP addresses", is_ip, 0.5),
    Format("MAC address", "MAC addresses of network devices", _MAC.fullmatch, 0.1),
    Format("UUID", "UUIDs", _UUID.fullmatch, 0.5, 0.5),
    Format("web address", "web addresses", _URL.match, 0.5, 0.5),
    Format("user name", "account names that start with @", _HANDLE.fullmatch, 0.9, 0.5),
)


def find_formats(sample: Sample, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return what the form of the values tells."""
    if sample.form != "text":
        return ()
    found = []
    for form in FORMATS:
        matching = sample.matching(form.matches)
        share = sample.share(matching)
        if share < form.least:
            continue
        if form.kind not in hinted and (
            sample.distinctness < form.distinctness
            or (
                form.kind == "IP address"
                and not any(map(_LARGE_OCTET.search, sample.values))
                and not any(":" in value for value in sample.values)
            )
        ):
            continue
        found.append(finding_by_values(form.kind, share, share_reason("form", share, form.plural)))
    return tuple(found)
