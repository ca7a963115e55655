"""Bounds of labels that stand for several values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.kernels.arrays import Floats

_LABEL = re.compile(
    r"^(?P<open>[\[({\]]|[<>]=?|[≤≥])?\s*(?P<body>.*?)(?P<close>[\])}\[])?$", re.DOTALL
)
_CLOSING = {"[": "])[", "(": "])[", "]": "])[", "{": "}"}


class _Parts(NamedTuple):
    """A label: what opens it, its values, and what closes it."""

    start: str
    values: list[str]
    end: str


def translate_labels(
    labels: pl.Series,
    convert: Callable[[pl.Series], pl.Series],
    separators: tuple[str, str],
    *,
    ranges: bool = False,
) -> pl.Series:
    """Return labels with their values in another style; a label with anything else stays.

    labels: (n,) texts.
    """
    distinct = labels.drop_nulls().unique().to_list()
    readings = {text: list(_readings(text, separators[0], ranges=ranges)) for text in distinct}
    values = list(
        dict.fromkeys(v for reading in readings.values() for parts in reading for v in parts[1])
    )
    converted = convert(pl.Series(values, dtype=pl.String)).to_list()
    known: dict[str, str | None] = dict(zip(values, converted, strict=True))
    known["null"] = "null"
    made = [_translate_label(text, found, known, separators[1]) for text, found in readings.items()]
    return labels.replace_strict(
        pl.Series(list(readings), dtype=pl.String),
        pl.Series(made, dtype=pl.String),
        default=None,
        return_dtype=pl.String,
    )


def _translate_label(
    text: str, readings: list[_Parts], known: dict[str, str | None], separator: str
) -> str:
    """Return a label by the first of its readings that has values alone."""
    for start, values, end in readings:
        new = [known[value] for value in values]
        if None not in new:
            return text if new == values else start + separator.join(map(str, new)) + end
    return text


def _readings(label: str, separator: str, *, ranges: bool) -> Iterator[_Parts]:
    """Yield the ways to take a label apart."""
    match = _LABEL.match(label)
    start, end = (match["open"] or "", match["close"] or "") if match else ("", "")
    if not match or (end not in _CLOSING[start] if start in _CLOSING else end) or not match["body"]:
        yield _Parts("", [label], "")
        return
    if start not in _CLOSING:
        yield _Parts(start, [match["body"]], end)
    else:
        # Other tools write `, ` between decimal commas, too.
        for one in dict.fromkeys([separator, ", "]):
            yield _Parts(start, match["body"].split(one), end)
    if ranges and not start:
        for dash in re.finditer(r"\s*[-–—]\s*", label):
            low, high = label[: dash.start()], label[dash.end() :]
            if low and high:
                yield _Parts("[", [low, high], "]")


_STEP = 2.0**-45
_ZERO = 2.0**-1000  # the hair beside 0
_LARGEST = 1e300
_DIGITS = 12  # of a number that can be a bound: fewer than a float tells from its neighbours

FROM, ABOVE, TO, BELOW = 1, 2, -1, -2
"""What a bound says: 90 or more, more than 90, at most 5, less than 5."""

_SIGNS = {FROM: (">=", "=>", "≥"), ABOVE: (">",), TO: ("<=", "=<", "≤"), BELOW: ("<",)}
_BEFORE = {
    FROM: ("at least", "mindestens", "ab", "al menos", "desde", "au moins", "à partir de"),
    ABOVE: (
        "over",
        "above",
        "more than",
        "older than",
        "greater than",
        "über",
        "mehr als",
        "älter als",
        "más de",
        "mas de",
        "mayor de",
        "plus de",
    ),
    TO: (
        "at most",
        "up to",
        "höchstens",
        "bis",
        "bis zu",
        "hasta",
        "como máximo",
        "jusqu'à",
        "au plus",
    ),
    BELOW: (
        "under",
        "below",
        "less than",
        "fewer than",
        "younger than",
        "unter",
        "weniger als",
        "jünger als",
        "menos de",
        "menor de",
        "moins de",
    ),
}
_BEHIND = {
    FROM: (
        "and over",
        "and older",
        "and above",
        "and more",
        "and up",
        "or over",
        "or older",
        "or above",
        "or more",
        "& over",
        "plus",
        "und älter",
        "und mehr",
        "und darüber",
        "oder älter",
        "oder mehr",
        "y más",
        "y mas",
        "y mayores",
        "o más",
        "o mas",
        "et plus",
        "ou plus",
        "et au-delà",
    ),
    TO: (
        "and under",
        "and below",
        "and younger",
        "and less",
        "or under",
        "or below",
        "or younger",
        "or less",
        "or fewer",
        "und jünger",
        "und weniger",
        "oder jünger",
        "oder weniger",
        "y menos",
        "o menos",
        "et moins",
        "ou moins",
    ),
}


def _alternatives(words: tuple[str, ...]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)


_PATTERNS: tuple[tuple[int, str], ...] = (
    *((side, rf"^(?:{_alternatives(signs)})\s*(.*)$") for side, signs in _SIGNS.items()),
    *((side, rf"(?i)^(?:{_alternatives(words)})\s+(.*)$") for side, words in _BEFORE.items()),
    *((side, rf"(?i)^(.*?\S)\s+(?:{_alternatives(words)})$") for side, words in _BEHIND.items()),
    (FROM, r"^([^+]*[0-9])\s?\+$"),
    (FROM, r"^([^+]*[0-9])\s?\+\s?([^+0-9]+)$"),
    (FROM, r"^([^+]*[^+\s])\s?\+$"),
)
_MAY_BE = r"[<>≥≤+]|[0-9].*\p{L}|\p{L}.*[0-9]"


class Sides(NamedTuple):
    """Texts without what makes bounds of them, and (n,) int8 what that is, 0 for numbers."""

    bare: pl.Series
    sides: NDArray[np.int8]


def split_bounds(texts: pl.Series) -> Sides:
    """Take texts apart into a number with its unit and what kind of bound it is.

    Examples
    --------
    >>> bare, sides = split_bounds(pl.Series(["90+", "< 5 mg/L", "34", "65+ years", "65 or over"]))
    >>> bare.to_list(), sides.tolist()
    (['90', '5 mg/L', '34', '65 years', '65'], [1, -2, 0, 1, 1])
    """
    sides = np.zeros(len(texts), np.int8)
    if not texts.str.contains(_MAY_BE).any():
        return Sides(texts, sides)
    bare = texts
    for side, pattern in _PATTERNS:
        groups = texts.str.extract_groups(pattern).struct.unnest()
        first = groups.to_series(0)
        found = first.is_not_null().to_numpy() & (sides == 0)
        if not found.any():
            continue
        rest = first
        if groups.width > 1:
            rest = pl.select(pl.concat_str(first, pl.lit(" "), groups.to_series(1))).to_series()
        sides[found] = side
        bare = rest.str.strip_chars().zip_with(pl.Series(found), bare)
    return Sides(bare, sides)


def beside(numbers: Floats, sides: NDArray[np.int8]) -> Floats:
    """Return (n,) float64 what numbers and bounds are read as."""
    hair = np.where(numbers == 0, _ZERO, np.where(np.isfinite(numbers), np.abs(numbers), 0) * _STEP)
    return np.asarray(numbers + hair * sides)


def sides_of(values: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return (n,) the numbers of bounds, and (n,) int8 their sides, 0 for what is none."""
    sides = np.zeros(len(values), np.int8)
    numbers = values.copy()
    if not len(values):
        return numbers, sides
    near = np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()])
    near[np.abs(values) > _LARGEST] = np.nan
    near[np.abs(values) <= 2 * _ZERO] = 0.0
    for side in (BELOW, TO, FROM, ABOVE):
        found = (beside(near, np.full(len(values), side, np.int8)) == values) & (near != values)
        sides[found] = side
        numbers[found] = near[found]
    return numbers, sides


def ends_with_bound(values: Floats) -> tuple[bool, bool]:
    """Tell whether the lowest and the highest of ascending values are bounds."""
    if not len(values):
        return False, False
    sides = sides_of(values[[0, -1]])[1]
    return bool(sides[0] < 0), bool(sides[1] > 0)


def text_of_bound(number: str, side: int) -> str:
    """Return a bound as text, where a table does not say how it writes them."""
    return f"{number}+" if side == FROM else {ABOVE: ">", TO: "<=", BELOW: "<"}[side] + number
