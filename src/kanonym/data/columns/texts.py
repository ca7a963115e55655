"""Columns as texts: values, distinct texts, and spellings of the same value."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.hierarchy.builders.interval import number_text
from kanonym.kernels.arrays import Int32s, UInt64s
from kanonym.kernels.classes.conditions import number_pairs
from kanonym.kernels.classes.grouping import take


def distinct_texts(column: pl.Series) -> tuple[pl.Series, Int32s] | None:
    """Return distinct non-null values ascending and (n_rows,) codes; null is the last code.

    Returns None where it would take long: of many different values, and of long ones that are
    stored anew for each row.

    column: (n_rows,) of text.
    """
    codes = np.empty(len(column), np.int32)
    texts: list[pl.Series] = []
    start, n_found = 0, 0
    for chunk in column.get_chunks():
        own = codes[start : start + len(chunk)]
        is_known = chunk.is_not_null().to_numpy() if chunk.null_count() else np.empty(0, np.bool_)
        first = number_pairs(_views(chunk), is_known, own)
        if not len(first) and chunk.null_count() < len(chunk):
            return None
        if n_found:
            own[own >= 0] += np.int32(n_found)
        texts.append(chunk.gather(first))
        start, n_found = start + len(chunk), n_found + len(first)
    found = pl.concat(texts)
    values = found.unique().sort()
    place = np.append(values.search_sorted(found).to_numpy(), len(values)).astype(np.int32)
    take(place, codes, codes)  # null, -1, reads the last entry
    return values.alias(column.name), codes


def _views(chunk: pl.Series) -> UInt64s:
    """Return the (n, 2) words that Arrow has of each text of one chunk."""
    # Its name is left out: Arrow refuses some.
    array = chunk.alias("").to_arrow(compat_level=pl.CompatLevel.newest())
    words = np.frombuffer(array.buffers()[1], np.uint64).reshape(-1, 2)
    return words[array.offset : array.offset + len(array)]


_LARGEST = 10**300
"""Larger whole numbers have no float."""


def cells_of(native: Any, name: str) -> pl.Series:
    """Return a column of a table as it is; one without a type of its own as Python objects.

    native: as `frames.to_eager` returns it. Objects and categories of pandas may be of any types.
    """
    try:
        column = None if _may_be_mixed(native, name) else frames.raw_column(native, name)
    except DataError:  # several types, or one that polars does not have
        column = None
    if column is not None and not column.dtype.is_extension():
        return column
    given = native[name]
    values = given.astype(object).tolist() if hasattr(given, "astype") else given.to_pylist()
    return _objects(name, values)


def _may_be_mixed(native: Any, name: str) -> bool:
    """Tell whether a column is one of pandas without a type of its own."""
    return hasattr(native, "iloc") and str(native[name].dtype) in ("object", "category")


def _objects(name: str, values: list[Any]) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Object)


def text_of_value(value: Any) -> str | None:
    """Return the text of one value of Python; None for a missing one, and for lists and the like.

    Examples
    --------
    >>> [text_of_value(one) for one in (True, 7.0, dt.date(2024, 7, 1), " a", float("nan"), [1])]
    ['true', '7', '2024-07-01', ' a', None, None]
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half of a surrogate pair is no text
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype("datetime64[us]" if isinstance(value, np.datetime64) else "m8[us]")
        return text_of_value(value.item())
    if isinstance(value, dt.timedelta):
        text: str | None = pl.Series([value]).dt.to_string("iso")[0]
        return text
    if isinstance(value, dt.date | dt.time):
        return value.isoformat() if value == value else None  # noqa: PLR0124 - NaT is not
    if isinstance(value, numbers.Complex) and not value.imag:
        value = value.real
    if isinstance(value, numbers.Integral) and abs(int(value)) < _LARGEST:
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        return _float_text(value)
    return str(value) if isinstance(value, UUID) or type(value).__name__ == "Period" else None


def _float_text(value: Any) -> str | None:
    try:
        number = float(value)
    except OverflowError:
        return "inf" if value > 0 else "-inf"
    except ValueError:  # a signalling NaN
        return None
    return None if math.isnan(number) else number_text(number)


# ruff: noqa: RUF001 - letters that look alike are what this is about


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
    **dict(zip("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᎩᏀᏃᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴ", "DRTIAJEWMHYYGZ4BRWSVSLCPKDB", strict=True)),
    **dict(zip("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU", strict=True)),
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
_AROUND = r"^(?:[(\[{]([^()\[\]{}]*\p{L}[^()\[\]{}]*)[)\]}]|[\"']+(.*))$"
"""Brackets and quotes around words: not around numbers, of which they are the sign."""
_NUMBER = r"^[+-]?\d+(?:[.,]\d*)?$"
_GROUPED = r"^[+-]?[1-9]\d{0,2}(?:(?:MARK\d{3}){2,}|(?:MARK\d{3})+OTHER\d+)$"
_ONE_GROUP = r"^[+-]?[1-9]\d{0,2}[.,]\d{3}$"
_UNIT = r"^([+-]?\d[\d.,' ]*?)(?: (\pL+|[^\pL\d]{1,3})|(\pL{2,}|[°%€$£¥]\pL?))$"
"""A single letter without a blank is no unit: house 7a is not house 7."""
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
    that look alike, punctuation at the end, brackets, a unit that all others have, or in the form
    of a number or a date.
    """
    values = texts.unique()
    folded = _folded(values)
    around = folded.str.extract_groups(_AROUND).struct.unnest()
    bare = pl.select(pl.coalesce(*around, folded)).to_series()
    ended = bare.str.replace(_ENDS, "")
    missing = folded.is_in(sorted(_MISSING)) | ended.is_in(sorted(_MISSING - {""}))
    named = pl.when(missing).then(None).when(ended == "").then(folded).otherwise(ended)
    numbers = _without_unit(_one_date(pl.select(named).to_series()))
    read = min(
        (_one_number(numbers), _one_number(_without_thousands(numbers))),
        key=lambda one: one.n_unique(),
    )
    return texts.replace_strict(values, read, return_dtype=pl.String)


def _without_unit(texts: pl.Series) -> pl.Series:
    """Return numbers without their unit, where a column has one: `7 kg` is `7`."""
    number, *units = texts.str.extract_groups(_UNIT).struct.unnest()
    unit = pl.select(pl.coalesce(*units)).to_series().str.strip_suffix("s")
    if unit.drop_nulls().n_unique() != 1:
        return texts
    return pl.select(pl.coalesce(number, texts)).to_series()


def _without_thousands(texts: pl.Series) -> pl.Series:
    """Return numbers of one mark before three digits as if it parted thousands."""
    single = texts.str.contains(_ONE_GROUP).fill_null(value=False)
    return texts.str.replace_all("[.,]", "").zip_with(single, texts)


def _one_number(texts: pl.Series) -> pl.Series:
    """Return texts with each number in one form: `01`, `+1`, `1.0` and `1,0` are `1`."""
    for mark, other in ((",", r"\."), (r"\.", ","), ("['’]", "[.,]"), (" ", "[.,]")):
        pattern = _GROUPED.replace("MARK", mark).replace("OTHER", other)
        if mark[0] in "[ ":  # it parts nothing else
            pattern = rf"^[+-]?[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?:{other}\d+)?$"
        grouped = texts.str.contains(pattern).fill_null(value=False)
        texts = texts.str.replace_all(mark, "").zip_with(grouped, texts)
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


def beginnings(values: pl.Series) -> Int32s | None:
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
