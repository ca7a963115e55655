"""Laws of Minimizer on tables and arrays: what it promises holds when measured from outside."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import twins.minimization as naive
from effort import examples
from kanonym.minimization import Minimizer

JOBS = ["clerk", "cook", "driver", "nurse", "smith"]
TOWNS = ["Bonn", "Lyon", "Rome"]


def people(n=200, seed=0):
    """Return columns of ages, pays, jobs and towns, and a class that hangs on them."""
    rng = np.random.default_rng(seed)
    age, pay = rng.integers(18, 80, n), rng.normal(3000, 800, n).round(2)
    job, town = rng.choice(JOBS, n), rng.choice(TOWNS, n)
    rich = (pay > 3200) | (np.isin(job, JOBS[:2]) & (age > 50))
    columns = {"age": age.tolist(), "pay": pay.tolist(), "job": job.tolist(), "town": town.tolist()}
    return columns, np.where(rich, "yes", "no")


def pipeline(frame, answers, words=("job", "town")):
    """Return a fitted pipeline that encodes text itself."""
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), list(words)),
        remainder="passthrough",
    )
    return make_pipeline(encoder, DecisionTreeClassifier(max_depth=6, random_state=0)).fit(
        frame, answers
    )


def indicators(n=240, seed=1):
    """Return an array of a number and four one-hot columns, and a class of them."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 4, n)
    rows = np.column_stack([rng.normal(size=n), *(code == c for c in range(4))]).astype(float)
    return rows, ((code == 2) | (rows[:, 0] > 0.8)).astype(int)


@pytest.mark.parametrize("target", [0.6, 0.8, 0.9, 0.97, 1.0])
@pytest.mark.parametrize("features", [None, ["age", "job"], ["job"], ["pay", "town", "age"]])
def test_relative_accuracy_is_what_the_model_says_of_transformed_records(target, features):
    """The share of validation records whose class stays is the one reported, and the target."""
    columns, answers = people()
    frame = pd.DataFrame(columns)
    model = pipeline(frame, answers)
    minimizer = Minimizer(model, target, features=features).fit(frame)
    rows = minimizer.validation_
    same = model.predict(minimizer.transform(frame))[rows] == model.predict(frame)[rows]
    assert minimizer.relative_accuracy_ == same.mean()
    assert minimizer.relative_accuracy_ >= target


@pytest.mark.parametrize("target", [0.3, 0.6, 0.9, 0.99, 1.0])
def test_relative_accuracy_of_numbers_is_r2_against_the_own_predictions(target):
    """Of a regressor it is R² of transformed validation records against its own predictions."""
    data = load_diabetes(as_frame=True)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(data.data, data.target)
    minimizer = Minimizer(model, target, features=["bmi", "s5", "bp"]).fit(data.data)
    rows = minimizer.validation_
    own = model.predict(data.data)[rows]
    after = model.predict(minimizer.transform(data.data))[rows]
    assert minimizer.relative_accuracy_ == pytest.approx(r2_score(own, after))
    assert minimizer.relative_accuracy_ >= target


@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=examples(15), deadline=None)
def test_gcp_is_the_one_that_looking_at_each_record_gives(seed, target):
    """GCP is in [0, 1] and equals the mean width of the one cell that holds each record."""
    columns, answers = people(80, seed)
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), target).fit(frame)
    assert 0 <= minimizer.gcp_ <= 1
    domains = {
        "age": (min(columns["age"]), max(columns["age"])),
        "pay": (min(columns["pay"]), max(columns["pay"])),
        "job": sorted(set(columns["job"])),
        "town": sorted(set(columns["town"])),
    }
    if not minimizer.exempted_:
        assert minimizer.gcp_ == pytest.approx(naive.gcp(minimizer.cells_, columns, domains))
    kept = {name: domain for name, domain in domains.items() if name not in minimizer.exempted_}
    total = sum(
        cell["records"] * naive.width(cell, name, domain)
        for cell in minimizer.cells_
        for name, domain in kept.items()
    )
    assert minimizer.gcp_ == pytest.approx(total / (80 * 4))


@pytest.mark.parametrize("target", [0.7, 0.95])
def test_representatives_are_actual_records(target):
    """Each cell's representative is a fitted record, and lies in its cell."""
    columns, answers = people()
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), target, features=["age", "pay", "job"]).fit(
        frame
    )
    picked = frame[minimizer.representative_records_].select("age", "pay", "job")
    assert minimizer.representatives_.equals(picked)
    for cell, row in zip(minimizer.cells_, picked.rows(named=True), strict=True):
        assert cell["representative"].items() <= row.items()
        assert naive.holds(cell, row)


def test_transformed_records_hold_their_representative():
    """A record has one representative's values in minimized columns, its own in all others."""
    columns, answers = people()
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), 0.8, features=["age", "job"]).fit(frame)
    after = minimizer.transform(frame)
    assert after.select("pay", "town").equals(frame.select("pay", "town"))
    known = set(minimizer.representatives_.rows())
    assert set(after.select("age", "job").rows()) <= known


@pytest.mark.parametrize("k", [2, 10, 40])
@pytest.mark.parametrize("target", [0.5, 0.7])
def test_cells_of_k_make_minimized_columns_k_anonymous(k, target):
    """With k, each combination of minimized values is released for at least k records."""
    columns, answers = people()
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), target, features=["age", "job", "pay"], k=k)
    after = minimizer.fit_transform(frame)
    assert minimizer.exempted_ == []
    assert min(cell["records"] for cell in minimizer.cells_) >= k
    assert after.group_by("age", "job", "pay").len()["len"].min() >= k


@pytest.mark.parametrize("k", [1, 15])
def test_one_hot_groups_stay_consistent(k):
    """After minimization exactly one column of a group is 1, as before."""
    rows, answers = indicators()
    model = DecisionTreeClassifier(random_state=0).fit(rows, answers)
    minimizer = Minimizer(model, 0.8, one_hot=[[1, 2, 3, 4]], k=k).fit(rows)
    after = minimizer.transform(rows)
    assert (after[:, 1:].sum(axis=1) == 1).all()
    assert np.isin(after[:, 1:], (0, 1)).all()
    assert not (after == rows).all()


def test_one_hot_group_is_one_feature():
    """A group counts once: in the generalizations its groups are of columns, in GCP one width."""
    rows, answers = indicators()
    model = DecisionTreeClassifier(random_state=0).fit(rows, answers)
    minimizer = Minimizer(model, 0.9, one_hot={"code": [1, 2, 3, 4]}).fit(rows)
    assert minimizer.generalizations_["categories"]["code"] == [["x3"], ["x1", "x2", "x4"]]
    columns = {"x0": rows[:, 0].tolist(), "code": [f"x{1 + c}" for c in rows[:, 1:].argmax(axis=1)]}
    domains = {"x0": (rows[:, 0].min(), rows[:, 0].max()), "code": ["x1", "x2", "x3", "x4"]}
    assert minimizer.gcp_ == pytest.approx(naive.gcp(minimizer.cells_, columns, domains))


def test_categories_that_no_cell_parts_are_one_group():
    """Groups are a partition of the categories; those of one group are in the same cells."""
    columns, answers = people(400)
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), 0.85).fit(frame)
    assert not minimizer.exempted_
    for name, groups in minimizer.generalizations_["categories"].items():
        assert sorted(value for group in groups for value in group) == sorted(set(columns[name]))
        for group in groups:
            for cell in minimizer.cells_:
                inside = set(group) & set(cell["categories"][name])
                assert inside in (set(), set(group))


def test_columns_of_numbers_can_be_categories():
    """A column of numbers named in `categorical` is grouped by value, not by order."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"code": rng.integers(0, 6, 300), "size": rng.normal(size=300)})
    answers = frame["code"].isin([0, 2, 5]).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(frame, answers)
    minimizer = Minimizer(model, 1.0, features=["code"], categorical=["code"]).fit(frame)
    assert sorted(map(len, minimizer.generalizations_["categories"]["code"])) == [1, 1, 1, 3]


@pytest.mark.parametrize("target", [0.7, 0.95])
def test_result_is_the_same_on_every_frame_library(frame, target):
    """Cells, GCP and transformed values do not depend on the library; the type stays."""
    columns, answers = people()
    numbers = {"age": columns["age"], "pay": columns["pay"]}
    table, first = frame(numbers), pl.DataFrame(numbers)
    found = []
    for one in (table, first):
        model = DecisionTreeClassifier(max_depth=5, random_state=0)
        model.fit(np.column_stack([numbers["age"], numbers["pay"]]), answers)
        minimizer = Minimizer(Unnamed(model), target).fit(one)
        found.append((minimizer.cells_, minimizer.gcp_, minimizer.relative_accuracy_))
    assert found[0] == found[1]
    after = minimizer.fit(table).transform(table)
    assert type(after) is type(table)
    assert np.array_equal(np.asarray(after), minimizer.fit(first).transform(first).to_numpy())


class Unnamed:
    """A model without names of columns, as of another library: `predict`, `classes_` and no fit."""

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_

    def predict(self, records):
        """Predict records of any table."""
        return self.model.predict(np.asarray(records, dtype=float))


def test_pandas_keeps_index_and_types():
    """A pandas table keeps its index, and each column its type, categories included."""
    columns, answers = people()
    frame = pd.DataFrame(columns).astype({"age": "int16", "job": "category", "town": object})
    frame.index = pd.Index(range(1000, 1200), name="number")
    minimizer = Minimizer(pipeline(frame, answers), 0.8).fit(frame)
    after = minimizer.transform(frame)
    assert after.dtypes.equals(frame.dtypes)
    assert after.index.equals(frame.index)
    assert list(after.columns) == list(frame.columns)


def test_array_keeps_its_type():
    """An array comes out as an array of its own type, and the one given stays as it was."""
    rows = load_iris().data.astype(np.float32)
    before = rows.copy()
    model = DecisionTreeClassifier(random_state=0).fit(rows, load_iris().target)
    after = Minimizer(model, 0.9).fit_transform(rows)
    assert after.dtype == np.float32
    assert (rows == before).all()
    assert not (after == rows).all()


def test_same_seed_gives_the_same_result():
    """Fitting again finds the same; another seed may split otherwise."""
    data = load_breast_cancer(as_frame=True)
    frame = data.data.iloc[:, :8]
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(frame, data.target)
    runs = [Minimizer(model, 0.95, random_state=seed).fit(frame) for seed in (3, 3, 4)]
    assert runs[0].cells_ == runs[1].cells_
    assert runs[0].transform(frame).equals(runs[1].transform(frame))
    assert not np.array_equal(runs[0].validation_, runs[2].validation_)


def test_tree_of_fewer_leaves_is_taken():
    """The tree given is grown as it says, and stays unfitted itself."""
    rows, species = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(rows, species)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    minimizer = Minimizer(model, 0.9, tree=tree).fit(rows)
    assert len(minimizer.cells_) == 3
    assert minimizer.exempted_ == []
    assert not hasattr(tree, "tree_")


def test_path_shows_the_trade_off():
    """Prunings lead to one cell; each exempted feature lowers GCP, each taken back raises it."""
    rows, species = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(rows, species)
    path = Minimizer(model, 1.0, random_state=18).fit(rows).path_
    assert {len(column) for column in path.values()} == {len(path["cells"])}
    pruned = path["exempted"] == 0
    assert path["cells"][pruned][-1] == 1
    assert path["gcp"][pruned][-1] == pytest.approx(1)
    assert (np.diff(path["gcp"][pruned]) >= 0).all()
    steps = np.diff(path["exempted"][~pruned])
    assert steps.tolist() == [1, 1, 1, -1, -1]
    assert (np.diff(path["gcp"][~pruned]) * steps < 0).all()


def test_pipeline_passes_minimized_records_on():
    """Inside a Pipeline the next step sees minimized records, of labels not asked for."""
    columns, answers = people()
    frame = pd.DataFrame(columns)
    model = pipeline(frame, answers)
    both = make_pipeline(Minimizer(model, 0.9), clone(model)).fit(frame, answers)
    alone = Minimizer(model, 0.9).fit(frame)
    again = clone(model).fit(alone.transform(frame), answers)
    assert (both.predict(frame) == again.predict(alone.transform(frame))).all()


def test_encoder_is_what_records_go_through():
    """A model of encoded records with its encoder is minimized as the Pipeline of both."""
    columns, answers = people()
    frame = pd.DataFrame(columns)
    whole = pipeline(frame, answers)
    parts = Minimizer(whole[-1], 0.9, encoder=whole[0]).fit(frame)
    assert parts.cells_ == Minimizer(whole, 0.9).fit(frame).cells_


def test_clone_shares_the_trained_model():
    """A clone has the same parameters and no fit of its own, but the model stays trained."""
    rows, species = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(rows, species)
    minimizer = Minimizer(model, 0.9, features=[0, 2], tree=DecisionTreeClassifier(random_state=1))
    copy = clone(minimizer.fit(rows))
    assert copy.estimator is model
    assert copy.tree is not minimizer.tree
    assert not hasattr(copy, "cells_")
    assert copy.get_params()["features"] == [0, 2]
    assert copy.fit(rows).cells_ == minimizer.cells_


def test_parameters_are_read_and_set():
    """get_params and set_params are scikit-learn's, those of the model included."""
    rows, species = load_iris(return_X_y=True)
    minimizer = Minimizer(DecisionTreeClassifier(random_state=0).fit(rows, species))
    assert minimizer.get_params()["estimator__random_state"] == 0
    assert minimizer.set_params(target_accuracy=0.5, k=7).get_params()["k"] == 7
    assert min(cell["records"] for cell in minimizer.fit(rows).cells_) >= 7


def test_output_can_be_another_container():
    """set_output makes a pandas table of an array's minimized records, with names."""
    rows, species = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(rows, species)
    minimizer = Minimizer(model, 0.9).fit(rows).set_output(transform="pandas")
    after = minimizer.transform(rows)
    assert list(after.columns) == ["x0", "x1", "x2", "x3"]
    assert minimizer.get_feature_names_out().tolist() == list(after.columns)


def test_pickled_minimizer_transforms_alike():
    """A fitted Minimizer survives pickling."""
    columns, answers = people()
    frame = pl.DataFrame(columns)
    minimizer = Minimizer(pipeline(frame, answers), 0.9).fit(frame)
    again = pickle.loads(pickle.dumps(minimizer))  # noqa: S301
    assert again.transform(frame).equals(minimizer.transform(frame))


def test_all_features_exempted_leaves_records_as_they_are():
    """Where nothing can be generalized the records stay, and GCP is 0."""
    rows = np.random.default_rng(0).normal(size=(120, 1))
    model = DecisionTreeRegressor(random_state=0).fit(rows, rows[:, 0])
    minimizer = Minimizer(model, 1.0).fit(rows)
    assert minimizer.exempted_ == ["x0"]
    assert (minimizer.transform(rows) == rows).all()
    assert (minimizer.gcp_, minimizer.relative_accuracy_) == (0, 1)


def test_features_that_need_not_be_exempted_stay_generalized():
    """Where the leaves miss the target, two of ten features make up for it, not eight."""
    data = load_breast_cancer(as_frame=True)
    frame = data.data.iloc[:, :10]
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, data.target)
    minimizer = Minimizer(model, 0.95).fit(frame)
    assert minimizer.path_["exempted"].max() > 4
    assert len(minimizer.exempted_) == 2
    assert minimizer.gcp_ > 0.7


def test_untouched_columns_may_hold_anything():
    """Dates, booleans, categories and lists that the model never sees are passed through."""
    n = 60
    frame = pl.DataFrame(
        {
            "age": np.random.default_rng(0).integers(18, 90, n),
            "flag": [True, False] * (n // 2),
            "day": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True),
            "word": pl.Series(["a", "b", None] * (n // 3), dtype=pl.Categorical),
            "tags": [["x"], []] * (n // 2),
        }
    )

    class Old:
        """Whether a person is above 50; all other columns are ignored."""

        def predict(self, given):
            """Return (n,) answers."""
            return (given["age"] > 50).to_numpy().astype(int)

    minimizer = Minimizer(Old(), 1.0, features=["age"]).fit(frame)
    others = ["flag", "day", "word", "tags"]
    assert minimizer.transform(frame).select(others).equals(frame.select(others))
    assert minimizer.generalizations_["untouched"] == others
    assert len(minimizer.cells_) == 2


def test_booleans_are_categories():
    """A column of true and false is minimized as two categories."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"flag": rng.random(80) < 0.5, "size": rng.normal(size=80)})
    model = DecisionTreeClassifier(random_state=0).fit(frame, frame["flag"])
    minimizer = Minimizer(model, 1.0).fit(frame)
    assert sorted(minimizer.generalizations_["categories"]["flag"]) == [[False], [True]]
    assert minimizer.generalizations_["ranges"] == {"size": []}
    assert minimizer.transform(frame)["flag"].dtype == bool


def test_array_of_objects_is_read_column_by_column():
    """NaN among text or integers is null, integers among floats are numbers."""
    rows = np.array(
        [["a", 1, 1.5], [math.nan, math.nan, 2], ["b", 3, None], ["a", 5, 4.5]] * 10, object
    )

    class Large:
        """Whether the last column is above 2."""

        def predict(self, given):
            """Return (n,) answers."""
            return np.array([bool(cell and cell > 2) for cell in given[:, 2]]).astype(int)

    minimizer = Minimizer(Large(), 1.0).fit(rows)
    assert minimizer.generalizations_["categories"] == {"x0": [["a", "b", None]]}
    assert minimizer.generalizations_["ranges"] == {"x1": [], "x2": [3.25]}
    assert set(minimizer.transform(rows)[:, 2]) <= set(rows[:, 2])


def test_predictions_in_a_table_of_one_column_are_numbers():
    """A regressor trained on a table of one column predicts one, which is one number a record."""
    rows, answers = load_diabetes(return_X_y=True)
    flat, table = (LinearRegression().fit(rows, given) for given in (answers, answers[:, None]))
    found = [Minimizer(model, 0.5, features=[2, 8]).fit(rows) for model in (flat, table)]
    assert found[0].cells_ == found[1].cells_
