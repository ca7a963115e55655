"""Why a release is the one to take, for readers without statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kanonym.comparison.judging import Knee
from kanonym.language import Speech


class Point(NamedTuple):
    """A release on the frontier: its label, and its values of privacy and utility."""

    label: str
    private: float
    useful: float


def reason(
    points: Sequence[Point],
    knee: Knee | None,
    axes: tuple[str, str],
    says: Speech,
    *,
    released: bool,
) -> str:
    """Say why a release is the knee, or why there is none.

    points: the frontier, the least private first. axes: what privacy and utility are. released:
    whether there is any release.
    """
    if not points and released:
        return says.say("take.not-measured", privacy=axes[0], measure=axes[1])
    if not points:
        return says.say("take.none")
    if len(points) == 1:
        return says.say("take.only", release=_at(points[0], axes, says))
    ends = (_at(one, axes, says) for one in (points[0], points[-1]))
    way = says.say("take.way", **dict(zip(("first", "last"), ends, strict=True)))
    if knee is None:
        why = says.say("take.two" if len(points) == 2 else "take.straight")
        return says.say("take.no-knee", way=way, why=why)
    return says.say(
        "take.knee",
        release=_at(points[knee.place], axes, says),
        way=way,
        gained=_percent(knee.gained, says),
        paid=_percent(knee.paid, says),
        further=_percent(1 - knee.gained, says),
        further_paid=_percent(1 - knee.paid, says),
    )


def useless(measure: str, says: Speech) -> str:
    """Say that no release is of more use than a guess."""
    return says.say("take.useless", measure=measure)


def _at(point: Point, axes: tuple[str, str], says: Speech) -> str:
    """Return a release and where it lies: `mondrian, k 5 (smallest class 5, span loss 0.102)`."""
    return says.say(
        "take.at",
        label=point.label,
        privacy=axes[0],
        private=says.local(f"{point.private:,.{'3g' if point.private < 1 else '0f'}}"),
        measure=axes[1],
        useful=says.local(f"{point.useful:.3g}"),
    )


def _percent(share: float, says: Speech) -> str:
    return says.local(f"{100 * share:.0f}") + "\N{NO-BREAK SPACE}%"
