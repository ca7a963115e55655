"""Noise with the covariance of the columns that it is added to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.places import numbers_of, put_numbers
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.message import Message
from kanonym.models.base import check_number


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
        """Return the column with noise, as Float64.

        Raises
        ------
        SchemaError
            The column is none of the group, or one of them does not hold numbers.
        DataError
            A number is not finite or beyond ±1e150; fewer than two records have a
            value in every column; or there is no such column.

        """
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

    def _root(self, names: list[str], context: Context) -> NDArray[np.float64]:
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
