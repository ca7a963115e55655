"""Relations between columns, and constraints on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.synthesis.columns.numbers import WIDEST, Grid, plain_numbers
from kanonym.synthesis.columns.scales import Scale, scale_of

Operator = Literal["<", "<=", ">", ">="]

_SIDE = r'\s*(?:"((?:[^"]|"")+)"|([^"<>=≤≥]+?))\s*'
_FORM = re.compile(_SIDE + r"(<=|>=|<|>|≤|≥)" + _SIDE)
_SIGNS = {"≤": "<=", "≥": ">="}


@dataclass(frozen=True, slots=True)
class Constraint:
    """An order of two columns of numbers, or of times of one kind; it asks nothing of nulls.

    Examples
    --------
    >>> Constraint.parse("discharge >= admission")
    Constraint(left='discharge', operator='>=', right='admission')
    """

    left: str
    operator: Operator
    right: str

    def __post_init__(self) -> None:
        """Refuse other operators, and a column beside itself."""
        if self.operator not in get_args(Operator):
            raise PolicyError(
                f"constraint of {self.left!r} and {self.right!r}: {self.operator!r} is not an "
                f"operator (known: {', '.join(get_args(Operator))})"
            )
        if self.left == self.right:
            raise PolicyError(f"constraint {self}: column {self.left!r} stands on both sides")

    def __str__(self) -> str:
        """Return `left <= right`, as `parse` reads it."""
        return f"{_quote_name(self.left)} {self.operator} {_quote_name(self.right)}"

    @classmethod
    def parse(cls, text: str) -> Constraint:
        """Return the constraint that a text such as `discharge >= admission` says.

        Column names with a sign or spaces at their ends stand in double quotes; a quote in such
        a name is doubled. `≤` and `≥` are taken too.
        """
        match = _FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise PolicyError(
                f"{text!r} is not a constraint: write two columns and <, <=, > or >= between them, "
                "as in discharge >= admission; names with such signs in double quotes"
            )
        quoted, bare, sign, other_quoted, other_bare = match.groups()
        left, right = (
            inner.replace('""', '"') if inner else outer
            for inner, outer in ((quoted, bare), (other_quoted, other_bare))
        )
        return cls(left, _SIGNS.get(sign, sign), right)  # type: ignore[arg-type]

    @property
    def low(self) -> str:
        """The column that holds the smaller number."""
        return self.left if self.operator in ("<", "<=") else self.right

    @property
    def high(self) -> str:
        """The column that holds the larger number."""
        return self.right if self.operator in ("<", "<=") else self.left

    @property
    def strict(self) -> bool:
        """Whether equal numbers break it."""
        return self.operator in ("<", ">")


def _quote_name(name: str) -> str:
    if name == name.strip() and not re.search(r'["<>=≤≥]', name):
        return name
    return '"' + name.replace('"', '""') + '"'


FAR = WIDEST
"""No bound: whole numbers of constrained columns are smaller."""


class Link(NamedTuple):
    """A constraint between two columns, by number, and the gaps that it leaves."""

    constraint: Constraint
    low: int
    high: int
    gaps: Scale

    def joins(self, column: int, others: Sequence[int]) -> bool:
        """Return whether one end is a column and the other end one of others."""
        return column in (self.low, self.high) and self.other(column) in others

    def other(self, column: int) -> int:
        """Return the column at the other end."""
        return self.low if column == self.high else self.high


@dataclass(frozen=True, eq=False, repr=False)
class Relations(ShortRepr):
    """The constraints of a table."""

    links: tuple[Link, ...]
    steps_up: Mapping[tuple[int, int], int]
    grids: Mapping[int, Grid]
    decimals: int | None

    def bounds(
        self, column: int, known: Mapping[int, tuple[NDArray[Any], Bools]], n: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return (n,) lowest and highest numbers that other columns leave open to one.

        known: by column, (n,) numbers and which of them there are.
        """
        whole = bool(self.grids[column].step)
        low: NDArray[Any] = np.full(n, -FAR if whole else -np.inf)
        high: NDArray[Any] = np.full(n, FAR if whole else np.inf)
        if whole:
            low, high = low.astype(np.int64), high.astype(np.int64)
        for other, (numbers, there) in known.items():
            for pair, sign in (((other, column), 1), ((column, other), -1)):
                if pair not in self.steps_up:
                    continue
                # Between a whole number and the next one a measured column has others.
                typed = numbers if whole else numbers.astype(np.float64)
                moved = self._move(typed, sign * self.steps_up[pair])
                if whole and moved.dtype != np.int64:
                    moved = (np.ceil(moved) if sign > 0 else np.floor(moved)).astype(np.int64)
                if sign > 0:
                    low = np.where(there, np.maximum(low, moved), low)
                else:
                    high = np.where(there, np.minimum(high, moved), high)
        return low, high

    def _move(self, numbers: NDArray[Any], steps: int) -> NDArray[Any]:
        """Return numbers moved by so many of the smallest steps that there are, up or down."""
        if numbers.dtype == np.int64 or not steps:
            return numbers + steps
        beyond = numbers
        for _ in range(abs(steps)):
            beyond = np.nextafter(beyond, np.copysign(np.inf, steps))
        if self.decimals is None:
            return beyond
        moved = np.round(numbers + steps * 10.0**-self.decimals, self.decimals)
        # A large number and one decimal more are the same float.
        further: NDArray[Any] = (np.maximum if steps > 0 else np.minimum)(moved, beyond)
        return further


def relate_columns(
    columns: Sequence[pl.Series], scales: Sequence[Scale], constraints: Sequence[Constraint]
) -> tuple[Relations, list[Int32s]]:
    """Return the relations of a table, and (n,) int32 places of its gaps, one array a link."""
    names = [column.name for column in columns]
    links, codes = [], []
    for constraint in dict.fromkeys(constraints):
        low, high = names.index(constraint.low), names.index(constraint.high)
        _refuse_types(constraint, columns[low], columns[high])
        gaps, places = scale_of(gaps_of(constraint, columns[low], columns[high]))
        links.append(Link(constraint, low, high, gaps))
        codes.append(places)
    ends = sorted({end for link in links for end in (link.low, link.high)})
    grids = {
        end: Grid.of(plain_numbers(scales[end].values), single=columns[end].dtype == pl.Float32)
        for end in ends
        if len(scales[end].values)
    }
    return Relations(tuple(links), _steps_up(links, ends), grids, _decimals(grids)), codes


def _decimals(grids: Mapping[int, Grid]) -> int | None:
    found = [0 if grid.step else grid.decimals for grid in grids.values()]
    return None if None in found else max((one for one in found if one is not None), default=0)


def _steps_up(links: Sequence[Link], ends: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the strict steps from each column to each one that it is never above."""
    steps: dict[tuple[int, int], int] = {}
    for link in links:
        pair = link.low, link.high
        steps[pair] = max(steps.get(pair, 0), int(link.constraint.strict))
    for middle, first, last in product(ends, ends, ends):
        if (first, middle) in steps and (middle, last) in steps:
            through = steps[first, middle] + steps[middle, last]
            steps[first, last] = max(steps.get((first, last), 0), through)
    for link in links:
        if (link.high, link.low) in steps:
            raise PolicyError(
                f"constraint {link.constraint} forms a cycle with others: remove those that follow "
                f"from the rest, and one of two columns that are always equal"
            )
    return steps


def _refuse_types(constraint: Constraint, low: pl.Series, high: pl.Series) -> None:
    both = {low.dtype, high.dtype}
    if pl.Null in both:
        return
    numbers = low.dtype.is_numeric() and high.dtype.is_numeric()
    if not numbers and not (low.dtype == high.dtype and low.dtype.is_temporal()):
        raise SchemaError(
            f"constraint {constraint}: column {low.name!r} holds {low.dtype} and {high.name!r} "
            f"{high.dtype}, which have no order; make numbers, or times of one type, of both"
        )
    for column in (low, high):
        if column.dtype.is_integer() and column.null_count() < len(column):
            present = plain_numbers(column.drop_nulls())
            if present.dtype != np.int64 or max(-int(present.min()), int(present.max())) >= FAR:
                raise SchemaError(
                    f"constraint {constraint}: column {column.name!r} holds whole numbers beyond "
                    "2**62, whose differences are not computed; make smaller numbers of them"
                )


def gaps_of(constraint: Constraint, low: pl.Series, high: pl.Series) -> pl.Series:
    """Return by how much one column is above the other, null where one has no number."""
    there = numbers_and_presence(low)[1] & numbers_and_presence(high)[1]
    first, second = (plain_numbers(column.filter(pl.Series(there))) for column in (low, high))
    broken = first >= second if constraint.strict else first > second
    if broken.any():
        rows = np.flatnonzero(there)[broken]
        more = f", and {len(rows) - 1} more do" if len(rows) > 1 else ""
        raise DataError(
            f"row {rows[0] + 1} breaks the constraint {constraint} of columns "
            f"{constraint.left!r} and {constraint.right!r}{more}: correct the records, or leave "
            "the constraint out"
        )
    gaps = second - first
    if gaps.dtype == np.float64:
        # 0.3 - 0.1 is 0.2, not 0.19999999999999998
        known = [
            Grid.of(np.unique(one), single=column.dtype == pl.Float32).decimals
            if one.dtype == np.float64 and len(one)
            else 0
            for one, column in ((first, low), (second, high))
        ]
        if None not in known:
            gaps = np.round(gaps, max(one for one in known if one is not None))
    values = np.zeros(len(there), gaps.dtype)
    values[there] = gaps
    return pl.select(
        pl.when(pl.Series(there)).then(pl.Series(values)).alias(str(constraint))
    ).to_series()


def numbers_and_presence(column: pl.Series) -> tuple[NDArray[Any], Bools]:
    """Return (n,) numbers, 0 for null, and (n,) bool which are there."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    there = column.is_not_null().to_numpy()
    present = plain_numbers(column.drop_nulls()) if there.any() else np.empty(0, np.int64)
    numbers = np.zeros(len(column), present.dtype)
    numbers[there] = present
    return numbers, there
