"""The cost of private mechanisms, and the ledger that adds it up."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.files.disk import lock_file
from kanonym.data.results import Result, ResultTable
from kanonym.differential_privacy.sampling import round_up

MOST_EPSILON = 500
"""What is asked; far below it, ε promises nothing any more."""
DIGITS = 50
"""Decimal digits with which a conversion is confirmed."""
HALVINGS = 200
"""Of an interval of floats: more than there are between any two."""
MARGIN = Fraction(1, 10**13)
"""By what a result of floats is moved to the safe side, as a share of it."""


class OverspentError(Exception):
    """A mechanism would cost more than is left. It has not been run."""


@dataclass(slots=True)
class Budget:
    """How much may be spent, and what has been spent on what; exact fractions."""

    total: Fraction
    entries: list[tuple[str, Fraction]] = field(default_factory=list)

    @property
    def spent(self) -> Fraction:
        """The sum of what was paid for."""
        return sum((cost for _, cost in self.entries), Fraction(0))

    @property
    def rest(self) -> Fraction:
        """What is left."""
        return self.total - self.spent

    def spend(self, what: str, rho: Fraction) -> None:
        """Pay for a mechanism before it is run."""
        if rho < 0:
            raise ValueError(f"{what}: a cost of at least 0, not {rho}")
        if rho > self.rest:
            raise OverspentError(f"{what} costs ρ = {float(rho):g}; {float(self.rest):g} is left")
        self.entries.append((what, rho))


def rho_of_gaussian(variance: Fraction, sensitivity_squared: int = 1) -> Fraction:
    """Return the cost of discrete Gaussian noise with σ² on whole numbers.

    `sensitivity_squared` is the square of the L2 distance by which one record can change them: 1
    for a marginal to which a record is added.
    """
    return Fraction(sensitivity_squared) / (2 * variance)


def rho_of_exponential(epsilon: Fraction) -> Fraction:
    """Return the cost of one draw of the exponential mechanism: ε²/8 (Cesar, Rogers 2021)."""
    return epsilon**2 / 8


def rho_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest ρ that implies (ε, δ), rounded down by less than 1 in 10^12.

    >>> float(rho_for(Fraction(1), Fraction(1, 10**9)))
    0.01497305767358...
    """
    check_promise(epsilon, delta)
    low, high = 0.0, float(epsilon) + 1
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _log_delta(middle, float(epsilon)) <= math.log(delta):
            low = middle
        else:
            high = middle
    rho = Fraction(low) * (1 - MARGIN)
    if not implies(rho, epsilon, delta):
        raise ArithmeticError(f"no ρ is confirmed for ε = {epsilon}, δ = {delta}")
    return rho


def epsilon_for(rho: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest ε such that ρ implies (ε, δ), rounded up by less than 1 in 10^12."""
    check_promise(Fraction(1), delta)
    if rho <= 0:
        raise ValueError(f"a cost is above 0; this is {rho}")
    low, high = 0.0, float(rho) + 2 * math.sqrt(-float(rho) * math.log(delta))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _log_delta(float(rho), middle) <= math.log(delta):
            high = middle
        else:
            low = middle
    epsilon = Fraction(high) * (1 + MARGIN)
    if not implies(rho, epsilon, delta):
        raise ArithmeticError(f"no ε is confirmed for ρ = {float(rho):g}, δ = {delta}")
    return epsilon


def implies(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether ρ implies (ε, δ), decided with 50 digits.

    The formula holds for any α. So α comes from floats, and only δ is computed with more digits.
    """
    with localcontext(Context(prec=DIGITS)):
        a = Decimal(_best_alpha(float(rho), float(epsilon)))
        r, e, d = (
            Decimal(fraction.numerator) / Decimal(fraction.denominator)
            for fraction in (rho, epsilon, delta)
        )
        log_delta = (a - 1) * (a * r - e) + a * (1 - 1 / a).ln() - (a - 1).ln()
        return log_delta <= d.ln()


def check_promise(epsilon: Fraction, delta: Fraction) -> None:
    """Refuse what is no (ε, δ): ε above 0, δ in (0, 1)."""
    if epsilon <= 0 or not 0 < delta < 1:
        raise ValueError(f"ε is above 0 and δ in (0, 1); these are {epsilon} and {delta}")


def _log_delta(rho: float, epsilon: float) -> float:
    """Return the logarithm of the smallest δ."""
    if rho <= 0:
        return -math.inf
    a = _best_alpha(rho, epsilon)
    return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)


def _best_alpha(rho: float, epsilon: float) -> float:
    """Return α of the smallest δ: where the derivative (2α-1)ρ - ε + ln(1-1/α) changes sign."""
    low, high = 1.0, 2.0
    while (2 * high - 1) * rho - epsilon + math.log1p(-1 / high) < 0:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if (2 * middle - 1) * rho - epsilon + math.log1p(-1 / middle) < 0:
            low = middle
        else:
            high = middle
    return high


VERSION = 1

Unit = Literal["record", "person"]
"""What a mechanism protects: one record, or one person with all records."""

RHO_DELTA = Fraction(1, 10**9)
"""The δ at which ρ is told as ε."""

_NUMBER = re.compile(r"\d+(\.\d+)?(e[-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Spending:
    """What one release spends: ε and δ, or ρ of zero-concentrated differential privacy."""

    mechanism: str
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    protects: Unit = "record"
    release: str = ""
    when: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the form of the file: numbers as exact decimals, those that are 0 left out."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        return {
            "when": self.when,
            "mechanism": self.mechanism,
            **{name: _decimal_text(number) for name, number in numbers.items() if number},
            "protects": self.protects,
            **({"release": self.release} if self.release else {}),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Self:
        """Return the spending of a line of the file; ValueError, KeyError of what is none."""
        if form["protects"] not in ("record", "person"):
            raise ValueError(form["protects"])
        numbers = {
            name: _number(form[name]) for name in ("epsilon", "delta", "rho") if name in form
        }
        if not any(numbers.values()):
            raise ValueError(form["mechanism"])
        return cls(
            mechanism=str(form["mechanism"]),
            **numbers,
            protects=form["protects"],
            release=str(form.get("release", "")),
            when=str(form["when"]),
        )


@dataclass(frozen=True, repr=False)
class Ledger(Result):
    """Everything that was spent of a table.

    Sums are those of sequential composition: whoever has all releases learns at most what one
    mechanism of the sum would tell.

    Examples
    --------
    >>> first = Spending("differential-privacy", Fraction(1), Fraction(1, 10**6))
    >>> both = Ledger((first, first))
    >>> both.epsilon, float(both.delta), both.protects
    (Fraction(2, 1), 2e-06, 'record')

    """

    _shown: ClassVar[tuple[str, ...]] = ("epsilon", "delta", "rho", "protects")

    spent: tuple[Spending, ...] = ()

    @property
    def epsilon(self) -> Fraction:
        """Sum of ε."""
        return sum((one.epsilon for one in self.spent), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """Sum of δ."""
        return sum((one.delta for one in self.spent), Fraction(0))

    @property
    def rho(self) -> Fraction:
        """Sum of ρ; it stands beside ε and δ, not in them."""
        return sum((one.rho for one in self.spent), Fraction(0))

    @property
    def protects(self) -> Unit:
        """One person, if every release protects persons; else one record."""
        every = {one.protects for one in self.spent}
        return "person" if every == {"person"} else "record"

    def to_dict(self) -> dict[str, Any]:
        """Return the file's content."""
        return {
            "version": VERSION,
            "spent": [one.to_dict() for one in self.spent],
            "total": self.total,
        }

    @property
    def total(self) -> dict[str, Any]:
        """Number of releases and what they have spent together, as numbers rounded up."""
        found: dict[str, Any] = {
            "releases": len(self.spent),
            "epsilon": float(_decimal_text(self.epsilon)),
            "delta": float(_decimal_text(self.delta)),
            "protects": self.protects,
        }
        if self.rho:  # as ε and δ that anybody can read
            together = self.epsilon + epsilon_for(self.rho, RHO_DELTA)
            found |= {
                "rho": float(_decimal_text(self.rho)),
                "epsilon_with_rho": round_up(together),
                "delta_with_rho": float(_decimal_text(self.delta + RHO_DELTA)),
            }
        return found

    def tables(self) -> list[ResultTable]:
        """Return a row a release, below the sum."""
        rows = [
            (
                one.when,
                one.mechanism,
                *(f"{float(number):g}" for number in (one.epsilon, one.delta, one.rho)),
                one.protects,
            )
            for one in self.spent
        ]
        header = ("when", "mechanism", "epsilon", "delta", "rho", "protects")
        told = self.total
        lead = (
            f"{told['releases']} releases · epsilon {told['epsilon']:g} · delta {told['delta']:g}"
        )
        return [ResultTable(header, rows, frozenset({2, 3, 4}), lead)]


def read_ledger(path: str | Path) -> Ledger:
    """Read a ledger; a file that is not there yet is one in which nothing was spent."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Ledger()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"ledger {path} cannot be read: {error}") from None
    try:
        parts = json.loads(text)
        if parts["version"] != VERSION:
            raise DataError(
                f"ledger {path} has version {parts['version']!r}; this kanonym reads {VERSION}"
            )
        return Ledger(tuple(Spending.from_dict(one) for one in parts["spent"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{path} is no ledger. Restore it from a copy: without it nothing says what the "
            "table has spent already"
        ) from None


def spend(path: str | Path, spending: Spending) -> Ledger:
    """Add what a release spends to the ledger of its table, and return the whole ledger.

    Call it before the release is published: a release that then fails has spent too much in
    the ledger, never too little. The file is replaced as a whole, and locked meanwhile.
    """
    with lock_file(path):
        before = read_ledger(path)
        now = spending.when or datetime.now(UTC).isoformat(timespec="seconds")
        entry = Spending(
            spending.mechanism,
            spending.epsilon,
            spending.delta,
            spending.rho,
            spending.protects,
            spending.release,
            now,
        )
        after = Ledger((*before.spent, entry))
        files.write_text(path, json.dumps(after.to_dict(), indent=2, ensure_ascii=False) + "\n")
    return after


def _number(text: object) -> Fraction:
    """Return a number of the file."""
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return Fraction(text)


def _decimal_text(number: Fraction) -> str:
    """Return a fraction as a decimal, rounded up where it has no short one."""
    near = float(number)
    shown = near if Fraction(repr(near)) == number else round_up(number)
    if Fraction(repr(shown)) < number:  # the shortest decimal of a float may lie below it
        shown = math.nextafter(shown, math.inf)
    return str(Decimal(repr(shown))).lower()
