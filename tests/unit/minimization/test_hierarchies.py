"""Laws of the hierarchies: they say what the cells say, and the anonymizer can use them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import kanonym as ka
from kanonym.data.hierarchy import Flat, FromMapping, Intervals
from kanonym.minimization import Minimizer

JOBS = ["clerk", "cook", "driver", "nurse", "smith"]


def workers(n=400, seed=2):
    """Return ages, wages and jobs of many records, and a class of them."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "wage": rng.normal(20, 5, n).round(2),
            "job": rng.choice(JOBS, n),
            "ill": rng.choice(["flu", "gout", "none"], n),
        }
    )
    answers = (frame["age"] > 50) ^ frame["job"].is_in(["cook", "nurse"]) ^ (frame["wage"] > 26)
    return frame, answers.to_numpy().astype(int)


@pytest.fixture(scope="module")
def minimized():
    """Return the records and a Minimizer of a model of them."""
    frame, answers = workers()
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job", "ill"]), remainder="passthrough"
    )
    model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=5, random_state=0))
    features = ["age", "wage", "job"]
    return frame, Minimizer(model.fit(frame, answers), 0.95, features=features).fit(frame)


def test_intervals_part_numbers_where_the_cells_do(minimized):
    """Two numbers share an interval of level 1 if and only if no split point lies between."""
    frame, minimizer = minimized
    for name in ("age", "wage"):
        bound = minimizer.hierarchies()[name].bind(frame[name])
        points = minimizer.generalizations_["ranges"][name]
        sides = np.searchsorted(points, frame[name].cast(pl.Float64).to_numpy(), side="left")
        labels = np.array(bound.generalize(1))[bound.leaf_of(frame[name])]
        assert len(set(zip(sides, labels, strict=True))) == len(set(sides)) == len(set(labels))


def test_bounds_of_whole_numbers_are_whole(minimized):
    """Ages are cut at whole numbers, wages at short ones."""
    _, minimizer = minimized
    kinds = minimizer.hierarchies()
    assert isinstance(kinds["age"], Intervals)
    assert all(isinstance(bound, int) for bound in kinds["age"].bounds[0])
    assert all(len(str(bound)) <= 7 for bound in kinds["wage"].bounds[0])


def test_groups_of_categories_are_those_that_no_cell_parts(minimized):
    """At level 1 categories share a label if and only if they are one group."""
    frame, minimizer = minimized
    source = minimizer.hierarchies()["job"]
    assert isinstance(source, FromMapping)
    bound = source.bind(frame["job"])
    labels = dict(zip(bound.values.to_list(), bound.generalize(1), strict=True))
    groups = minimizer.generalizations_["categories"]["job"]
    assert len(groups) < len(JOBS)
    found: dict[str, set[str]] = {}
    for job, label in labels.items():
        found.setdefault(label, set()).add(job)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, groups))


def test_levels_grow_coarser_up_to_the_root():
    """Each level groups what the level below grouped, and more; the root holds all."""
    data = load_breast_cancer(as_frame=True)
    frame = pl.from_pandas(data.data.iloc[:, :5])
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, data.target)
    minimizer = Minimizer(model, 0.95).fit(frame)
    depths = []
    for name, source in minimizer.hierarchies().items():
        bound = source.bind(frame[name])
        sizes = [len(labels) for labels in bound.labels]
        assert sizes[-1] == 1
        assert all(a > b for a, b in pairwise(sizes))
        depths.append(len(sizes))
    assert max(depths) > 3


def test_suppressed_feature_has_the_root_alone():
    """A feature that no cell splits is either a value or nothing."""
    numbers = workers()[0].select("age", "wage")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(numbers, numbers["age"] > 40)
    minimizer = Minimizer(model, 0.95).fit(numbers)
    assert minimizer.hierarchies()["wage"] == Flat()


def test_exempted_features_have_no_hierarchy():
    """What is left untouched needs none."""
    rows = np.random.default_rng(0).normal(size=(200, 3))
    model = DecisionTreeClassifier(random_state=0).fit(
        rows, (rows[:, 0] * 40 % 2 > 1) | (rows[:, 1] > 1)
    )
    minimizer = Minimizer(model, 0.99).fit(rows)
    assert minimizer.exempted_
    assert set(minimizer.hierarchies()) == {"x0", "x1", "x2"} - set(minimizer.exempted_)


def test_null_is_a_branch_of_its_own():
    """Null stays apart at every level but the root."""
    rng = np.random.default_rng(0)
    sizes = rng.choice(np.array(["S", "M", "L", None], object), 200)
    frame = pl.DataFrame({"size": sizes.tolist(), "length": rng.normal(size=200)})

    class Large:
        """Whether the size is L."""

        def predict(self, given):
            """Return (n,) answers."""
            return (given["size"].fill_null("") == "L").to_numpy().astype(int)

    minimizer = Minimizer(Large(), 1.0, features=["size"]).fit(frame)
    bound = minimizer.hierarchies()["size"].bind(frame["size"])
    assert bound.rows().__next__()[-1] == "*"
    assert (None, None, "*") in list(bound.rows())


def test_columns_of_a_one_hot_group_have_the_root_alone():
    """A group of categories is no group of the values of one column."""
    codes = np.arange(120) % 4
    rows = (codes[:, None] == np.arange(4)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(rows, codes == 1)
    minimizer = Minimizer(model, 1.0, one_hot=[[0, 1, 2, 3]]).fit(rows)
    assert minimizer.hierarchies() == {f"x{c}": Flat() for c in range(4)}


@pytest.mark.parametrize("k", [2, 5, 25])
def test_anonymizer_takes_the_hierarchies(minimized, k):
    """Full-domain recoding with them releases a table that verifies, in their labels."""
    frame, minimizer = minimized
    sources = minimizer.hierarchies()
    policy = ka.Policy(
        attributes={
            **{name: ka.QuasiIdentifier(hierarchy=source) for name, source in sources.items()},
            "ill": ka.Insensitive(),
        },
        models=[ka.KAnonymity(k)],
        algorithm=ka.FullDomain(),
        suppression_limit=0.1,
    )
    release = ka.anonymize(frame, policy)
    assert release.verification.satisfied
    for name, source in sources.items():
        bound = source.bind(frame[name])
        labels = {label for level in bound.labels for label in level} | {"*"}
        assert set(release.frame[name].cast(pl.String)) <= labels


def test_policy_with_the_hierarchies_can_be_written():
    """The sources have the form of a policy file, which reads back as the same."""
    data = load_breast_cancer(as_frame=True)
    frame = pl.from_pandas(data.data.iloc[:, :5])
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, data.target)
    for name, source in Minimizer(model, 0.95).fit(frame).hierarchies().items():
        again = ka.hierarchy.from_dict(source.to_dict())
        assert again.bind(frame[name]).to_rows() == source.bind(frame[name]).to_rows()


@pytest.mark.parametrize("kind", [int, float])
def test_value_at_a_split_point_lies_below_it(kind):
    """A number equal to the split point shares the interval of those below, as in the tree."""

    class Above:
        """1 above 2.5 and 0 below, as numbers."""

        def predict(self, given):
            """Return (n,) answers."""
            return (given["size"] > 2.5).to_numpy().astype(float)

    sizes = np.array([1, 3] * 20)
    places = Minimizer(Above(), 0.5).fit(pl.DataFrame({"size": sizes})).validation_
    sizes[places[sizes[places] == 1][0]] = 2
    frame = pl.DataFrame({"size": sizes.astype(kind)})
    minimizer = Minimizer(Above(), 0.5).fit(frame)
    assert minimizer.generalizations_["ranges"]["size"] == [2.0]
    bound = minimizer.hierarchies()["size"].bind(frame["size"])
    assert len(set(bound.generalize(1)[:2])) == 1
    assert bound.generalize(1)[2] != bound.generalize(1)[1]
