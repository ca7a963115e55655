"""Names of months and weekdays in English, German, Spanish and French, in full and short."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl


class Names(NamedTuple):
    """The names of a language in their order, in full and short, in one text each."""

    full: str
    short: str


MONTHS = {
    "en": Names(
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    ),
    "de": Names(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez.",
    ),
    "es": Names(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    ),
    "fr": Names(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    ),
}
WEEKDAYS = {
    "en": Names(
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "Mon Tue Wed Thu Fri Sat Sun"
    ),
    "de": Names(
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", "Mo Di Mi Do Fr Sa So"
    ),
    "es": Names(
        "lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom"
    ),
    "fr": Names(
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lun. mar. mer. jeu. ven. sam. dim.",
    ),
}
_VARIANTS = (
    ("jän jänner", 1),
    ("fevrier fevr fév fev", 2),
    ("mär maerz mrz", 3),
    ("juill", 7),
    ("aout", 8),
    ("sept set setiembre", 9),
    ("decembre", 12),
)


def _numbers(languages: dict[str, Names]) -> dict[str, int]:
    """Return the number of each name, in lower case and without a point."""
    return {
        name.lower().removesuffix("."): number
        for names in languages.values()
        for own in names
        for number, name in enumerate(own.split(), 1)
    }


NUMBER_OF_MONTH = {
    **{name: month for names, month in _VARIANTS for name in names.split()},
    **_numbers(MONTHS),
}
_SPELT = {"tues": 2, "thur": 4, "thurs": 4, "sonnabend": 6, "miercoles": 3, "mie": 3, "sabado": 6}
NUMBER_OF_WEEKDAY = {**_SPELT, **_numbers(WEEKDAYS)}


def month_numbers(names: pl.Series) -> pl.Series:
    """Return (n,) Int32 the months that names are, null where one is none."""
    return _look_up(names, NUMBER_OF_MONTH)


def weekday_numbers(names: pl.Series) -> pl.Series:
    """Return (n,) Int32 the weekdays that names are, Monday as 1, null where one is none."""
    return _look_up(names, NUMBER_OF_WEEKDAY)


def _look_up(names: pl.Series, numbers: dict[str, int]) -> pl.Series:
    bare = names.str.to_lowercase().str.strip_suffix(".")
    return bare.replace_strict(numbers, default=None, return_dtype=pl.Int32)


def names_like(
    shown: dict[int, str], *, full: bool, languages: dict[str, Names] = MONTHS
) -> tuple[str, ...]:
    """Return the names of all months in the language and case of those of some.

    shown: by number, names as a table writes them. languages: `MONTHS` or `WEEKDAYS`.
    """
    known = [(names.full if full else names.short).split() for names in languages.values()]
    best = max(
        known,
        key=lambda own: sum(_bare(own[one - 1]) == _bare(name) for one, name in shown.items()),
    )
    texts = list(shown.values())
    made = []
    for name in best:
        one = name
        if texts and not all(text.endswith(".") for text in texts):
            one = one.removesuffix(".")
        if texts and all(text.isupper() for text in texts):
            one = one.upper()
        elif texts and all(text.islower() for text in texts):
            one = one.lower()
        elif texts and all(text[:1].isupper() for text in texts):
            one = one[:1].upper() + one[1:]
        made.append(one)
    return tuple(shown.get(month, name) for month, name in enumerate(made, 1))


def _bare(name: str) -> str:
    return name.lower().removesuffix(".")
