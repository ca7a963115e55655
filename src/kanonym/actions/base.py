"""What an action is: a change of one attribute, cell by cell or column-wise."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr


@dataclass(frozen=True, slots=True, repr=False)
class Drawn(ShortRepr):
    """What was drawn for values, and for the values of which columns."""

    values: dict[str, Any] = field(default_factory=dict, repr=False)
    columns: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, repr=False)
class Context(ShortRepr):
    """What an action may look at besides its own column.

    classes: (n_rows,) int32 equivalence class of each record, from 0; None before there are any.
    rows: (n_rows,) int64, which records of the table the values are; None for all of them.
    """

    random: np.random.Generator
    column: Callable[[str], pl.Series]
    classes: NDArray[np.int32] | None = None
    rows: NDArray[np.int64] | None = None
    pseudonyms: Callable[[str], pl.Series | None] = field(default=lambda _: None, repr=False)
    drawn: dict[Hashable, Drawn] = field(default_factory=dict, repr=False)
    of_records: Callable[..., np.random.Generator] | None = None

    def drawn_for(self, column: str, *bounds: Hashable) -> Drawn:
        """Return what was drawn so far within some bounds, which a column now shares."""
        drawn = self.drawn.setdefault(bounds, Drawn())
        drawn.columns.add(column)
        return drawn

    def other_column(self, name: str) -> pl.Series:
        """Return another column, in the records of the values."""
        column = self.column(name)
        return column if self.rows is None else column.gather(self.rows)


@runtime_checkable
class Action(Protocol):
    """Who changes the values of one attribute.

    Attributes
    ----------
    type
        The name that a policy gives it.
    protects, exposes
        One sentence each: what it protects, and what it does not.

    An action inherits from this class: what differs from the defaults says so.
    """

    __slots__ = ()

    type: ClassVar[str]
    protects: ClassVar[str]
    exposes: ClassVar[str]

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers: who knows the seed can draw them again."""
        return False

    @property
    def remembers(self) -> bool:
        """Whether what it draws for a value holds in all columns of a policy: the first one draws.

        See `Context.drawn`.
        """
        return False

    @property
    def perturbs(self) -> bool:
        """Whether it gives records values that are not theirs: they are no pseudonyms then."""
        return False

    @property
    def by_value(self) -> bool:
        """Whether it needs numbers or dates: texts that people wrote as such are read first."""
        return False

    @property
    def keeps_values(self) -> bool:
        """Whether it releases values of the column, declared categories or null alone.

        Codes then still mean what they meant.
        """
        return False

    @property
    def per_value(self) -> bool:
        """Whether equal values get the same, whatever the other records are.

        It can then be carried out on the distinct values of a column, wherever its records are.
        """
        return False

    @property
    def tells_share(self) -> bool:
        """Whether it tells the share of values that it leaves alone."""
        return False

    def share_kept(self, released: pl.Series | None) -> float | None:  # noqa: ARG002
        """Return the share of values that it leaves alone, where it tells one."""
        return None

    def rehearsed(self) -> Action:
        """Return the action for a trial: it changes values alike, and writes no file."""
        return self

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the changed values, as many and of the same name.

        Raises
        ------
        SchemaError
            The action has no meaning for values of this type.
        DataError
            A cell cannot be changed as asked.

        """
        ...


@dataclass(frozen=True, slots=True)
class After:
    """An action on the released values instead of the input values.

    The changed values are verified: if it splits classes, the release is refused.
    """

    action: Action
