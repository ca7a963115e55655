"""Releases of other tools: every form of their labels, in all that reads them."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import kanonym as ka

ROWS = 24
AGES = [20 + 7 * i % 40 for i in range(ROWS)]
ZIPS = [("25111", "25122", "30144", "30155")[i % 4] for i in range(ROWS)]
BORN = [dt.date(1960 + i % 20, 1 + i % 12, 1 + i % 28) for i in range(ROWS)]
SICK = [("flu", "cold", "asthma")[i % 3] for i in range(ROWS)]
KNOWN = ["age", "zip", "born"]
STYLES = {"born": {"type": "date", "format": "%d/%m/%Y"}}


def released(age, code, born):
    """Return the table with each quasi-identifier as a form writes it."""
    return pl.DataFrame(
        {
            "age": [age(value // 20 * 20) for value in AGES],
            "zip": [code(value[:2]) for value in ZIPS],
            "born": [born(value.year // 10 * 10) for value in BORN],
            "disease": SICK,
        }
    )


ORIGINAL = pl.DataFrame(
    {
        "age": AGES,
        "zip": ZIPS,
        "born": [value.strftime("%d/%m/%Y") for value in BORN],
        "disease": SICK,
    }
)
OWN = released(
    lambda low: f"[{low}, {low + 20})",
    lambda start: f"{start}***",
    lambda year: f"[01/01/{year}, 31/12/{year + 9}]",
)
FORMS = {
    "ARX": (
        lambda low: f"[{low}, {low + 20}[",
        lambda start: "{25111, 25122}" if start == "25" else "{30144, 30155}",
        lambda year: f"[01/01/{year}, 01/01/{year + 10}[",
    ),
    "Amnesia": (
        lambda low: f"{low}-{low + 19}",
        lambda start: f"{start}***",
        lambda year: f"1/1/{year}-31/12/{year + 9}",
    ),
    "Amnesia, months": (
        lambda low: f"{low}.0-{low + 19}.0",
        lambda start: f"{start}***",
        lambda year: f"1/{year}-12/{year + 9}",
    ),
    "Amnesia, years": (
        lambda low: f"{low}-{low + 19}",
        lambda start: f"{start}***",
        lambda year: f"{year}-{year + 9}",
    ),
    "SIGO": (
        lambda low: [low, low + 19],
        lambda start: f"{start}***",
        lambda year: f"[01/01/{year}, 31/12/{year + 9}]",
    ),
    "SIGO, texts": (
        lambda low: [low, low + 19],
        lambda start: ["25111", "25122"] if start == "25" else ["30144", "30155"],
        lambda year: f"[01/01/{year}, 31/12/{year + 9}]",
    ),
    "letters": (
        lambda low: f"{low} - {low + 19}",
        lambda start: f"{start}xxx",
        lambda year: f"01/01/{year} - 31/12/{year + 9}",
    ),
    "signs": (
        lambda low: f"{low}–{low + 19}",
        lambda start: f"{start}###",
        lambda year: f"01/01/{year}–31/12/{year + 9}",
    ),
    "other characters": (
        lambda low: f"]{low - 1}, {low + 19}]",
        lambda start: f"{start}$$$",
        lambda year: f"]31/12/{year - 1}, 31/12/{year + 9}]",
    ),
    "bounds": (
        lambda low: "<40" if low < 40 else ">=40",
        lambda start: f"{start}ZZZ",
        lambda year: "<01/01/1970" if year < 1970 else "≥01/01/1970",
    ),
}


def policy(**parts):
    """Return a policy of the table, dates declared, with further parts."""
    attributes = {name: ka.QuasiIdentifier(**STYLES.get(name, {})) for name in KNOWN}
    attributes["disease"] = ka.Sensitive()
    return ka.Policy(attributes=attributes, models=[ka.KAnonymity(2)], **parts)


def loss(table):
    """Return how much a release leaves open."""
    return ka.utility(ORIGINAL, table, policy(), measures=["gcp"]).entries()["gcp"].value


@pytest.mark.parametrize("form", FORMS)
def test_labels_of_other_tools_count_as_much_as_our_own(form):
    """A label costs what our own label of the same values costs, whoever wrote it."""
    assert loss(released(*FORMS[form])) == pytest.approx(loss(OWN), abs=0.05)


@pytest.mark.parametrize("form", FORMS)
def test_every_command_reads_the_labels_of_other_tools(form):
    """Classes, verdict, risk and attack are those of the release with our own labels."""
    table = released(*FORMS[form])
    columns = {"quasi_identifiers": KNOWN, "sensitive": ["disease"]}
    own, other = (ka.measure(one, **columns) for one in (OWN, table))
    assert other.to_dict() == own.to_dict()
    own, other = (ka.verify(one, policy()) for one in (OWN, table))
    assert other.satisfied == own.satisfied
    assert other.n_classes == own.n_classes
    own, other = (ka.risk(one, **columns).entries()["k"].value for one in (OWN, table))
    assert other == own
    own, other = (
        ka.attack(ORIGINAL, one, policy(), attacks=["homogeneity"]).to_dict()["attacks"]
        for one in (OWN, table)
    )
    assert other == own


def test_null_of_amnesia_is_null():
    """`(null)` leaves open what null does."""
    written, plain = (
        OWN.with_columns(zip=pl.Series([text if i % 2 else ZIPS[i] for i in range(ROWS)]))
        for text in ("(null)", None)
    )
    assert loss(written) == loss(plain)


def test_a_label_that_names_no_values_asks_for_its_hierarchy():
    """`Random1`, which Amnesia makes up, is refused; the error says how to declare it."""
    made_up = OWN.with_columns(zip=pl.lit("Random1"))
    for judged in (ka.utility, ka.attack):
        with pytest.raises(ka.SchemaError, match="give the hierarchy of which it is a label"):
            judged(ORIGINAL, made_up, policy())


def test_an_interval_of_texts_leaves_open_what_lies_between():
    """`[a, c]`, or that as a list of two, is every text between them by alphabet."""
    original = pl.DataFrame({"gear": ["a", "b", "c", "d"], "secret": ["x", "y", "x", "y"]})
    for between, last in ((["a", "c"], ["d", "d"]), ("[a, c]", "d")):
        table = original.with_columns(gear=pl.Series([between] * 3 + [last]))
        found = ka.utility(original, table, quasi_identifiers=["gear"], measures=["gcp"])
        assert found.entries()["gcp"].value == pytest.approx(3 * (2 / 3) / 4)
