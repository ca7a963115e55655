"""Names of months in English, German, Spanish and French, in full and short."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl


class MonthNames(NamedTuple):
    """The twelve names of a language, in full and short, in one text each."""

    full: str
    short: str


LANGUAGES = {
    "en": MonthNames(
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    ),
    "de": MonthNames(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez.",
    ),
    "es": MonthNames(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    ),
    "fr": MonthNames(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
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
NUMBER_OF_MONTH = {
    **{name: month for names, month in _VARIANTS for name in names.split()},
    **{
        name.lower().removesuffix("."): month
        for names in LANGUAGES.values()
        for own in names
        for month, name in enumerate(own.split(), 1)
    },
}


def month_numbers(names: pl.Series) -> pl.Series:
    """Return (n,) Int32 the months that names are, null where one is none."""
    bare = names.str.to_lowercase().str.strip_suffix(".")
    return bare.replace_strict(NUMBER_OF_MONTH, default=None, return_dtype=pl.Int32)


def names_like(shown: dict[int, str], *, full: bool) -> tuple[str, ...]:
    """Return twelve names in the language and case of those of some months.

    shown: by month, names as a table writes them.
    """
    known = [(names.full if full else names.short).split() for names in LANGUAGES.values()]
    best = max(
        known,
        key=lambda own: sum(_bare(own[month - 1]) == _bare(name) for month, name in shown.items()),
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
