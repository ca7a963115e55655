"""Why each attribute has its role: the sentences of a profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanonym.data.errors import DataError
from kanonym.report.attacked import plain
from kanonym.report.rounding import FINEST, rounded_share

Sentences = tuple[str, ...]
WHOLE = 0.01
_ALONE = re.compile(r"; (?:one record is|[\d,]+ records are) alone with (?:its own|theirs)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?) %")


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

    A profile counts all records of the original table. Its shares are rounded to `step`, at
    least to whole percents, and how many records are alone with their value is left out.

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
                name: tuple(_coarse(str(one), step) for one in form["evidence"])
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


def _coarse(sentence: str, step: float) -> str:
    """Return a sentence of a profile without figures of fewer persons than a class has."""

    def rounded(found: re.Match[str]) -> str:
        share = float(found[1]) / 100
        return f"{100 * rounded_share(share, max(step, WHOLE)):.0f} %"

    return _PERCENT.sub(rounded, _ALONE.sub("", sentence))
