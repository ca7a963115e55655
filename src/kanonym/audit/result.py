"""What an audit found: the smallest ε that the guesses about canaries leave possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kanonym.data.results.result import Result, ResultTable


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Result):
    """An audit of one run of a mechanism.

    Attributes
    ----------
    mechanism
        Its name.
    epsilon, delta
        What it states.
    canaries
        Records that were put in or left out by a coin each.
    guesses, correct
        How many were guessed, and how many of these rightly, in the attempt with the highest bound.
    lower_bound
        ε is at least this, but for `significance`.
    largest_bound
        What the bound would be had all guesses been right: no audit with so many canaries shows
        more.
    significance
        Probability that the bound is above the true ε, at most.
    seed
        Of the canaries and their coins; the mechanism does not know it.

    """

    _shown: ClassVar[tuple[str, ...]] = ("mechanism", "epsilon", "lower_bound")

    mechanism: str
    epsilon: float
    delta: float
    canaries: int
    guesses: int
    correct: int
    lower_bound: float
    largest_bound: float
    significance: float
    seed: int

    @property
    def satisfied(self) -> bool:
        """Whether the audit found nothing that contradicts the stated ε and δ."""
        return self.lower_bound <= self.epsilon

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "canaries": self.canaries,
            "guesses": self.guesses,
            "correct": self.correct,
            "lower_bound": self.lower_bound,
            "largest_bound": self.largest_bound,
            "significance": self.significance,
            "satisfied": self.satisfied,
            "seed": self.seed,
        }

    def tables(self) -> list[ResultTable]:
        """Return the figures, one a row."""
        rows = [
            ("stated", f"epsilon {self.epsilon:g}, delta {self.delta:g}"),
            ("canaries", f"{self.canaries:,}"),
            ("guesses", f"{self.guesses:,}, {self.correct:,} of them right"),
            (
                "epsilon is at least",
                f"{self.lower_bound:.2f} (confidence {1 - self.significance:.0%})",
            ),
        ]
        return [ResultTable(("audit", self.mechanism), rows, notes=self.notes)]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures mean, in sentences."""
        if not self.satisfied:
            return ("The mechanism is not as private as it states: do not release its tables.",)
        blunders = (
            "The audit found nothing that contradicts the stated epsilon. It finds blunders, not "
            "small excesses: the guarantee rests on the proof."
        )
        if self.largest_bound > self.epsilon:
            return (blunders,)
        few = (
            f"With {self.canaries:,} canaries no audit shows an epsilon above "
            f"{self.largest_bound:.1f}: audit at a smaller epsilon, or with more canaries."
        )
        return blunders, few
