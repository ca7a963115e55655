"""Actions on numbers: rounding, bins, and cut tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import Action, Context, present_numbers, with_numbers
from kanonym.data.errors import DataError, HierarchyError, Message, PolicyError, SchemaError
from kanonym.data.hierarchy.builders.base import Column, neighbour_runs
from kanonym.data.hierarchy.builders.interval import Intervals
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.models.base import check_integer, check_number

MOST_DIGITS = 300
"""Floating-point numbers have no more."""

EXACT = 2**53
"""Floating-point numbers hold all integers up to here."""


@dataclass(frozen=True, slots=True)
class Round(Action):
    """The nearest multiple of a number, halves to the even multiple.

    Integers stay integers, computed exactly; their type grows where a rounded number does not fit.
    Whether a floating-point number is a half is asked of its binary value. Null stays null.

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


def _round_to_step(numbers: Floats, step: Decimal) -> NDArray[Any]:
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


@dataclass(frozen=True, slots=True)
class Bin(Action):
    """Replace numbers by half-open intervals as text, `[20, 30)`; null stays null.

    Intervals read as those of an interval hierarchy: with `bounds`, numbers outside are
    `<18` and `>=65`.

    Parameters
    ----------
    width
        The width of every interval.
    origin
        Where an interval starts when `width` is given.
    bounds
        Instead: ascending numbers at which intervals end.

    Raises
    ------
    PolicyError
        Not exactly one of `width` and `bounds` is given, or it is out of range.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> ages = pl.Series("age", [20, 29, 71, None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Bin(width=10).apply(ages, context).to_list()
    ['[20, 30)', '[20, 30)', '[70, 80)', None]
    >>> Bin(bounds=[25, 65]).apply(ages, context).to_list()
    ['<25', '[25, 65)', '>=65', None]
    """

    type: ClassVar[str] = "bin"
    per_value: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The exact number is hidden among all numbers of its interval."
    )
    exposes: ClassVar[str] = Message(
        "The interval remains, and may contain a single record: this action does not count records."
    )

    width: float | None = None
    origin: float | None = None
    bounds: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if (self.width is None) == (self.bounds is None):
            raise PolicyError(f"{self.type}: give one of width and bounds")
        if self.bounds is not None:
            object.__setattr__(self, "bounds", tuple(self.bounds))
        try:
            self._intervals()
        except HierarchyError as error:
            raise PolicyError(f"{self.type}: {error}") from None

    def _intervals(self) -> Intervals:
        return Intervals(width=self.width, origin=self.origin, bounds=self.bounds)

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the intervals; see `Action.apply`. Cost: the distinct numbers are sorted."""
        del context  # looks at its own column only
        present_numbers(values, self.type)  # for what it refuses
        given = values.fill_nan(None) if values.dtype.is_float() else values
        column = Column.of(given, None)
        if not len(column.values):
            return given.cast(pl.String)
        try:
            (level,) = self._intervals().plan(column).levels
        except HierarchyError as error:
            raise DataError(f"{self.type}: {error}") from None
        starts, group = neighbour_runs(level.groups)
        names = level.labels(starts, np.append(starts[1:], len(group)))
        labels = pl.Series(names, dtype=pl.String).gather(group)
        return given.replace_strict(column.values, labels, default=None, return_dtype=pl.String)


@dataclass(frozen=True, slots=True)
class TopBottom(Action):
    """Numbers below a lower bound become it, numbers above an upper bound that one.

    Integers stay integers unless a bound is not whole. Null stays null.

    Parameters
    ----------
    lower, upper
        The bounds; one may be left out.
    quantiles
        Instead: the shares below the two bounds, such as [0.05, 0.95]. A bound is a number
        of the column: the least one that at least that share of the records does not exceed.
    quartiles
        Instead: the quartiles as SIGO's `outlier` takes them, the medians of the lower and of
        the upper half, without the middle record where their number is odd.
    per_class
        Take quantiles or quartiles within each equivalence class, as SIGO does, rather than
        over the whole column.

    Raises
    ------
    PolicyError
        Bounds are missing, given twice, or out of order; when applied, `per_class` where
        there are no classes.

    Notes
    -----
    Cost O(n log n) for quantiles and quartiles, else O(n). Quantiles are Hyndman and Fan's
    first definition (Sample quantiles in statistical packages, 1996), quartiles Moore and
    McCabe's. Quartiles change about half of all records: they are here for SIGO's sake. SIGO
    stops at a class of one record; here that record stays as it is.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> ages = pl.Series("age", [1, 2, 3, 4, 99, None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> TopBottom(upper=90).apply(ages, context).to_list()
    [1, 2, 3, 4, 90, None]
    >>> TopBottom(quartiles=True).apply(ages, context).to_list()
    [1.5, 2.0, 3.0, 4.0, 51.5, None]
    """

    type: ClassVar[str] = "top-bottom"
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The largest and smallest numbers no longer identify who has them."
    )
    exposes: ClassVar[str] = Message(
        "All numbers between the bounds remain unchanged, and bounds given as quantiles are "
        "numbers of the data themselves."
    )

    lower: float | None = None
    upper: float | None = None
    quantiles: Sequence[float] | None = None
    quartiles: bool = False
    per_class: bool = False

    def __post_init__(self) -> None:
        fixed = [bound for bound in (self.lower, self.upper) if bound is not None]
        if bool(fixed) + (self.quantiles is not None) + bool(self.quartiles) != 1:
            raise PolicyError(
                f"{self.type}: give lower and upper (or one of them), or quantiles, or quartiles"
            )
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                check_number(self.type, name, getattr(self, name), minimum=-np.inf)
        if len(fixed) == 2 and fixed[0] > fixed[1]:
            raise PolicyError(f"{self.type}: lower is {self.lower!r}, above upper {self.upper!r}")
        if fixed and self.per_class:
            raise PolicyError(f"{self.type}: per_class needs quantiles or quartiles")
        if self.quantiles is not None:
            shares = tuple(self.quantiles)
            for share in shares:
                check_number(self.type, "quantiles", share, minimum=0, maximum=1)
            if len(shares) != 2 or shares[0] >= shares[1]:
                raise PolicyError(
                    f"{self.type}: quantiles is {self.quantiles!r}; it must be two ascending "
                    "shares, such as [0.05, 0.95]"
                )
            object.__setattr__(self, "quantiles", shares)

    @property
    def per_value(self) -> bool:
        """Whether a value alone says what becomes of it: quantiles are of all records."""
        return self.quantiles is None and not self.quartiles

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the coded numbers; see `Action.apply`."""
        held, numbers = present_numbers(values, self.type)
        if self.lower is not None or self.upper is not None:
            low, high = (_number(bound, numbers) for bound in (self.lower, self.upper))
            numbers = numbers if low is None else np.maximum(numbers, low)
            numbers = numbers if high is None else np.minimum(numbers, high)
            return with_numbers(values, held, numbers)
        classes = context.classes if self.per_class else np.zeros(len(values), np.int32)
        if classes is None:
            raise PolicyError(
                f"{self.type} of column {values.name!r}: per_class needs equivalence classes, and "
                "there are none before the algorithm; apply it after, or leave per_class out"
            )
        return with_numbers(values, held, self._clip(numbers, classes[held]))

    def _clip(self, numbers: NDArray[Any], classes: Int32s) -> NDArray[Any]:
        """Return (n,) numbers clipped to the bounds of their class."""
        if not len(numbers):
            return numbers
        order = np.lexsort((numbers, classes))
        ascending, owners = numbers[order], classes[order]
        starts = np.flatnonzero(np.diff(owners, prepend=owners[0] - 1))
        sizes = np.diff(starts, append=len(owners))
        if self.quantiles is not None:
            # 0.95 of 20 records are 19, whatever the float product says.
            places = [np.ceil(share * sizes - 1e-9).astype(np.int64) for share in self.quantiles]
            ends = [ascending[starts + np.maximum(place, 1) - 1] for place in places]
        else:
            half = np.maximum(sizes // 2, 1)
            ends = [_medians(ascending, first, half) for first in (starts, starts + sizes - half)]
        low, high = (np.repeat(end, sizes) for end in ends)
        coded = np.clip(ascending, low, high)
        placed: NDArray[Any] = np.empty_like(coded)
        placed[order] = coded
        return placed


def _number(bound: float | None, numbers: NDArray[Any]) -> float | None:
    """Return a bound in the type of the numbers where it is whole and fits."""
    if bound is None or numbers.dtype != np.int64 or not float(bound).is_integer():
        return bound
    return int(bound) if abs(bound) < 2**63 else bound


def _medians(ascending: NDArray[Any], starts: Ints, sizes: Ints) -> NDArray[Any]:
    """Return the median of each run of ascending numbers, integers where all of them are."""
    lower = ascending[starts + (sizes - 1) // 2]
    upper = ascending[starts + sizes // 2]
    middle: NDArray[Any] = (lower.astype(np.float64) + upper) / 2
    same = ascending.dtype == np.int64 and bool((middle == np.floor(middle)).all())
    return middle.astype(np.int64) if same else middle
