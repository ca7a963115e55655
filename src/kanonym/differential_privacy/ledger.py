"""The ledger: what every release under differential privacy has spent of one table."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.files.lock import lock_file
from kanonym.data.results.result import Result, ResultTable
from kanonym.differential_privacy.accounting import epsilon_for
from kanonym.differential_privacy.sampling import round_up

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
