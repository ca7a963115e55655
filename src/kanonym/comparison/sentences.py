"""Why a release is the one to take, for readers without statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kanonym.comparison.judging import Knee


class Point(NamedTuple):
    """A release on the frontier: its label, and its values of privacy and utility."""

    label: str
    private: float
    useful: float


def reason(
    points: Sequence[Point], knee: Knee | None, axes: tuple[str, str], *, released: bool
) -> str:
    """Say why a release is the knee, or why there is none.

    points: the frontier, the least private first. axes: what privacy and utility are. released:
    whether there is any release.
    """
    if not points and released:
        return (
            f"No release has both {axes[0]} and {axes[1]}: there is nothing to choose by. "
            "Judge by another measure."
        )
    if not points:
        return "No combination gave a release: there is nothing to choose from."
    if len(points) == 1:
        return (
            f"Take {_at(points[0], axes)}: no other release is more private, and none that is as "
            "private is more useful."
        )
    way = f"It runs from {_at(points[0], axes)} to {_at(points[-1], axes)}"
    if knee is None:
        why = (
            "two releases make no bend"
            if len(points) == 2
            else "on the way, each doubling of privacy costs about as much as the one before it, "
            "or less"
        )
        return (
            f"The frontier has no knee. {way}; {why}. Take the first release on it that is "
            "private enough for you."
        )
    return (
        f"Take {_at(points[knee.place], axes)}: the frontier bends there. {way}. The way up to "
        f"the bend brings {_percent(knee.gained)} of the privacy, counted in doublings, for "
        f"{_percent(knee.paid)} of the loss; the rest of the way brings "
        f"{_percent(1 - knee.gained)} for {_percent(1 - knee.paid)}."
    )


def useless(measure: str) -> str:
    """Say that no release is of more use than a guess."""
    return (
        f"No release can be recommended: by {measure}, none is of more use than guessing without "
        "it. Ask for less privacy, or release other columns."
    )


def _at(point: Point, axes: tuple[str, str]) -> str:
    """Return a release and where it lies: `mondrian, k 5 (smallest class 5, span loss 0.102)`."""
    private = (
        f"{axes[0]} {point.private:,.3g}"
        if point.private < 1
        else (f"{axes[0]} {point.private:,.0f}")
    )
    return f"{point.label} ({private}, {axes[1]} {point.useful:.3g})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
