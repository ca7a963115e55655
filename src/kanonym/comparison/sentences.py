"""Why a release is the one to take, for readers without statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kanonym.comparison.frontier import Knee
from kanonym.data.errors import gettext as _
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
        return says.text(
            _(
                "No release has both {privacy} and {measure}: there is nothing to choose by. Use "
                "another measure."
            ),
            privacy=axes[0],
            measure=axes[1],
        )
    if not points:
        return says.text(_("No combination produced a release: there is nothing to choose from."))
    if len(points) == 1:
        return says.text(
            _(
                "Take {release}: no other release is more private, and none that is as private is "
                "more useful."
            ),
            release=_describe_point(points[0], axes, says),
        )
    ends = (_describe_point(point, axes, says) for point in (points[0], points[-1]))
    way = says.text(
        _("It runs from {first} to {last}"), **dict(zip(("first", "last"), ends, strict=True))
    )
    if knee is None:
        why = says.text(
            _("two releases have no knee")
            if len(points) == 2
            else _(
                "along it, each doubling of privacy costs about as much as the one before, or less"
            )
        )
        return says.text(
            _(
                "The frontier has no knee. {way}; {why}. Take the first release on it that is "
                "private enough."
            ),
            way=way,
            why=why,
        )
    return says.text(
        _(
            "Take {release}, the knee of the frontier. {way}. Up to the knee, {paid} of the loss "
            "buys {gained} of the privacy, counted in doublings; beyond it, {further_paid} buys "
            "{further}."
        ),
        release=_describe_point(points[knee.place], axes, says),
        way=way,
        gained=_percent(knee.gained, says),
        paid=_percent(knee.paid, says),
        further=_percent(1 - knee.gained, says),
        further_paid=_percent(1 - knee.paid, says),
    )


def useless_sentence(measure: str, says: Translator) -> str:
    """Say that no release is of more use than a guess."""
    return says.text(
        _(
            "No release can be recommended: by {measure}, none is more useful than guessing "
            "without it. Require less privacy, or release other columns."
        ),
        measure=measure,
    )


def _describe_point(point: Point, axes: tuple[str, str], says: Translator) -> str:
    """Return a release and where it lies: `mondrian, k 5 (smallest class 5, span loss 0.102)`."""
    return says.text(
        _("{label} ({privacy} {private}, {measure} {useful})"),
        label=point.label,
        privacy=axes[0],
        private=says.localize(f"{point.private:,.{'3g' if point.private < 1 else '0f'}}"),
        measure=axes[1],
        useful=says.localize(f"{point.useful:.3g}"),
    )


def _percent(share: float, says: Translator) -> str:
    return says.localize(f"{100 * share:.0f}") + "\N{NO-BREAK SPACE}%"
