"""Identifiers of one or two persons, each with many records."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.profiling.identifiers import find_identifiers

N = 24
KNOWN = {
    "name": ["Anna Schmidt", "Peter Maier"],
    "surname": ["Schmidt", "Weber"],
    "vorname": ["anna", "peter"],
    "patient": ["Anna Schmidt", "Peter Maier"],
    "姓名": ["张伟", "王芳"],
    "email": ["anna@x.org", "peter@x.org"],
    "ssn": ["123-45-6789", "123-45-6780"],
    "phone": ["+49 30 1234567", "+49 30 1234568"],
    "fax": ["030 1234567", "030 1234568"],
    "username": ["asmith", "bjones"],
    "customer_id": [1001, 1002],
    "Kundennummer": [7, 8],
    "patient_id": ["P1", "P2"],
    "passport": ["C01X00T47", "C01X00T48"],
    "iban": ["DE89370400440532013000", "GB82WEST12345698765432"],
    "address": ["12 Main Street", "5 Elm Road"],
    "street": ["Unter den Linden", "Hauptstrasse"],
    "latitude": [52.5163, 48.1374],
    "ip_address": ["192.0.2.17", "192.0.2.18"],
    "photo": ["faces/anna.jpg", "faces/peter.jpg"],
    "website": ["anna.example.org", "peter.example.org"],
    "account": [10023344, 10024341],
    "plate": ["B MW 1234", "M AB 12"],
}
UNKNOWN = {
    "name of a person": ["Anna Schmidt", "Peter Maier"],
    "e-mail address": ["anna@x.org", "peter@x.org"],
    "social security number": ["219-45-6789", "123-45-6780"],
    "phone number": ["+49 30 1234567", "+49 30 1234568"],
    "IBAN": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "street address": ["12 Main Street", "Hauptstr. 5a"],
    "IP address": ["192.168.2.17", "192.168.2.18"],
}
OTHERS = {
    "phone": ["yes", "no"],
    "has_email": [0, 1],
    "passport": [1, 2],
    "iban": ["Y", "N"],
    "patient": ["Yes", "No"],
    "customer": ["New", "Returning"],
    "client": ["Corporate", "Retail"],
    "person": [1, 2],
    "id": [0, 1],
    "name": ["Control", "Treated"],
    "login": ["success", "failure"],
    "street": ["Pave", "Grvl"],
    "licence": ["B", "C1"],
    "photo": ["n/a", "yes"],
    "website": ["yes", "n/a"],
    "account": ["checking", "savings"],
    "accounts": [1, 12],
    "ward": ["Unit 1", "Unit 2"],
    "city": ["San Diego del Rio", "Santiago Ana"],
    "country": ["Germany", "Germany"],
    "sex": ["Male", "Female"],
    "v": ["Charlotte", "Austin"],
    "smoker": [True, False],
}


def kinds(name, values, dtype=None):
    """Return the kinds of identifier that a column is found to be."""
    return {one.kind for one in find_identifiers(pl.Series(name, values, dtype=dtype))}


@pytest.mark.parametrize("name", KNOWN)
def test_identifiers_of_one_or_two_persons_are_believed_their_name(name):
    """A name that says so and values of its form identify, however few persons there are."""
    one, other = KNOWN[name]
    assert kinds(name, [one] * N)
    assert kinds(name, [one, other] * (N // 2))


@pytest.mark.parametrize("kind", UNKNOWN)
def test_identifiers_of_one_or_two_persons_are_told_by_their_form(kind):
    """Forms that nothing else has identify under any name."""
    one, other = UNKNOWN[kind]
    assert kinds("v", [one] * N) == {kind}
    assert kinds("v", [one, other] * (N // 2)) == {kind}


@pytest.mark.parametrize("name", OTHERS)
def test_flags_and_small_categories_are_no_identifiers(name):
    """A column that is called as an identifier, but says who has one, is none."""
    one, other = OTHERS[name]
    assert kinds(name, [one] * N) == set()
    assert kinds(name, [one, other] * (N // 2)) == set()


@pytest.mark.parametrize("dtype", [pl.String, pl.Int64, pl.Float64])
def test_columns_without_a_value_have_no_form(dtype):
    """Nothing is found in what is missing, unless the column's name says it."""
    assert kinds("v", [None] * N, dtype) == set()


def test_one_identifier_beside_a_placeholder_is_enough():
    """A number of one person identifies, whatever the other records say."""
    assert kinds("passport", ["C01X00T47"] * 3 + ["none"] * N) == {"passport number"}


@pytest.mark.parametrize("name", ["v", "doctor"])
def test_a_few_full_names_are_names(name):
    """Three persons of two names each, one of them common, are persons."""
    values = ["Anna Schmidt", "Peter Maier", "Julia Weber"]
    assert kinds(name, values * 8) == {"name of a person"}


def test_a_first_and_a_second_customer_are_two():
    """Numbers 1 and 2 of a column that can hold nothing else are no flag."""
    assert kinds("customer_id", [1, 2] * N) == {"record number"}


def test_evidence_of_repeated_identifiers_has_no_value():
    """What is said of one person's column can be shown to anybody."""
    for name, (one, other) in KNOWN.items():
        for finding in find_identifiers(pl.Series(name, [one, other] * N)):
            if len(str(one)) > 2:
                assert str(one) not in finding.evidence
                assert str(other) not in finding.evidence


@pytest.mark.parametrize("name", ["acct", "account", "Konto"])
@pytest.mark.parametrize("rows", [8, 60])
def test_long_bare_numbers_of_accounts_are_found_in_short_tables(name, rows):
    """Numbers of a bank are of about one length; repeated ones identify, too."""
    numbers = [10_023_344 + 997 * at for at in range(rows)]
    assert kinds(name, numbers) >= {"account number"}
    assert kinds(name, numbers * 3) == {"account number"}


def test_counts_and_amounts_of_accounts_are_no_numbers_of_them():
    """Short numbers, numbers of any length, and balances are left alone."""
    assert kinds("accounts", [at % 9 for at in range(90)]) == set()
    assert kinds("account", [7**at for at in range(12)] * 3) == set()
    assert kinds("account_balance", [12_345 + 7 * (at // 2) for at in range(60)]) == set()


@pytest.mark.parametrize(
    "name", ["plate", "car_plate", "Kennzeichen", "KFZ-Kennzeichen", "matrícula", "Immatriculation"]
)
def test_plates_of_cars_are_found_with_blanks_and_repeated(name):
    """Plates are written with blanks, and a car may stand in several records."""
    plates = [f"B MW {1000 + at // 6}" for at in range(60)]
    assert kinds(name, plates) == {"vehicle identifier"}


@pytest.mark.parametrize("name", ["Matr.-Nr.", "Matrikel-Nr", "student_no", "matricola"])
def test_numbers_of_students_are_found_where_they_repeat(name):
    """A student who sits several exams has several records."""
    assert kinds(name, [4711 + 7 * (at // 4) for at in range(60)]) == {"record number"}


@pytest.mark.parametrize("name", ["id", "house_no", "account_id"])
def test_a_few_short_codes_of_many_records_are_categories(name):
    """Seven values in 944 records are no identifier because of the column's name."""
    values = [1 + i % 7 for i in range(944)]
    assert kinds(name, values) == set()
    assert kinds(name, [f"A{value}" for value in values]) == set()


def test_a_few_patients_of_many_visits_are_persons():
    """Numbers of patients stay identifiers, however few patients there are."""
    assert kinds("patient_id", [1 + i % 7 for i in range(944)]) == {"medical record number"}
