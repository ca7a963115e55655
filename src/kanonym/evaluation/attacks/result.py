"""What an attack achieved: a rate beside a baseline and a control, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, ClassVar, Literal

from kanonym.data.results import Alarm, Result, ResultTable
from kanonym.evaluation.attacks import sentences
from kanonym.policy.faults import unknown_name

CONFIDENCE = 0.95

Hiding = Literal["baseline", "control"]
Finding = Literal["beyond", "none", "baseline", "control"]


@dataclass(frozen=True, slots=True)
class SuccessCount:
    """Successes among attempts."""

    successes: float
    attempts: int
    exact: bool = False

    @property
    def rate(self) -> float:
        """Successes / attempts, in [0, 1]; 0 without an attempt."""
        return self.successes / self.attempts if self.attempts else 0.0

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return Wilson's interval of the rate (Wilson 1927, JASA 22); [0, 1] without an attempt.

        confidence: in (0, 1).
        """
        if self.exact:
            return self.rate, self.rate
        if not self.attempts:
            return 0.0, 1.0
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        n, rate = self.attempts, self.rate
        middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        # Where all or none succeeded the end is the rate, but for rounding.
        return max(0.0, min(rate, middle - reach)), min(1.0, max(rate, middle + reach))


@dataclass(frozen=True, slots=True, repr=False)
class AttackResult(Result):
    """What one attack on a release achieved.

    Attributes
    ----------
    type
        Name of the attack.
    question
        What the intruder wants, as a question in plain words.
    targets
        Attempts on persons of the original.
    baseline
        What somebody achieves who has not seen the release, or not the person in it.
    control
        The same attack on persons who are not in the original; None without such.
    seed
        Of what was drawn.
    confidence
        Of the interval.
    parts
        The rate by sensitive attribute or by parameter, and other details.
    reason
        Why nothing was attempted, where nothing was.
    best_of
        How many outcomes this one was chosen from, because it was the worst for the persons:
        the interval of the risk is wider by as much (Bonferroni).
    other_attack
        Whether the baseline is another attack, such as guessing the commonest value. One that
        succeeds as often says nothing of what this attack found, and only a control does.
    others_most
        What the risk of the outcomes that this one was chosen from is at most; 0 without others.
    unit
        What an attempt is about, as of the attack's class; a `record` in the place of a `person`
        where nothing says that records are persons.
    """

    _shown: ClassVar[tuple[str, ...]] = ("type", "risk")

    type: str
    question: str
    targets: SuccessCount
    baseline: SuccessCount
    control: SuccessCount | None = None
    seed: int = 0
    confidence: float = CONFIDENCE
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    best_of: int = 1
    other_attack: bool = False
    others_most: float = 0.0
    unit: str = "person"

    @property
    def attempts(self) -> int:
        """Attempts on persons of the original; 0 where nothing was attempted."""
        return self.targets.attempts

    @property
    def chance(self) -> SuccessCount:
        """What the rate is compared with: the control where there is one, else the baseline.

        The same attack on other persons is what the attack achieves without their records. A
        baseline that does better is another attack, and says nothing of what this one found.
        """
        if self.control is None or not self.control.attempts:
            return self.baseline
        return self.control

    @property
    def is_beside_another_attack(self) -> bool:
        """Whether chance is another attack, so that it is no bound of what this one found."""
        return self.other_attack and self.chance is self.baseline

    @property
    def finding(self) -> Finding:
        """What the result shows, by its own interval.

        `beyond`: the attack surely succeeds more often than by chance. `baseline`, `control`:
        what `hidden_by` says. `none`: no success beyond chance was shown.
        """
        return "beyond" if self.interval[0] > 0 else self.hidden_by or "none"

    @property
    def hidden_by(self) -> Hiding | None:
        """What keeps the risk from showing what is given away; None where nothing does.

        `baseline`: it is another attack, which this one does not surely beat, and there is no
        control. `control`: the attack succeeds more often on the control than on the original,
        by more than their intervals allow, so that the two are not of one population.
        """
        if self.interval[0] > 0 or not self.targets.successes:
            return None
        if self.chance is self.baseline:
            return "baseline" if self.other_attack else None
        most = self.targets.interval(self.confidence)[1]
        return "control" if most < self.chance.interval(self.confidence)[0] else None

    @property
    def risk(self) -> float:
        """(rate - chance) / (1 - chance), in [0, 1]: what the release adds (anonymeter's risk)."""
        return _share_beyond_chance(self.targets.rate, self.chance.rate)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the risk: from the ends of both intervals, so it is never too narrow.

        Where chance surely succeeds as often as the attack, it is no bound of what the attack
        found. Then the interval goes from 0 to the end of the rate's: no risk is above its rate.
        """
        low, high = self._rate_interval
        least, most = self.chance.interval(self._own_confidence)
        return min(_share_beyond_chance(low, most), self.risk), _share_beyond_chance(
            high, least
        ) or high

    @property
    def upper_bound(self) -> float:
        """What the risk is surely at most, of this outcome and of those it was chosen from.

        The upper end of the interval; that of the rate where chance is another attack.
        """
        own = self._rate_interval[1] if self.is_beside_another_attack else self.interval[1]
        return max(own, self.others_most)

    @property
    def _own_confidence(self) -> float:
        return 1 - (1 - self.confidence) / self.best_of

    @property
    def _rate_interval(self) -> tuple[float, float]:
        return self.targets.interval(self._own_confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "type": self.type,
            "question": self.question,
            "rate": self.targets.rate,
            "rate_interval": list(self.targets.interval(self.confidence)),
            "baseline": self.baseline.rate,
            "control": self.control.rate if self.control and self.control.attempts else None,
            "risk": self.risk,
            "interval": list(self.interval),
            **({"hidden_by": self.hidden_by} if self.hidden_by else {}),
            "confidence": self.confidence,
            "attempts": self.targets.attempts,
            "unit": self.unit,
            "seed": self.seed,
            **({"parts": dict(self.parts)} if self.parts else {}),
            **({"reason": self.reason} if self.reason else {}),
        }

    def tables(self) -> list[ResultTable]:
        """Return a row: the rate, chance, and the risk with its interval."""
        return AttackResults((self,)).tables()


@dataclass(frozen=True, slots=True, repr=False)
class AttackResults(Result):
    """What attacks on one release achieved; `print` shows them.

    Attributes
    ----------
    results
        One an attack, in the order in which they were carried out.
    notes
        What was assumed of released values.
    limits
        The largest tolerated risk of attacks, by name: `attack_limits` of the policy.
    """

    _shown: ClassVar[tuple[str, ...]] = ("results",)

    results: tuple[AttackResult, ...]
    notes: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, name: str) -> AttackResult:
        """Return the result of one attack by its name."""
        for result in self.results:
            if result.type == name:
                return result
        raise KeyError(unknown_name("attack", name, [one.type for one in self.results]))

    def __iter__(self) -> Iterator[AttackResult]:
        return iter(self.results)

    @property
    def checks(self) -> tuple[sentences.LimitCheck, ...]:
        """Whether each attack that is limited keeps its limit, the worst verdicts first."""
        return sentences.check_limits(self.results, self.limits)

    @property
    def verdict(self) -> sentences.LimitVerdict | None:
        """Whether all limits are kept; None where none was set."""
        return sentences.joint_verdict(self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        checks = [check.to_dict() for check in self.checks]
        return {
            "attacks": [result.to_dict() for result in self.results],
            **({"limits": {"verdict": self.verdict, "attacks": checks}} if checks else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    def plot(self, language: str = "en") -> Any:
        """Return an Altair chart of the attacks that were tried, beside chance."""
        from kanonym.reporting.plots import plot_attacks  # noqa: PLC0415 - reports stand above

        return plot_attacks(self, language)

    def tables(self) -> list[ResultTable]:
        """Return an attack a row, in percent; those that were not run; and the limits."""
        tried = [one for one in self.results if one.attempts]
        idle = [(one.type, one.reason or "") for one in self.results if not one.attempts]
        header = ("attack", "rate", "baseline", "control", "risk", "interval")
        notes = (*([PERCENT] if tried else []), *sentences.finding_notes(self.results), *self.notes)
        limits = [
            (check.verdict, sentence)
            for check, sentence in zip(self.checks, sentences.limit_notes(self.checks), strict=True)
        ]
        return [
            ResultTable(header, list(map(_row, tried)), frozenset(range(1, 6)), notes=notes),
            *([ResultTable(("not run", "why"), idle)] if idle else []),
            *([ResultTable(("limit of the policy", "what is known"), limits)] if limits else []),
        ]


def worst_of(outcomes: Iterable[AttackResult]) -> AttackResult:
    """Return the outcome of the largest risk; of equal ones a hidden one, or of least chance."""
    results = tuple(outcomes)
    worst = max(
        results,
        key=lambda one: (one.risk, one.hidden_by is not None, -one.chance.rate, one.targets.rate),
    )
    others = (result.upper_bound for result in results if result is not worst)
    return replace(worst, others_most=max(others, default=0.0))


def _share_beyond_chance(rate: float, chance: float) -> float:
    """Return the share of what chance leaves that a rate reaches, in [0, 1]."""
    return min(1.0, max(0.0, (rate - chance) / (1 - chance))) if chance < 1 else 0.0


PERCENT = (
    "In percent. Risk: success beyond chance, with its 95 % interval. Chance: the control (the "
    "same attack on people who are not in the table), or else the baseline (without the release, "
    "or without the person's record in it)."
)
"""How the figures of attacks are read."""
ALARMING = 0.1
"""A risk whose interval begins above this catches the eye."""


def _row(one: AttackResult) -> tuple[str, ...]:
    low, high = one.interval
    control = one.control.rate if one.control and one.control.attempts else None
    rates = (one.targets.rate, one.baseline.rate, control, one.risk, low, high)
    rate, baseline, beside, risk, least, most = (
        "–" if share is None else f"{100 * share:.1f}" for share in rates
    )
    risk = Alarm(risk) if low > ALARMING else risk
    return (one.type, rate, baseline, beside, risk, f"{least} to {most}")
