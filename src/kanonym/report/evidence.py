"""Why each attribute has its role: the sentences of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanonym.data.errors import DataError
from kanonym.report.attacked import plain

Sentences = tuple[str, ...]


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


def evidence_of(profile: Any, roles: Mapping[str, str]) -> Evidence | None:
    """Take over a profile: None, a `Profile`, or its JSON form.

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
            reasons={name: tuple(map(str, form["evidence"])) for name, form in columns.items()},
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
