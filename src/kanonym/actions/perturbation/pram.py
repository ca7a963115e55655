"""Answers changed at random: PRAM by a transition matrix, and randomized response."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.swapping import move_values, rows_of
from kanonym.data.columns.values import text_of
from kanonym.data.errors import DataError, Message, PolicyError, SchemaError, shown_value
from kanonym.data.table import encode_column
from kanonym.kernels.arrays import Floats, Ints
from kanonym.models.base import check_number


class Categories(NamedTuple):
    """A column as categories.

    rows: (m,) int64, the rows that have a value.
    codes: (m,) int64, the category of each.
    labels: (n_categories,) of the column's type.
    """

    rows: Ints
    codes: Ints
    labels: pl.Series

    def column(self, values: pl.Series, codes: Ints) -> pl.Series:
        """Return the column with other (m,) codes."""
        index = np.full(len(values), len(self.labels))
        index[self.rows] = codes
        return self.labels.extend_constant(None, 1).gather(index).alias(values.name)


def observed_categories(values: pl.Series) -> Categories:
    """Return the values that a column holds as its categories, in their order."""
    domain, codes = encode_column(values, by_value=True)
    rows = rows_of(values)
    return Categories(rows, codes[rows].astype(np.int64), _labels_in_type(domain.values, values))


def declared_categories(values: pl.Series, labels: Sequence[object], action: str) -> Categories:
    """Return a column with named categories, in the order in which they are named."""
    dtype = values.dtype
    if dtype.is_temporal():
        raise SchemaError(
            f"column {values.name!r} holds {dtype}: {action} accepts categories by name only for "
            f"text, numbers and booleans"
        )
    typed = _labels_in_type(
        pl.Series(values.name, [_text(label) for label in labels], pl.String), values
    )
    if typed.null_count():
        wrong = labels[int(typed.is_null().arg_max() or 0)]
        raise PolicyError(
            f"{action} of column {values.name!r}: {wrong!r} is no value of {dtype}, the column's "
            "type; correct it"
        )
    places = {text: code for code, text in enumerate(text_of(typed).to_list())}
    if len(places) < len(labels):
        raise PolicyError(
            f"{action} of column {values.name!r} names a category twice; name it once"
        )
    categories = observed_categories(values)
    known = [places.get(text, -1) for text in text_of(categories.labels).to_list()]
    codes = np.array(known, np.int64)[categories.codes] if known else categories.codes
    if (codes < 0).any():
        row = int(categories.rows[int((codes < 0).argmax())])
        raise DataError(
            f"column {values.name!r}, row {row + 1}: {str(values[row])!r} is none of the values "
            f"that {action} names; add it to them"
        )
    return Categories(categories.rows, codes, typed)


def redraw_values(values: pl.Series, held: Categories, origins: Ints) -> pl.Series:
    """Return the column with the values of (m,) other records, counted among those with one."""
    return move_values(values, held.rows, held.rows[origins])


def _labels_in_type(labels: pl.Series, values: pl.Series) -> pl.Series:
    """Return labels in the type of a column, null for those that it cannot have."""
    if labels.dtype == values.dtype:
        return labels
    if values.dtype == pl.Boolean:
        known = {"true": True, "false": False}
        return pl.Series(values.name, [known.get(text) for text in labels], pl.Boolean)
    return labels.cast(values.dtype, strict=False)


def _text(label: object) -> str:
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return label.isoformat() if isinstance(label, date) else str(label)


@dataclass(frozen=True, slots=True)
class Pram(Action):
    """Change each category, with known probabilities, into another (post-randomization).

    Exactly one of `diagonal` and `matrix` gives the probabilities p[k, l] of releasing
    category l for k.

    Parameters
    ----------
    diagonal
        From 0 to 1, how likely a value is to be left alone. Else, if `invariant`, it is
        drawn anew from the values of the column, itself included, so that more of them stay: of
        a column with shares of 30 and 70 %, 0.8 leaves 91.6 % as they were. If not
        `invariant`, it is drawn from the other categories, all equally likely.
    matrix
        By category the probabilities of each released one: `{a: {a: 0.9, b: 0.1}, b: {b: 1}}`.
        Those that are left out are 0; those of a row add up to 1.
    invariant
        Whether each category is expected to be released as often as it was there, so that
        counts of this column alone need no correction. A `matrix` is then the first of
        two steps, and the second draws the shares back.

    Raises
    ------
    PolicyError
        None, or both, of `diagonal` and `matrix`; one that is no (matrix of)
        probabilities; or an invariant `matrix` that would change nothing.

    Notes
    -----
    With t the shares of the categories in the column, a matrix R is invariant if
    t' R = t'. From `diagonal` d follows R = d I + (1 - d) 1 t', which is: t' R = d t' +
    (1 - d) t'. It leaves category k with probability d + (1 - d) t[k]. From a `matrix` P
    follows R = P Q with Q[l, k] = p[k, l] t[k] / sum over j of p[j, l] t[j], the probability
    that a category l after the first step came from k: t' P Q gives each its own share
    back. Its diagonal is usually smaller than that of P. Where every category can come from
    one alone, the second step undoes the first: such a matrix is refused.

    Cost O(n + m²) for m categories of a matrix, O(n log n) for `diagonal`.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), "Post randomisation for
    statistical disclosure control: theory and implementation", Journal of Official
    Statistics 14(4): two-stage PRAM. Kooiman, Willenborg and Gouweleeuw (1997), "PRAM: a
    method for disclosure limitation of microdata".

    Examples
    --------
    >>> import numpy as np
    >>> Pram(diagonal=0.8).transition(np.array([0.5, 0.3, 0.2])).round(2)
    array([[0.9 , 0.06, 0.04],
           [0.1 , 0.86, 0.04],
           [0.1 , 0.06, 0.84]])
    """

    diagonal: float | None = None
    matrix: Mapping[Any, Mapping[Any, float]] | None = None
    invariant: bool = True

    type: ClassVar[str] = "pram"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    tells_share: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Any released category may differ from that of the record, so a rare combination may be "
        "due to chance."
    )
    exposes: ClassVar[str] = Message(
        "Most values are usually true, and whoever knows the matrix knows how likely each one is "
        "to be true; counts that combine this column with others are biased unless corrected."
    )

    def __post_init__(self) -> None:
        """Refuse anything but probabilities."""
        if (self.diagonal is None) == (self.matrix is None):
            raise PolicyError(f"{self.type} needs one of diagonal and matrix")
        if self.diagonal is not None:
            check_number(self.type, "diagonal", self.diagonal, minimum=0, maximum=1)
        else:
            self._check_matrix()

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with changed categories, its type untouched."""
        random = context.random
        if self.matrix is not None:
            named = declared_categories(values, list(self.matrix), self.type)
            counts = np.bincount(named.codes, minlength=len(self.matrix))
            shares = counts / max(1, len(named.codes))
            chosen = _draw_categories(self.transition(shares), named.codes, random)
            return named.column(values, chosen)
        held = observed_categories(values)
        n, m = len(held.codes), len(held.labels)
        changed = np.flatnonzero(random.random(n) >= float(self.diagonal or 0.0))
        if self.invariant:
            origins = np.arange(n)
            origins[changed] = random.integers(n, size=len(changed)) if n else changed
            return redraw_values(values, held, origins)
        codes = held.codes.copy()
        if m > 1:
            codes[changed] = (codes[changed] + random.integers(1, m, len(changed))) % m
        return held.column(values, codes)

    def share_kept(self, released: pl.Series | None) -> float | None:
        """Return which share of the values is expected to be released as it was.

        released: what the action has left, whose shares are those that it aims at: the share
        tells nothing that the released column does not; None where that is not released as it
        is. None where the share depends on it.
        """
        if self.matrix is None and not self.invariant:
            return self.diagonal
        if released is None or released.null_count() == len(released):
            return None
        if self.matrix is None:
            codes = observed_categories(released).codes
        else:
            codes = declared_categories(released, list(self.matrix), self.type).codes
        counts = np.bincount(codes, minlength=len(self.matrix or ()))
        shares = counts / counts.sum()
        return float(shares @ self.transition(shares).diagonal())

    def transition(self, shares: Floats) -> Floats:
        """Return (m, m) float64: the probability of releasing each category for each.

        Parameters
        ----------
        shares
            (m,) share of each category in the column: in the order of the matrix, or in
            ascending order for `diagonal`.
        """
        m = len(shares)
        if self.matrix is None:
            d = float(self.diagonal or 0.0)
            if m < 2:
                return np.ones((m, m))
            if self.invariant:
                return np.asarray(d * np.eye(m) + (1 - d) * shares)
            return np.asarray((d - (1 - d) / (m - 1)) * np.eye(m) + (1 - d) / (m - 1))
        first = np.array([[row.get(to, 0.0) for to in self.matrix] for row in self.matrix.values()])
        if not self.invariant:
            return first
        joint = (first * shares[:, None]).T
        total = joint.sum(axis=1)
        # A category that never comes out of the first step has no second.
        back = np.where(total[:, None] > 0, joint / np.where(total > 0, total, 1)[:, None], 0.0)
        back[total == 0, total == 0] = 1.0
        return np.asarray(first @ back)

    def _check_matrix(self) -> None:
        matrix = self.matrix
        if not isinstance(matrix, Mapping) or not all(
            isinstance(row, Mapping) for row in matrix.values()
        ):
            raise PolicyError(
                f"{self.type}: matrix must give the probabilities of each category by name: "
                "{a: {a: 0.9, b: 0.1}, b: {b: 1}}"
            )
        for label, row in matrix.items():
            for to, probability in row.items():
                if to not in matrix:
                    raise PolicyError(
                        f"{self.type}: the matrix has no row for {to!r}, into which another "
                        "category is changed; add it"
                    )
                where = f"matrix[{label!r}][{to!r}]"
                check_number(self.type, where, probability, minimum=0, maximum=1)
            total = sum(row.values())
            if abs(total - 1) > 1e-9:
                raise PolicyError(
                    f"{self.type}: the probabilities of {label!r} add up to {total:g}, not to 1"
                )
        origins = Counter(to for row in matrix.values() for to, share in row.items() if share > 0)
        if self.invariant and max(origins.values(), default=0) < 2:
            raise PolicyError(
                f"{self.type}: no two categories of the matrix can be released as the same one, so "
                "what makes it invariant would undo it; let them, or set invariant: false"
            )


def _draw_categories(transition: Floats, codes: Ints, random: np.random.Generator) -> Ints:
    """Return (n,) int64: for each code one drawn from its row of the matrix."""
    drawn = random.random(len(codes))
    chosen = codes.copy()
    for code, row in enumerate(transition):
        own = np.flatnonzero(codes == code)
        possible = np.flatnonzero(row)
        ends = np.cumsum(row[possible])
        # Rounding may leave the last end a little below 1.
        places = np.searchsorted(ends[:-1], drawn[own], side="right")
        chosen[own] = possible[places]
    return chosen


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
        """Return the column with perturbed answers, its type untouched."""
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
    (m,) float64, true shares: unbiased, so a small one may come out below 0. They add up to 1.

    Raises
    ------
    PolicyError
        `probability` is 1 / m: answers then say nothing about true values. Or there is one
        value alone, or no record.

    Notes
    -----
    A value of true share s is released with the share λ = q + s (p - q), so s is estimated by (λ -
    q) / (p - q): Warner (1965) for two values, Kairouz et al. (2016), section 3, for more.

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
