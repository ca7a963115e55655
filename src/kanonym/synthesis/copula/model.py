"""The model of a table: fitted to its columns, asked for further records."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.kernels.parallel import parallel
from kanonym.synthesis.copula.constraints import Constraint
from kanonym.synthesis.copula.coordinates import coordinates_of
from kanonym.synthesis.copula.drawing import FittedTable, complete_records
from kanonym.synthesis.copula.probability import probabilities
from kanonym.synthesis.copula.relations import relate_columns
from kanonym.synthesis.copula.scales import scale_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TableModel(ShortRepr):
    """A Gaussian copula over the columns of a table: see `fit`."""

    fitted: FittedTable

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the table."""
        return tuple(scale.name for scale in self.fitted.scales)

    def sample(self, n: int, random: np.random.Generator) -> list[pl.Series]:
        """Return n further records, one (n,) series a column in the order and types of the table.

        Cost O(n · d · (d + log m)) for d columns of m values.
        """
        return complete_records(self.fitted, n, {}, random)

    def complete(self, given: Sequence[pl.Series], random: np.random.Generator) -> list[pl.Series]:
        """Return records that hold given values, and in all other columns what goes with them.

        Returns
        -------
        One (n,) series a column in the order of the table, the given ones as they came.

        Notes
        -----
        Cost O(n · g · 26) truncated normal draws for g given columns, then as `sample`.

        """
        held = self._given_columns(given)
        result = complete_records(self.fitted, len(given[0]), held, random)
        as_given = {column.name: column for column in given}
        return [as_given.get(column.name, column) for column in result]

    def probabilities(self, name: str, given: Sequence[pl.Series]) -> tuple[pl.Series, Floats]:
        """Return the values of a column, and how likely `complete` draws each.

        Returns
        -------
        The (m,) values that the table has, null last if it has any, and (n, m) float64 of which
        each row sums to 1. Of a column that is measured finely, a value stands for its
        surroundings.

        Notes
        -----
        Deterministic; the error of a probability is about 0.005. See `probability`.

        """
        column = self._place(name)
        held = self._given_columns(given)
        if column in held:
            raise SchemaError(f"column {name!r} is itself given: leave it out of the given ones")
        return probabilities(self.fitted, column, len(given[0]), held)

    def limits(
        self, name: str, given: Sequence[pl.Series]
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return what constraints leave open to a column beside given ones.

        Returns
        -------
        (n,) the lowest and (n,) the highest number that each record can have, times in the unit
        of their type; None where no constraint is about the column.

        """
        column = self._place(name)
        held = self._given_columns(given)
        if column not in self.fitted.relations.grids:
            return None
        return self.fitted.relations.limits(column, held, len(given[0]))

    def reach(self, name: str) -> int:
        """Return how many different values of a column can be drawn, null included, at most 2**53.

        Values that repeat are drawn as they are; of a column that is measured finely, all numbers
        with its decimals or of its unit that lie in its range.
        """
        return self.fitted.scales[self._place(name)].reach

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise SchemaError(_unknown_columns([name], self.names))
        return self.names.index(name)

    def _given_columns(self, given: Sequence[pl.Series]) -> dict[int, pl.Series]:
        """Return given columns by number, without NaN; refuse what the table does not have."""
        if not given:
            raise SchemaError("no column is given: name some, or use `sample`")
        names = [column.name for column in given]
        _refuse_repeated(names)
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise SchemaError(_unknown_columns(unknown, self.names))
        if len({len(column) for column in given}) > 1:
            lengths = ", ".join(f"{column.name!r} {len(column)}" for column in given)
            raise DataError(f"the given columns differ in length: {lengths}; give equally many")
        held = {
            self.names.index(column.name): column.fill_nan(None)
            if column.dtype.is_float()
            else column
            for column in given
        }
        self.fitted.relations.refuse_broken(held)
        return held


def fit(columns: Sequence[pl.Series], constraints: Sequence[Constraint] = ()) -> TableModel:
    """Fit a Gaussian copula to the columns of a table.

    Notes
    -----
    A record of the model is a vector of correlated normal variables. Each column has one for its
    value: its place in the cumulative distribution of the column, numbers, times and ordered
    categories ascending, others in the order in which their associations show most
    (`nominal`). A column with nulls has another one for whether there is a value, so that values
    missing here and there do not blur the rest. A constraint has one for the gap between its
    columns, where both have a value: a column is drawn as its gap to the one before. So marginal
    distributions are those of the table, and associations those of each pair of variables
    (`correlation`); what three columns have together beyond these, and relations that rise
    and fall again, are not imitated.

    Values that repeat are drawn as they are. A column of numbers or times of which most values
    occur once is measured finely: it is drawn along normal curves that its values follow in
    stretches (`stretches`), with the decimals or in the unit of the column and as many round
    numbers (`digits`), so that no measured value returns but by accident. Nothing beyond the
    observed range is drawn.

    Cost: encoding the columns, O(n) a pair of variables, and up to 5 ms a pair: some
    minutes for 300 columns.

    References
    ----------
    Nelsen (2006), "An Introduction to Copulas", section 2.3; Patki, Wedge and Veeramachaneni
    (2016), "The Synthetic Data Vault", DSAA, section III, imitate tables by such a copula.
    Deviations: correlations of discrete columns are not weakened by the ties, as they are where
    a place within its interval is drawn for each record; nominal columns have an order that
    comes from their associations instead of their frequency; given values condition exactly.

    """
    if not columns:
        raise SchemaError("the table has no columns: there is nothing to imitate")
    names = [column.name for column in columns]
    _refuse_repeated(names)
    for constraint in constraints:
        unknown = [name for name in (constraint.left, constraint.right) if name not in names]
        if unknown:
            raise SchemaError(f"constraint {constraint}: {_unknown_columns(unknown, names)}")
    if len({len(column) for column in columns}) > 1:
        raise DataError("the columns differ in length: give as many values in each")
    if not len(columns[0]):
        raise DataError("the table has no records: there is nothing to imitate")
    read = parallel(scale_of, columns)
    relations, gaps = relate_columns(columns, [scale for scale, _ in read], constraints)
    scales, coordinates = coordinates_of(
        read, [(link.gaps, codes) for link, codes in zip(relations.links, gaps, strict=True)]
    )
    return TableModel(FittedTable(tuple(scales), coordinates, relations))


def _unknown_columns(unknown: Iterable[str], names: Sequence[str]) -> str:
    """Say which columns there are not, and which ones were probably meant."""
    parts = []
    for name in unknown:
        near = difflib.get_close_matches(name, names, n=1)
        parts.append(f"{name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    return f"no such column: {', '.join(parts)}. The table has: {', '.join(names)}"


def _refuse_repeated(names: Sequence[str]) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise SchemaError(f"column {repeated[0]!r} occurs twice: rename one")
