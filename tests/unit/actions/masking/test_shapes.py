"""Email addresses, telephone numbers and bank accounts by their shape."""

from __future__ import annotations

import pytest

from action_context import applied
from kanonym.actions import MaskEmail, MaskIban, MaskPhone


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("anna.maier@example.com", "a***@e***.com"),
        ("a@e.com", "a***@e***.com"),
        (" Anna@mail.example.co.uk ", "A***@m***.uk"),
        ("no address", "***"),
        ("@example.com", "***"),
        ("anna@localhost", "***"),
        ("anna@example.com, bob@example.com", "***"),
        ("", "***"),
    ],
)
def test_an_address_shows_two_first_letters_and_its_top_level_domain(address, masked):
    """Neither length is visible, and what is no address is hidden whole."""
    assert applied(MaskEmail(), [address]) == [masked]


@pytest.mark.parametrize(
    ("number", "masked"),
    [
        ("+49 30 123 4567", "+49 ** *** **67"),
        ("+1 (212) 555-0123", "+1 (***) ***-**23"),
        ("+351912345678", "+351*******78"),
        ("0049301234567", "0049*******67"),
        ("030/1234567", "***/*****67"),
        ("1234567", "*****67"),
        ("123456", "***"),
        ("+49 12345", "***"),
        ("call Anna 0301234567", "***"),
        ("", "***"),
    ],
)
def test_a_telephone_number_shows_its_country_and_two_digits(number, masked):
    """Separators stay; what is no number, or too short a one, is hidden whole."""
    assert applied(MaskPhone(), [number]) == [masked]


def test_a_telephone_number_may_be_a_number():
    """Read from a file, one without separators is an integer."""
    assert applied(MaskPhone(), [301234567]) == ["*******67"]


@pytest.mark.parametrize(
    ("account", "masked"),
    [
        ("DE89 3704 0044 0532 0130 00", "DE** **** **** **** **30 00"),
        ("DE89370400440532013000", "DE****************3000"),
        ("NO93-8601-1117-947", "NO**-****-***7-947"),
        ("1234", "***"),
        ("DE89", "***"),
        ("my account DE89370400440532013000", "***"),
        ("", "***"),
    ],
)
def test_an_account_shows_its_country_and_four_characters(account, masked):
    """Separators stay; what has not the form of an IBAN is hidden whole."""
    assert applied(MaskIban(), [account]) == [masked]
