"""Names of persons and where they live."""

from __future__ import annotations

import functools
import random

import polars as pl
import pytest
from faker import Faker

from kanonym.profiling.identifiers import find_identifiers
from kanonym.profiling.words import fold_accents

N = 150
LOCALES = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_PT", "nl_NL"]


@functools.cache
def made(provider, locale="en_US", count=N):
    """Return values of one of Faker's providers."""
    faker = Faker(locale)
    faker.seed_instance(1)
    return [getattr(faker, provider)() for _ in range(count)]


def kinds(name, values):
    """Return the kinds of identifier that a column is found to be."""
    return {finding.kind for finding in find_identifiers(pl.Series(name, values))}


@pytest.mark.parametrize("locale", LOCALES)
def test_full_names_are_found_without_a_hint(locale):
    """Capitalized words, some of them common given names, are names of persons."""
    (finding,) = find_identifiers(pl.Series("v", made("name", locale)))
    assert (finding.kind, finding.by) == ("name of a person", "values")
    assert finding.safe_harbor == "(A) names"


@pytest.mark.parametrize(
    "written", [str.upper, fold_accents, lambda name: ", ".join(name.split()[::-1])]
)
def test_names_in_capitals_or_turned_round_are_names(written):
    """Registers write SMITH JOHN and Smith, John."""
    assert kinds("v", [written(name) for name in made("name")]) == {"name of a person"}


def test_a_patient_is_a_name_or_a_number():
    """The values of a word of two meanings decide."""
    assert kinds("patient", made("name")) == {"name of a person"}
    assert kinds("patient", list(range(0, 2 * N, 2))) == {"record number"}


@pytest.mark.parametrize("name", ["surname", "Nachname", "nom_de_famille", "cognome", "last name"])
@pytest.mark.parametrize("locale", ["de_DE", "it_IT", "nl_NL"])
def test_surnames_need_the_column_to_be_called_so(name, locale):
    """Surnames are like other capitalized words; the name of the column tells."""
    (finding,) = find_identifiers(pl.Series(name, made("last_name", locale)))
    assert (finding.kind, finding.by) == ("name of a person", "both")


@pytest.mark.parametrize("locale", ["en_US", "de_DE", "fr_FR"])
@pytest.mark.parametrize("provider", ["country", "job", "company", "color_name"])
def test_other_capitalized_words_are_no_names(locale, provider):
    """Countries, jobs, companies and colours are not claimed."""
    assert "name of a person" not in kinds("v", made(provider, locale))


def test_cities_are_no_names():
    """Some cities are called after persons, but few."""
    cities = [
        "New York",
        "Los Angeles",
        "Chicago",
        "Houston",
        "Phoenix",
        "Philadelphia",
        "San Antonio",
        "San Diego",
        "Dallas",
        "San Jose",
        "Austin",
        "Jacksonville",
        "Columbus",
        "Charlotte",
        "Seattle",
        "Denver",
        "Washington",
        "Boston",
        "El Paso",
        "Paris",
        "Marseille",
        "Lyon",
        "Nice",
        "Berlin",
        "Hamburg",
        "Wien",
        "Graz",
        "Linz",
        "Roma",
        "Milano",
        "Madrid",
        "Sevilla",
        "Lisboa",
    ]
    assert kinds("v", cities * 3) == set()


@pytest.mark.parametrize("name", ["product_name", "hospital name", "unit name"])
def test_names_of_things_are_no_names_of_persons(name):
    """A vague word needs given names among the values."""
    rng = random.Random(1)  # noqa: S311 - made-up words
    words = ["Alpha", "Beta", "North", "South", "Ward", "Clinic", "Tower", "Hall", "Garden"]
    values = [" ".join(rng.sample(words, 3)) for _ in range(N)]
    assert kinds(name, values) == set()


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("provider", ["street_address", "address"])
def test_street_addresses_are_found(locale, provider):
    """Words with a house number, some of them kinds of streets, are addresses."""
    (finding,) = find_identifiers(pl.Series("v", made(provider, locale)))
    assert (finding.kind, finding.safe_harbor[:3]) == ("street address", "(B)")


@pytest.mark.parametrize(
    "values",
    [
        [f"{n} mg" for n in range(40)],
        [f"Group {n}" for n in range(40)],
        [f"type {n % 3} diabetes" for n in range(40)],
        [f"{n} years old" for n in range(40)],
    ],
    ids=["doses", "groups", "diagnoses", "ages"],
)
def test_words_with_other_numbers_are_no_addresses(values):
    """Without a kind of street, words and numbers are something else."""
    assert kinds("v", values) == set()


def test_coordinates_need_a_name_or_pairs():
    """Decimal numbers are coordinates where the column says so, pairs of them by their form."""
    rng = random.Random(1)  # noqa: S311 - made-up places
    places = [(rng.uniform(-90, 90), rng.uniform(-180, 180)) for _ in range(N)]
    north, east = ([round(one, 5) for one in line] for line in zip(*places, strict=True))
    assert kinds("lat", north) == kinds("longitude", east) == {"coordinates"}
    assert kinds("v", north) == set()
    assert kinds("v", [f"{a:.5f}, {b:.5f}" for a, b in places]) == {"coordinates"}


def test_coarse_numbers_are_no_coordinates():
    """Whole degrees and numbers out of range lead to nobody's door."""
    assert kinds("lat", [float(n) for n in range(-40, 41)]) == set()
    assert kinds("lat", [n + 0.125 for n in range(1000, 1100)]) == set()
