"""Identifiers whose form alone tells what they are: e-mail, web, IP and MAC addresses, UUIDs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

from kanonym.profiling.identifiers.finding import Finding, finding_by_values, share_reason
from kanonym.profiling.identifiers.sample import Sample

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
