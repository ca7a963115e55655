"""Alternatives to a release, as a comparison found them, ready to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanonym.data.errors import DataError
from kanonym.report.known.attacked import plain
from kanonym.report.rounding import rounded


@dataclass(frozen=True, slots=True)
class Run:
    """One release that was tried.

    Attributes
    ----------
    label
        Its algorithm and parameters in a line.
    private, useful
        Its values of privacy and of utility.
    suppressed
        Its suppressed records, rounded.
    frontier, knee
        Whether no other beats it in both, and whether it is the one to take.

    """

    label: str
    private: float
    useful: float
    suppressed: int
    frontier: bool
    knee: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What was compared.

    Attributes
    ----------
    privacy, measure
        Names of what is compared: `k` or `average_risk`; `gcp` or another measure.
    runs
        Those that released something.
    refused
        How many did not.
    reason
        Which to take and why, in English.

    """

    privacy: str
    measure: str
    runs: tuple[Run, ...]
    refused: int
    reason: str

    @property
    def frontier(self) -> list[Run]:
        """Those that nothing beats, in the order of privacy's value."""
        return sorted((one for one in self.runs if one.frontier), key=lambda one: one.private)


def alternatives_of(given: Any, base: int = 1) -> Alternatives | None:
    """Take over a comparison: None, a `Comparison`, or its JSON form.

    Numbers of suppressed records are rounded to multiples of `base`: runs differ by few records.

    Raises
    ------
    DataError
        It has another form.

    """
    if given is None:
        return None
    form = plain(given)
    try:
        privacy, measure = str(form["privacy"]), str(form["measure"])
        runs = tuple(
            Run(
                label=str(one["label"]),
                private=float(one[privacy]),
                useful=float(one["utility"][measure]),
                suppressed=rounded(one["suppressed"] or 0, base),
                frontier=bool(one["frontier"]),
                knee=bool(one["knee"]),
            )
            for one in form["combinations"]
            if one["released"] and one[privacy] and one["utility"].get(measure) is not None
        )
        refused = sum(not one["released"] for one in form["combinations"])
        return Alternatives(privacy, measure, runs, refused, str(form["reason"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            "comparison: it must have the form of ka.compare(...).to_dict(), with privacy, measure "
            f"and combinations; {error!s} is missing or has another form"
        ) from None
