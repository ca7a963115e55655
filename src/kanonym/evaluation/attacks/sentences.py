"""Limits of attacks, and what their results say in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from kanonym.data.errors import gettext as _
from kanonym.language import ENGLISH, Translator

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


DIGITS = range(1, 13)


FINDINGS = {
    "beyond": _("The release helps such an intruder."),
    "none": _("No success beyond chance was shown."),
    "baseline": _(
        "It does not surely succeed more often than the baseline, which is another attack; only a "
        "control (people who are not in the table) would show whether the release helps."
    ),
    "control": _(
        "It succeeds more often on the control than on the table: they are not from the same "
        "population, and what the release adds is unknown."
    ),
}
"""What an attack shows, by its own interval."""

LIMITS = {
    "kept": _("{title}: at most {most} beyond chance; the limit of {limit} is kept."),
    "exceeded": _("{title}: at least {least} beyond chance; the limit of {limit} is exceeded."),
    "undecided": _(
        "{title}: {least} to {most} beyond chance; whether the limit of {limit} is kept is "
        "undecided."
    ),
    "not run": _("{title}: not run, so whether the limit of {limit} is kept is unknown."),
}


def _wording(name: str, part: str) -> str:
    """Return a sentence of an attack; empty where it has none."""
    from kanonym.evaluation.attacks import ATTACKS  # noqa: PLC0415 - attacks word results

    return getattr(ATTACKS[name], part, "") if name in ATTACKS else ""


def title_of(name: str, says: Translator) -> str:
    """Name an attack."""
    return says.translate(_wording(name, "title") or name)


def question_of(one: AttackResult, says: Translator, column: str | None = None) -> str:
    """Say in few words what an intruder wants to know; `column` is the one in question."""
    of_column = _wording(one.type, "question_about")
    if column is not None and of_column:
        return says.text(of_column, name=column)
    return says.translate(_wording(one.type, "question") or one.question)


def knowledge_sentence(one: AttackResult, says: Translator) -> str:
    """Say what an intruder knows, and what came out in a hundred attempts; may be empty."""
    told = _wording(one.type, "result_sentence")
    return told and says.text(
        told, right=says.per_hundred(one.targets.rate), chance=says.per_hundred(one.chance.rate)
    )


def figures_sentence(one: AttackResult, says: Translator) -> str:
    """Say how often an attack was right, how often it is by chance, and the share beyond it."""
    low, high = one.interval
    return says.text(
        _(
            "Right in {rate} of {attempts}, by chance in {chance}; beyond chance: {risk} ({low} to "
            "{high})."
        ),
        rate=says.tenths(one.targets.rate),
        attempts=says.plural(one.attempts, one.unit),
        chance=says.tenths(one.chance.rate),
        risk=says.tenths(one.risk),
        low=says.tenths(low),
        high=says.tenths(high),
    )


def finding_sentence(one: AttackResult, says: Translator) -> str:
    """Say whether an attack succeeded beyond chance, by its own interval."""
    return says.text(FINDINGS[one.finding])


def finding_notes(results: Sequence[AttackResult]) -> list[str]:
    """Return each finding with the attacks of which it is true, in English."""
    from kanonym.evaluation.attacks.result import Finding  # noqa: PLC0415 - it tells these

    tried = [result for result in results if result.attempts]
    named = {key: [one.type for one in tried if one.finding == key] for key in get_args(Finding)}
    return [
        f"{FINDINGS[key].removesuffix('.')}: {', '.join(names)}."
        for key, names in named.items()
        if names
    ]


def limit_sentence(check: LimitCheck, says: Translator, title: str) -> str:
    """Say whether an attack keeps its limit, by the end of the interval that decides it."""
    sentence = LIMITS[check.verdict]
    facts = {"title": title, "limit": _percent(f"{100 * check.limit:.6g}", says)}
    if check.bounds is None or check.result is None:
        if check.result is not None and check.result.reason:
            sentence = _(
                "{title}: not run, so whether the limit of {limit} is kept is unknown ({reason})."
            )
            facts["reason"] = says.translate(check.result.reason)
        return says.text(sentence, **facts)
    least, most = (_bound(bound, check.limit, says) for bound in check.bounds)
    said = says.text(sentence, least=least, most=most, **facts)
    if check.verdict != "undecided":
        return said
    hint = says.text(
        _(
            "Chance is that of another attack and bounds nothing; a control (people who are not in "
            "the table) may decide it."
        )
        if check.result.is_beside_another_attack
        else _("More attempts may decide it.")
    )
    return f"{said} {hint}"


def limit_notes(checks: Sequence[LimitCheck]) -> list[str]:
    """Return a sentence for each attack that is limited, in English."""
    return [limit_sentence(check, ENGLISH, check.type) for check in checks]


def _bound(share: float, limit: float, says: Translator) -> str:
    """Write a share with as many digits as show on which side of a limit it is."""
    exact = (n for n in DIGITS if (round(share, n + 2) > limit) == (share > limit))
    return _percent(f"{100 * share:.{next(exact, DIGITS[-1])}f}", says)


def _percent(number: str, says: Translator) -> str:
    return f"{says.localize(number)}\N{NO-BREAK SPACE}%"
