"""Record by record: how far each released value is from the original value of its record.

They need the original record of each released one (`TablePair.rows`), the eigenvalues apart.
A released interval counts as its middle, a suppressed cell as the middle of the original's
range; times count in the unit of their type, dates in days. Cells of which either table says
null are left out. Suppressed records have no released value and are left out, too;
`unchanged-cells` counts them as changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.kernels.arrays import Floats
from kanonym.metrics.measured_value import Meaning, MeasuredValue

Parts = dict[str, float]

NOT_ALIGNED = Message(
    "it is unknown which original record each released record was: keep the order, and declare the "
    "tables aligned"
)
NO_NUMBERS = Message("no column holds numbers in both tables")
TINY = 1e-12
"""Eigenvalues below this share of the largest are taken for 0."""

RMSE = Meaning(
    name="rmse",
    high=float("inf"),
    unit="units of the columns, mean over columns",
    source="mean over the numeric columns of the root mean squared error of each (parts)",
    title=_("Error of numbers (RMSE)"),
    counted=_("units of the column"),
    short="RMSE",
)
MSE = Meaning(
    name="mse",
    high=float("inf"),
    unit="squared units of the columns, mean over columns",
    source="mean over the numeric columns of the mean squared error of each (parts)",
    title=_("Squared error of numbers (MSE)"),
    counted=_("squared units of the column"),
    short="MSE",
)
SSE_SST = Meaning(
    name="sse-sst",
    high=float("inf"),
    unit="% of the variance",
    source=(
        "Domingo-Ferrer and Mateo-Sanz 2002, §2: squared error over total squares, in %, of the "
        "numeric columns that are not constant, each standardized by the original"
    ),
    title=_("Squared error relative to variance (SSE/SST)"),
    counted=_("% of the variance"),
    short="SSE/SST",
)
IL1S = Meaning(
    name="il1s",
    high=float("inf"),
    unit="standard deviations times √2",
    source=(
        "Mateo-Sanz, Sebé and Domingo-Ferrer 2004, §3: mean over cells of |x - x'| / (√2 · sd), "
        "where some sum over cells; constant columns are left out"
    ),
    title=_("Error in standard deviations (IL1s)"),
    counted=_("standard deviations × √2"),
    short="IL1s",
)
EIGENVALUES = Meaning(
    name="eigenvalues",
    high=float("inf"),
    unit="sum of relative differences",
    source=(
        "Templ and Meindl 2008, as dUtility of sdcMicro: sum of |e - e'| / e over the sorted "
        "eigenvalues of the correlation matrices of numeric columns; eigenvalues of 0 are left "
        "out, and records with a null"
    ),
    title=_("Change of the eigenvalues of the covariance"),
    counted=_("sum of relative differences"),
)
UNCHANGED = Meaning(
    name="unchanged-cells",
    better="higher",
    unit="share of the cells",
    source=(
        "share of the original's cells of categories that are released as they were, mean over "
        "columns (parts)"
    ),
    title=_("Cells released unchanged"),
    counted=_("share of the cells"),
)


def _aligned_measure(meaning: Meaning, found: Callable[[TablePair], Parts], empty: str) -> Measure:
    """Return a measure that is the mean of its parts by column."""

    def take(pair: TablePair, rng: np.random.Generator) -> MeasuredValue:
        del rng
        if pair.rows is None:
            return MeasuredValue(meaning, None, reason=NOT_ALIGNED)
        parts = found(pair)
        if not parts:
            return MeasuredValue(meaning, None, reason=empty)
        return MeasuredValue(meaning, float(np.mean(list(parts.values()))), parts)

    return Measure(meaning, take)


def _errors(pair: TablePair) -> Iterator[tuple[NumericColumn, Floats]]:
    """Yield each numeric column that has cells to compare, with their errors."""
    for column in pair.columns:
        if isinstance(column, NumericColumn) and pair.rows is not None:
            found = column.released - column.original[pair.rows]
            found = found[~np.isnan(found)]
            if len(found):
                yield column, found


def _spread(column: NumericColumn, ddof: int) -> float:
    """Return the standard deviation of the original; 0 for a constant or a single number."""
    held = column.original[~np.isnan(column.original)]
    return float(held.std(ddof=ddof)) if len(held) > 1 and np.ptp(held) > 0 else 0.0


def _squared_errors(pair: TablePair) -> Parts:
    return {column.name: float(np.mean(errors**2)) for column, errors in _errors(pair)}


def _root_errors(pair: TablePair) -> Parts:
    return {name: float(np.sqrt(error)) for name, error in _squared_errors(pair).items()}


def _variance_errors(pair: TablePair) -> Parts:
    return {
        column.name: 100.0 * float(np.mean(errors**2)) / spread**2
        for column, errors in _errors(pair)
        if (spread := _spread(column, 0)) > 0
    }


def _standardized_errors(pair: TablePair) -> dict[str, Floats]:
    return {
        column.name: np.abs(errors) / (spread * np.sqrt(2))
        for column, errors in _errors(pair)
        if (spread := _spread(column, 1)) > 0
    }


def _il1s(pair: TablePair, rng: np.random.Generator) -> MeasuredValue:
    del rng
    if pair.rows is None:
        return MeasuredValue(IL1S, None, reason=NOT_ALIGNED)
    cells = _standardized_errors(pair)
    if not cells:
        return MeasuredValue(
            IL1S, None, reason=Message("no numeric column that varies in the original")
        )
    parts = {name: float(own.mean()) for name, own in cells.items()}
    return MeasuredValue(IL1S, float(np.concatenate(list(cells.values())).mean()), parts)


def _eigenvalues(pair: TablePair, rng: np.random.Generator) -> MeasuredValue:
    del rng
    columns = [
        column
        for column in pair.columns
        if isinstance(column, NumericColumn) and _spread(column, 1) > 0
    ]
    if not columns:
        return MeasuredValue(
            EIGENVALUES, None, reason=Message("no numeric column that varies in the original")
        )
    before = _spectrum([column.original for column in columns])
    after = _spectrum([column.released for column in columns])
    if before is None or after is None:
        return MeasuredValue(
            EIGENVALUES,
            None,
            reason=Message("fewer than two records have a number in every column"),
        )
    held = before > TINY * before[0]
    if not held.any():
        return MeasuredValue(
            EIGENVALUES, None, reason=Message("all records without a null are equal")
        )
    return MeasuredValue(EIGENVALUES, float(np.sum(np.abs(before - after)[held] / before[held])))


def _spectrum(columns: list[Floats]) -> Floats | None:
    """Return the eigenvalues of the correlation matrix, largest first; a constant column has 0."""
    rows = np.stack(columns, axis=1)
    rows = rows[~np.isnan(rows).any(axis=1)]
    if len(rows) < 2:
        return None
    varies = np.ptp(rows, axis=0) > 0
    rows = rows - rows.mean(axis=0)
    rows /= np.where(varies, rows.std(axis=0, ddof=1), 1.0)
    rows[:, ~varies] = 0.0
    return np.asarray(np.linalg.eigvalsh(rows.T @ rows / (len(rows) - 1))[::-1])


def _unchanged_shares(pair: TablePair) -> Parts:
    if pair.rows is None or not pair.n_original:
        return {}
    found = {}
    for column in pair.columns:
        if isinstance(column, CategoricalColumn) and len(column.members):
            alone = np.diff(column.offsets)[column.labels] == 1
            only = column.members[np.minimum(column.offsets[:-1], len(column.members) - 1)]
            same = alone & (only[column.labels] == column.original[pair.rows])
            same &= ~column.suppressed
            found[column.name] = float(same.sum()) / pair.n_original
    return found


MEASURES: tuple[Measure, ...] = (
    _aligned_measure(RMSE, _root_errors, NO_NUMBERS),
    _aligned_measure(MSE, _squared_errors, NO_NUMBERS),
    _aligned_measure(
        SSE_SST, _variance_errors, Message("no numeric column that varies in the original")
    ),
    Measure(IL1S, _il1s),
    Measure(EIGENVALUES, _eigenvalues),
    _aligned_measure(UNCHANGED, _unchanged_shares, Message("no column holds categories")),
)
"""Every measure record by record; each costs a pass over the numeric columns."""
