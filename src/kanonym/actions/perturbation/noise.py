"""Additive noise, Laplace or Gaussian: of a fixed scale, of the column's, of the class's."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.places import numbers_of, put_numbers
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.message import Message
from kanonym.data.table import LARGEST
from kanonym.models.base import check_number

_INTEGER_END = 2.0**63


@dataclass(frozen=True, slots=True)
class _Noise(Action, ABC):
    """What both distributions share: how much noise, and where it may go."""

    scale: float | None = None
    relative: float | None = None
    per_class: bool = False
    keep_integers: bool = False

    type: ClassVar[str]
    protects: ClassVar[str]
    exposes: ClassVar[str] = Message(
        "Noise is neither k-anonymity nor, as it stands, differential privacy: an outlier remains "
        "an outlier, a record can be recognized by several noisy values together, and means over "
        "many "
        "records are as exact as before."
    )
    deviation: ClassVar[float]
    """The standard deviation of a draw of scale 1."""
    half_range: ClassVar[float]
    """Half of a class's range in scales of its noise."""

    def __post_init__(self) -> None:
        given = [self.scale is not None, self.relative is not None, self.per_class]
        if sum(given) != 1:
            raise PolicyError(f"{self.type} needs one of scale, relative and per_class: true")
        if self.scale is not None:
            check_number(self.type, "scale", self.scale, above=0, maximum=LARGEST)
        if self.relative is not None:
            check_number(self.type, "relative", self.relative, above=0)
        if self.per_class and self.keep_integers:
            raise PolicyError(
                f"{self.type}: per_class keeps noisy values strictly between the smallest and the "
                "largest of their class, which rounding cannot guarantee; remove keep_integers"
            )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with noise, as Float64, or Int64 where `keep_integers`.

        Cost O(n); per class, twice as much on average, and one sort of the classes.

        Raises
        ------
        SchemaError
            The column does not hold numbers, or no whole ones where `keep_integers`.
        DataError
            A number is not finite, or beyond ±1e150.
        PolicyError
            `per_class`, and there are no classes.

        """
        rows, numbers = numbers_of(values, self.type)
        if self.per_class:
            if context.classes is None:
                raise PolicyError(
                    f"{self.type} of column {values.name!r}: per_class needs equivalence classes, "
                    "and there are none before the algorithm; apply it after, or give scale or "
                    "relative"
                )
            noisy = self._noise_within(numbers, context.classes[rows], context.random)
        else:
            noisy = numbers + self._scale(numbers) * self._draw(context.random, len(numbers))
        if not self.keep_integers:
            return put_numbers(values, rows, noisy)
        if not values.dtype.is_integer():
            raise SchemaError(
                f"column {values.name!r} holds {values.dtype}: keep_integers of {self.type} is for "
                f"columns of whole numbers; remove it"
            )
        if len(noisy) and np.abs(noisy).max() >= _INTEGER_END:
            raise DataError(
                f"column {values.name!r}: with noise of this size, {self.type} exceeds 64-bit "
                f"integers; use less noise, or remove keep_integers"
            )
        return put_numbers(values, rows, np.rint(noisy)).cast(pl.Int64)

    def _scale(self, numbers: NDArray[np.float64]) -> float:
        if self.scale is not None:
            return float(self.scale)
        spread = float(numbers.std()) if len(numbers) else 0.0
        return float(self.relative or 0.0) * spread / self.deviation

    def _noise_within(
        self,
        numbers: NDArray[np.float64],
        classes: NDArray[np.int32],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Return (m,) noisy numbers, drawn again until they lie within their class's range."""
        present, place = np.unique(classes, return_inverse=True)
        lowest, highest = np.full(len(present), math.inf), np.full(len(present), -math.inf)
        np.minimum.at(lowest, place, numbers)
        np.maximum.at(highest, place, numbers)
        low, high = lowest[place], highest[place]
        noisy = numbers.copy()
        # Equal numbers, and neighbouring ones, have nothing between them.
        pending = np.flatnonzero(np.nextafter(low, high) < high)
        while len(pending):
            # The share comes first: a quarter of the smallest range there is would be 0.
            share = self._draw(random, len(pending)) / (2 * self.half_range)
            drawn = numbers[pending] + share * (high[pending] - low[pending])
            inside = (low[pending] < drawn) & (drawn < high[pending])
            noisy[pending[inside]] = drawn[inside]
            pending = pending[~inside]
        return noisy

    @staticmethod
    @abstractmethod
    def _draw(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        """Return (n,) draws of mean 0 and scale 1."""


@dataclass(frozen=True, slots=True)
class LaplaceNoise(_Noise):
    """Add noise of a Laplace distribution.

    Exactly one of `scale`, `relative` and `per_class` says how much.

    Parameters
    ----------
    scale
        The scale b of the distribution, above 0: its variance is 2 b².
    relative
        The standard deviation of the noise as a share of the column's, above 0. A column
        of equal values has none, and is left as it is.
    per_class
        A quarter of the range that the value's class has in this column is its scale, and
        noise is drawn again until the noisy value lies strictly between the class's smallest
        and largest: those two are never released, and no value leaves its class's
        interval. A class without a number between the two is left as it is. As SIGO's
        `laplaceNoise`, but seeded.
    keep_integers
        Round noisy values of an integer column, and release integers of 64 bits.

    Raises
    ------
    PolicyError
        None, or more than one, of the three; one that is out of its range; or `per_class`
        together with `keep_integers`.

    References
    ----------
    Hundepool et al. (2012), "Statistical Disclosure Control", section 3.4. The scale is
    not calibrated to a sensitivity, and draws are of floating-point numbers: this is not
    the Laplace mechanism of differential privacy.

    Examples
    --------
    >>> LaplaceNoise(scale=2)
    LaplaceNoise(scale=2, relative=None, per_class=False, keep_integers=False)
    >>> LaplaceNoise()
    Traceback (most recent call last):
    kanonym.data.errors.PolicyError: laplace-noise needs one of scale, relative and per_class: true

    """

    type: ClassVar[str] = "laplace-noise"
    by_value: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "No released number is the measured one; of its error only the distribution is known "
        "(Laplace: usually small, sometimes large)."
    )
    deviation: ClassVar[float] = math.sqrt(2)
    half_range: ClassVar[float] = 2.0

    @staticmethod
    def _draw(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        return random.laplace(size=n)


@dataclass(frozen=True, slots=True)
class GaussianNoise(_Noise):
    """Add noise of a normal distribution.

    Exactly one of `scale`, `relative` and `per_class` says how much.

    Parameters
    ----------
    scale
        The standard deviation of the noise, above 0.
    relative
        The same as a share of the column's standard deviation, above 0. A column of
        equal values has none, and is left as it is.
    per_class
        As `LaplaceNoise`; the standard deviation is half of the class's range, before
        what falls outside is drawn again. As SIGO's `gaussianNoise`, but seeded.
    keep_integers
        Round noisy values of an integer column, and release integers of 64 bits.

    Raises
    ------
    PolicyError
        As `LaplaceNoise`.

    References
    ----------
    Brand (2002), "Microdata protection through noise addition", section 3.1: with
    `relative`, the variance of the column grows by the factor 1 + relative².

    Examples
    --------
    >>> GaussianNoise(relative=0.1).relative
    0.1

    """

    type: ClassVar[str] = "gaussian-noise"
    by_value: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "No released number is the measured one; of its error only the distribution is known "
        "(normal)."
    )
    deviation: ClassVar[float] = 1.0
    half_range: ClassVar[float] = 1.0

    @staticmethod
    def _draw(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        return random.standard_normal(n)
