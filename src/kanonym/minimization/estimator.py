"""`Minimizer`: which features a trained model needs, and how exactly."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from kanonym.algorithms.minimization.search import Split, assign_cells, minimize
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.kernels.arrays import Bools, Ints
from kanonym.minimization.encoding import (
    cells_of,
    encoding_of,
    generalizations_of,
    hierarchies_of,
    names_of,
)
from kanonym.minimization.model import (
    Array,
    Model,
    PredictionQuery,
    Records,
    classes_or_none,
    encode_predictions,
    records_of,
)


class Minimizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Generalize features as far as a trained model's predictions allow.

    A decision tree is grown on the model's own predictions; its leaves are cells, and an actual
    record stands for each. Where the model, given the representative's values, predicts validation
    records as before, cells are merged upward while it does; where it does not, features are
    exempted until it does. The model is asked only: it may be any object with `predict`.

    Parameters
    ----------
    estimator
        A fitted classifier or regressor, or a fitted Pipeline of one.
    target_accuracy
        The relative accuracy to keep on the validation records, in (0, 1]: of a classifier the
        share of records whose predicted class stays, of a regressor R² against its own predictions.
    features
        The columns to minimize, all others are left as they are; None for all. Columns of an
        array go by position or as `x0`, `x1`. Their order is that of the tree's columns.
    categorical
        Columns of numbers that are categories. Text, categories and booleans always are.
    one_hot
        Groups of columns of which each record has 1 in exactly one: `{name: columns}` or
        lists of columns. Each is one feature, and stays consistent.
    encoder
        What the records go through before the estimator: anything fitted with `transform`.
    k
        Every cell holds at least this many of the fitted records. Above 1, no feature is
        exempted: where the target cannot be kept that way, `fit` says so.
    tree
        A scikit-learn decision tree to grow, such as one of fewer leaves; None for one
        without limits.
    validation
        Share of the records that relative accuracy is measured on, in (0, 1); the tree
        grows on the others. Stratified by predicted class where every class has two records.
    random_state
        Of the split, and of the tree where `tree` is None.

    Attributes
    ----------
    generalizations_
        `ranges`: for each feature of numbers the split points, ascending, so none where it is
        suppressed; `categories`: for each feature of categories the groups that no
        cell parts; `untouched`: the columns left as they are, exempted ones first.
    exempted_
        The features exempted, in that order.
    cells_
        For each cell a dictionary: number of fitted `records`, the class that most of them
        are predicted to have (`prediction`, None of numbers), `ranges` `(above, up
        to)` with None for no bound, `categories`, and the `representative`.
    representatives_
        (n_cells, n_features) the representatives, in the type of the data.
    representative_records_
        (n_cells,) int64: their rows in the fitted data.
    relative_accuracy_
        What was reached on the validation records.
    gcp_
        Global certainty penalty of the fitted records when transformed, in [0, 1]: the mean, over
        all records and all features to minimize, of the width of the record's cell over the width
        of the domain. Numbers: the cell's range, cut to the range of the fitted records, over that
        range. Categories: (categories of the cell - 1) / (categories - 1). A one-hot group is one
        feature; an exempted one counts 0. A cell of null and numbers counts 1.
    path_
        The trade-off: arrays `cells`, `exempted` (how many features), `relative_accuracy` and
        `gcp`, one entry a generalization. First the prunings from the tree's leaves to
        one cell by weakest links, no feature exempted; then, where features
        were exempted, the leaves with one more of them each, or one taken back.
    validation_
        (n_validation,) int64: the rows that relative accuracy was measured on.
    tree_
        The decision tree.
    n_features_in_, feature_names_in_
        As of every estimator; names only where the data has some.

    Raises
    ------
    PolicyError
        A parameter out of its range; an estimator that cannot predict or is not fitted.
    SchemaError
        A column that the data does not have, or other columns than when fitted.
    DataError
        No records; infinite numbers, dates; a null where the fitted column had none; a
        one-hot group that is none; text that the model cannot read.
    InfeasibleError
        The target cannot be kept with cells of `k`: says what was reached.

    Notes
    -----
    `transform` gives each record the values of its cell's representative in all features that are
    not exempted, and leaves its other columns. A category that no fitted record has falls with
    those that no split asked for, a number outside of the fitted range into the outermost cell;
    both are released as that cell's representative. Null is a category of its own, and lies below
    all numbers; where no fitted record lacks a number, later ones may not either.

    Cells of k make the features to minimize k-anonymous among the fitted records; columns left
    untouched and records transformed later are not covered.

    Relative accuracy and GCP are sums over cells, so the model is asked about every node
    of the tree in one go, and the pruning of largest GCP that keeps the target is chosen: of
    classes exactly, up to 2 · 10^8 validation records times records that may change; of
    numbers, and beyond, at least as far as the best pruning at one depth. The
    paper prunes whole levels. Where leaves miss the target, features are exempted as in
    the paper, even if some coarser pruning would keep it: `path_` shows whether one does,
    and a `tree` of fewer leaves reaches it. Where several features went without gaining
    accuracy, those that turn out not to be needed are generalized again.

    Numbers are split in single precision, as scikit-learn's trees do: those that differ by less
    than about 1e-7 of their size, such as seconds since 1970, cannot be parted. Subtract an
    origin first.

    The estimator belongs to the Minimizer as a trained model: `sklearn.base.clone` shares it.

    Cost: the tree, O(n · depth) predictions, and n_features² / 2 times the validation records where
    features are exempted. Memory: 8 bytes for each record and column of numbers or category,
    several times over.

    References
    ----------
    Goldsteen, Ezov, Shmelkin, Moffie and Farkash (2021), "Data minimization for GDPR
    compliance in machine learning models", AI and Ethics 2. GCP: Ghinita, Karras, Kalnis and
    Mamoulis (2007), "Fast data anonymization with low information loss", VLDB, sec. 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> flowers, species = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(random_state=0).fit(flowers, species)
    >>> minimizer = Minimizer(model, 0.9, features=[2, 3]).fit(flowers)
    >>> minimizer.generalizations_["untouched"]
    ['x0', 'x1']
    >>> len(minimizer.cells_), minimizer.relative_accuracy_ >= 0.9
    (3, True)
    """

    def __init__(
        self,
        estimator: Any,
        target_accuracy: float = 0.95,
        *,
        features: Sequence[Any] | None = None,
        categorical: Sequence[Any] | None = None,
        one_hot: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None = None,
        encoder: Any = None,
        k: int = 1,
        tree: Any = None,
        validation: float = 0.4,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.target_accuracy = target_accuracy
        self.features = features
        self.categorical = categorical
        self.one_hot = one_hot
        self.encoder = encoder
        self.k = k
        self.tree = tree
        self.validation = validation
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Find how far the features of some records may be generalized.

        Parameters
        ----------
        X
            (n, n_features) pandas, polars or pyarrow table, or array: records as the
            model, or its encoder, takes them.
        y
            Ignored: what counts is what the model predicts.
        """
        del y
        self._check_parameters()
        model = Model(self.estimator, self.encoder)
        model.check()
        records = records_of(X)
        if math.ceil(self.validation * records.n) == records.n:
            raise DataError(
                f"{records.n} sample(s), and validation = {self.validation}: none is left for the "
                "tree; at least two are needed, one for the tree and one to measure on"
            )
        encoding = encoding_of(records, self.features, self.categorical, self.one_hot)
        predictions = model.predictions(records)
        classes = classes_or_none(self.estimator, predictions)
        codes = encode_predictions(predictions, classes)
        question = PredictionQuery(model, records)

        def ask(rows: Ints, others: Ints, exempted: Bools) -> NDArray[np.generic]:
            names = [encoding.columns(one) for one in exempted]
            found = question.predict_generalized_records(rows, others, names)
            answers = encode_predictions(found, classes)
            answers[[not name for name in names]] = codes[rows]  # the records as they are
            return answers

        matrix = encoding.matrix(records)
        split = self._split(codes, stratified=classes is not None)
        tree = self._unfitted_tree(classes is not None)
        minimization = minimize(
            matrix,
            encoding.features,
            codes,
            split,
            tree,
            ask,
            target=float(self.target_accuracy),
            k=int(self.k),
        )
        self.n_features_in_ = len(records.names)
        if isinstance(records, Array):
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(records.names, dtype=object)
        self._encoding, self._found, self._records_kind = encoding, minimization, records.kind
        columns = encoding.columns(np.zeros(len(encoding.kinds), np.bool_))
        self._representatives = records.take(minimization.representatives, columns)
        self._hierarchies = hierarchies_of(encoding, minimization, matrix)
        self.tree_ = tree
        self.validation_ = split.validation
        self.generalizations_ = generalizations_of(encoding, minimization, records.names)
        self.cells_ = cells_of(encoding, minimization, self._representatives, classes)
        self.representatives_ = self._representatives.native
        self.representative_records_ = minimization.representatives
        names = names_of(encoding)
        self.exempted_ = [names[feature] for feature in minimization.exempted]
        self.relative_accuracy_ = minimization.relative_accuracy
        self.gcp_ = minimization.gcp
        self.path_ = asdict(minimization.path)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return records with the values of their cells' representatives.

        Parameters
        ----------
        X
            (n, n_features) records of the same columns and the same kind as when fitted.

        Returns
        -------
        Of the type of X: a pandas table keeps its index, columns keep their types.
        """
        check_is_fitted(self)
        records = records_of(X)
        self._check_columns(records)
        cells = assign_cells(self._found, self.tree_, self._encoding.matrix(records))
        exempted = np.zeros(len(self._encoding.kinds), np.bool_)
        exempted[list(self._found.exempted)] = True
        names = self._encoding.columns(exempted)
        values = [self._representatives.take(cells, names)] if names else []
        return records.with_values(*values).native

    def hierarchies(self) -> dict[str, HierarchySource]:
        """Return the generalizations as hierarchies, by column, for `QuasiIdentifier`.

        Level 1 of numbers are the intervals between all split points, of categories the groups
        that no cell parts; then come those of ever coarser prunings with at most half
        as many cells each, and the root. A feature that no cell splits has the root
        alone, and so has each column of a one-hot group. Null is a branch of its own.
        Exempted features have none: they are left untouched.

        Notes
        -----
        An interval starts at a short number near the split point, such that all fitted values
        lie on the side where the tree has them. A hierarchy knows the categories of the fitted
        records only.
        """
        check_is_fitted(self)
        return dict(self._hierarchies)

    def _check_parameters(self) -> None:
        target, share, k = self.target_accuracy, self.validation, self.k
        if not _is_number(target, Real) or not 0 < target <= 1:
            raise PolicyError(f"target_accuracy must be above 0 and at most 1, not {target!r}")
        if not _is_number(share, Real) or not 0 < share < 1:
            raise PolicyError(f"validation must be between 0 and 1, not {share!r}")
        if not _is_number(k, Integral) or k < 1:
            raise PolicyError(f"k must be a whole number of at least 1, not {k!r}")

    def _split(self, codes: NDArray[np.generic], *, stratified: bool) -> Split:
        """Divide the rows into those of the tree and those to measure on."""
        rows = np.arange(len(codes))
        given = {"test_size": self.validation, "random_state": self.random_state}
        if stratified:
            try:
                return Split(*train_test_split(rows, stratify=codes, **given))
            except ValueError:  # a class of one record, or more classes than records on a side
                pass
        return Split(*train_test_split(rows, **given))

    def _unfitted_tree(self, classifies: bool) -> Any:  # noqa: FBT001
        if self.tree is None:
            kind = DecisionTreeClassifier if classifies else DecisionTreeRegressor
            tree = kind(random_state=self.random_state)
        else:
            wanted = DecisionTreeClassifier if classifies else DecisionTreeRegressor
            if not isinstance(self.tree, wanted) or is_classifier(self.tree) != classifies:
                raise PolicyError(
                    f"tree: the model predicts {'classes' if classifies else 'numbers'}, which a "
                    f"{wanted.__name__} learns, not a {type(self.tree).__name__}"
                )
            tree = clone(self.tree)
        if self.k > 1 and isinstance(tree.min_samples_leaf, int):
            grown = math.ceil(self.k * (1 - self.validation))  # merged up to k afterwards
            tree.set_params(min_samples_leaf=max(tree.min_samples_leaf, grown))
        return tree

    def _check_columns(self, records: Records) -> None:
        if records.kind != self._records_kind:
            raise SchemaError(
                f"the Minimizer was fitted on {self._records_kind}, this is {records.kind}; "
                "transform the same kind"
            )
        if isinstance(records, Array):
            if len(records.names) != self.n_features_in_:
                raise SchemaError(
                    f"X has {len(records.names)} features, but Minimizer is expecting "
                    f"{self.n_features_in_} features as input."
                )
            return
        known = self.feature_names_in_.tolist()
        if records.names == known:
            return
        unseen = [name for name in records.names if name not in known]
        missing = [name for name in known if name not in records.names]
        parts = []
        for name in missing:
            near = difflib.get_close_matches(name, unseen, n=1)
            parts.append(f"{name!r} is missing" + (f" (is it {near[0]!r}?)" if near else ""))
        parts += [f"{name!r} is new" for name in unseen]
        raise SchemaError(
            "The feature names should match those that were passed during fit: "
            + (", ".join(parts) or "they are in a different order")
        )

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted Minimizer of the same trained model."""
        shared = ("estimator", "encoder")
        given = self.get_params(deep=False)
        return type(self)(
            **{
                name: value if name in shared else clone(value, safe=False)
                for name, value in given.items()
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)
