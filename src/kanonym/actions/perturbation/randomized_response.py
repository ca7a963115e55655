"""Randomized response: each answer is true with a known probability, else any other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.pram import declared_categories, observed_categories
from kanonym.data.errors import DataError, Message, PolicyError, shown_value
from kanonym.kernels.arrays import Floats
from kanonym.models.base import check_number


@dataclass(frozen=True, slots=True)
class RandomizedResponse(Action):
    """Release the true value with a known probability, otherwise one of the others.

    With two values this is Warner's design: the answer, or its opposite. With m values,
    each of the m - 1 others is equally likely.

    Parameters
    ----------
    probability
        That of the true value, above 0 and below 1.
    values
        All values that an answer can have, two or more. None: those that the column holds;
        which these are is then released as it is, and `epsilon` says nothing about it.

    Raises
    ------
    PolicyError
        `probability` is out of its range, or `values` are not two or more different ones.

    Notes
    -----
    Each record's answer is ε-differentially private for itself (local differential
    privacy): whatever the true value, the probability of a released one changes by a
    factor of at most exp(ε). A record without a value is released without. Several
    attributes of a record that are perturbed this way add up their ε. Cost O(n log n).

    References
    ----------
    Warner (1965), "Randomized response: a survey technique for eliminating evasive
    answer bias"; Kairouz, Bonawitz and Ramage (2016), "Discrete distribution estimation
    under local privacy", section 3, for more than two values.

    Examples
    --------
    >>> response = RandomizedResponse(0.75, values=["yes", "no"])
    >>> round(response.epsilon, 3)
    1.099
    >>> RandomizedResponse(1)
    Traceback (most recent call last):
    kanonym.data.errors.PolicyError: randomized-response: probability is 1; it must be below 1

    """

    probability: float
    values: Sequence[object] | None = None

    type: ClassVar[str] = "randomized-response"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Everybody can plausibly deny the released value: any value may be released, whatever the "
        "true one, with probabilities that differ by a factor of at most exp(epsilon)."
    )
    exposes: ClassVar[str] = Message(
        "The shares of values in large groups, by design. With a high probability most answers are "
        "true, and missing values remain missing."
    )

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_number(self.type, "probability", self.probability, above=0)
        if self.probability >= 1:
            raise PolicyError(
                f"{self.type}: probability is {self.probability!r}; it must be below 1"
            )
        if self.values is None:
            return
        values = () if isinstance(self.values, str) else tuple(self.values)
        if len(values) < 2 or len({str(value) for value in values}) < len(values):
            raise PolicyError(
                f"{self.type}: values is {shown_value(self.values)}; it must be a list of two or "
                "more different values"
            )
        object.__setattr__(self, "values", values)

    @property
    def epsilon(self) -> float | None:
        """The ε of one answer; None where `values` are not named: see `epsilon_of`."""
        return None if self.values is None else epsilon_of(self.probability, len(self.values))

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with perturbed answers, its type untouched.

        Raises
        ------
        SchemaError
            `values` are named for a column of dates or times.
        DataError
            The column holds a value that is not named, or one value alone.
        PolicyError
            A named value cannot stand in a column of this type.

        """
        if self.values is None:
            held = observed_categories(values)
            if len(held.labels) == 1:
                raise DataError(
                    f"column {values.name!r} holds only one value, and {self.type} needs another "
                    "to choose from; list all possible values in `values`"
                )
        else:
            held = declared_categories(values, self.values, self.type)
        n, m = len(held.codes), len(held.labels)
        codes = held.codes.copy()
        lies = np.flatnonzero(context.random.random(n) >= self.probability)
        if len(lies):
            codes[lies] = (codes[lies] + context.random.integers(1, m, len(lies))) % m
        return held.column(values, codes)


def epsilon_of(probability: float, n_values: int) -> float:
    """Return the ε of an answer with `n_values` possible values, 2 or more.

    ln(p / q) with p the probability of the true value and q = (1 - p) / (m - 1) that of
    each other one; its absolute value, where the true one is the least likely.
    """
    return abs(math.log(probability * (n_values - 1) / (1 - probability)))


def estimated_shares(released: Floats, probability: float) -> Floats:
    """Estimate the true shares of values from those after randomized response.

    Parameters
    ----------
    released
        (m,) share, or number, of records released with each possible value, those that
        nobody has included; m is 2 or more.
    probability
        That of the true value.

    Returns
    -------
    (m,) float64, true shares: unbiased, so a small one may come out below 0. They add up
    to 1.

    Raises
    ------
    PolicyError
        `probability` is 1 / m: answers then say nothing about true values. Or there is one
        value alone, or no record.

    Notes
    -----
    A value of true share s is released with the share λ = q + s (p - q), so s is
    estimated by (λ - q) / (p - q): Warner (1965) for two values, Kairouz et al.
    (2016), section 3, for more.

    Examples
    --------
    >>> estimated_shares(np.array([40, 60]), 0.75)
    array([0.3, 0.7])

    """
    m, total = len(released), float(np.sum(released))
    if m < 2 or total <= 0:
        raise PolicyError(
            "randomized-response: shares are estimated from two or more values, and a record"
        )
    other = (1 - probability) / (m - 1)
    if math.isclose(probability, other):
        raise PolicyError(
            f"randomized-response: with probability {probability:g} of {m} values all are equally "
            "likely, whatever the true one; nothing can be estimated"
        )
    return np.asarray((np.asarray(released) / total - other) / (probability - other))
