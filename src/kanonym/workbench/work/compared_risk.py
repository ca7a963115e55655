"""The risk of the table beside that of its release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import kanonym as ka
from kanonym.data import frames
from kanonym.release import Release
from kanonym.reporting.known.assessment import is_share
from kanonym.workbench.work.facts import ComparedFigure, ComparedRisk


def compared_risk(frame: Any, release: Release, given: Mapping[str, Any]) -> ComparedRisk:
    """Measure the risk of both tables, by all quasi-identifiers and by subsets of them.

    given: keywords of `risk`; columns that the release lacks are named in what comes back, and
    what needs them has no value after.
    """
    names = frames.column_names(release.frame)
    columns = {key: name for key, name in given.items() if isinstance(name, str)}
    lacking = {key: name for key, name in columns.items() if name not in names}
    own = {key: value for key, value in given.items() if key not in lacking}
    table = ka.risk(frame, release.policy, largest=0, **given)
    both = table, ka.risk(release, largest=0, **own)
    before, after = (one.entries() for one in both)
    values = {
        name: (one.value, after[name].value if name in after else None)
        for name, one in before.items()
        if one.value is not None
    }
    figures = tuple(
        ComparedFigure(
            before[name].meaning.title or before[name].meaning.label,
            before[name].meaning.counted,
            *own,
            is_share(before[name]),
            before[name].parts.get("threshold"),
        )
        for name, own in values.items()
        if not name.startswith("journalist_")  # without a population they are the prosecutor's
        or own != values.get(name.replace("journalist", "prosecutor"))
    )
    subsets = tuple(zip(*(one.subsets() for one in both), strict=True))
    return ComparedRisk(figures, subsets, tuple(lacking.values()))
