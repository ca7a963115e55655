"""Reads released texts back, and measures a release from them: no part of kanonym takes part."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def set_of(text: str | None) -> set[str | None]:
    """Return the members of a released set: several stand in braces, one is itself."""
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return {text}
    members: set[str | None] = set()
    rest = text[1:-1]
    while rest:
        if rest.startswith('"'):
            member, end = json.JSONDecoder().raw_decode(rest)
        else:
            end = rest.find(", ") if ", " in rest else len(rest)
            member = None if rest[:end] == "null" else rest[:end]
        members.add(member)
        rest = rest[end + 2 :]
    return members


def interval_of(text: str | None, low: float, high: float) -> tuple[float, float] | None:
    """Return the ends of a released interval; `*` is all from low to high, null is None."""
    if text is None:
        return None
    if text == "*":
        return low, high
    if text.startswith("["):
        first, last = text[1:-1].split(", ")
        return float(first), float(last)
    return float(text), float(text)


def penalties(
    original: Mapping[str, Sequence[Any]], released: Mapping[str, Sequence[Any]], suppressed: int
) -> dict[str, float]:
    """Return the mean penalty of each released attribute over all records of the input.

    Numbers are released as intervals: (high - low) / (range of the column), 1 for `*`.
    Others are released as sets: (members - 1) / (distinct values of the column - 1).
    Null is a value of a set; suppressed records lose 1.
    """
    found = {}
    for name, texts in released.items():
        column = original[name]
        present = [value for value in column if value is not None]
        lost = float(suppressed)
        if any(isinstance(value, str) for value in present):
            members = len(set(column))
            for text, count in Counter(texts).items():
                lost += count * (len(set_of(text)) - 1) / max(members - 1, 1)
        else:
            low, high = (min(present), max(present)) if present else (0, 0)
            for text, count in Counter(texts).items():
                ends = interval_of(text, low, high)
                if text == "*":
                    lost += count
                elif ends is not None and high > low:
                    lost += count * (ends[1] - ends[0]) / (high - low)
        found[name] = lost / max(len(texts) + suppressed, 1)
    return found


def discernibility(released: Sequence[tuple[Any, ...]], suppressed: int) -> int:
    """Return the sum of squared class sizes, and for each suppressed record all records."""
    n_rows = len(released) + suppressed
    return sum(size**2 for size in Counter(released).values()) + suppressed * n_rows


def rmse(
    values: Sequence[float | None], released: Sequence[str | None], column: Sequence[float | None]
) -> float:
    """Return the root mean squared distance of values to the middles of their intervals.

    values: those of the released records, in their order; missing ones do not count.
    column: all values of the input; the middle of `*` is that of its ends.
    """
    present = [value for value in column if value is not None]
    errors = []
    for value, text in zip(values, released, strict=True):
        ends = interval_of(text, min(present, default=0), max(present, default=0))
        if value is not None and ends is not None:
            errors.append(value - (ends[0] + ends[1]) / 2)
    return math.sqrt(math.fsum(error**2 for error in errors) / len(errors)) if errors else 0.0
