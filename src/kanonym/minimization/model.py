"""The fitted model that minimization keeps the predictions of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Ints


class Records(ABC):
    """The records that a model predicts, in the type in which they came."""

    def __init__(self, native: Any, names: Sequence[str]) -> None:
        self.native = native
        self.names = list(names)

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of records."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What the records are held in."""

    @abstractmethod
    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""

    @abstractmethod
    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""

    @abstractmethod
    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own."""


class Table(Records):
    """Records in a pandas, polars or pyarrow table."""

    @property
    def n(self) -> int:
        """Number of records."""
        return frames.n_rows(self.native)

    @property
    def kind(self) -> str:
        """What the records are held in."""
        return f"a {type(self.native).__module__.partition('.')[0]} table"

    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""
        return frames.column(self.native, name)

    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""
        chosen = self.names if names is None else list(names)
        if isinstance(self.native, pl.DataFrame):
            table: Any = self.native.select(chosen)[rows]
        elif hasattr(self.native, "set_column"):  # pyarrow
            table = self.native.select(chosen).take(rows)
        else:
            table = self.native[chosen].take(rows).reset_index(drop=True)
        return Table(table, chosen)

    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own."""
        table: Any = self.native
        if isinstance(table, pl.DataFrame):
            table = table.with_columns(column for one in others for column in one.native)
        elif hasattr(table, "set_column"):  # pyarrow
            for other in others:
                for name in other.names:
                    table = table.set_column(
                        self.names.index(name), name, other.native.column(name)
                    )
        else:
            replaced = [name for one in others for name in one.names]
            kept = table.drop(columns=replaced).reset_index(drop=True)
            joined = kept.join([one.native.reset_index(drop=True) for one in others])[self.names]
            joined = joined.set_axis(table.index).set_axis(table.columns, axis=1)
            table = joined.__finalize__(table)
        return Table(table, self.names)


class Array(Records):
    """Records in a two-dimensional array; columns are called x0, x1 and so on."""

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.native)

    @property
    def kind(self) -> str:
        """What the records are held in."""
        return "an array"

    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""
        cells = self.native[:, self.names.index(name)]
        if cells.dtype.kind in "OU":
            try:
                series = pl.Series(name, _one_type(cells.tolist()))
            except (TypeError, pl.exceptions.PolarsError):
                raise DataError(
                    f"column {name!r} of the array holds values of several types; convert them to "
                    "one"
                ) from None
        else:
            series = pl.Series(name, np.ascontiguousarray(cells))
        if series.dtype == pl.Null:
            series = series.cast(pl.String)
        return series.fill_nan(None) if series.dtype.is_float() else series

    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""
        if names is None:
            return Array(self.native[rows], self.names)
        places = np.array([self.names.index(name) for name in names], np.int64)
        return Array(self.native[np.ix_(rows, places)], names)

    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own."""
        array = self.native.copy()
        for other in others:
            array[:, [self.names.index(name) for name in other.names]] = other.native
        return Array(array, self.names)


def _one_type(cells: list[Any]) -> list[Any]:
    """Return Python's values with None for NaN, and integers among floats as floats."""
    cells = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
    present = [cell for cell in cells if cell is not None]
    if not any(isinstance(cell, float) for cell in present):
        return cells
    if not all(isinstance(cell, Real) and not isinstance(cell, bool) for cell in present):
        return cells
    return [None if cell is None else float(cell) for cell in cells]


def records_of(given: Any) -> Records:
    """Return what was given as records."""
    if frames.is_frame(given):
        native = frames.to_eager(given)
        records: Records = Table(native, frames.column_names(native))
    else:
        array = _two_dimensional(given)
        records = Array(array, [f"x{place}" for place in range(array.shape[1])])
    if not records.n:
        raise DataError("Found no record: 0 sample(s) where a minimum of 1 is required.")
    return records


def _two_dimensional(given: Any) -> NDArray[Any]:
    """Return an array of records by columns; messages use the words of scikit-learn."""
    if hasattr(given, "toarray"):
        raise DataError("Sparse data was passed, but dense data is required: X.toarray()")
    array = np.asarray(given)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data to one row per "
            f"record"
        )
    if array.dtype.kind not in "biufOU":
        raise DataError(f"Complex data not supported, nor any of type {array.dtype}")
    if not array.shape[1]:
        raise DataError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


BATCH = 200_000
"""Records that the model is asked about at a time: bounds the memory."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model(ShortRepr):
    """A fitted estimator, behind the encoder that its records go through."""

    estimator: Any
    encoder: Any = None

    def check(self) -> None:
        """Refuse a model that cannot predict."""
        for role, one in (("estimator", self.estimator), ("encoder", self.encoder)):
            if isinstance(one, type):
                raise PolicyError(f"{role}: {one.__name__} is a class; give a fitted object of it")
        if not hasattr(self.estimator, "predict"):
            raise PolicyError(
                f"estimator: {type(self.estimator).__name__} has no predict; give a fitted "
                "classifier or regressor"
            )
        if self.encoder is not None and not hasattr(self.encoder, "transform"):
            raise PolicyError(f"encoder: {type(self.encoder).__name__} has no transform")
        for role, one in (("estimator", self.estimator), ("encoder", self.encoder)):
            if hasattr(one, "fit") and not _is_fitted(one):
                raise PolicyError(
                    f"{role}: this {type(one).__name__} is not fitted; fit it first. Minimization "
                    "looks at the predictions of a trained model"
                )

    def predictions(self, records: Records) -> NDArray[Any]:
        """Return (n,) predictions."""
        try:
            given = records.native
            if self.encoder is not None:
                given = self.encoder.transform(given)
            answers = np.asarray(self.estimator.predict(given))
        except (TypeError, ValueError) as error:
            words = _text_columns(records)
            if not words:
                raise
            raise DataError(
                f"the model cannot predict these records, of which {', '.join(words)} hold text. "
                "If it was trained on encoded data, pass what encoded it as encoder=..., or a "
                f"Pipeline of both as estimator (it raised {type(error).__name__})"
            ) from error
        if answers.shape == (records.n, 1):  # of a model trained on a table of one column
            answers = answers[:, 0]
        if answers.shape != (records.n,):
            raise DataError(
                f"the model gives predictions of shape {answers.shape} for {records.n} records; "
                "one class or number per record is expected"
            )
        if answers.dtype.kind == "f" and not np.isfinite(answers).all():
            raise DataError(
                f"row {int((~np.isfinite(answers)).argmax()) + 1}: the model's prediction is not a "
                f"finite number"
            )
        return answers


class PredictionQuery:
    """What a model predicts for records that hold values of others."""

    def __init__(self, model: Model, records: Records) -> None:
        self.model = model
        self.records = records
        self.columns: dict[str, Ints] = {}

    def predict_generalized_records(
        self, rows: Ints, others: Ints, names: Sequence[Sequence[str]]
    ) -> NDArray[Any]:
        """Return (n_sets, m) predictions.

        rows: (m,) int64: the records.
        others: (m,) int64: those whose values they hold.
        """
        firsts, places = [], []
        n_asked = 0
        for name in names:
            _, first, which = np.unique(
                self._kept_codes(name)[rows] * self.records.n + others,
                return_index=True,
                return_inverse=True,
            )
            firsts.append(first)
            places.append(which + n_asked)
            n_asked += len(first)
        asked = np.concatenate(firsts)
        of_set = np.repeat(np.arange(len(names)), [len(first) for first in firsts])
        parts = []
        for start in range(0, n_asked, BATCH):
            part = slice(start, start + BATCH)
            some = asked[part]
            parts.append(
                self.model.predictions(self._mix(rows[some], others[some], names, of_set[part]))
            )
        answers: NDArray[Any] = np.concatenate(parts)[np.array(places)]
        return answers

    def _mix(
        self, rows: Ints, others: Ints, names: Sequence[Sequence[str]], of_set: Ints
    ) -> Records:
        """Return records that hold the values of others in the columns of the set of each."""
        sets = [set(held) for held in names]
        common = [name for name in names[0] if all(name in held for held in sets)]
        parts = [self.records.take(others, common)] if common else []
        for name in dict.fromkeys(one for held in names for one in held if one not in common):
            holds = np.array([name in held for held in sets])[of_set]
            parts.append(self.records.take(np.where(holds, others, rows), [name]))
        mixed = self.records.take(rows)
        return mixed.with_values(*parts) if parts else mixed

    def _kept_codes(self, names: Sequence[str]) -> Ints:
        """Return (n,) int64: numbers of what records keep, the same for equal values."""
        kept = np.zeros(self.records.n, np.int64)
        held = set(names)
        for name in self.records.names:
            if name in held:
                continue
            if name not in self.columns:
                self.columns[name] = self._number_values(name)
            column = self.columns[name]
            kept = kept * (int(column.max()) + 1) + column
            kept = np.unique(kept, return_inverse=True)[1]
        return kept

    def _number_values(self, name: str) -> Ints:
        """Return (n,) int64: the same number for equal values of one column."""
        try:
            column = self.records.column(name)
        except DataError:  # holds lists or the like: each is taken to differ
            return np.arange(self.records.n)
        return column.rank("dense").cast(pl.Int64).fill_null(0).to_numpy()


def classes_or_none(estimator: Any, predictions: NDArray[Any]) -> NDArray[Any] | None:
    """Return the distinct classes of a classifier's predictions, ascending; None of numbers."""
    try:
        classifies = is_classifier(estimator) or not (
            is_regressor(estimator) or predictions.dtype.kind == "f"
        )
    except (AttributeError, TypeError):  # no estimator of scikit-learn's
        classifies = hasattr(estimator, "classes_") or predictions.dtype.kind != "f"
    return np.unique(predictions) if classifies else None


def encode_predictions(
    predictions: NDArray[Any], classes: NDArray[Any] | None
) -> NDArray[np.generic]:
    """Return int64 positions among the classes, -1 for another one; numbers as float64."""
    if classes is None:
        return predictions.astype(np.float64)
    places = np.minimum(np.searchsorted(classes, predictions), len(classes) - 1)
    return np.where(classes[places] == predictions, places, -1).astype(np.int64)


def _is_fitted(estimator: Any) -> bool:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    except TypeError:
        return True
    return True


def _text_columns(records: Records) -> list[str]:
    """Return the names of columns of text."""
    found = []
    for name in records.names:
        try:
            dtype = records.column(name).dtype
        except DataError:  # lists and the like, which the model may take
            continue
        if dtype in (pl.String, pl.Categorical, pl.Enum):
            found.append(name)
    return found
