"""E-mail, web, IP and MAC addresses, UUIDs: told by their form."""

from __future__ import annotations

import uuid

import polars as pl
import pytest
from faker import Faker

from kanonym.profiling.identifiers import find_identifiers
from kanonym.profiling.identifiers.formats import is_ip

N = 40


def made(provider, locale="en_US"):
    """Return values of one of Faker's providers."""
    faker = Faker(locale)
    faker.seed_instance(1)
    return [str(getattr(faker, provider)()) for _ in range(N)]


@pytest.mark.parametrize(
    ("provider", "kind", "letter"),
    [
        ("email", "e-mail address", "F"),
        ("ipv4", "IP address", "O"),
        ("ipv6", "IP address", "O"),
        ("mac_address", "MAC address", "M"),
        ("uuid4", "UUID", "R"),
        ("uri", "web address", "N"),
        ("iban", "IBAN", "J"),
    ],
)
def test_forms_tell_on_their_own(provider, kind, letter):
    """A column of an unknown name is claimed by the form of its values."""
    (finding,) = find_identifiers(pl.Series("v", made(provider)))
    assert (finding.kind, finding.by, finding.share) == (kind, "values", 1.0)
    assert finding.safe_harbor.startswith(f"({letter})")


@pytest.mark.parametrize(
    ("name", "provider"), [("E-Mail", "email"), ("clientIP", "ipv4"), ("uuid", "uuid4")]
)
def test_name_and_form_together_are_both(name, provider):
    """Evidence of both kinds is one finding that says so."""
    (finding,) = find_identifiers(pl.Series(name, made(provider)))
    assert finding.by == "both"


def test_a_tenth_of_e_mail_addresses_is_enough():
    """A column of remarks with some addresses names those persons."""
    values = [*made("email")[:10], *(f"called {n} times" for n in range(40))]
    (finding,) = find_identifiers(pl.Series("v", values))
    assert (finding.kind, finding.share) == ("e-mail address", 0.2)


def test_shares_count_rows():
    """A value that many rows have counts many times."""
    values = [*made("email")[:10], *["unknown"] * 30]
    assert find_identifiers(pl.Series("v", values))[0].share == 0.25


@pytest.mark.parametrize(
    "values",
    [
        [f"1.{n % 3}.{n % 7}.{n}" for n in range(N)],
        [f"12:{n:02d}" for n in range(N)],
        [f"12:{n:02d}:07" for n in range(N)],
        [f"user at example {n}" for n in range(N)],
    ],
    ids=["versions", "times", "times with seconds", "no address"],
)
def test_what_looks_alike_is_none(values):
    """Versions of programs and times are no addresses."""
    assert find_identifiers(pl.Series("v", values)) == ()


def test_codes_that_many_records_share_name_none_of_them():
    """A UUID of five hospitals is no identifier, unless the column's name says so."""
    values = [str(uuid.UUID(int=n)) for n in range(5)] * 20
    assert find_identifiers(pl.Series("v", values)) == ()
    assert find_identifiers(pl.Series("uuid", values))[0].by == "both"


@pytest.mark.parametrize("text", ["", "12", "1.2.3", "256.1.1.1", "::g", "a:b"])
def test_only_addresses_are_ip_addresses(text):
    """What the standard library does not parse is none."""
    assert not is_ip(text)
