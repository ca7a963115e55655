"""Columns as people write them, each with its right reading, through a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

import kanonym as ka
from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.readings import declared_form, detect_readings, reading_of, typed_table

TEXT, REFUSED = "text", "refused"


class Case(NamedTuple):
    """Cells, what they are, some of their values, and the cells that are exceptions."""

    cells: list[str]
    kind: str
    values: Mapping[str, Any] = MappingProxyType({})
    exceptions: tuple[str, ...] = ()


def written(form, values=range(20, 80)):
    """Return values, each within a text."""
    return [form.format(value) for value in values]


def number(cells, *exceptions, **values):
    """Return a column of numbers; values: in a mapping, since cells are no names."""
    return Case([*cells, *exceptions], "number", values.get("reads", {}), exceptions)


def dates(form, start=date(2019, 1, 3), step=23, n=60, **names):
    """Return dates in a format, month and weekday names replaced."""
    return [named((start + timedelta(days=step * i)).strftime(form), **names) for i in range(n)]


def named(text, **names):
    """Return a text with English names replaced by others."""
    for name, other in names.items():
        text = text.replace(name, other)
    return text


def amounts(decimal, thousands, form="{}", n=60):
    """Return amounts from below a thousand to above a million."""
    plain = [f"{value / 100:,.2f}" for value in range(50_025, 50_025 + n * 2_000_001, 2_000_001)]
    return [
        form.format(one.replace(",", "#").replace(".", decimal).replace("#", thousands))
        for one in plain
    ]


AGES = written("{}")
MONTHS = "January February March April May June July August September October November December"
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def language(english, other):
    """Return the names of a language by the English ones."""
    return dict(zip(english.split(), other.split(), strict=True))


GERMAN = language(
    f"{MONTHS} {DAYS}",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember "
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
)
SPANISH = language(
    f"{MONTHS} {DAYS}",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "lunes martes miércoles jueves viernes sábado domingo",
)
FRENCH = language(
    f"{MONTHS} {DAYS}",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
)
SHORT_GERMAN = language("Mar May Oct Dec", "Mär Mai Okt Dez")
SHORT_GERMAN_DAYS = language("Mon Tue Wed Thu Fri Sat Sun", "Mo Di Mi Do Fr Sa So")
SHORT_FRENCH = language(
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
)


def in_script(texts, zero, marks=".,"):
    """Return texts in other digits, given by their zero, and other marks."""
    digits = "".join(chr(ord(zero) + digit) for digit in range(10))
    return [text.translate(str.maketrans("0123456789.,", digits + marks)) for text in texts]


ARABIC = ("\u0660", "\u066b\u066c")

NUMBERS = {
    "decimal comma": number(written("{},50"), reads={"20,50": 20.5}),
    "decimal comma, thousands point": number(amounts(",", "."), reads={"20.500,26": 20500.26}),
    "blank thousands": number(
        [one[:-3] for one in amounts(",", " ")], reads={"20 500": 20500, "500": 500}
    ),
    "no-break blanks": number(amounts(",", "\u00a0"), reads={"20\u00a0500,26": 20500.26}),
    "narrow no-break blanks": number(amounts(",", "\u202f"), reads={"20\u202f500,26": 20500.26}),
    "blanks of two kinds": number(
        amounts(",", " ")[:40] + amounts(",", "\u00a0")[40:], reads={"20 500,26": 20500.26}
    ),
    "typographic apostrophes": number(amounts(".", "’"), reads={"20’500.26": 20500.26}),
    "apostrophes of two kinds": number(
        amounts(".", "'")[:40] + amounts(".", "’")[40:], reads={"20'500.26": 20500.26}
    ),
    "euro in front": number(amounts(",", ".", "€ {}"), reads={"€ 20.500,26": 20500.26}),
    "euro behind": number(amounts(",", "\u00a0", "{}\u00a0€"), reads={"500,25\u00a0€": 500.25}),
    "francs": number(amounts(".", "'", "CHF {}"), reads={"CHF 20'500.26": 20500.26}),
    "dollars as a word": number(amounts(".", ",", "{} USD"), reads={"20,500.26 USD": 20500.26}),
    "reais": number(amounts(",", ".", "R$ {}"), reads={"R$ 20.500,26": 20500.26}),
    "crowns": number(amounts(",", " ", "{} Kč"), reads={"20 500,26 Kč": 20500.26}),
    "pounds in groups": number(
        [*written("£{}"), "£1,234,567", "£12,345"], reads={"£1,234,567": 1234567, "£20": 20}
    ),
    "rupees": number(written("₹{},23,456.50", range(1, 90)), reads={"₹7,23,456.50": 723456.5}),
    "percent, negative": number([*written("{}.5%"), *written("-{}.5%")], reads={"-20.5%": -20.5}),
    "percent, in brackets": number(
        [*written("{}.5%"), *written("({}.5%)")], reads={"(20.5%)": -20.5}
    ),
    "brackets around a currency": number(
        [*amounts(".", ",", "${}"), *amounts(".", ",", "(${})")], reads={"($500.25)": -500.25}
    ),
    "brackets behind a currency": number(
        [*amounts(".", ",", "${}"), *amounts(".", ",", "$({})")], reads={"$(500.25)": -500.25}
    ),
    "minus before or behind a currency": number(
        [*written("-${}.00"), *written("$-{}.50"), *written("${}.50")],
        reads={"-$20.00": -20, "$-20.50": -20.5},
    ),
    "minus behind": number([*written("{}.99"), *written("{}.99-")], reads={"20.99-": -20.99}),
    "two signs of minus": number(
        [*written("-{}"), *written("−{}"), *AGES], reads={"-20": -20, "−20": -20}
    ),
    "minus and unit": number([*written("−{} °C"), *written("{} °C")], reads={"−20 °C": -20}),
    "signs of changes": number(
        [*written("+{}.5"), *written("-{}.5")], reads={"+20.5": 20.5, "-20.5": -20.5}
    ),
    "signs of changes in percent": number(
        [*written("+{},5 %"), *written("-{},5 %")], reads={"+20,5 %": 20.5}
    ),
    "final points": number(written("{}."), reads={"20.": 20}),
    "leading points": number(written(".{}"), reads={".25": 0.25}),
    "leading commas": number(written(",{}"), reads={",25": 0.25}),
    "scientific": number(written("1.{}e-3"), reads={"1.25e-3": 0.00125}),
    "scientific, decimal comma": number(written("1,{}E+03"), reads={"1,25E+03": 1250.0}),
    "full-width digits": number(in_script(AGES, "\uff10"), reads={"\uff12\uff10": 20}),
    "full-width fractions": number(
        in_script(written("{}.5"), "\uff10", "\uff0e\uff0c"),
        reads={"\uff12\uff10\uff0e\uff15": 20.5},
    ),
    "Devanagari digits": number(in_script(AGES, "\u0966"), reads={"\u0968\u096b": 25}),
    "Arabic fractions": number(
        in_script(amounts(".", ","), *ARABIC),
        reads=dict(zip(in_script(["20,500.26"], *ARABIC), [20500.26], strict=True)),
    ),
    "Arabic percent": number(
        in_script(written("{}\u066a"), *ARABIC), reads={"\u0662\u0665\u066a": 25}
    ),
    "one character for degrees": number(written("{} ℃"), reads={"25 ℃": 25}),
    "months": number([*written("{} months"), "1 month"], reads={"1 month": 1, "20 months": 20}),
    "blanks around": number(written("  {} kg "), reads={"  20 kg ": 20}),
    "85 and over": number([*AGES, *["85 and over"] * 5], reads={"20": 20}),
    "unter 5": number([*AGES, *["unter 5"] * 5, *["85 und älter"] * 5], reads={"20": 20}),
    "más de 90": number([*AGES, *["más de 90"] * 5, *["menos de 1"] * 5], reads={"20": 20}),
    "85 ans et plus": number([*written("{} ans"), *["85 ans et plus"] * 5], reads={"20 ans": 20}),
    "years in the top code alone": number([*AGES, *["85 years and over"] * 5], reads={"20": 20}),
    "spreadsheet days": number(written("453{}"), reads={"45320": 45320}),
    "seconds since 1970": number(written("17067456{}"), reads={"1706745620": 1706745620}),
    "about": number(AGES * 2, "~30", "ca. 40", reads={"20": 20}),
    "a question mark behind": number(AGES * 2, "34?", reads={"20": 20}),
    "letter O": number(AGES * 2, "3O", reads={"20": 20}),
    "words of a laboratory": number(
        [*written("{}.5"), *["not detected"] * 30], reads={"20.5": 20.5}
    )._replace(exceptions=("not detected",)),
    "a few in thousands": number(written("{}k", range(20, 80)) * 2, "1M", reads={"25k": 25}),
    "thousands with and without a mark": number(
        [*written("{} 500"), "1500", "1 200 300", "7"], reads={"20 500": 20500, "1500": 1500}
    ),
}

DATES = {
    "dotted short months": (
        dates("%-d. %b. %Y", **SHORT_GERMAN),
        {"3. Jan. 2019": date(2019, 1, 3)},
    ),
    "sept. 2023": (dates("%b %Y", **SHORT_FRENCH), {"sept. 2019": date(2019, 9, 1)}),
    "short French": (dates("%-d %b %Y", **SHORT_FRENCH), {"3 janv. 2019": date(2019, 1, 3)}),
    "slashes around names": (
        dates("%d/%b/%Y", Jan="ene", Apr="abr", Aug="ago", Dec="dic"),
        {"03/ene/2019": date(2019, 1, 3)},
    ),
    "weekdays": (dates("%a, %-d %B %Y"), {"Thu, 3 January 2019": date(2019, 1, 3)}),
    "weekdays without a comma": (dates("%a %b %d %Y"), {"Thu Jan 03 2019": date(2019, 1, 3)}),
    "German weekdays": (
        dates("%A, %-d. %B %Y", **GERMAN),
        {"Donnerstag, 3. Januar 2019": date(2019, 1, 3)},
    ),
    "short German weekdays": (
        dates("%a, %d.%m.%Y", **SHORT_GERMAN_DAYS),
        {"Do, 03.01.2019": date(2019, 1, 3)},
    ),
    "Spanish weekdays": (
        dates("%A %-d de %B de %Y", **SPANISH),
        {"jueves 3 de enero de 2019": date(2019, 1, 3)},
    ),
    "French weekdays": (
        dates("%A %-d %B %Y", **FRENCH),
        {"jeudi 3 janvier 2019": date(2019, 1, 3)},
    ),
    "days up to 12 that weekdays tell from months": (
        [date(2024, m, d).strftime("%a %d/%m/%Y") for d in range(1, 13) for m in range(1, 13)],
        {"Thu 01/02/2024": date(2024, 2, 1)},
    ),
    "mail": (
        dates("%a, %d %b %Y 10:15:00 +0100"),
        {"Thu, 03 Jan 2019 10:15:00 +0100": datetime(2019, 1, 3, 10, 15)},
    ),
    "ISO weeks with days": (dates("%G-W%V-%u"), {"2019-W01-4": date(2019, 1, 3)}),
    "ordinals": (dates("%B %-dth, %Y"), {"January 3th, 2019": date(2019, 1, 3)}),
    "years first with points": (dates("%Y.%m.%d"), {"2019.01.03": date(2019, 1, 3)}),
    "months with points": (dates("%m.%Y"), {"01.2019": date(2019, 1, 1)}),
    "short years of the last century": (
        dates("%-d %b %y", date(1941, 1, 3), 300),
        {"3 Jan 41": date(1941, 1, 3)},
    ),
    "short years of this century": (dates("%d.%m.%y"), {"03.01.19": date(2019, 1, 3)}),
    "half days": (
        dates("%-m/%-d/%Y 8:05 a.m."),
        {"1/3/2019 8:05 a.m.": datetime(2019, 1, 3, 8, 5)},
    ),
    "UTC in letters": (
        dates("%Y-%m-%d 10:15:00 UTC"),
        {"2019-01-03 10:15:00 UTC": datetime(2019, 1, 3, 10, 15)},
    ),
    "offsets": (
        [*dates("%Y-%m-%dT10:15:00+02:00"), "2019-07-01T10:15:00-05:00"],
        {"2019-01-03T10:15:00+02:00": datetime(2019, 1, 3, 8, 15, tzinfo=UTC)},
    ),
    "blanks around dates": (dates(" %d.%m.%Y "), {" 03.01.2019 ": date(2019, 1, 3)}),
}

CLOCK = [f"{hour}{{}}{minute:02}" for hour in range(24) for minute in (5, 20, 45)]
HALF = [(f"{hour % 12 or 12}:{m:02}", "ap"[hour > 11]) for hour in range(24) for m in (5, 40)]
TIMES = {
    "a.m.": ([f"{t} {h}.m." for t, h in HALF], {"12:05 a.m.": time(0, 5)}),
    "8PM": ([f"{hour % 12 or 12}{'AP'[hour > 11]}M" for hour in range(24)] * 3, {"8PM": time(20)}),
    "8.05 pm": ([f"{t.replace(':', '.')} {h}m" for t, h in HALF], {"12.05 am": time(0, 5)}),
    "French hours": ([one.format("h") for one in CLOCK], {"20h05": time(20, 5)}),
    "hours with zeros": ([one.format("h").zfill(5) for one in CLOCK], {"03h05": time(3, 5)}),
    "20:05 Uhr": ([one.format(":") + " Uhr" for one in CLOCK], {"20:05 Uhr": time(20, 5)}),
    "20.05 Uhr": ([one.format(".") + " Uhr" for one in CLOCK], {"20.05 Uhr": time(20, 5)}),
    "fractions of seconds": (
        [one.format(":").zfill(5) + ":10.250" for one in CLOCK] + ["NA"],
        {"20:05:10.250": time(20, 5, 10, 250_000)},
    ),
    "one hour after 24": ([one.format(":") for one in CLOCK] * 2 + ["25:10"], {"9:05": time(9, 5)}),
}

ORDERED = {
    "decades": (["10-19", "20-29", "30-39", "40-49"] * 20, ["10-19", "20-29", "30-39", "40-49"]),
    "dashes of two kinds": (["1-9", "10–19", "20-29"] * 20, ["1-9", "10–19", "20-29"]),
    "10 bis 19 Jahre": (
        ["unter 10 Jahre", "10 bis 19 Jahre", "20 bis 29 Jahre", "30 bis 39 Jahre", "ab 40 Jahre"]
        * 20,
        ["unter 10 Jahre", "10 bis 19 Jahre", "20 bis 29 Jahre", "30 bis 39 Jahre", "ab 40 Jahre"],
    ),
    "incomes": (
        ["under $10,000", "$10,000-$19,999", "$20,000-$29,999", "$30,000-$39,999", "$40,000+"] * 20,
        ["under $10,000", "$10,000-$19,999", "$20,000-$29,999", "$30,000-$39,999", "$40,000+"],
    ),
    "de 10 a 19 años": (
        ["menos de 10", "10 a 19", "20 a 29", "30 a 39", "40 y más"] * 20,
        ["menos de 10", "10 a 19", "20 a 29", "30 a 39", "40 y más"],
    ),
    "one band between bounds": (
        ["under 18", "18-64", "65 and over"] * 20,
        ["under 18", "18-64", "65 and over"],
    ),
    "bands with fractions": (
        ["0,0-3,4", "3,5-4,2", "4,3-9,9"] * 20,
        ["0,0-3,4", "3,5-4,2", "4,3-9,9"],
    ),
    "quarters": (["Q4/2023", "Q1/2024", "Q2/2024"] * 20, ["Q4/2023", "Q1/2024", "Q2/2024"]),
}

TEXTS = {
    "leading zeros": written("00{}"),
    "leading zeros of some": [*AGES, *written("0{}", range(1, 10))],
    "phones with a plus": written("+49 30 1234{}"),
    "phones without blanks": written("+4930123456{}"),
    "codes of countries": [f"+{code}" for code in (1, 33, 34, 39, 41, 43, 44, 49, 351)] * 9,
    "phones with dashes": written("555-12{}"),
    "long phones with dashes": written("202-555-01{}"),
    "phones in brackets": written("(030) 12345-{}"),
    "phones with a slash": written("0171/12345{}"),
    "British postal codes": written("SW{}A 1AA"),
    "extended postal codes": written("02139-12{}"),
    "Dutch postal codes": [f"12{i} {chr(65 + i % 26)}{chr(65 + i % 7)}" for i in range(20, 80)],
    "places": [f"{n} {place}" for n in AGES for place in ("Berlin", "Bonn", "Köln")],
    "versions": written("1.{}.3"),
    "long versions": written("2.1.0.{}"),
    "addresses of computers": written("10.0.0.{}"),
    "long addresses of computers": written("fe80::{}"),
    "social security": written("123-45-67{}"),
    "cards": written("4111 1111 1111 11{}"),
    "books": written("978-3-16-1484{}-0"),
    "feet and inches": [f"{feet}'{inch}\"" for feet in (4, 5, 6) for inch in range(12)] * 2,
    "feet and inches in words": [f"{f} ft {i} in" for f in (4, 5, 6) for i in range(12)] * 2,
    "fractions with a stroke": written("1/{}"),
    "dilutions": ["1:10", "1:20", "1:40", "1:80", "1:160", "1:320"] * 15,
    "dilutions up to 40": ["1:10", "1:20", "1:40"] * 30,
    "results": ["3-1", "2-0", "0-2", "1-1", "0-0", "1-3"] * 15,
    "pluses": ["1+", "2+", "3+", "negative"] * 20,
    "bounds alone": ["<5", "<10", ">100", ">200"] * 20,
    "weeks of pregnancy": [f"{week}+{day}" for week in range(30, 42) for day in range(7)],
    "blood": ["A+", "A-", "0+", "0-", "B+", "AB-"] * 15,
    "school marks": ["1", "1-", "2+", "2", "2-", "3+", "3", "3-", "4"] * 9,
    "blood pressure": written("120/{}"),
    "sort codes": written("20-{}-45"),
    "diseases": [f"E{code}.{part}" for code in range(11, 17) for part in range(10)],
    "countries": ["NA", "DE", "FR", "ES"] * 20,
    "two units": [*written("{} cm"), *written("{} in")],
    "yes or no": ["yes", "no", "Yes", "NO"] * 20,
    "oui ou non": ["oui", "non"] * 40,
    "wahr oder falsch": ["wahr", "falsch"] * 40,
    "years of accounts": ["2008-09", "2009-10", "2010-11", "2011-12"] * 20,
    "numbers of bills": written("2024-0{}"),
    "days and months": dates("%d-%m"),
    "zones in letters": [
        f"{one} {zone}" for one in dates("%Y-%m-%d 10:15") for zone in ("CET", "CEST")
    ],
    "digits of two scripts": [*AGES, *in_script(AGES, *ARABIC)],
    "decimal marks of both kinds": [*written("{},50"), *written("{}.50")],
    "thousands of both kinds": [*amounts(".", ","), *amounts(",", ".")],
    "years and months of age": [*written("{}y"), *written("{}m", range(1, 24)), *written("{}d")],
    "ages in two units": [f"{y} years {m} months" for y in range(10) for m in range(1, 12)],
    "two currencies": [*written("${}"), *written("{} €")],
    "plus or minus": written("{} ± 0.5"),
    "places on earth": written("48.{}, 2.35"),
    "Mar-24": dates("%b-%y"),
    "times without a day in 24 hours": [f"{minutes}:30" for minutes in range(60, 140)],
    "counts": written("n={}"),
    "numbered": written("Nr. {}"),
    "several numbers": [f"{one}; {one}" for one in AGES],
    "days and times without marks": dates("%Y%m%dT101500"),
    "Eastern dates": dates("%Y年%-m月%-d日"),
}

REFUSALS = {
    "one comma before three digits": written("1,2{}"),
    "one comma and a currency": written("£1,2{}"),
    "one comma and a unit": [*written("1,2{} kg"), "987 kg"],
    "days up to 12": [f"{d:02}/{m:02}/2024" for d in range(1, 13) for m in range(1, 13)],
    "years of a whole population": dates("%d.%m.%y", date(1926, 1, 3), 600),
}

CASES = {
    **NUMBERS,
    **{name: Case(cells, "date", values) for name, (cells, values) in DATES.items()},
    **{name: Case(cells, "time", values) for name, (cells, values) in TIMES.items()},
    **{name: Case(cells, "ordered", {"": order}) for name, (cells, order) in ORDERED.items()},
    **{name: Case(cells, TEXT) for name, cells in TEXTS.items()},
    **{name: Case(cells, REFUSED) for name, cells in REFUSALS.items()},
}


def read(cells, folder):
    """Return a column of a CSV file as commands read it, and what is told about it."""
    with (folder / "x.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["x", "arm"], *([cell, "ab"[i % 2]] for i, cell in enumerate(cells))]
        )
    table = frames.to_eager(ka.read_table(folder / "x.csv"))
    found = detect_readings(table, ["x"])
    return frames.column(typed_table(table, found.readings), "x"), found


def kind_of(column):
    """Return what the values of a column are."""
    if column.dtype.is_numeric():
        return "number"
    kinds = {"Date": "date", "Datetime": "date", "Time": "time", "Enum": "ordered"}
    return kinds.get(column.dtype.base_type().__name__, TEXT)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_column_is_read_as_a_person_reads_it(case, tmp_path):
    """The kind of a column, some of its values and its exceptions are those that a person sees."""
    if case.kind == REFUSED:
        with pytest.raises(DataError, match="column 'x'"):
            read(case.cells, tmp_path)
        return
    column, found = read(case.cells, tmp_path)
    assert kind_of(column) == case.kind
    reading = found.readings.get("x")
    exceptions = set((reading.exceptions if reading else None) or ())
    if case.kind != "time":
        assert exceptions == set(case.exceptions)
    if case.kind == "ordered":
        assert column.dtype.categories.to_list() == case.values[""]
        return
    for cell, value in case.values.items():
        assert column[case.cells.index(cell)] == value
    if reading is not None:
        style = reading.style
        assert style.read(style.write(column)).cast(column.dtype).eq_missing(column).all()
        form = {name: one for name, one in declared_form(reading).items() if one is not None}
        declared = reading_of(form.pop("type"), form.pop("format", None), **form)
        assert declared.style == style
