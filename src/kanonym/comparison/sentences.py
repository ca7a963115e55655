"""Why a release is the one to take, for readers without statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kanonym.comparison.frontier import Knee
from kanonym.language import Translator


class Point(NamedTuple):
    """A release on the frontier: its label, and its values of privacy and utility."""

    label: str
    private: float
    useful: float


def reason_sentence(
    points: Sequence[Point],
    knee: Knee | None,
    axes: tuple[str, str],
    says: Translator,
    *,
    released: bool,
) -> str:
    """Say why a release is the knee, or why there is none.

    points: the frontier, the least private first. axes: what privacy and utility are. released:
    whether there is any release.
    """
    if not points and released:
        return says.text("take.not-measured", privacy=axes[0], measure=axes[1])
    if not points:
        return says.text("take.none")
    if len(points) == 1:
        return says.text("take.only", release=_describe_point(points[0], axes, says))
    ends = (_describe_point(point, axes, says) for point in (points[0], points[-1]))
    way = says.text("take.way", **dict(zip(("first", "last"), ends, strict=True)))
    if knee is None:
        why = says.text("take.two" if len(points) == 2 else "take.straight")
        return says.text("take.no-knee", way=way, why=why)
    return says.text(
        "take.knee",
        release=_describe_point(points[knee.place], axes, says),
        way=way,
        gained=_percent(knee.gained, says),
        paid=_percent(knee.paid, says),
        further=_percent(1 - knee.gained, says),
        further_paid=_percent(1 - knee.paid, says),
    )


def useless_sentence(measure: str, says: Translator) -> str:
    """Say that no release is of more use than a guess."""
    return says.text("take.useless", measure=measure)


def _describe_point(point: Point, axes: tuple[str, str], says: Translator) -> str:
    """Return a release and where it lies: `mondrian, k 5 (smallest class 5, span loss 0.102)`."""
    return says.text(
        "take.at",
        label=point.label,
        privacy=axes[0],
        private=says.localize(f"{point.private:,.{'3g' if point.private < 1 else '0f'}}"),
        measure=axes[1],
        useful=says.localize(f"{point.useful:.3g}"),
    )


def _percent(share: float, says: Translator) -> str:
    return says.localize(f"{100 * share:.0f}") + "\N{NO-BREAK SPACE}%"
