"""What the names of columns hint at."""

from __future__ import annotations

import pytest

from kanonym.data.schema import Role
from kanonym.profiling.words import (
    CATEGORIES,
    LONGEST_PHRASE,
    entries,
    fold_accents,
    name_hints,
    name_words,
    safe_harbor,
)


def what(name, *, role=None, sure=None):
    """Return what a name hints at, of one role and one sureness or of any."""
    return {
        hint.what
        for hint in name_hints(name)
        if role in {None, hint.role} and sure in {None, hint.sure}
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("first_name", "name of a person"),
        ("Nachname", "name of a person"),
        ("Prénom", "name of a person"),
        ("Apellidos", "name of a person"),
        ("cognome", "name of a person"),
        ("Sobrenome", "name of a person"),
        ("achternaam", "name of a person"),
        ("E-Mail-Adresse", "e-mail address"),
        ("courriel", "e-mail address"),
        ("Telefonnummer", "phone number"),
        ("numéro_de_téléphone", "phone number"),
        ("homeAddress", "street address"),
        ("Straße", "street address"),
        ("dirección", "street address"),
        ("SSN", "social security number"),
        ("codice fiscale", "national number"),
        ("Steuer-ID", "national number"),
        ("BSN", "national number"),
        ("passport_no", "passport number"),
        ("Versichertennummer", "insurance number"),
        ("PatientID", "medical record number"),
        ("customer_id", "record number"),
        ("Kundennummer", "record number"),
        ("IBAN", "IBAN"),
        ("bank_account", "account number"),
        ("creditCardNumber", "card number"),
        ("license_plate", "vehicle identifier"),
        ("ip_address", "IP address"),
        ("device_id", "device identifier"),
        ("姓名", "name of a person"),
        ("성명", "name of a person"),
        ("Matr.-Nr.", "record number"),
        ("car_plate", "vehicle identifier"),
        ("Autokennzeichen", "vehicle identifier"),
        ("plate", "vehicle identifier"),
        ("latitude", "coordinates"),
    ],
)
def test_words_of_seven_languages_name_identifiers(name, kind):
    """Names of columns in several languages and spellings are sure of their identifier."""
    assert what(name, role=Role.IDENTIFIER, sure=True) == {kind}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DAYS_BIRTH", "date of birth"),
        ("Geburtsdatum", "date of birth"),
        ("âge", "age"),
        ("Geschlecht", "sex"),
        ("zipCode", "postal code"),
        ("PLZ", "postal code"),
        ("codigo_postal", "postal code"),
        ("native-country", "country"),
        ("marital-status", "marital status"),
        ("estado civil", "marital status"),
        ("workclass", "occupation"),
        ("household_size", "household"),
        ("smsa", "place"),
        ("motheduc", "education"),
        ("agesq", "age"),
        ("modth", "date"),
        ("Schulbildung", "education"),
        ("Krankenhausname", "care or institution"),
    ],
)
def test_words_name_quasi_identifiers(name, kind):
    """What describes a person among others is quasi-identifying and no identifier."""
    assert kind in what(name, role=Role.QUASI_IDENTIFIER)
    assert not what(name, role=Role.IDENTIFIER)
    assert not what(name, role=Role.SENSITIVE)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("diagnosis", "diagnosis"),
        ("lwage", "income"),
        ("loginc", "income"),
        ("chroniccough", "health"),
        ("Jahreseinkommen", "income"),
        ("Haushaltseinkommen", "income"),
        ("Blutdruckwert", "test result"),
        ("tension artérielle", "test result"),
        ("Colesterolo", "test result"),
        ("satisfação", "opinion"),
        ("stress_level", "health"),
        ("Schlafdauer", "habit"),
        ("ervaren_pijn", "health"),
        ("depress1", "health"),
        ("prescribed", "treatment"),
        ("HIV_status", "health"),
        ("Krankheit", "health"),
        ("drug_name", "treatment"),
        ("exam_score", "score or grade"),
        ("Gehalt", "income"),
        ("AMT_CREDIT", "wealth or debt"),
        ("criminalRecord", "crime"),
        ("sexual_orientation", "sexual life"),
        ("voted_for", "political opinion or union"),
    ],
)
def test_words_name_sensitive_attributes(name, kind):
    """What nobody should learn of a person is sensitive."""
    assert kind in what(name, role=Role.SENSITIVE)


@pytest.mark.parametrize("name", ["race", "religion", "union", "disability", "edad_diagnostico"])
def test_what_is_sensitive_and_known_is_both(name):
    """Both roles are hinted at of what is sensitive and seen by others, and of when it was."""
    roles = {hint.role for hint in name_hints(name)}
    assert roles == {Role.SENSITIVE, Role.QUASI_IDENTIFIER}


@pytest.mark.parametrize(
    "name", ["job_satisfaction", "household_income", "school_score", "hours_sleep_per_school_day"]
)
def test_what_yields_says_nothing_beside_what_is_sensitive(name):
    """A satisfaction with the job is no occupation, and what follows `per` is a unit."""
    assert what(name, role=Role.SENSITIVE)
    assert not what(name, role=Role.QUASI_IDENTIFIER)


@pytest.mark.parametrize("name", ["diagnosis_date", "Diagnosedatum", "dxyr", "data_diagnosi"])
def test_when_something_was_is_known(name):
    """Others know when a person was ill, whatever it was."""
    assert "date" in what(name, role=Role.QUASI_IDENTIFIER)


@pytest.mark.parametrize("name", ["percentage", "package", "network", "heating_cost_x", "message"])
def test_words_are_not_taken_apart_at_will(name):
    """An age in `package` or a net in `network` is none."""
    assert not what(name) & {"age", "occupation", "habit"}


@pytest.mark.parametrize("name", ["emailAddress", "ip_address", "MAC address"])
def test_the_longer_phrase_hides_what_it_contains(name):
    """An address of a machine or of mail hints at no street."""
    assert "street address" not in what(name)


@pytest.mark.parametrize("name", ["product_name", "country_id", "company address"])
def test_words_that_may_mean_other_things_are_vague(name):
    """A name, number or address of something that is unknown is left to the values."""
    assert what(name, role=Role.IDENTIFIER, sure=False)
    assert not what(name, role=Role.IDENTIFIER, sure=True)


def test_what_is_vague_among_others_is_sure_alone():
    """A column called just `name` or `id` names persons or records."""
    assert what("name", sure=True) == {"name of a person"}
    assert "record number" in what("ID", sure=True)


@pytest.mark.parametrize("name", ["", "total", "_", "17", "paid", "valid", "message_count_x"])
def test_other_words_hint_at_no_identifier(name):
    """Words are compared whole: `paid` holds no id."""
    assert not what(name, role=Role.IDENTIFIER, sure=True)


def test_sampling_weights_are_no_body_weights():
    """A weight of a survey tells nobody apart by his body."""
    assert what("sampling_weight") == what("household_weights") == {"sampling weight"}
    assert what("weight") == {"body measure"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("firstName", ("first", "name")),
        ("SSNumber", ("ss", "number")),
        ("address_line.2", ("address", "line")),
        ("GRÖSSE", ("grosse",)),
        ("Дата рождения", ("дата", "рождения")),
    ],
)
def test_names_are_cut_into_plain_small_words(name, words):
    """Signs, digits and capitals part words; accents are folded; other scripts stay."""
    assert name_words(name) == words


def test_the_vocabulary_is_written_as_it_is_looked_up():
    """Each phrase is its own folded form, without gaps, else it would never be found."""
    for entry in entries():
        for phrase in f"{entry.sure} {entry.vague} {entry.alone}".split():
            assert fold_accents(phrase).lower() == phrase
            assert phrase.isalpha()
            assert any(hint.what == entry.what for hint in name_hints(phrase))
    assert LONGEST_PHRASE == 5


def test_safe_harbor_has_eighteen_categories_and_every_identifier_one():
    """45 CFR 164.514 lists (A) to (R); only free text is none of them by itself."""
    assert "".join(CATEGORIES) == "ABCDEFGHIJKLMNOPQR"
    without = {
        entry.what
        for entry in entries()
        if entry.role is Role.IDENTIFIER and safe_harbor(entry.what) is None
    }
    assert without == {"free text"}


def test_hints_say_what_safe_harbor_removes():
    """Postal codes and dates are quasi-identifiers that Safe Harbor removes, sex it leaves."""
    removed = {
        name: next(iter(name_hints(name))).safe_harbor for name in ("zip", "birthdate", "sex")
    }
    assert removed["zip"].startswith("(B)")
    assert removed["birthdate"].startswith("(C)")
    assert removed["sex"] is None
