"""The limits that a policy sets for the success of attacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanonym.data.errors import shown_value
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name

ATTACK_NAMES = (
    "singling-out",
    "unique-exact-matches",
    "apparent-matches",
    "linkage",
    "similarity-reidentification",
    "linkability",
    "known-items",
    "known-records",
    "inference",
    "homogeneity",
    "disco",
    "background-knowledge",
    "skewness",
    "similarity",
    "definetti",
    "minimality",
    "membership",
    "intersection",
    "downcoding",
)
"""Attacks that a policy may limit: all of `evaluation.attacks.registry`, which stands above."""


def build_attack_limits(given: Any, _: object = None) -> dict[str, float]:
    """Return the largest tolerated risk of each attack that is named."""
    if not isinstance(given, Mapping):
        reason = f"must name attacks with a limit each, {{linkage: 0.2}}, not {shown_value(given)}"
        raise FaultsFoundError([Fault((), reason)])
    faults = []
    for name, limit in given.items():
        if name not in ATTACK_NAMES:
            faults.append(Fault((name,), unknown_name("attack", name, ATTACK_NAMES)))
        elif isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
            reason = f"must be a number above 0 and at most 1, not {shown_value(limit)}"
            faults.append(Fault((name,), reason))
    if faults:
        raise FaultsFoundError(faults)
    return {name: float(limit) for name, limit in given.items()}
