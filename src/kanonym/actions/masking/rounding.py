"""Round numbers to a multiple or to a number of decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import present_numbers, with_numbers
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.message import Message
from kanonym.models.base import check_integer, check_number

MOST_DIGITS = 300
"""Floating-point numbers have no more."""

EXACT = 2**53
"""Floating-point numbers hold all integers up to here."""


@dataclass(frozen=True, slots=True)
class Round(Action):
    """The nearest multiple of a number, halves to the even multiple.

    Integers stay integers, computed exactly; their type grows where a rounded number does
    not fit. Whether a floating-point number is a half is asked of its binary value.
    Null stays null.

    Parameters
    ----------
    to
        Round to multiples of this, such as 1000, 5 or 0.25.
    digits
        Instead: the decimals that stay; integers have none and are left as they are.

    Raises
    ------
    PolicyError
        Not exactly one of `to` and `digits` is given, or it is out of range.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Round(to=1000).apply(pl.Series("income", [23_400, 24_500, 25_500, None]), context).to_list()
    [23000, 24000, 26000, None]

    """

    type: ClassVar[str] = "round"
    per_value: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The exact number is hidden among all numbers that round to the same one."
    )
    exposes: ClassVar[str] = Message(
        "The magnitude remains, so a rare large or small number still points to a person."
    )

    to: float | None = None
    digits: int | None = None

    def __post_init__(self) -> None:
        if (self.to is None) == (self.digits is None):
            raise PolicyError(f"{self.type}: give one of to and digits")
        if self.to is not None:
            check_number(self.type, "to", self.to, above=0)
        if self.digits is not None:
            check_integer(self.type, "digits", self.digits, 0)
            if self.digits > MOST_DIGITS:
                raise PolicyError(
                    f"{self.type}: digits is {self.digits}; it must be at most {MOST_DIGITS}"
                )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the rounded numbers; see `Action.apply`. Cost O(n)."""
        del context  # looks at its own column only
        held, numbers = present_numbers(values, self.type)
        step = Decimal(1).scaleb(-(self.digits or 0)) if self.to is None else Decimal(str(self.to))
        if not values.dtype.is_integer():
            numbers = numbers.astype(np.float64)
            if values.dtype.is_decimal() and (abs(numbers) > EXACT * float(step)).any():
                raise DataError(
                    f"column {values.name!r} holds decimals with too many digits for {self.type}; "
                    "write it as floating-point numbers"
                )
            return with_numbers(values, held, _round_to_step(numbers, step))
        if self.to is None:
            return values
        if step != step.to_integral_value():
            raise SchemaError(
                f"column {values.name!r} holds integers, which do not {self.type} to {self.to}; "
                "give a whole number"
            )
        whole = int(step)
        far = 2**62
        if numbers.dtype != np.int64 or whole > far or _is_beyond(numbers, far - whole):
            raise DataError(
                f"column {values.name!r} holds integers too large for {self.type} to {self.to}; "
                "write it as floating-point numbers"
            )
        return with_numbers(values, held, _round_integers(numbers, whole))


def _round_to_step(numbers: NDArray[np.float64], step: Decimal) -> NDArray[Any]:
    """Return the nearest multiples, as the floats nearest to their decimals: 0.3, not 0.1 * 3."""
    scale = 10 ** max(0, -int(step.normalize().as_tuple().exponent))
    whole = float(step * scale)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded: NDArray[Any] = np.rint(numbers * scale / whole) * whole / scale
    # A number so large that its decimals are beyond all floats has none.
    return np.where(np.isfinite(rounded), rounded, numbers) + 0.0  # no negative zero


def _is_beyond(numbers: NDArray[Any], far: int) -> bool:
    """Say whether an integer is farther from 0; the lowest one has no absolute value."""
    return bool((numbers > far).any() or (numbers < -far).any())


def _round_integers(numbers: NDArray[Any], step: int) -> NDArray[Any]:
    """Return the nearest multiples, without leaving the integers."""
    below: NDArray[Any] = numbers // step
    twice = 2 * (numbers - below * step)
    up = (twice > step) | ((twice == step) & (below % 2 == 1))
    below += up
    return below * step
