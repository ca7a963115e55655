"""Why each attribute has its role: the reasons of a profile, in the language of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanonym.language import Translator
from kanonym.profiling.profile import Profile
from kanonym.profiling.reasons import EVIDENCE, PUBLISHABLE, Reason
from kanonym.reporting.document import FINEST, round_share

WHOLE = 0.01


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a profile says of the attributes of a release."""

    reasons: dict[str, tuple[str, ...]]
    suggested: dict[str, str]


def evidence_of(
    profile: Profile | None, roles: Mapping[str, str], says: Translator, step: float = FINEST
) -> Evidence | None:
    """Take over a profile; None where there is none.

    A profile counts all records of the original table: see `publishable_reason`.
    """
    if profile is None:
        return None
    columns = [column for column in profile.columns if column.name in roles]
    return Evidence(
        reasons={
            column.name: tuple(
                filter(None, (publishable_reason(reason, says, step) for reason in column.reasons))
            )
            for column in columns
        },
        suggested={
            column.name: str(column.role)
            for column in columns
            if str(column.role) != roles[column.name].partition(",")[0]
        },
    )


def publishable_reason(reason: Reason, says: Translator, step: float = FINEST) -> str:
    """Say a reason without figures of fewer persons than a class has; empty where nothing is left.

    Shares are rounded to `step`, at least to whole percents. Counts and texts of errors are left
    out: with them, a reason is said only if the catalogue has a sentence for reports.

    Examples
    --------
    >>> from kanonym.language import ENGLISH
    >>> publishable_reason(Reason("tells", {"values": 72}, {"share": 0.9782}), ENGLISH, 0.02)
    'its values distinguish 98 % of the pairs of records'
    >>> publishable_reason(Reason("alone", {"records": 3}), ENGLISH)
    ''

    """
    sentence = PUBLISHABLE.get(reason.kind)
    if sentence is None:
        if reason.counts or reason.detail or reason.kind not in EVIDENCE:
            return ""
        sentence = EVIDENCE[reason.kind]
    coarse = max(step, WHOLE)
    shares = {
        name: f"{100 * round_share(share, coarse):.0f} %" for name, share in reason.shares.items()
    }
    return says.text(sentence, **shares, what=says.terms(reason.terms))
