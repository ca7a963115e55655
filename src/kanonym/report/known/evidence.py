"""Why each attribute has its role: the reasons of a profile, in the language of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanonym.data.errors import DataError
from kanonym.language import Speech
from kanonym.profiling.reasons import Reason
from kanonym.report.known.attacked import plain
from kanonym.report.rounding import FINEST, rounded_share

WHOLE = 0.01


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a profile says of the attributes of a release.

    Attributes
    ----------
    reasons
        Its reasons by attribute as sentences, without a value of the table.
    suggested
        The role that it suggests, where that is not the policy's.

    """

    reasons: dict[str, tuple[str, ...]]
    suggested: dict[str, str]


def evidence_of(
    profile: Any, roles: Mapping[str, str], says: Speech, step: float = FINEST
) -> Evidence | None:
    """Take over a profile: None, a `Profile`, or its JSON form.

    A profile counts all records of the original table: its reasons are said as `published`.

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
                name: tuple(
                    filter(None, (published(Reason(**one), says, step) for one in form["reasons"]))
                )
                for name, form in columns.items()
            },
            suggested={
                name: str(form["role"])
                for name, form in columns.items()
                if form["role"] != roles[name].partition(",")[0]
            },
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            "profile: it must have the form of ka.profile(...).to_dict(), with columns that have "
            f"role and reasons; {error!s} is missing or has another form"
        ) from None


def published(reason: Reason, says: Speech, step: float = FINEST) -> str:
    """Say a reason without figures of fewer persons than a class has; empty where nothing is left.

    Shares are rounded to `step`, at least to whole percents. Counts and texts of errors are left
    out: with them, a reason is said only if the catalogue has a sentence for reports.

    Examples
    --------
    >>> from kanonym.language import ENGLISH
    >>> published(Reason("tells", {"values": 72}, {"share": 0.9782}), ENGLISH, 0.02)
    'its values tell 98 % of the pairs of records apart'
    >>> published(Reason("alone", {"records": 3}), ENGLISH)
    ''

    """
    key = f"evidence.{reason.kind}"
    if f"{key}.report" in says.sentences:
        key = f"{key}.report"
    elif reason.counts or reason.detail or key not in says.sentences:
        return ""
    coarse = max(step, WHOLE)
    shares = {
        name: f"{100 * rounded_share(share, coarse):.0f} %" for name, share in reason.shares.items()
    }
    return says.say(key, **shares, what=says.terms(reason.terms))
