"""Alternatives to a release, as a comparison found them, ready to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanonym.language import ENGLISH, Translator
from kanonym.reporting.rounding import round_count

if TYPE_CHECKING:
    from kanonym.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Run:
    """One release that was tried."""

    label: str
    private: float
    useful: float
    suppressed: int
    frontier: bool
    knee: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What was compared."""

    privacy: str
    measure: str
    runs: tuple[Run, ...]
    refused: int
    reason: str

    @property
    def frontier(self) -> list[Run]:
        """Those that nothing beats, in the order of privacy's value."""
        return sorted((run for run in self.runs if run.frontier), key=lambda one: one.private)


def alternatives_of(
    comparison: Comparison | None, base: int = 1, says: Translator = ENGLISH
) -> Alternatives | None:
    """Take over a comparison; None where there is none.

    Numbers of suppressed records are rounded to multiples of `base`: runs differ by few records.
    """
    if comparison is None:
        return None
    best = {id(one) for one in comparison.frontier}
    runs = []
    for trial in comparison.trials:
        private = trial.k if comparison.privacy == "k" else trial.average_risk
        useful = trial.utility.get(comparison.measure)
        if trial.has_release and private and useful is not None:
            runs.append(
                Run(
                    label=trial.label,
                    private=float(private),
                    useful=useful,
                    suppressed=round_count(trial.suppressed or 0, base),
                    frontier=id(trial) in best,
                    knee=trial is comparison.knee,
                )
            )
    refused = sum(not one.has_release for one in comparison.trials)
    return Alternatives(
        comparison.privacy, comparison.measure, tuple(runs), refused, comparison.reason_in(says)
    )
