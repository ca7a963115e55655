"""Why each attribute has its role: the sentences of a profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanonym.data.errors import DataError
from kanonym.report.known.attacked import plain
from kanonym.report.rounding import FINEST, rounded_share

Sentences = tuple[str, ...]
WHOLE = 0.01
_N = r"\d[\d,]*"
_REWORDED = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (rf"; (?:one record is|{_N} records are) alone with (?:its own|theirs)", ""),
        (rf"\b{_N} values? tells? ", "its values tell "),
        (rf"\b{_N} values, the most frequent one in ", "its most frequent value is in "),
        (rf"\ban amount with {_N} values", "an amount with many values"),
        (rf"\b{_N} values for {_N} records, released", "its many values, released"),
        (rf"\b{_N} values for {_N} records: ", "fewer values than records: "),
        (rf"\b{_N} of {_N} records have ", "nearly all records have "),
        (rf"\bnumbers of {_N} to {_N} digits", "long numbers"),
        (rf"\bhave {_N} digits each", "have equally many digits"),
        (rf"\btexts of {_N} words in the average", "texts of several words"),
        (r"\ball (?=values|texts)", "100 % of the "),
        (r"\bnone of the (?=values|texts)", "0 % of the "),
    )
)
"""Sentences of a profile that count values or records, and what a report says instead."""
_PERCENT = re.compile(r"(\d+(?:\.\d+)?(?:e-?\d+)?) %")
_HARMLESS = re.compile(r"\b\d+ %|\b(?:90|180) degrees\b")
_COUNT = re.compile(r"\d|\bone record\b")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a profile says of the attributes of a release.

    Attributes
    ----------
    reasons
        Its sentences by attribute, without a value of the table; in English.
    suggested
        The role that it suggests, where that is not the policy's.

    """

    reasons: dict[str, Sentences]
    suggested: dict[str, str]


def evidence_of(profile: Any, roles: Mapping[str, str], step: float = FINEST) -> Evidence | None:
    """Take over a profile: None, a `Profile`, or its JSON form.

    A profile counts all records of the original table: its sentences are those of `coarse`.

    Raises
    ------
    DataError
        It has another form.

    """
    if profile is None:
        return None
    try:
        columns = {name: form for name, form in plain(profile)["columns"].items() if name in roles}
        return Evidence(
            reasons={
                name: tuple(filter(None, (coarse(str(one), step) for one in form["evidence"])))
                for name, form in columns.items()
            },
            suggested={
                name: str(form["role"])
                for name, form in columns.items()
                if form["role"] != roles[name].partition(",")[0]
            },
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise DataError(
            "profile: it must have the form of ka.profile(...).to_dict(), with columns that have "
            f"role and evidence; {error!s} is missing or has another form"
        ) from None


def coarse(sentence: str, step: float = FINEST) -> str:
    """Return a sentence of a profile without figures of fewer persons than a class has.

    Shares are rounded to `step`, at least to whole percents. Counts are left out. A sentence
    with a figure that is not known here is left out as a whole: the result is empty.

    Examples
    --------
    >>> coarse("72 values tell 97.82 % of the pairs of records apart", 0.02)
    'its values tell 98 % of the pairs of records apart'
    >>> coarse("72 people have it")
    ''

    """

    def rounded(found: re.Match[str]) -> str:
        return f"{100 * rounded_share(float(found[1]) / 100, max(step, WHOLE)):.0f} %"

    for pattern, text in _REWORDED:
        sentence = pattern.sub(text, sentence)
    sentence = _PERCENT.sub(rounded, sentence)
    return "" if _COUNT.search(_HARMLESS.sub("", sentence)) else sentence
