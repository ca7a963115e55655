"""Telephone numbers of several countries."""

from __future__ import annotations

import phonenumbers
import polars as pl
import pytest

from kanonym.profiling.identifiers import find_identifiers

REGIONS = ["US", "GB", "DE", "FR", "ES", "IT", "NL", "AT", "SE", "BR", "IN", "JP"]


def numbers(region, form, count=40):
    """Return telephone numbers of a country beside its example, those that are valid."""
    first = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
    valid = []
    for step in range(200 * count):
        number = phonenumbers.PhoneNumber()
        number.merge_from(first)
        number.national_number = first.national_number + 37 * step
        if phonenumbers.is_valid_number(number):
            valid.append(phonenumbers.format_number(number, form))
    return valid[:count]


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("form", ["INTERNATIONAL", "E164"])
def test_numbers_with_the_code_of_a_country_are_found(region, form):
    """A plus and a valid number tell on their own."""
    values = numbers(region, getattr(phonenumbers.PhoneNumberFormat, form))
    (finding,) = find_identifiers(pl.Series("v", values))
    assert (finding.kind, finding.by) == ("phone number", "values")


@pytest.mark.parametrize("region", ["US", "GB", "DE", "FR", "NL"])
def test_numbers_as_countries_write_them_are_found(region):
    """Area codes in brackets, leading zeros and groups of digits tell, if some plan fits."""
    values = numbers(region, phonenumbers.PhoneNumberFormat.NATIONAL)
    (finding,) = find_identifiers(pl.Series("v", values))
    assert (finding.kind, finding.by) == ("phone number", "values")


@pytest.mark.parametrize("region", REGIONS)
def test_bare_digits_are_telephone_numbers_by_name(region):
    """Digits alone, as text or integers, need a column that is called so."""
    texts = numbers(region, phonenumbers.PhoneNumberFormat.E164)
    bare = [int(text[1:]) for text in texts]
    for column in (pl.Series("Telefon", bare), pl.Series("Telefon", [str(n) for n in bare])):
        finding = find_identifiers(column)[0]
        assert (finding.kind, finding.by) == ("phone number", "both")
    assert all(f.kind != "phone number" for f in find_identifiers(pl.Series("v", bare)))


def test_a_column_of_fax_numbers_has_its_own_category():
    """Safe Harbor counts telephones and fax machines apart."""
    values = numbers("US", phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    (finding,) = find_identifiers(pl.Series("fax", values))
    assert (finding.kind, finding.safe_harbor) == ("fax number", "(E) fax numbers")


@pytest.mark.parametrize(
    "values",
    [
        [f"{1 + n % 28:02d}.{1 + n % 12:02d}.{1950 + n}" for n in range(40)],
        [f"{1950 + n}-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(40)],
        [f"{n}.{n % 10}5" for n in range(1000, 1040)],
        ["yes", "no"] * 20,
    ],
    ids=["days", "ISO days", "amounts", "flags"],
)
@pytest.mark.parametrize("name", ["v", "phone"])
def test_days_and_amounts_are_no_telephone_numbers(values, name):
    """Digits with dots and hyphens have other uses; no name makes a day one a number by form."""
    assert all(finding.by == "name" for finding in find_identifiers(pl.Series(name, values)))
