"""What is said of an attack, in one place for terminals, notebooks, reports and the workbench.

Each sentence is about one attack, and follows from that attack's own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from kanonym.data.message import gettext as _
from kanonym.language import ENGLISH, Translator

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.limits import LimitCheck
    from kanonym.evaluation.attacks.result import AttackResult

DIGITS = range(1, 13)


def title_of(name: str, says: Translator) -> str:
    """Name an attack."""
    return says.text_or(f"attack.{name}", name)


def question_of(one: AttackResult, says: Translator, column: str | None = None) -> str:
    """Say in few words what an intruder wants to know; `column` is the one in question."""
    key = f"attack.{one.type}.question"
    if column is not None and f"{key}.of" in says.sentences:
        return says.text(f"{key}.of", name=column)
    return says.text_or(key, one.question)


def knowledge_sentence(one: AttackResult, says: Translator) -> str:
    """Say what an intruder knows, and what came out in a hundred attempts; may be empty."""
    key = f"attack.{one.type}.told"
    if key not in says.sentences:
        return ""
    return says.text(
        key, right=says.per_hundred(one.targets.rate), chance=says.per_hundred(one.chance.rate)
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
    return says.text(f"attacks.finding.{one.finding}")


def finding_notes(results: Sequence[AttackResult]) -> list[str]:
    """Return each finding with the attacks of which it is true, in English."""
    from kanonym.evaluation.attacks.result import Finding  # noqa: PLC0415 - it tells these

    tried = [result for result in results if result.attempts]
    named = {key: [one.type for one in tried if one.finding == key] for key in get_args(Finding)}
    return [
        f"{ENGLISH.text(f'attacks.finding.{key}').removesuffix('.')}: {', '.join(names)}."
        for key, names in named.items()
        if names
    ]


def limit_sentence(check: LimitCheck, says: Translator, title: str) -> str:
    """Say whether an attack keeps its limit, by the end of the interval that decides it."""
    key = f"attacks.limit.{check.verdict}"
    facts = {"title": title, "limit": _percent(f"{100 * check.limit:.6g}", says)}
    if check.bounds is None or check.result is None:
        if check.result is not None and check.result.reason:
            key, facts["reason"] = f"{key}.why", says.translate(check.result.reason)
        return says.text(key, **facts)
    least, most = (_bound(bound, check.limit, says) for bound in check.bounds)
    said = says.text(key, least=least, most=most, **facts)
    if check.verdict != "undecided":
        return said
    hint = "control" if check.result.is_beside_another_attack else "attempts"
    return f"{said} {says.text(f'{key}.{hint}')}"


def limit_notes(checks: Sequence[LimitCheck]) -> list[str]:
    """Return a sentence for each attack that is limited, in English."""
    return [limit_sentence(check, ENGLISH, check.type) for check in checks]


def _bound(share: float, limit: float, says: Translator) -> str:
    """Write a share with as many digits as show on which side of a limit it is."""
    exact = (n for n in DIGITS if (round(share, n + 2) > limit) == (share > limit))
    return _percent(f"{100 * share:.{next(exact, DIGITS[-1])}f}", says)


def _percent(number: str, says: Translator) -> str:
    return f"{says.localize(number)}\N{NO-BREAK SPACE}%"
