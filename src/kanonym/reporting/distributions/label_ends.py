"""Where a released label of numbers or dates ends, read from the label itself.

An open-ended label such as `>=60` has no upper end: what the original table holds above it
is not in the release, and no chart shows it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from kanonym.data.hierarchy.base import ROOT
from kanonym.evaluation.pair.reading.texts import span_of

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_FROM_TO = re.compile(rf"({_NUMBER})\s*[-–]\s*({_NUMBER})")
_PLUS = re.compile(rf"({_NUMBER})\s*\+")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_DECADE = re.compile(r"(\d{3})0s")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")


@dataclass(frozen=True, slots=True)
class LabelEnds:
    """The ends of a label; infinite where it has none. `closed`: whole numbers end with it."""

    low: float
    high: float
    closed: bool = True


def ends_of_label(text: str) -> LabelEnds | None:
    """Return the ends of a label of numbers, None where it is none.

    Examples
    --------
    >>> ends_of_label("[20, 30)")
    LabelEnds(low=20.0, high=30.0, closed=False)
    >>> ends_of_label(">=60").high
    inf
    >>> ends_of_label("20-24")
    LabelEnds(low=20.0, high=24.0, closed=True)

    """
    if text == ROOT:
        return LabelEnds(-math.inf, math.inf)
    if re.fullmatch(_NUMBER, text):
        return LabelEnds(float(text), float(text))
    if match := _FROM_TO.fullmatch(text):
        return LabelEnds(float(match[1]), float(match[2]))
    if match := _PLUS.fullmatch(text):
        return LabelEnds(float(match[1]), math.inf)
    span = span_of(text)
    if span is None:
        return None
    ends = (span.low, -math.inf), (span.high, math.inf)
    if not all(end is None or re.fullmatch(_NUMBER, end) for end, _ in ends):
        return None
    low, high = (other if end is None else float(end) for end, other in ends)
    return LabelEnds(low, high, not span.high_open)


def ends_of_period(text: str) -> LabelEnds | None:
    """Return the ends of a label of days in milliseconds since 1970, None where it is none.

    Examples
    --------
    >>> ends_of_period("1970-01").high / 86_400_000
    31.0

    """
    if text == ROOT:
        return LabelEnds(-math.inf, math.inf)
    if _DATE.fullmatch(text):
        return _period(text, 1)
    if match := _DECADE.fullmatch(text):
        return _period(f"{match[1]}0", 10)
    if match := _QUARTER.fullmatch(text):
        return _period(f"{match[1]}-{3 * int(match[2]) - 2:02}", 3)
    return None


def _period(first: str, n: int) -> LabelEnds | None:
    try:
        start = np.datetime64(first)
    except ValueError:
        return None
    low, high = (
        float(moment.astype("datetime64[ms]").astype(np.int64)) for moment in (start, start + n)
    )
    return LabelEnds(low, high)
