"""The declared domain of an attribute: which values it may have, known without the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from kanonym.data.errors import PolicyError, shown_value

MOST_BINS = 1_000
DEFAULT_BINS = 20

Number = float  # whole numbers included


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that an attribute may have, declared without looking at the table.

    Either `values`, or `minimum` and `maximum`. With neither, the values are those of the
    attribute's hierarchy, from its file or mapping.

    Parameters
    ----------
    values
        Categories: texts, numbers or Booleans. A value that is none of them is read as `other`, if
        that is one of them, otherwise as null.
    minimum, maximum
        Of numbers, or of dates as ISO texts. Values beyond are read as the nearer end.
    bins
        Of numbers and dates: how many equally long groups are told apart; at most 1,000. By
        default 20, or one for each value where there are fewer.
    step
        Between two values: 1 for whole numbers and dates, where dates count days. Needed where
        `minimum` or `maximum` has a fraction.
    nulls
        Whether a value may be missing. If not, records in which it is are left out, and so are
        those with a value that is not listed; unless `other` is listed.

    Raises
    ------
    PolicyError
        The parameters describe no domain.

    Examples
    --------
    >>> Domain(minimum=0, maximum=99).bin_count
    20
    >>> Domain(minimum="2024-02-01", maximum="2024-02-07", bins=2).number_of_values
    7
    >>> Domain(values=["a", "b"], minimum=0)
    Traceback (most recent call last):
    kanonym.data.errors.PolicyError: domain has values and a minimum; keep one of them
    """

    values: Sequence[Any] | None = None
    minimum: Number | str | None = None
    maximum: Number | str | None = None
    bins: int | None = None
    step: Number | None = None
    nulls: bool = True

    def __post_init__(self) -> None:
        for name in ("minimum", "maximum"):
            if isinstance(getattr(self, name), date):
                object.__setattr__(self, name, getattr(self, name).isoformat())
        if self.values is not None:
            self._check_values()
        elif self.minimum is not None or self.maximum is not None:
            self._check_range()
        elif self.bins is not None or self.step is not None:
            raise PolicyError("domain has bins or a step without minimum and maximum; add them")

    @property
    def is_range(self) -> bool:
        """Whether it has a minimum and a maximum."""
        return self.minimum is not None

    @property
    def start(self) -> Number | date:
        """The minimum, as a number or a date."""
        start: Number | date = _end(self.minimum)
        return start

    @property
    def width(self) -> Number | timedelta:
        """The step between two values of a range, as what is added to the minimum."""
        step = 1 if self.step is None else self.step
        return timedelta(days=int(step)) if isinstance(self.start, date) else step

    @property
    def number_of_values(self) -> int:
        """How many values a range has."""
        span = _end(self.maximum) - self.start
        steps: int = round(span / self.width)
        return steps + 1

    @property
    def bin_count(self) -> int:
        """How many groups of values of a range are told apart."""
        return min(self.number_of_values, DEFAULT_BINS) if self.bins is None else self.bins

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it."""
        given = {
            "values": None if self.values is None else list(self.values),
            "minimum": self.minimum,
            "maximum": self.maximum,
            "bins": self.bins,
            "step": self.step,
            "nulls": None if self.nulls else False,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _check_values(self) -> None:
        if self.is_range or self.maximum is not None:
            raise PolicyError("domain has values and a minimum; keep one of them")
        if self.bins is not None or self.step is not None:
            raise PolicyError("domain has values, and bins or a step, which are for a range")
        values = self.values
        if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
            raise PolicyError(f"values of a domain are a list of at least one, not {values!r}")
        if not all(isinstance(value, str | bool | int | float) for value in values):
            raise PolicyError("values of a domain are texts, numbers or Booleans")
        if len(set(map(str, values))) < len(values):
            raise PolicyError("a domain lists a value twice")

    def _check_range(self) -> None:
        if self.minimum is None or self.maximum is None:
            raise PolicyError("domain needs both a minimum and a maximum")
        low, high = _end(self.minimum), _end(self.maximum)
        if isinstance(low, date) is not isinstance(high, date):
            raise PolicyError("minimum and maximum of a domain are two numbers or two dates")
        if not low < high:
            raise PolicyError(f"minimum of a domain is below its maximum, not {self.minimum}")
        whole = isinstance(low, date) or (float(low).is_integer() and float(high).is_integer())
        if self.step is None and not whole:
            raise PolicyError("domain with fractions needs a step, such as step: 0.1")
        if self.step is not None and (
            isinstance(self.step, bool) or not self.step > 0 or self.step != self.step + 0
        ):
            raise PolicyError(f"step of a domain is a number above 0, not {self.step!r}")
        if isinstance(low, date) and self.step is not None and not float(self.step).is_integer():
            raise PolicyError("step of a domain of dates is a whole number of days")
        if self.bins is not None and (
            isinstance(self.bins, bool)
            or not isinstance(self.bins, int)
            or not 1 <= self.bins <= min(MOST_BINS, self.number_of_values)
        ):
            raise PolicyError(
                f"bins of a domain are a whole number from 1 to {MOST_BINS}, at most one for each "
                f"value; {self.bins!r} is none"
            )


def _end(given: Any) -> Any:
    """Return an end of a range as a number or a date."""
    if isinstance(given, str):
        try:
            return date.fromisoformat(given)
        except ValueError:
            raise PolicyError(
                f"an end of a domain is a number or a date such as 2024-12-31; {given!r} is none"
            ) from None
    if isinstance(given, bool) or not isinstance(given, int | float) or given - given != 0:
        raise PolicyError(f"an end of a domain is a number or a date; {shown_value(given)} is none")
    return given
