"""Numbers and codes that stand for one record each: counters and serial codes."""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from kanonym.profiling.identifiers.finding import Finding, finding_by_values
from kanonym.profiling.identifiers.sample import Sample
from kanonym.profiling.reasons import Reason

LEAST_ROWS = 20
LEAST_HINTED = 5
"""Fewer values may differ by chance; the second where the column's name hints at a number."""
LEAST_CODES = 100
LONG_NUMBER = 8
LONG_CODE = 6

_UNIFORM = 0.99
# What else differs from row to row and looks alike: dates, times, amounts, measured numbers.
_QUANTITY = re.compile(
    r"[-+]?[\d ,.']*\d[.,]\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}:\d{2}.*|[-+$€£%].*|.*[$€£%]"
)
_CALENDAR = re.compile(r"(?:1[89]|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?")
_EPOCH = range(900_000_000, 2_500_000_000)
_CODE = re.compile(r"[^\s]{1,64}")


def find_records(sample: Sample, column: pl.Series, hinted: frozenset[str]) -> tuple[Finding, ...]:
    """Return whether each value stands for one record.

    Notes
    -----
    Whether values differ is known exactly of those in the sample: a value that is in it is
    there with all its rows. Without a hint, integers count as a counter when they fill their
    range (a span no wider than their number, in long tables than twice their number), or as
    serial numbers when they all have the same eight digits or more and are no times. Texts
    count when they have one pattern of letters and digits. Floating-point numbers never do:
    what is measured finely differs too.

    """
    hint = "record number" in hinted
    if sample.form not in {"text", "integer"} and not (hint and _is_whole(sample)):
        return ()
    least = LEAST_HINTED if hint else LEAST_ROWS
    if sample.n_filled < least or bool((sample.counts > 1).any()):
        return ()
    reason = None
    if hint and all(map(_CODE.fullmatch, sample.values)):
        reason = Reason("unshared")
    elif sample.form == "integer":
        reason = _integers(sample, column)
    elif sample.form == "text":
        reason = _codes(sample)
    return () if reason is None else (finding_by_values("record number", 1.0, reason),)


def _is_whole(sample: Sample) -> bool:
    return sample.form == "decimal" and all("." not in value for value in sample.values)


def _integers(sample: Sample, column: pl.Series) -> Reason | None:
    low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
    span = high - low + 1
    if span <= (2 * sample.n_filled if sample.n_filled >= 10 * LEAST_CODES else sample.n_filled):
        return Reason("counter")
    digits = len(str(low))
    long = low > 0 and digits == len(str(high)) and digits >= LONG_NUMBER
    if not long or sample.n_filled < LEAST_CODES or _is_time(sample, low, high):
        return None
    return Reason("serial", {"digits": digits})


def _is_time(sample: Sample, low: int, high: int) -> bool:
    """Return whether integers may be days or seconds."""
    seconds = any(low // unit in _EPOCH and high // unit in _EPOCH for unit in (1, 10**3, 10**6))
    return seconds or all(map(_CALENDAR.fullmatch, sample.values))


def _codes(sample: Sample) -> Reason | None:
    """Return what texts of one pattern are, or None."""
    patterns = Counter(
        re.sub("[^\\W\\d_]", "a", re.sub(r"\d", "9", value)) for value in sample.values
    )
    pattern, count = patterns.most_common(1)[0]
    if count < _UNIFORM * len(sample.values) or "9" not in pattern or " " in pattern:
        return None
    if any(_QUANTITY.fullmatch(value) for value in sample.values):
        return None
    if len(pattern) < LONG_CODE or all(map(_CALENDAR.fullmatch, sample.values)):
        return None
    if pattern.isdigit() and sample.n_filled < LEAST_CODES and not _has_leading_zeros(sample):
        return None
    return Reason("pattern")


def _has_leading_zeros(sample: Sample) -> bool:
    return any(value.startswith("0") for value in sample.values)
