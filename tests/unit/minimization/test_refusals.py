"""What Minimizer refuses, and that its message says what to do."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.minimization import Minimizer

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.integers(0, 90, 60), "pay": RNG.normal(size=60)})
MODEL = DecisionTreeClassifier(random_state=0).fit(FRAME, FRAME["pay"] > 0)
WORDS = FRAME.assign(town=["Bonn", "Rome"] * 30)


@pytest.mark.parametrize("target", [0, -0.1, 1.01, float("nan"), "high", True, None])
def test_target_out_of_range(target):
    """The target is above 0 and at most 1."""
    with pytest.raises(PolicyError, match="target_accuracy must be above 0 and at most 1"):
        Minimizer(MODEL, target).fit(FRAME)


@pytest.mark.parametrize("k", [0, -3, 2.5, "5", True])
def test_k_that_is_no_number_of_records(k):
    """K is a whole number of at least 1."""
    with pytest.raises(PolicyError, match="k must be a whole number of at least 1"):
        Minimizer(MODEL, k=k).fit(FRAME)


@pytest.mark.parametrize("share", [0, 1, 1.5, None])
def test_validation_that_is_no_share(share):
    """Both sides of the split have records."""
    with pytest.raises(PolicyError, match="validation must be between 0 and 1"):
        Minimizer(MODEL, validation=share).fit(FRAME)


def test_model_that_is_not_fitted():
    """An untrained model has no predictions to keep."""
    with pytest.raises(
        PolicyError, match="this DecisionTreeClassifier is not fitted; fit it first"
    ):
        Minimizer(DecisionTreeClassifier()).fit(FRAME)


def test_encoder_that_is_not_fitted():
    """An encoder is fitted along with the model."""
    with pytest.raises(PolicyError, match="encoder: this OneHotEncoder is not fitted"):
        Minimizer(MODEL, encoder=OneHotEncoder()).fit(FRAME)


def test_class_in_the_place_of_a_model():
    """A class of models has learned nothing."""
    with pytest.raises(PolicyError, match="DecisionTreeClassifier is a class; give a fitted"):
        Minimizer(DecisionTreeClassifier).fit(FRAME)


def test_model_without_predict():
    """What cannot predict cannot be minimized for."""
    with pytest.raises(PolicyError, match="OneHotEncoder has no predict"):
        Minimizer(OneHotEncoder().fit(FRAME)).fit(FRAME)


def test_encoder_without_transform():
    """An encoder transforms."""
    with pytest.raises(PolicyError, match="encoder: DecisionTreeClassifier has no transform"):
        Minimizer(MODEL, encoder=MODEL).fit(FRAME)


def test_transform_before_fit():
    """As every estimator, it is fitted before it transforms."""
    with pytest.raises(NotFittedError):
        Minimizer(MODEL).transform(FRAME)


@pytest.mark.parametrize("name", ["features", "categorical"])
def test_unknown_column(name):
    """A column that is none is named, with the nearest one."""
    with pytest.raises(SchemaError, match=r"no such column: 'agee' \(did you mean 'age'\?\)"):
        Minimizer(MODEL, **{name: ["agee"]}).fit(FRAME)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "features is empty"),
        (["age", "age"], "'age' is named twice"),
        ("age", "a list of columns is expected"),
        ([0], "no such column: 0"),
    ],
)
def test_features_that_say_nothing(features, message):
    """Features are a list of different columns; positions are for arrays."""
    with pytest.raises(SchemaError, match=message):
        Minimizer(MODEL, features=features).fit(FRAME)


def test_text_that_the_model_cannot_read():
    """Where text is among the columns, the message says to pass an encoder or a Pipeline."""
    model = DecisionTreeClassifier().fit(WORDS[["age", "pay"]].assign(town=0), FRAME["pay"] > 0)
    with pytest.raises(DataError, match=r"town hold text.*encoder=.*Pipeline"):
        Minimizer(model).fit(WORDS)


def test_error_of_the_model_that_text_does_not_explain():
    """Without text the model's own error comes through."""
    with pytest.raises(ValueError, match="feature names should match"):
        Minimizer(MODEL).fit(FRAME.rename(columns={"pay": "wage"}))


@pytest.mark.parametrize("empty", [FRAME[:0], np.empty((0, 2))])
def test_no_records(empty):
    """There is nothing to learn from no record."""
    with pytest.raises(DataError, match="Found no record"):
        Minimizer(MODEL).fit(empty)


def test_one_record():
    """One record cannot be split."""
    with pytest.raises(DataError, match="at least two are needed"):
        Minimizer(MODEL).fit(FRAME[:1])


def test_validation_that_leaves_no_record_to_the_tree():
    """A share so large that it takes all records is refused with their number."""
    with pytest.raises(DataError, match=r"2 sample\(s\), and validation = 0.9: none is left"):
        Minimizer(MODEL, validation=0.9).fit(FRAME[:2])


def test_number_beyond_what_the_tree_compares():
    """Trees compare in single precision: larger numbers are refused, with what to do."""
    rows = np.array([[0.0, 1.0], [1e39, 2.0], [3.0, 4.0]])
    with pytest.raises(DataError, match=r"'x0' holds numbers beyond.*divide it by a power of ten"):
        Minimizer(Constant()).fit(rows)


def test_infinite_number():
    """An infinite number has no range: row and column are named."""
    rows = np.array([[0.0, 1.0], [np.inf, 2.0], [3.0, 4.0]])
    with pytest.raises(DataError, match="row 2, column 'x0': infinite"):
        Minimizer(Constant()).fit(rows)


class Constant:
    """A model that needs no training and reads anything: one class, or what it is told."""

    def __init__(self, answer=None):
        self.answer = answer

    def predict(self, records):
        """Return (n,) answers."""
        return np.zeros(len(records), int) if self.answer is None else self.answer(len(records))


def test_dates_are_refused():
    """Dates have to become numbers or categories first."""
    frame = pd.DataFrame({"born": [dt.datetime(1980, 1, day) for day in range(1, 11)]})
    with pytest.raises(DataError, match=r"column 'born' holds Datetime.*convert it to numbers"):
        Minimizer(Constant()).fit(frame)


def test_column_without_a_value():
    """A column of numbers that are all missing has no range."""
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "pay": [np.nan] * 3})
    with pytest.raises(DataError, match="column 'pay' holds no value"):
        Minimizer(Constant()).fit(frame)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros((n, 2)), r"predictions of shape \(3, 2\) for 3 records"),
        (lambda n: np.full(n, np.nan), "row 1: the model's prediction is not a finite number"),
    ],
)
def test_predictions_that_cannot_be_kept(answer, message):
    """The model says one class or finite number a record."""
    with pytest.raises(DataError, match=message):
        Minimizer(Constant(answer)).fit(np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0], [1, 1]], r"row 2: more than one column of the one-hot group 'both' \(x0, x1\)"),
        ([[1, 0], [0, 0]], "row 2: no column of the one-hot group 'both'"),
        (
            [[1, 0], [0, 2]],
            "row 2, column 'x1': a column of the one-hot group 'both' holds 0 and 1",
        ),
    ],
)
def test_one_hot_group_that_is_none(rows, message):
    """Each fitted record has 1 in exactly one column of a group."""
    with pytest.raises(DataError, match=message):
        Minimizer(Constant(), one_hot={"both": [0, 1]}).fit(np.array(rows, float))


def test_one_hot_groups_that_overlap():
    """A column is in one group only."""
    with pytest.raises(SchemaError, match="'x0' is in the one-hot groups twice"):
        Minimizer(Constant(), one_hot=[[0, 1], [0, 2]]).fit(np.eye(3))


def test_one_hot_group_of_the_name_of_another_column():
    """A group and a column of one name would be one feature: the column would be lost."""
    frame = pd.DataFrame(np.eye(3), columns=["age", "a", "b"])
    with pytest.raises(SchemaError, match="one-hot group 'age' has the name of a column"):
        Minimizer(Constant(), one_hot={"age": ["a", "b"]}).fit(frame)


def test_one_hot_group_in_part():
    """A group is minimized as a whole or not at all."""
    with pytest.raises(SchemaError, match="minimized as a whole: x2 missing in features"):
        Minimizer(Constant(), one_hot={"all": [0, 1, 2]}, features=[0, 1]).fit(np.eye(3))


def test_tree_of_the_wrong_kind():
    """A classifier is followed by a tree of classes."""
    with pytest.raises(PolicyError, match="the model predicts classes, which a DecisionTreeCl"):
        Minimizer(MODEL, tree=DecisionTreeRegressor()).fit(FRAME)


def test_k_above_the_number_of_records():
    """One cell holds all records at most."""
    with pytest.raises(InfeasibleError, match="k = 61: there are 60 records"):
        Minimizer(MODEL, k=61).fit(FRAME)


def test_target_that_cells_of_k_miss():
    """The error says what was reached, and nothing is exempted in silence."""
    odd = DecisionTreeClassifier(random_state=0).fit(FRAME, FRAME["age"] % 2)
    with pytest.raises(InfeasibleError, match=r"cannot be kept with cells of at least 15 records"):
        Minimizer(odd, 1.0, k=15).fit(FRAME)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.arange(5.0), "Expected 2D array, got 1D"),
        (np.ones((3, 2), complex), "Complex data not supported"),
        (np.array([["a", 1], [2, "b"]], object), "holds values of several types"),
    ],
)
def test_arrays_that_are_no_records(given, message):
    """An array has a row a record and one type a column."""
    with pytest.raises(DataError, match=message):
        Minimizer(Constant()).fit(given)
