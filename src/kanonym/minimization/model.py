"""The fitted model that minimization keeps the predictions of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Ints
from kanonym.minimization.records import Records

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

        All sets are predicted together: of few records, a call costs more than what it predicts.

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
