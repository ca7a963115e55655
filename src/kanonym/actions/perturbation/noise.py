"""Noise on numbers, alone or correlated over several columns."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.swapping import numbers_of, put_numbers
from kanonym.data.errors import DataError, Message, PolicyError, SchemaError
from kanonym.data.table import LARGEST
from kanonym.kernels.arrays import Floats, Int32s
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
        """Return the column with noise, as Float64, or Int64 where `keep_integers`."""
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

    def _scale(self, numbers: Floats) -> float:
        if self.scale is not None:
            return float(self.scale)
        spread = float(numbers.std()) if len(numbers) else 0.0
        return float(self.relative or 0.0) * spread / self.deviation

    def _noise_within(
        self, numbers: Floats, classes: Int32s, random: np.random.Generator
    ) -> Floats:
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
    def _draw(random: np.random.Generator, n: int) -> Floats:
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
        A quarter of the range that the value's class has in this column is its scale, and noise is
        drawn again until the noisy value lies strictly between the class's smallest and largest:
        those two are never released, and no value leaves its class's interval. A class without a
        number between the two is left as it is. As SIGO's `laplaceNoise`, but seeded.
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
    def _draw(random: np.random.Generator, n: int) -> Floats:
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
    def _draw(random: np.random.Generator, n: int) -> Floats:
        return random.standard_normal(n)


@dataclass(frozen=True, slots=True)
class CorrelatedNoise(Action):
    """Add normal noise to several columns so that their correlations stay.

    The noise has the covariance `share` · S, S that of the columns. The release then has
    (1 + share) · S in expectation: correlations and regression coefficients are as
    before, variances grow by a factor that is known. Every column of the group is given
    this action, with the same columns.

    Parameters
    ----------
    columns
        The columns of the group, this one among them, in any order.
    share
        The variance of the noise as a share of the column's, above 0.

    Raises
    ------
    PolicyError
        `columns` are not two or more different names, or `share` is out of its range.

    Notes
    -----
    Columns are changed one at a time, yet the group needs one draw. So the draw does not
    go by the state of `context.random`, which moves on between two columns, but by the
    seed of it together with the names of the group: each column computes the same
    (n, d) noise, and takes its own part. All columns of a group must therefore be given
    generators of one seed, the same one or children spawned from one.

    The covariance is that of the records with a value in every column, read as the
    columns came in. Cost O(n d) draws for each column, O(n d²) for the covariance.

    References
    ----------
    Brand (2002), "Microdata protection through noise addition", section 3.2; Kim
    (1986), "A method for limiting disclosure in microdata based on random noise and
    transformation", without its transformation back to the old variances.

    Examples
    --------
    >>> CorrelatedNoise(["income", "savings"], 0.1)
    CorrelatedNoise(columns=('income', 'savings'), share=0.1)
    """

    columns: Sequence[str]
    share: float

    type: ClassVar[str] = "correlated-noise"
    by_value: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "No released number is the measured one, and the noise of one column does not "
        "stand out against the others."
    )
    exposes: ClassVar[str] = Message(
        "Noise is neither k-anonymity nor differential privacy: an outlier remains an outlier in "
        "every column of the group at once, and with a small share a record is still the nearest "
        "to its original."
    )

    def __post_init__(self) -> None:
        """Refuse anything but several columns, and a share out of its range."""
        names = () if isinstance(self.columns, str) else tuple(self.columns)
        named = all(isinstance(name, str) and name for name in names)
        if not named or len(set(names)) < 2 or len(set(names)) < len(names):
            raise PolicyError(
                f"{self.type}: columns is {self.columns!r}; it must be a list of two or more "
                f"different columns, including the one with this action. For noise on a single "
                f"column, use gaussian-noise"
            )
        object.__setattr__(self, "columns", names)
        check_number(self.type, "share", self.share, above=0)

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with noise, as Float64."""
        if values.name not in self.columns:
            raise SchemaError(
                f"column {values.name!r} is none of those that {self.type} names: "
                f"{', '.join(self.columns)}; add it to them"
            )
        rows, numbers = numbers_of(values, self.type)
        if not len(values):
            return put_numbers(values, rows, numbers)
        names = sorted(self.columns)
        root = self._root(names, context)
        drawn = _generator(context.random, names).standard_normal((len(values), len(names)))
        noise = drawn[rows] @ root[:, names.index(values.name)]
        return put_numbers(values, rows, numbers + np.sqrt(self.share) * noise)

    def _root(self, names: list[str], context: Context) -> Floats:
        """Return (d, d) float64: R with R' R the covariance of the columns."""
        read = []
        for name in names:
            column = context.column(name)
            rows, numbers = numbers_of(column, self.type)
            whole = np.full(len(column), np.nan)
            whole[rows] = numbers
            read.append(whole)
        table = np.array(read)
        table = table[:, ~np.isnan(table).any(axis=0)]
        if table.shape[1] < 2:
            raise DataError(
                f"{self.type}: fewer than two records have a value in each of the columns "
                f"{', '.join(names)}, so they have no covariance; use gaussian-noise"
            )
        spread = table.std(axis=1)
        # A column of equal values gets no noise, and none of its rounding errors.
        spread[table.min(axis=1) == table.max(axis=1)] = 0.0
        units = np.where(spread > 0, spread, 1.0)
        centred = (table - table.mean(axis=1, keepdims=True)) / units[:, None]
        # Of correlations, not covariances: columns may differ by many orders of magnitude.
        # The symmetric root is the one that does not depend on signs of eigenvectors.
        found, vectors = np.linalg.eigh(centred @ centred.T / table.shape[1])
        root = (vectors * np.sqrt(np.maximum(found, 0.0))) @ vectors.T
        return np.asarray(root * spread)


def _generator(random: np.random.Generator, names: list[str]) -> np.random.Generator:
    """Return a generator that goes by the seed of another and by names, not by its state."""
    seed = random.bit_generator.seed_seq
    if not isinstance(seed, np.random.SeedSequence):
        raise TypeError("the generator must come from a seed: numpy.random.default_rng(seed)")
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=words))
