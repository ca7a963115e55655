"""What transform does with records that were not fitted: unseen values, null, other columns."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kanonym.data.errors import DataError, SchemaError
from kanonym.minimization import Minimizer

SIZES = ["small", "middle", "large", None]


def shop(n=240, *, gaps=True):
    """Return prices and sizes, some of them missing, and a class of them."""
    rng = np.random.default_rng(0)
    price = rng.normal(50, 20, n).round(1)
    size = rng.choice(SIZES if gaps else SIZES[:3], n)
    sold = (price > 60) | (size == "large")
    if gaps:
        missing = rng.random(n) < 0.2
        price[missing] = math.nan
        sold |= missing
    return pl.DataFrame(
        {"price": price.tolist(), "size": size.tolist()}, strict=False
    ).with_columns(pl.col("price").fill_nan(None)), sold.astype(int)


def fitted(frame, answers, target=0.95):
    """Return a Minimizer of a model that can read null."""
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["size"]),
        remainder="passthrough",
    )
    model = make_pipeline(encoder, HistGradientBoostingClassifier(max_iter=20, random_state=0))
    return Minimizer(model.fit(frame, answers), target).fit(frame)


def test_null_is_a_value_of_its_own():
    """Null numbers and categories are minimized too, and the target is kept with them."""
    frame, answers = shop()
    minimizer = fitted(frame, answers)
    after = minimizer.transform(frame)
    rows = minimizer.validation_
    same = minimizer.estimator.predict(after) == minimizer.estimator.predict(frame)
    assert same[rows].mean() == minimizer.relative_accuracy_ >= 0.95
    assert minimizer.exempted_ == []
    assert None in [
        value for group in minimizer.generalizations_["categories"]["size"] for value in group
    ]
    low = frame["price"].min()
    assert all(point >= low for point in minimizer.generalizations_["ranges"]["price"])


def test_unseen_category_and_far_number_are_generalized():
    """Values outside of what was fitted leave as a representative's, which was."""
    frame, answers = shop(gaps=False)
    minimizer = fitted(frame, answers)
    later = pl.DataFrame({"price": [-1e6, 1e6, 50.0], "size": ["large", "gigantic", None]})
    after = minimizer.transform(later)
    known = set(minimizer.representatives_.rows())
    assert set(after.rows()) <= known
    high = frame.filter(pl.col("price") > 60)[:1].with_columns(size=pl.lit("gigantic"))
    assert minimizer.transform(high)["size"][0] in SIZES[:3]


def test_null_where_no_fitted_record_had_one_is_refused():
    """A null among numbers that the fitted column did not have is named by row and column."""
    frame, answers = shop(gaps=False)
    minimizer = fitted(frame, answers)
    later = pl.DataFrame({"price": [50.0, None], "size": ["large", "small"]})
    with pytest.raises(DataError, match="row 2, column 'price': no value"):
        minimizer.transform(later)


def test_two_hot_columns_are_refused_and_none_is_an_unseen_category():
    """A later record may have no column of a group, as encoders of unseen values leave it."""
    codes = np.arange(90) % 3
    rows = (codes[:, None] == np.arange(3)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(rows, codes == 1)
    minimizer = Minimizer(model, 1.0, one_hot=[[0, 1, 2]]).fit(rows)
    assert minimizer.transform(np.zeros((1, 3))).sum() == 1
    with pytest.raises(DataError, match="row 1: more than one column of the one-hot group"):
        minimizer.transform(np.array([[1.0, 1.0, 0.0]]))


def test_other_columns_are_refused():
    """Missing, new and moved columns are told apart, with the nearest name."""
    frame, answers = shop(gaps=False)
    minimizer = fitted(frame, answers)
    with pytest.raises(
        SchemaError, match=r"'price' is missing \(is it 'prize'\?\), 'prize' is new"
    ):
        minimizer.transform(frame.rename({"price": "prize"}))
    with pytest.raises(SchemaError, match="different order"):
        minimizer.transform(frame.select("size", "price"))


def test_another_kind_of_records_is_refused():
    """A model takes one kind of records, so transform does."""
    frame, answers = shop(gaps=False)
    minimizer = fitted(frame, answers)
    with pytest.raises(SchemaError, match="fitted on a polars table, this is a pandas table"):
        minimizer.transform(pd.DataFrame(frame.to_dict(as_series=False)))


def test_array_of_another_width_is_refused():
    """An array has as many columns as when fitted."""
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows[:, 0] > 0)
    minimizer = Minimizer(model).fit(rows)
    with pytest.raises(SchemaError, match="X has 3 features, but Minimizer is expecting 2"):
        minimizer.transform(np.zeros((1, 3)))


def test_unseen_category_falls_with_those_that_were_not_asked_for():
    """A category of no fitted record is none that a split asked for, not even the first."""
    frame = pl.DataFrame({"size": ["a", "b", "c", "a", "b", "c"] * 10})

    class First:
        """Whether the size is a."""

        def predict(self, given):
            """Return (n,) answers."""
            return (given["size"] == "a").to_numpy().astype(int)

    minimizer = Minimizer(First(), 1.0).fit(frame)
    after = minimizer.transform(pl.DataFrame({"size": ["a", "gigantic"]}))
    assert after["size"][0] == "a"
    assert after["size"][1] in ("b", "c")


def lengths():
    """Return a Minimizer of lengths 0 to 59 and null; the model asks for null and above 30."""

    class Long:
        """2 of null, 1 above 30, 0 below."""

        def predict(self, given):
            """Return (n,) answers."""
            lacks, large = given["length"].is_null(), given["length"].fill_null(0) > 30
            return 2 * lacks.to_numpy() + large.to_numpy()

    frame = pl.DataFrame({"length": pl.Series([None] * 20 + list(range(60)), dtype=pl.Float64)})
    return Minimizer(Long(), 0.9).fit(frame)


def test_number_below_all_fitted_ones_is_not_taken_for_null():
    """However far below, a number leaves as a number and never as null."""
    later = pl.DataFrame({"length": [-1e300, -1e6, -40.0, -1.0, 1e6, 1e300, None]})
    after = lengths().transform(later)["length"]
    assert after[:4].n_unique() == 1
    assert after[0] in range(31)
    assert after[4] == after[5]
    assert after[5] in range(31, 60)
    assert after.is_null().to_list() == [False] * 6 + [True]


def test_nulls_alone_are_read_without_a_type():
    """A table of one later record without a number has no type to go by."""
    after = lengths().transform(pl.DataFrame({"length": [None]}))
    assert after.to_dict(as_series=False) == {"length": [None]}


@pytest.mark.parametrize(
    ("codes", "later"),
    [([1, 2, 3], [1.5, 1.0, math.nan]), ([True, False], ["perhaps", "true", ""])],
)
def test_category_of_another_type_is_the_same_only_where_it_is_equal(codes, later):
    """1.0 is the category 1, 1.5 is none; a text that is no category falls with unseen ones."""

    class First:
        """Whether the code is the first one."""

        def predict(self, given):
            """Return (n,) answers."""
            return (given["code"] == codes[0]).to_numpy().astype(int)

    frame = pd.DataFrame({"code": codes * 20})
    minimizer = Minimizer(First(), 1.0, categorical=["code"]).fit(frame)
    after = minimizer.transform(pd.DataFrame({"code": later}))["code"]
    assert (after == codes[0]).tolist() == [False, True, False]


def test_records_that_are_left_as_they_are_are_a_table_of_their_own():
    """Where all features are exempted, writing to the result does not change what was given."""
    frame = pd.DataFrame({"length": np.arange(60.0)})
    model = DecisionTreeRegressor(random_state=0).fit(frame, frame["length"])
    minimizer = Minimizer(model, 1.0).fit(frame)
    assert minimizer.exempted_ == ["length"]
    after = minimizer.transform(frame)
    after.loc[0, "length"] = -1.0
    assert frame.loc[0, "length"] == 0
