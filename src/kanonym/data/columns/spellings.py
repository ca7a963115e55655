"""Texts that a reader takes for the same value, for none, or for parts of one."""

# ruff: noqa: RUF001 - letters that look alike are what this is about

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

_MISSING = frozenset(
    {
        "",
        "?",
        "-",
        "--",
        ".",
        "..",
        "n/a",
        "na",
        "n.a.",
        "n.d.",
        "nd",
        "nan",
        "null",
        "none",
        "nil",
        "#n/a",
        "#null!",
        "missing",
        "unknown",
        "refused",
        "not available",
        "no answer",
        "don't know",
        "keine angabe",
        "k.a.",
        "unbekannt",
        "inconnu",
        "desconocido",
        "sconosciuto",
        "desconhecido",
        "onbekend",
    }
)

MOST_VALUES = 100_000
"""A column of more values holds names or sentences, no codes."""
_FIRST_WORD = r"^[\s\"'(\[]*([^\W_]+)"
"""Not behind another sign: `-5` and `<5` do not begin as `5` does."""
_CATEGORY = r"^([a-z][0-9][0-9a-z])\w*$"
"""Of a code of the ICD-10 without its dot, the three characters that are the category."""


_UNSEEN = r"[\p{Cf}\p{Mn}\p{Cc}\x{115F}\x{1160}\x{3164}\x{2800}]"
"""Of decomposed texts: accents, and what nobody sees (zero-width characters, soft hyphens)."""
_ALIKE = {
    **dict(zip("АВСЕНІЈКМОРЅТХУҮԀԚԜҺӀ", "ABCEHIJKMOPSTXYYDQWHI", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧͿ", "ABEZHIKMNOPTYXJ", strict=True)),
    **dict(zip("ՍՏՕԼԱ", "USOLU", strict=True)),
    **dict(zip("ØŁĐÐĦŦƗ", "OLDDHTI", strict=True)),
    "Æ": "AE",
    "Œ": "OE",
    **dict(zip("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९", 3 * "0123456789", strict=True)),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("‘’‚ʼ´`′", "'"),
    **dict.fromkeys("“”„«»″", '"'),
}
"""Upper-case letters and digits of other scripts, and signs, by what a reader takes them for."""
_ENDS = r"[\s.,;:!?…'\"]+$"
_NUMBER = r"^[+-]?\d+(?:[.,]\d*)?$"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MIDNIGHT = re.compile(r"[t ]00:00(:00(\.0+)?)?z?$")
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"),
    re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)"),
    re.compile(r"(?P<d>\d{1,2})[-/.] ?(?P<m>\d{1,2})[-/.] ?(?P<y>\d{4})"),
    re.compile(r"(?P<d>\d{1,2})\.?[ -](?P<m>[a-z]{3,9})\.?,?[ -](?P<y>\d{4})"),
    re.compile(r"(?P<m>[a-z]{3,9})\.? (?P<d>\d{1,2}),? (?P<y>\d{4})"),
)


def _folded(texts: pl.Series) -> pl.Series:
    """Return texts in lower case, letters that look alike as one, and without unseen signs."""
    plain = texts.str.normalize("NFKD").str.replace_all(_UNSEEN, "").str.to_uppercase()
    alike = plain.str.replace_many(list(_ALIKE), list(_ALIKE.values()))
    return alike.str.replace_all(r"\s+", " ").str.strip_chars().str.to_lowercase()


def stands_for_missing(texts: pl.Series) -> pl.Series:
    """Return which texts are words for a missing value, such as `N/A`; null where there is none."""
    return _folded(texts).is_in(sorted(_MISSING))


def one_spelling(texts: pl.Series) -> pl.Series:
    """Return texts in which values that read the same are equal, and words for none are null.

    Such values differ in case, spaces, accents, signs that nobody sees, letters of other scripts
    that look alike, punctuation at the end, or in the form of a number or a date.
    """
    values = texts.unique()
    folded = _folded(values)
    ended = folded.str.replace(_ENDS, "")
    missing = folded.is_in(sorted(_MISSING)) | ended.is_in(sorted(_MISSING - {""}))
    named = pl.when(missing).then(None).when(ended == "").then(folded).otherwise(ended)
    read = _one_date(_one_number(pl.select(named).to_series()))
    return texts.replace_strict(values, read, return_dtype=pl.String)


def _one_number(texts: pl.Series) -> pl.Series:
    """Return texts with each number in one form: `01`, `+1`, `1.0` and `1,0` are `1`."""
    number = texts.str.replace(",", ".", literal=True).str.strip_prefix("+")
    whole = number.str.replace(r"(\.\d*?)0*$", "$1").str.strip_chars_end(".")
    plain = whole.str.replace(r"^(-?)0+(\d)", "$1$2").replace("-0", "0")
    return pl.select(pl.when(texts.str.contains(_NUMBER)).then(plain).otherwise(texts)).to_series()


def _one_date(texts: pl.Series) -> pl.Series:
    """Return texts with each date in one form: `1.3.2020`, `March 1, 2020` and `2020/03/01`."""
    likely = texts.filter(texts.str.contains(r"^\D{0,10}\d{1,4}\D.*\d|^(?:19|20)\d{6}$"))
    read = {text: _date_text(text) for text in likely.to_list() if text is not None}
    return texts.replace(list(read), list(read.values())) if read else texts


def _date_text(text: str) -> str:
    """Return a date as `year-month-day`, other texts as they are; `10/31/2020` is read, too."""
    for form in _DATES:
        match = form.fullmatch(_MIDNIGHT.sub("", text))
        if match is None:
            continue
        day, month = int(match["d"]), match["m"]
        if not month.isdigit():
            month = str(_MONTHS.index(month[:3]) + 1) if month[:3] in _MONTHS else "99"
        number = int(month)
        if number > 12 >= day:
            day, number = number, day
        if number <= 12 and day <= 31:
            return f"{match['y']}-{number}-{day}"
    return text


def beginnings(values: pl.Series) -> NDArray[np.int32] | None:
    """Return (n_values + 1,) labels, equal where texts begin alike; the last one is of null.

    None where no two do. Values begin alike if their first words are equal but for case: what
    stands before the first space or sign, `B20` of `B20.1`, and of `B201` the category.
    """
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum) or len(values) > MOST_VALUES:
        return None
    folded = values.cast(pl.String).str.to_lowercase()
    words = folded.str.extract(_FIRST_WORD).str.replace(_CATEGORY, "$1")
    own = pl.select(pl.coalesce(words, folded)).to_series().rank("dense").to_numpy()
    if own.max(initial=0) == len(values):
        return None
    return np.append(own, 0).astype(np.int32)
