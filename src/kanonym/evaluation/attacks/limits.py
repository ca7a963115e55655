"""Whether attacks keep the limits that a policy sets for their risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult

LimitVerdict = Literal["exceeded", "undecided", "not run", "kept"]

VERDICTS: tuple[LimitVerdict, ...] = get_args(LimitVerdict)
"""Several attacks have the first verdict that one of them has."""


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """Whether one attack keeps its limit."""

    type: str
    limit: float
    result: AttackResult | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What the risk is at least and at most; None where nothing was attempted."""
        if self.result is None or not self.result.attempts:
            return None
        return self.result.interval[0], self.result.upper_bound

    @property
    def verdict(self) -> LimitVerdict:
        """`kept` if the risk is surely at most the limit, `exceeded` if it is surely above."""
        if self.bounds is None:
            return "not run"
        least, most = self.bounds
        if least > self.limit:
            return "exceeded"
        return "kept" if most <= self.limit else "undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        bounds = None if self.bounds is None else list(self.bounds)
        named = {"type": self.type, "limit": self.limit}
        return {**named, "verdict": self.verdict, "bounds": bounds}


def check_limits(
    results: Sequence[AttackResult], limits: Mapping[str, float]
) -> tuple[LimitCheck, ...]:
    """Return a check for each result of an attack that is limited, the worst verdicts first."""
    by_name: dict[str, list[AttackResult | None]] = {}
    for result in results:
        by_name.setdefault(result.type, []).append(result)
    checks = (
        LimitCheck(name, limit, one)
        for name, limit in limits.items()
        for one in by_name.get(name, [None])
    )
    return tuple(sorted(checks, key=lambda one: VERDICTS.index(one.verdict)))


def joint_verdict(checks: Sequence[LimitCheck]) -> LimitVerdict | None:
    """Return the verdict on all limits; None where there is none."""
    return min((check.verdict for check in checks), key=VERDICTS.index, default=None)
