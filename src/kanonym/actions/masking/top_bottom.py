"""Top and bottom coding: what lies outside a range becomes its nearer end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import present_numbers, with_numbers
from kanonym.data.errors import PolicyError
from kanonym.data.message import Message
from kanonym.models.base import check_number


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

    def _clip(self, numbers: NDArray[Any], classes: NDArray[np.int32]) -> NDArray[Any]:
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


def _medians(
    ascending: NDArray[Any], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the median of each run of ascending numbers, integers where all of them are."""
    lower = ascending[starts + (sizes - 1) // 2]
    upper = ascending[starts + sizes // 2]
    middle: NDArray[Any] = (lower.astype(np.float64) + upper) / 2
    same = ascending.dtype == np.int64 and bool((middle == np.floor(middle)).all())
    return middle.astype(np.int64) if same else middle
