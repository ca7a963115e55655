"""How columns are read, from a file to its release: one law for each kind of cell."""

from __future__ import annotations

import datetime as dt
import re

import polars as pl
import pytest

import kanonym as ka
from kanonym import pipeline
from kanonym.data.errors import DataError
from kanonym.data.readings import detect, detect_readings
from kanonym.pipeline.planning import parse_with_policy

AGES = [str(age) for age in range(18, 90)] * 3
HEIGHTS = [f"{height} cm" for height in range(150, 210)] * 4
DAYS = [(dt.date(1941, 1, 15) + dt.timedelta(days=89 * i)) for i in range(230)]


def read(cells, **declared):
    """Return the values, the exceptions and the sentences of a column of a file."""
    column = pl.Series("x", cells, dtype=pl.String)
    found = detect_readings(pl.DataFrame([column]), missing={"x": declared.get("missing", ())})
    reading = found.readings.get("x")
    values = None if reading is None else reading.read(column)
    exceptions = () if reading is None else reading.exceptions
    return values, set(exceptions or ()), " ".join(found.sentences)


def release(cells, k=5, **attribute):
    """Return the released column of a file with one quasi-identifier."""
    table = pl.DataFrame({"x": cells})
    policy = ka.Policy(attributes={"x": ka.QuasiIdentifier(**attribute)}, models=[ka.KAnonymity(k)])
    policy, _ = pipeline.with_readings(policy, table)
    made = ka.anonymize(table, policy)
    assert made.verification.satisfied
    return made.frame["x"].to_list()


BOUNDS = {
    "90+": 90.0,
    "≥90": 90.0,
    ">89": 89.0,
    "90 and over": 90.0,
    "90 y más": 90.0,
    "90 et plus": 90.0,
    "<18": 18.0,
    "under 18": 18.0,
    "unter 18": 18.0,
}


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_stands_at_the_end_of_the_order(bound):
    """A top or bottom code is a value beyond all numbers, and a label with it says so."""
    values, exceptions, sentences = read([*AGES, *[bound] * 8])
    numbers = values.head(len(AGES))
    assert not exceptions
    assert bound in sentences
    assert values[-1] > numbers.max() or values[-1] < numbers.min()
    assert abs(values[-1] - BOUNDS[bound]) < 1e-6
    labels = {label for label in release([*AGES, *[bound] * 8]) if bound in label}
    assert labels
    assert all(re.fullmatch(r"\[.*\]", label) or label == bound for label in labels)


def test_an_interval_with_a_bound_is_open():
    """The interval of a hierarchy that holds `90+` is `>=90`: it may stand for 97."""
    column = [*AGES, *["90+"] * 8, *["<18"] * 8]
    released = set(release(column, k=20, hierarchy=ka.hierarchy.intervals(width=[10])))
    assert ">=90" in released or "*" in released
    assert not {"[90, 100)", "[10, 20)"} & released


def test_a_bound_amid_numbers_is_an_exception():
    """`<50` among numbers below 50 has no place in their order."""
    assert read([*AGES, "<50", "90+"])[1] == {"<50"}


SHARES = {
    "95 of 100": (95, ["3O", "twenty", "l9", "4 or 5", "7?"], True),
    "94 of 100": (94, ["3O", "twenty", "l9", "4 or 5", "7?", "6;"], False),
    "fewer than 20 numbers": (11, ["3O"], False),
    "half, and one word": (100, ["refused"] * 80, True),
    "half, and one word with a digit": (100, ["no 9"] * 80, False),
}


@pytest.mark.parametrize(("numbers", "others", "typed"), SHARES.values(), ids=SHARES)
def test_few_cells_do_not_decide_about_a_column(numbers, others, typed):
    """Exceptions are at most one cell in 20, or half of the cells where they are few words."""
    values, exceptions, sentences = read([*map(str, range(1, numbers + 1)), *others])
    assert (values is not None) == typed
    assert exceptions == (set(others) if typed else set())
    if numbers > 11:
        assert f"row {numbers + 1} has '{others[0]}'" in sentences


@pytest.mark.parametrize("recoding", ["interval", "mean", "median", "mode", "balanced", "range"])
def test_an_exception_is_in_no_range_list_or_mean(recoding):
    """An exception is released as itself, as `*` or not at all, and counts in k."""
    cells = [*AGES, *["refused"] * 6, "3O", *["NA"] * 6, *["90+"] * 6]
    table = pl.DataFrame({"x": cells, "y": (["a", "b"] * len(cells))[: len(cells)]})
    attributes = {
        "x": ka.QuasiIdentifier(type="number", recoding=recoding),
        "y": ka.QuasiIdentifier(),
    }
    policy = ka.Policy(
        attributes=attributes, models=[ka.KAnonymity(3)], keep_order=True, suppression_limit=0.1
    )
    made = ka.anonymize(table, policy)
    assert made.verification.satisfied
    for name in [name for name in made.frame.columns if name != "y"]:
        for label in made.frame[name].cast(pl.String).drop_nulls():
            assert label in {"refused", "3O", "*"} or not re.search("refused|3O", label)
            assert not re.search("\u2063|000000", label)
    assert 0 <= made.to_dict()["utility"]["gcp"] <= 1
    kept = made.frame.with_row_index()
    assert kept.group_by(made.frame.columns).len()["len"].min() >= 3


def test_an_exception_is_a_branch_of_its_own_in_a_hierarchy():
    """Below the root an exception shares no label with numbers, whatever the level."""
    released = release(
        [*AGES, *["refused"] * 9], k=9, hierarchy=ka.hierarchy.intervals(width=[5, 10])
    )
    assert {label for label in released if "refused" in label} <= {"refused"}


def test_a_policy_says_what_becomes_of_exceptions():
    """`null` makes them missing, `refuse` an error with the row, `keep` keeps them."""
    cells = [*AGES, *["refused"] * 6]
    assert "refused" in release(cells, type="number", exceptions="keep")
    assert None in release(cells, type="number", exceptions="null")
    with pytest.raises(DataError, match=r"row 217: 'refused' is no number"):
        release(cells, type="number", exceptions="refuse")


def test_the_word_null_needs_no_quotes_in_yaml():
    """`exceptions: null` in a policy file makes exceptions missing."""
    form = {"role": "quasi-identifier", "type": "number", "exceptions": None}
    policy = ka.Policy(attributes={"age": form}, models=[ka.KAnonymity(2)])
    assert policy.attributes["age"].exceptions == "null"


@pytest.mark.parametrize("word", ["NA", "N/A", ".", "-", "unknown", "k. A.", "no consta", "#N/A"])
def test_words_for_missing_values_are_null_in_columns_of_numbers(word):
    """Well-known words are null beside numbers and dates, and told; texts keep them."""
    values, exceptions, sentences = read([*AGES, word, word])
    assert values.null_count() == 2
    assert not exceptions
    assert f"2 cells are read as missing; row 217 has '{word}'" in sentences


@pytest.mark.parametrize("word", ["none", "nil", "refused", "don't know", "never"])
def test_answers_are_no_missing_values(word):
    """`none` may be 0, and who refused has answered: they are exceptions."""
    assert read([*AGES, word])[1] == {word}


def test_codes_are_missing_where_they_are_declared():
    """`-9` is a number until the policy says that it is none, in texts and in numbers."""
    column = [*range(18, 90), -9, 99] * 3
    policy = {"missing": ["-9", 99]}
    for cells in (column, [str(one) for one in column]):
        released = release(cells, k=3, type="number", **policy)
        assert released.count(None) == 6
        assert not any("-9" in (label or "") for label in released)
    assert read([*AGES, "pending"], missing=["pending"])[0].null_count() == 1


FORMATS = {
    "names in capitals": ("%d-%b-%y", [d.strftime("%d-%b-%y").upper() for d in DAYS]),
    "names in lower case": ("%b %d %Y", [d.strftime("%b %d %Y").lower() for d in DAYS]),
    "names in full": ("%B %d, %Y", [d.strftime("%B %d, %Y") for d in DAYS]),
    "Spanish": (
        "%d de %B de %Y",
        [
            f"{d:%d} de {'enero' if d.month == 1 else 'mayo'} de {d:%Y}"
            for d in DAYS
            if d.month in (1, 5)
        ],
    ),
    "German": (
        "%-d. %B %Y",
        [
            f"{d.day}. {'Januar' if d.month == 1 else 'Mai'} {d:%Y}"
            for d in DAYS
            if d.month in (1, 5)
        ],
    ),
    "French": (
        "%-d %b %Y",
        [
            f"{'1er' if d.day == 1 else d.day} {'févr.' if d.month == 2 else 'mai'} {d:%Y}"
            for d in DAYS
            if d.month in (2, 5)
        ],
    ),
    "AM and PM": (
        "%m/%d/%Y %-I:%M %p",
        [f"{d:%m/%d/%Y} {1 + i % 12}:30 PM" for i, d in enumerate(DAYS)],
    ),
    "times": ("%H:%M", [f"{i % 24:02}:{i % 60:02}" for i in range(200)]),
    "fractions of seconds": (
        "%H:%M:%S.%f",
        [f"{i % 24:02}:{i % 60:02}:15.{100 + i}" for i in range(200)],
    ),
    "months": ("%Y-%m", [f"{2010 + i % 10}-{1 + i % 12:02}" for i in range(200)]),
    "months by name": ("%b %Y", [f"{d:%b %Y}" for d in DAYS]),
    "joined": ("%d%b%Y", [d.strftime("%d%b%Y").upper() for d in DAYS]),
    "a zone": ("%Y-%m-%dT%H:%M:%SZ", [f"{d:%Y-%m-%d}T12:30:05Z" for d in DAYS] + ["NA"]),
}


@pytest.mark.parametrize(("form", "cells"), FORMATS.values(), ids=FORMATS)
def test_dates_and_times_are_read_as_they_are_written(form, cells):
    """The format is found, told, and that of the released labels."""
    reading = detect(pl.Series("x", cells))
    assert reading.style.form == form
    cells = [cell for cell in cells if cell != "NA"]
    values = reading.read(pl.Series(cells))
    assert not values.null_count()
    written = reading.style.settle(pl.Series(cells), pl.Series([1] * len(cells))).write(values)
    assert reading.read(written).eq(values).all()
    labels = release(cells)
    assert any(label.startswith("[") for label in labels)
    ends = {end for label in labels for end in label.strip("[]").split(reading.style.separator)}
    assert ends <= {*cells, *written}


CENTURIES = {
    "all of the last century": (range(41, 99), True),
    "the last ten years": (range(14, 25), True),
    "a full population": ([*range(31, 100), *range(20)], False),
}


@pytest.mark.parametrize(("years", "clear"), CENTURIES.values(), ids=CENTURIES)
def test_years_of_two_digits_leave_no_doubt_or_are_refused(years, clear):
    """They are read where at least 20 years in a row are free and this year ends among them."""
    cells = [f"{1 + i % 28:02}.{1 + i % 12:02}.{year:02}" for i, year in enumerate([*years] * 4)]
    if clear:
        present = dt.datetime.now(tz=dt.UTC).year
        assert read(cells)[0].dt.year().max() <= present
    else:
        with pytest.raises(DataError, match="years_from"):
            read(cells)
    declared = release(cells, type="date", format="%d.%m.%y", years_from=1925)
    assert any(label.startswith("[") for label in declared)


ORDERED = {
    "bands": ["<18", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"],
    "bands in words": ["under 10,000", "10,000-19,999", "20,000-29,999", "30,000-49,999"],
    "quarters": [f"{year}-Q{quarter}" for year in range(2004, 2008) for quarter in range(1, 5)],
    "quarters first": [f"Q{quarter} {year}" for year in (2004, 2005) for quarter in range(1, 5)],
    "weeks": [f"2024-W{week:02}" for week in range(1, 53)],
    "weeks first": [f"W{week:02} 2024" for week in range(1, 53)],
    "quarters in words": [
        f"{part}. Quartal {year}" for year in (2004, 2005) for part in range(1, 5)
    ],
}


@pytest.mark.parametrize("order", ORDERED.values(), ids=ORDERED)
def test_bands_and_quarters_have_their_order(order):
    """Bands are ordered by their ends, quarters and weeks by time."""
    values, _, sentences = read([*reversed(order)] * 5)
    assert values.dtype == pl.Enum(order)
    assert "ordered" in sentences


def test_what_is_detected_is_what_is_declared():
    """A policy with the readings of a table reads every cell as it was read without."""
    for cells in (HEIGHTS, [*AGES, "NA", "3O", "90+"], FORMATS["AM and PM"][1], ORDERED["bands"]):
        table = pl.DataFrame({"x": cells})
        policy = ka.Policy(attributes={"x": ka.QuasiIdentifier()}, models=[ka.KAnonymity(2)])
        typed, _ = pipeline.with_readings(policy, table)
        again = ka.Policy.from_text(str(typed.to_dict()).replace("None", "null"))
        both = [parse_with_policy(table, one)["x"] for one in (typed, again)]
        assert both[0].equals(both[1])
        assert both[0].dtype != pl.String


def test_a_release_with_exceptions_is_read_beside_its_original():
    """What an exception was released as is compared with its original as null is."""
    table = pl.DataFrame({"x": [*AGES, *["refused"] * 6, *["90+"] * 6], "y": ["a", "b"] * 114})
    attributes = {"x": ka.QuasiIdentifier(type="number"), "y": ka.QuasiIdentifier()}
    policy = ka.Policy(attributes=attributes, models=[ka.KAnonymity(3)], keep_order=True)
    made = ka.anonymize(table, policy)
    assert "refused" in made.frame["x"]
    assert ka.utility(table, made.frame, policy).to_dict()["gcp"]["value"] < 0.2


def test_exceptions_are_null_in_a_series():
    """A fitted recoding holds values alone; cells that it does not read are null in each batch."""
    table = pl.DataFrame({"x": [*AGES, *["refused"] * 6, "3O"]})
    attribute = ka.QuasiIdentifier(type="number", hierarchy=ka.hierarchy.intervals(width=[10]))
    policy = ka.Policy(
        attributes={"x": attribute}, models=[ka.KAnonymity(5)], algorithm=ka.FullDomain()
    )
    batch = ka.fit(table, policy).apply(table)
    assert batch.frame["x"].null_count() == 7
    assert not batch.frame["x"].str.contains("refused|3O").any()


def test_a_population_is_read_as_its_table_is():
    """Exceptions of a population are persons of their own: they hide no null, and no null them."""
    table = pl.DataFrame({"age": [str(20 + i % 50) for i in range(300)] + ["refused"] * 8})
    hierarchy = ka.hierarchy.intervals(width=[10, 20])
    age = ka.QuasiIdentifier(type="number", hierarchy=hierarchy)
    persons = [str(18 + i % 60) for i in range(6000)] + [None] * 400
    for refused, hidden in ((5, True), (30, False)):
        population = pl.DataFrame({"age": [*persons, *["refused"] * refused, "secret"]})
        policy = ka.Policy(
            attributes={"age": age},
            models=[ka.models.KMap(10, population)],
            algorithm=ka.FullDomain(),
            recoding="hierarchy",
            suppression_limit=0.1,
        )
        made = ka.anonymize(table, policy)
        assert ("refused" not in made.frame["age"]) == hidden
        assert all(one.satisfied for one in ka.verify(made.frame, policy).checks)


@pytest.mark.parametrize("make", [ka.anonymize, ka.fit])
def test_python_tells_exceptions_of_declared_columns(make, caplog):
    """In Python the log warns of cells that are no values of a declared type."""
    table = pl.DataFrame({"age": [*AGES, "3O"]})
    age = ka.QuasiIdentifier(type="number")
    make(
        table, ka.Policy(attributes={"age": age}, models=[ka.KAnonymity(5)], suppression_limit=0.1)
    )
    assert "column 'age': 216 of 217 cells are numbers; row 217 has '3O'" in caplog.text


def test_whole_numbers_that_are_declared_as_dates_are_dates():
    """`19540318` of a file is a number, unless its format says that it is a day."""
    days = [int(day.strftime("%Y%m%d")) for day in DAYS]
    column = ka.QuasiIdentifier(type="date", format="%Y%m%d")
    policy = ka.Policy(attributes={"x": column}, models=[ka.KAnonymity(5)])
    made = ka.anonymize(pl.DataFrame({"x": days}), policy)
    assert all(re.fullmatch(r"\[\d{8}, \d{8}\]", label) for label in made.frame["x"])
    assert ka.verify(made.frame, policy).satisfied


def test_exceptions_of_sensitive_bands_are_values_of_their_own():
    """A sensitive attribute of bands has its exceptions in every measure, beside null."""
    bands = ["under 10", "10 to 19", "20 to 29", "30 to 39", "Refused", None] * 20
    table = pl.DataFrame({"age": [20 + i // 12 for i in range(120)], "income": bands})
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "income": ka.Sensitive(type="ordered")},
        models=[ka.KAnonymity(5), ka.LDiversity("income", l=6)],
    )
    made = ka.anonymize(table, policy)
    assert made.verification.satisfied
    assert set(made.frame["income"]) == set(bands)
