"""Laws of k-means on tables: its classes are scikit-learn's, what it enforces, what it refuses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.clustering import KMeans
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import AverageRisk, KAnonymity, KMap, LDiversity, SampleUniqueness

NO_COSTS = certainty_costs([], [])
CLUMPS = pl.DataFrame(
    {
        "age": [20, 21, 22, 50, 51, 52, 20, 21, 90],
        "pay": [1.0, 1.5, 2.0, 1.0, 1.5, 2.0, 9.0, 9.5, 9.0],
    }
)


@st.composite
def tables(draw):
    """Draw whole numbers in columns, often equal or constant, and a number of clusters."""
    n = draw(st.integers(1, 30))
    top = draw(st.sampled_from([0, 1, 3, 1000]))
    cells = st.lists(st.integers(-top, top), min_size=n, max_size=n)
    columns = draw(st.lists(cells, min_size=1, max_size=3))
    frame = pl.DataFrame({f"c{a}": column for a, column in enumerate(columns)})
    return frame, draw(st.integers(1, frame.n_unique()))


def partition(frame, algorithm, models=()):
    """Return the decision on a table of quasi-identifiers."""
    table = encode([(column, None) for column in frame], [], len(frame))
    found = algorithm.partition(Problem(table, NO_COSTS, models))
    assert found.by_row or not len(frame)
    assert set(found.labels.tolist()) == set(range(found.n_classes))
    return found


def groups_of(labels):
    """Return the records of each class."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


# --- whose clusters they are ----------------------------------------------------------


@pytest.mark.parametrize("standardize", [True, False])
def test_clusters_are_those_of_scikit_learn(standardize):
    """On records that are all different, sorted, classes are scikit-learn's labels."""
    rng = np.random.default_rng(0)
    values = np.unique(rng.integers(0, 2000, (400, 3)), axis=0) * [1.0, 1.0, 50.0]
    scaled = values / values.std(axis=0) if standardize else values
    found = partition(pl.DataFrame(values), KMeans(6, standardize=standardize, seed=3))
    theirs = sklearn.cluster.KMeans(6, n_init=10, random_state=3).fit(scaled).labels_
    assert groups_of(found.labels) == groups_of(theirs)


def test_many_clusters_are_those_of_scikit_learn():
    """A hundred clusters of whole numbers are scikit-learn's."""
    points = np.unique(np.random.default_rng(0).integers(0, 500, (400, 2)), axis=0).astype(float)
    found = partition(pl.DataFrame(points), KMeans(100, standardize=False, seed=1))
    theirs = sklearn.cluster.KMeans(100, n_init=10, random_state=1).fit(points).labels_
    assert groups_of(found.labels) == groups_of(theirs)


def test_equal_records_weigh_what_they_count():
    """Three records at 0 and one at 9 have their mean at 2.25, not in the middle."""
    frame = pl.DataFrame({"x": [0, 0, 0, 9, 100]})
    release = ka.anonymize(
        frame, quasi_identifiers=["x"], algorithm=KMeans(2, standardize=False), keep_order=True
    )
    assert release.frame["x"].to_list() == [2.25, 2.25, 2.25, 2.25, 100.0]


def test_standardizing_lets_small_columns_count():
    """A column of thousands decides alone, unless differences count in standard deviations."""
    frame = pl.DataFrame({"a": [0, 0, 1, 1], "b": [1000, 3000, 1999, 4001]})
    assert groups_of(partition(frame, KMeans(2, standardize=False)).labels) == {
        frozenset({0, 2}),
        frozenset({1, 3}),
    }
    assert groups_of(partition(frame, KMeans(2)).labels) == {frozenset({0, 1}), frozenset({2, 3})}


@given(drawn=tables(), per_column=st.booleans())
@settings(max_examples=examples(60))
def test_there_are_at_most_so_many_clusters(drawn, per_column):
    """Classes are no more than clusters; in columns alone, groups are not."""
    frame, clusters = drawn
    found = partition(frame, KMeans(clusters, per_column=per_column))
    if not per_column:
        assert found.groups is None
        assert found.n_classes <= clusters
        return
    combinations = {tuple(row) for row in found.groups.tolist()}
    assert len(combinations) == found.n_classes == len(found.groups)
    assert found.groups.max() < clusters


@given(drawn=tables())
@settings(max_examples=examples(60))
def test_columns_alone_are_clustered_as_tables_of_one_column(drawn):
    """The groups of a column are as near to their means as its clusters in a table of its own.

    They are the same but for ties, which rounding decides.
    """
    frame, clusters = drawn
    found = partition(frame, KMeans(clusters, per_column=True))
    for a, name in enumerate(frame.columns):
        alone = partition(frame[[name]], KMeans(min(clusters, frame[name].n_unique())))
        errors = [
            sum(frame[name].to_numpy()[sorted(group)].var() * len(group) for group in groups_of(of))
            for of in (found.groups[found.labels, a], alone.labels)
        ]
        assert errors[0] == pytest.approx(errors[1], rel=1e-9, abs=1e-9)


def test_columns_alone_release_the_means_of_their_clusters():
    """Each column has as many values as clusters, and a class a combination of them."""
    release = ka.anonymize(
        CLUMPS,
        quasi_identifiers=["age", "pay"],
        algorithm=KMeans(2, per_column=True),
        keep_order=True,
    )
    young = sum([20, 21, 22, 20, 21]) / 5
    old = sum([50, 51, 52, 90]) / 4
    poor, rich = 1.5, 27.5 / 3
    assert release.frame["age"].to_list() == pytest.approx(
        [young] * 3 + [old] * 3 + [young] * 2 + [old]
    )
    assert release.frame["pay"].to_list() == pytest.approx([poor] * 6 + [rich] * 3)
    assert release.verification.class_sizes == {1: 1, 2: 1, 3: 2}


def test_a_column_of_fewer_values_than_clusters_keeps_them():
    """Two values cannot be eight clusters, and stay what they are."""
    frame = pl.DataFrame({"sex": [0, 1] * 10, "age": list(range(20))})
    release = ka.anonymize(
        frame,
        quasi_identifiers=["sex", "age"],
        algorithm=KMeans(8, per_column=True),
        keep_order=True,
    )
    assert release.frame["sex"].to_list() == frame["sex"].to_list()
    assert release.frame["age"].n_unique() == 8


# --- what is enforced -----------------------------------------------------------------


def test_without_a_model_an_outlier_is_a_class_of_its_own():
    """k-means asks for no least size: whoever is far from all others is alone."""
    frame = pl.DataFrame({"x": [*range(20), 1000]})
    release = ka.anonymize(frame, quasi_identifiers=["x"], algorithm=KMeans(3))
    assert release.verification.k == 1
    assert 1000.0 in release.frame["x"]


@pytest.mark.parametrize("small", ["merge", "move"])
@pytest.mark.parametrize("per_column", [False, True])
@given(drawn=tables(), data=st.data())
@settings(max_examples=examples(40))
def test_a_release_has_the_k_that_is_asked_for(small, per_column, drawn, data):
    """Verified from the released rows: each is there k times; nobody is left out."""
    frame, clusters = drawn
    k = data.draw(st.integers(1, len(frame)))
    algorithm = KMeans(clusters, per_column=per_column, small=small)
    try:
        release = ka.anonymize(frame, quasi_identifiers=frame.columns, k=k, algorithm=algorithm)
    except InfeasibleError as error:
        assert small == "move"
        assert "no class has" in str(error)  # noqa: PT017 - one of the two outcomes
        return
    assert release.verification.satisfied
    assert min(Counter(release.frame.rows()).values()) >= k
    assert len(release.frame) == len(frame)


def test_merging_joins_the_nearest_and_moving_goes_by_record():
    """A class of two between two large ones goes as a whole, or each record to its own side."""
    frame = pl.DataFrame({"x": [0, 0, 0, 1, 1, 1, 40, 61, 99, 99, 99, 100, 100, 100]})
    asked = [KAnonymity(3)]
    merged = partition(frame, KMeans(3, small="merge", standardize=False), asked)
    moved = partition(frame, KMeans(3, small="move", standardize=False), asked)
    assert groups_of(merged.labels) == {frozenset(range(6)), frozenset(range(6, 14))}
    assert groups_of(moved.labels) == {frozenset(range(7)), frozenset(range(7, 14))}


@pytest.mark.parametrize("small", ["merge", "move"])
def test_columns_alone_get_no_new_values_by_enforcement(small):
    """A rare combination takes another one's clusters: columns have no more values than those."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(rng.standard_normal((300, 3)))
    release = ka.anonymize(
        frame,
        quasi_identifiers=frame.columns,
        k=12,
        algorithm=KMeans(3, per_column=True, small=small),
    )
    assert release.verification.satisfied
    assert all(release.frame[name].n_unique() <= 3 for name in frame.columns)


@pytest.mark.parametrize(
    ("models", "k"), [([KAnonymity(4), KAnonymity(2)], 4), ([SampleUniqueness(0.1)], 2)]
)
def test_models_of_class_sizes_are_met(models, k):
    """Classes are as large as the strictest model asks for, or as is sufficient for it."""
    frame = pl.DataFrame({"x": [*np.random.default_rng(0).standard_normal(40), 99.0]})
    found = partition(frame, KMeans(10), models)
    assert min(Counter(found.labels.tolist()).values()) >= k


def test_average_risk_is_met():
    """A model of the whole table is guaranteed by a class size that is sufficient for it."""
    frame = pl.DataFrame({"x": [*range(20), 99]})
    found = partition(frame, KMeans(5), [AverageRisk(0.25)])
    assert min(Counter(found.labels.tolist()).values()) >= 4


# --- one seed, one release ------------------------------------------------------------


@given(drawn=tables(), per_column=st.booleans(), randoms=st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_the_order_of_records_changes_nothing(drawn, per_column, randoms):
    """The same records in another order are in the same classes."""
    frame, clusters = drawn
    order = list(range(len(frame)))
    randoms.shuffle(order)
    algorithm = KMeans(clusters, per_column=per_column)
    one, other = partition(frame, algorithm), partition(frame[order], algorithm)
    assert other.labels.tolist() == one.labels[order].tolist()


def test_a_seed_gives_one_result_and_another_may_give_another():
    """Where clusters are a matter of taste, they follow the seed."""
    frame = pl.DataFrame(np.random.default_rng(0).uniform(size=(300, 2)))
    found = [partition(frame, KMeans(7, seed=seed)).labels.tolist() for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_scikit_learn_runs_in_one_thread(monkeypatch):
    """However many threads there are, sums are those of one: their order shows in the digits."""
    seen = []
    fit = sklearn.cluster.KMeans.fit

    def watched(self, *args, **kwargs):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(sklearn.cluster.KMeans, "fit", watched)
    with threadpool_limits(2):
        partition(CLUMPS, KMeans(2))
    assert set(seen) == {1}


# --- what is refused ------------------------------------------------------------------


def test_more_clusters_than_distinct_records_are_refused():
    """The message says how many distinct records there are; so many clusters are fine."""
    frame = pl.DataFrame({"a": [1, 1, 2, 3], "b": [1, 1, 1, 1]})
    with pytest.raises(PolicyError, match="clusters is 4, but the table has 3 distinct records"):
        partition(frame, KMeans(4))
    assert partition(frame, KMeans(3)).labels.tolist() == [0, 0, 1, 2]


def test_clusters_that_rounding_cannot_tell_apart_are_one():
    """Fewer clusters than asked for are no error, and no class is empty."""
    frame = pl.DataFrame({"a": [0.0, 1e-300, 2e-300, 1.0]})
    assert partition(frame, KMeans(3)).n_classes <= 3


def test_models_of_sensitive_values_are_refused():
    """k-means does not look at them, and names what can be asked."""
    table = encode([(pl.Series("a", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match=r"l-diversity of 's' .*choose k-anonymity"):
        KMeans(1).partition(Problem(table, NO_COSTS, [LDiversity("s", 2)]))


def test_models_of_a_population_are_refused():
    """k-map counts persons in every class, which k-means does not see."""
    with pytest.raises(PolicyError, match="k-map needs an algorithm"):
        partition(CLUMPS, KMeans(1), [KMap(2, "people.csv")])


def test_values_that_are_no_numbers_are_refused():
    """Text has no mean: the message names the column."""
    with pytest.raises(
        SchemaError, match=r"attribute 'town' is nominal.*kmeans takes only numbers"
    ):
        partition(pl.DataFrame({"town": ["x", "y"]}), KMeans(1))


def test_missing_values_are_refused():
    """The message names column and row."""
    with pytest.raises(DataError, match=r"column 'pay', row 2: no value, and kmeans"):
        partition(pl.DataFrame({"pay": [1, None]}), KMeans(1))


def test_fewer_than_k_records_are_refused():
    """A table of fewer than k records cannot be released; one of k is one class."""
    with pytest.raises(InfeasibleError, match="required 10, the best possible is 9"):
        partition(CLUMPS, KMeans(2), [KAnonymity(10)])
    assert partition(CLUMPS, KMeans(2), [KAnonymity(9)]).n_classes == 1


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(CLUMPS.clear(), KMeans(2)).labels.tolist() == []
    whole = KMeans(2).partition(Problem(encode([], [], 4), NO_COSTS, []))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"clusters": 0}, "clusters is 0; it must be an integer of at least 1"),
        ({"clusters": 2.5}, "clusters is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**32}, r"seed is 4294967296; it must be below 2\^32"),
        ({"small": "drop"}, "small is 'drop'; it must be merge or move"),
        ({"per_column": 1}, "per_column is 1; it must be true or false"),
        ({"standardize": "no"}, "standardize is 'no'; it must be true or false"),
    ],
)
def test_parameters_out_of_their_range_are_refused(parameters, message):
    """Each parameter says what it may be."""
    with pytest.raises(PolicyError, match=message):
        KMeans(**parameters)
