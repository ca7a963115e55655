"""A table minimized for a model of one of its columns: trained here, minimized, and measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.minimization.estimator import Minimizer

UNSEEN = 0.3
"""Share of the records that neither the model nor the minimizer sees."""

CLASSES = 20
"""A label of up to so many whole numbers is one of classes, as text always is."""

FEWEST = 20
"""Records below which nothing is trained."""


NOT_ANONYMOUS = (
    "This is not anonymization: other columns still distinguish people. For a guarantee, anonymize "
    "the minimized table."
)

SHOWN = 5
"""Split points that are named one by one."""


@dataclass(frozen=True, repr=False)
class MinimizedTable(Result):
    """A table whose features are as coarse as a model of its label allows."""

    frame: pl.DataFrame
    label: str
    model: str
    accuracy: float
    relative_accuracy: float
    score_before: float
    score_after: float
    gcp: float
    generalizations: Mapping[str, Any]
    unseen: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: no value of a record but split points and categories."""
        return {
            "rows": len(self.frame),
            "unseen": self.unseen,
            "label": self.label,
            "model": self.model,
            "accuracy": self.accuracy,
            "relative_accuracy": self.relative_accuracy,
            "score": {"before": self.score_before, "after": self.score_after},
            "gcp": self.gcp,
            "generalizations": dict(self.generalizations),
        }

    def tables(self) -> list[ResultTable]:
        """Return what became of each feature, and what it costs."""
        kept, asked = self.relative_accuracy, self.accuracy
        same = (
            f"{100 * kept:.1f} % of {self.unseen:,} records held out; asked for {100 * asked:g} %"
        )
        if self.model.endswith("numbers"):
            same = f"R² {kept:.3f} of {self.unseen:,} records held out; asked for {asked:g}"
        before, after = map(format_number, (self.score_before, self.score_after))
        facts = ResultTable.of_facts(
            ("records", len(self.frame)),
            ("model", f"{self.model}, of {self.label}"),
            ("predictions kept", same),
            ("score", f"{after}, before {before}"),
            ("GCP", self.gcp),
            *self._features(),
            notes=(NOT_ANONYMOUS,),
        )
        return [facts]

    def _features(self) -> Iterator[tuple[str, object]]:
        """Yield a line for each feature."""
        given = self.generalizations
        for name, points in given["ranges"].items():
            named = ", ".join(f"{point:g}" for point in points[:SHOWN])
            more = f" and {len(points) - SHOWN} more" if len(points) > SHOWN else ""
            yield name, f"split at {named}{more}" if points else "one value for all"
        for name, groups in given["categories"].items():
            yield name, f"{len(groups)} groups" if len(groups) > 1 else "one value for all"
        yield from ((name, "unchanged") for name in given["untouched"])


def minimize_table(
    frame: pl.DataFrame,
    label: str,
    accuracy: float,
    *,
    features: Sequence[str] = (),
    k: int = 1,
    seed: int = 0,
) -> MinimizedTable:
    """Train a model of a column, and minimize the other columns as far as it allows.

    Boosted trees learn from 70 % of the records, and the features are minimized on the same
    ones; what is said of accuracy is measured on the others.
    """
    missing = [name for name in (label, *features) if name not in frame.columns]
    if missing:
        known = ", ".join(frame.columns)
        raise SchemaError(f"the table has no column {missing[0]!r}; it has {known}")
    if label in features:
        raise SchemaError(f"{label!r} is the label: it is predicted, and cannot be minimized")
    kept = [name for name in frame.columns if name != label]
    if not kept:
        raise SchemaError(f"the table has no column besides {label!r} to learn from")
    truth, classifies = _label_values(frame[label])
    rows = np.arange(len(frame))
    stratify = truth if classifies and np.unique(truth, return_counts=True)[1].min() > 1 else None
    try:
        train, unseen = train_test_split(
            rows, test_size=UNSEEN, random_state=seed, stratify=stratify
        )
    except ValueError:  # more classes than records on a side
        train, unseen = train_test_split(rows, test_size=UNSEEN, random_state=seed)
    records = frame.select(kept)
    chosen = list(features) or None
    score = accuracy_score if classifies else r2_score
    with threadpool_limits(1):  # many small predictions: threads would wait for each other
        model = _unfitted_model(seed, classifies=classifies).fit(records[train], truth[train])
        minimizer = Minimizer(model, accuracy, features=chosen, k=k, random_state=seed)
        minimized = minimizer.fit(records[train]).transform(records)
        before, after = (model.predict(one[unseen]) for one in (records, minimized))
    return MinimizedTable(
        frame=frame.with_columns(minimized[name] for name in kept),
        label=label,
        model="boosted trees, " + ("classes" if classifies else "numbers"),
        accuracy=accuracy,
        relative_accuracy=float(score(before, after)),
        score_before=float(score(truth[unseen], before)),
        score_after=float(score(truth[unseen], after)),
        gcp=float(minimizer.gcp_),
        generalizations=minimizer.generalizations_,
        unseen=len(unseen),
    )


def _label_values(label: pl.Series) -> tuple[NDArray[Any], bool]:
    """Return the (n,) values to predict, and whether they are classes."""
    if len(label) < FEWEST:
        raise DataError(f"{len(label)} records are too few to train a model: {FEWEST} are needed")
    if label.null_count():
        row = int(label.is_null().arg_max() or 0) + 1
        raise DataError(
            f"column {label.name!r}, row {row}: the label has no value; remove such records first"
        )
    distinct = label.n_unique()
    if distinct == 1:
        raise DataError(f"column {label.name!r}: the label has one value: nothing is to predict")
    if label.dtype.is_float() or (label.dtype.is_integer() and distinct > CLASSES):
        return label.cast(pl.Float64).to_numpy(), False
    return label.cast(pl.String).to_numpy(), True


def _unfitted_model(seed: int, *, classifies: bool) -> Pipeline:
    """Return boosted trees on numbers, and on texts as codes."""
    kind = HistGradientBoostingClassifier if classifies else HistGradientBoostingRegressor
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    )
    return make_pipeline(
        make_column_transformer((codes, _texts), remainder="passthrough"), kind(random_state=seed)
    )


def _texts(records: pl.DataFrame) -> list[str]:
    """Return the columns that hold no numbers."""
    return [name for name in records.columns if not records[name].dtype.is_numeric()]
