"""Laws of Mondrian: every class satisfies the models, and what suppression may do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
import twins.mondrian as naive
from effort import examples
from kanonym.algorithms import mondrian
from kanonym.algorithms.base import Problem, compile_criteria, require_feasible
from kanonym.algorithms.mondrian import Mondrian
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.kernels import parallel
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from tables import requirement, tables

ALGORITHMS = [
    Mondrian(strict=strict, split=split) for strict in (True, False) for split in ("loss", "span")
]


def divided(table, algorithm, limit=0.0):
    """Run an algorithm; return the classes as lists of rows, and the suppressed rows.

    Equal records that relaxed Mondrian parts are rows of weight 1.
    """
    try:
        found = algorithm.partition(Problem(table.encoded(), table.costs, table.models, limit))
    except InfeasibleError:
        assume(condition=False)
    rows = table.rows
    if found.by_row:
        rows = [row._replace(weight=1) for row in rows for _ in range(row.weight)]
    assert len(found.labels) == len(rows)
    classes = [[] for _ in range(found.n_classes)]
    suppressed = []
    for row, label in zip(rows, found.labels.tolist(), strict=True):
        (classes[label] if label >= 0 else suppressed).append(row)
    return classes, suppressed


def total_loss(table, classes, suppressed):
    """Return what all records lose, suppressed ones everything."""
    kept = sum(naive.loss(one, table.attributes) for one in classes)
    return kept + naive.records(suppressed) * sum(one.weight for one in table.attributes)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@given(table=tables())
def test_classes_are_those_of_the_twin(algorithm, table):
    """The public algorithm gives the classes of the plain recursion, for both kinds and splits."""
    classes, suppressed = divided(table, algorithm)
    by_loss = algorithm.split == "loss"
    if algorithm.strict:
        expected = naive.strict(
            table.rows,
            table.attributes,
            table.satisfies,
            exact=len(table.rows) if by_loss else 0,
            only_sizes=table.only_sizes,
            medians=len(table.rows),
        )
    else:
        alone = [row._replace(weight=1) for row in table.rows for _ in range(row.weight)]
        expected = naive.relaxed(alone, table.attributes, table.satisfies, by_loss=by_loss)
    assert sorted(map(sorted, classes)) == sorted(map(sorted, expected))
    assert not suppressed


@given(table=tables())
def test_a_release_exists_where_the_whole_table_satisfies_the_models(table):
    """The error comes exactly where the table as one class fails a model."""
    feasible = table.satisfies(table.rows)
    try:
        Mondrian().partition(Problem(table.encoded(), table.costs, table.models))
    except InfeasibleError:
        assert not feasible
    else:
        assert feasible


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@given(table=tables(), limit=st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_suppression_obeys_its_limit_and_the_models(algorithm, table, limit):
    """With a limit, no more records go, the loss does not rise, and every class still holds.

    The classes satisfy the models against the distribution of the input, and against
    that of the released records, which is all that its reader has.
    """
    classes, suppressed = divided(table, algorithm, limit)
    before, _ = divided(table, algorithm)
    n = naive.records(table.rows)
    assert naive.records(suppressed) <= Fraction(limit) * n
    assert total_loss(table, classes, suppressed) <= total_loss(table, before, [])
    assert classes
    assert all(classes)
    rows = [row for one in classes for row in one]
    assert Counter(rows + suppressed) == Counter(row for one in before for row in one)
    for one in classes:
        assert table.satisfies(one)
        assert requirement(table, rows)(one) or not suppressed


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=examples(40))
@given(table=tables(), limit=st.sampled_from([0.0, 0.3]), seed=st.integers(0, 99))
def test_order_of_records_does_not_matter(algorithm, table, limit, seed):
    """Shuffled records give the same classes, as sets of values."""
    values = {
        name: [row[part][i] for row in table.rows for _ in range(row.weight)]
        for part, domains in enumerate((table.domains, table.sensitive))
        for i, name in enumerate(domain.name for domain in domains)
    }
    n = naive.records(table.rows)
    order = np.random.default_rng(seed).permutation(n)
    releases = []
    for rows in (np.arange(n), order):
        columns = {name: pl.Series(name, codes).gather(rows) for name, codes in values.items()}
        trees = {domain.name: domain.hierarchy for domain in table.sensitive}
        encoded = encode(
            [(columns[domain.name], None) for domain in table.domains],
            [(columns[name], None, False) for name in trees],
            n,
        )
        costs = certainty_costs(encoded.domains, ["interval"] * len(table.domains))
        models = [
            model for model in table.models if getattr(model, "distance", "") != "hierarchical"
        ]
        try:
            found = algorithm.partition(Problem(encoded, costs, models, limit))
        except InfeasibleError:
            assume(condition=False)
        labels = found.labels if found.by_row else found.labels[encoded.tuple_of_row]
        records = list(zip(*(column.to_list() for column in columns.values()), strict=True))
        classes = [[] for _ in range(found.n_classes + 1)]  # suppressed ones last
        for record, label in zip(records, labels.tolist(), strict=True):
            classes[label].append(record)
        releases.append((sorted(map(sorted, classes[:-1])), sorted(classes[-1])))
    assert releases[0] == releases[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@settings(max_examples=examples(40))
@given(table=tables(16, 60), limit=st.sampled_from([0.0, 0.2]))
def test_parallel_and_sequential_runs_are_the_same(algorithm, table, limit):
    """Neither the number of cores nor where work is handed out changes a label."""
    found = []
    for cores, grain in ((1, 1 << 13), (3, 1 << 13), (1, 3), (3, 3), (3, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parallel, "cores", lambda cores=cores: cores)
            patch.setattr(mondrian, "GRAIN", grain)
            try:
                one = algorithm.partition(
                    Problem(table.encoded(), table.costs, table.models, limit)
                )
            except InfeasibleError:
                assume(condition=False)
            assert one.labels.max() == one.n_classes - 1
            found.append(one.labels.tolist())
    assert all(labels == found[0] for labels in found)


def incomes(values, attribute="income", **others):
    """Return the encoded table of numeric columns and its costs."""
    columns = {attribute: values, **others}
    table = encode(
        [(pl.Series(name, held), None) for name, held in columns.items()], [], len(values)
    )
    return table, certainty_costs(table.domains, ["interval"] * len(columns))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_suppressing_an_outlier_spares_its_neighbours(algorithm):
    """One income of 117,000,000 goes, and those who shared its class keep their own.

    Without suppression they would be released as anything up to 117,000,000.
    """
    ordinary = [income for income in range(20_000, 52_000, 1_000) for _ in range(3)]
    table, costs = incomes([*ordinary, 117_000_000])
    whole = algorithm.partition(Problem(table, costs, [KAnonymity(3)]))
    spared = algorithm.partition(Problem(table, costs, [KAnonymity(3)], 0.02))
    labels = spared.labels if spared.by_row else spared.labels[table.tuple_of_row]
    assert np.flatnonzero(labels < 0).tolist() == [96]
    assert lost(table, costs, whole) > 4 - 0.01
    assert lost(table, costs, spared) < 1 + 0.01


def lost(table, costs, partition):
    """Return the income ranges of all records as shares of the whole range, suppressed ones 1."""
    codes = table.codes[table.tuple_of_row] if partition.by_row else table.codes
    weights = np.ones(len(codes)) if partition.by_row else table.weights
    places = costs.positions[codes[:, 0]]
    ranges = np.array([np.ptp(places[partition.labels == i]) for i in range(partition.n_classes)])
    return weights @ np.where(partition.labels < 0, 1.0, ranges[partition.labels])


def test_a_limit_below_one_record_suppresses_nothing():
    """A limit is a share of records: where it is not one record, the release is the plain one."""
    table, costs = incomes([1, 1, 1_000_000, 5, 5])
    for limit in (0.0, 0.19):
        found = Mondrian().partition(Problem(table, costs, [KAnonymity(2)], limit))
        assert (found.labels >= 0).all()
    assert (Mondrian().partition(Problem(table, costs, [KAnonymity(2)], 0.2)).labels < 0).sum() == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_no_records_have_no_classes(algorithm):
    """An empty table is released empty, whatever is required."""
    table, costs = incomes(pl.Series([], dtype=pl.Int64))
    found = algorithm.partition(Problem(table, costs, [KAnonymity(5)], 0.5))
    assert (len(found.labels), found.n_classes) == (0, 0)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_without_quasi_identifiers_all_records_are_one_class(algorithm):
    """Where an intruder knows nothing, nothing is cut and nothing is suppressed."""
    table = encode([], [(pl.Series("s", ["a", "b", "a", None]), None, False)], 4)
    models = [KAnonymity(2), LDiversity("s", 2)]
    found = algorithm.partition(Problem(table, certainty_costs([], []), models, 1.0))
    assert found.n_classes == 1
    assert (found.labels == 0).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_many_equal_records_stay_together_in_strict_and_part_in_relaxed(algorithm):
    """Strict never parts equal records, whatever their number; constant columns cut nowhere."""
    table, costs = incomes([5] * 1000, other=[1] * 1000)
    found = algorithm.partition(Problem(table, costs, [KAnonymity(5)], 0.5))
    assert found.n_classes == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_300_quasi_identifiers_are_cut(algorithm):
    """A table may have more attributes than records."""
    rng = np.random.default_rng(0)
    columns = {f"q{i}": rng.integers(0, 4, 40).tolist() for i in range(300)}
    table, costs = incomes(columns.pop("q0"), "q0", **columns)
    found = algorithm.partition(Problem(table, costs, [KAnonymity(4)]))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    assert np.bincount(labels).min() >= 4
    assert found.n_classes > 1


def infeasible(models, **columns):
    """Return the message about a table as one class."""
    sensitive = [(pl.Series(name, values), None, False) for name, values in columns.items()]
    table = encode([], sensitive, len(next(iter(columns.values()))))
    with pytest.raises(InfeasibleError) as caught:
        require_feasible(table, models)
    return str(caught.value)


def test_the_error_names_the_failing_model_and_its_best_value():
    """Whoever asks for too much reads which model fails and how much there is."""
    message = infeasible([KAnonymity(9), LDiversity("s", 2)], s=["a", "b", "a"])
    assert "k-anonymity: required 9, the best possible is 3" in message
    assert "(records: 3)" in message
    assert "l-diversity" not in message


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (LDiversity("s", 3), "l-diversity of 's': required 3, the best possible is 2"),
        (LDiversity("s", 2, "entropy"), "l-diversity of 's': required 2, the best possible is 1.7"),
        (AlphaKAnonymity(0.5, 2, "s"), "of 's': required 0.5, the best possible is 0.75"),
        (LDiversity("s", 2, "recursive", 2.5), "of 's': required 2.5, the best possible is 3"),
        (LDiversity("s", 2, "recursive", 3), "the best possible is 3, which must be less than"),
    ],
)
def test_the_error_gives_each_model_its_own_value(model, text):
    """l, alpha and c are reported as the model measures them."""
    assert text in infeasible([model, TCloseness("s", 0.1)], s=["a", "b", "a", "a"])


def test_all_failing_models_are_named_at_once():
    """Nobody has to repair one requirement after the other."""
    message = infeasible(
        [KAnonymity(9), LDiversity("s", 3), LDiversity("u", 3)], s=[1, 1], u=[1, 2]
    )
    assert message.count("required") == 3


def test_an_unknown_split_is_refused():
    """The error names the choices."""
    with pytest.raises(PolicyError, match="split is 'best'; it must be auto, loss or span"):
        Mondrian(split="best")


def test_auto_is_loss_for_tables_of_ordinary_size():
    """`auto` takes the better cuts as long as they are affordable."""
    rng = np.random.default_rng(1)
    table, costs = incomes(rng.integers(0, 99, 300), age=rng.integers(0, 99, 300))

    def labels(split):
        found = Mondrian(split=split).partition(Problem(table, costs, [KAnonymity(3)]))
        return found.labels.tolist()

    assert labels("auto") == labels("loss") != labels("span")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mondrian, "LARGE", 9)
        assert labels("auto") == labels("span") != labels("loss")


# --- left to chance ---------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(table=tables(5, 16, 60, 120), key=st.integers(0, 9))
def test_classes_left_whole_by_chance_are_nodes_of_the_tree(table, key):
    """Each holds classes of the release without chance whole, and has fewer than 64 k records."""
    encoded = table.encoded()
    problem = Problem(encoded, table.costs, table.models)
    try:
        plain = Mondrian().partition(problem).labels
    except InfeasibleError:
        return
    left = Mondrian().partition(replace(problem, key=key))
    least = compile_criteria(table.models, encoded).min_size
    for label in range(left.n_classes):
        own = left.labels == label
        parts = set(plain[own].tolist())
        assert np.isin(plain, list(parts)).sum() == own.sum()
        assert len(parts) == 1 or encoded.weights[own].sum() < 64 * least


def test_nothing_is_left_to_chance_where_sizes_alone_are_asked():
    """Without a model of sensitive values a refused cut tells nothing, and none is left out."""
    frame = pl.DataFrame({"age": range(512), "ill": ["a", "b"] * 256})
    asked = {"quasi_identifiers": ["age"], "k": 2, "sensitive": ["ill"], "algorithm": Mondrian()}
    found = [ka.anonymize(frame, **asked, l=l).decision.n_classes for l in (None, 2)]
    assert found[0] == 256 > found[1]


def test_about_a_tenth_of_the_smallest_nodes_is_left_whole():
    """Of nodes of 2 k records every tenth one."""
    n = 4000
    frame = pl.DataFrame(
        {
            "town": [str(i // 4) for i in range(n)],
            "age": list(range(n)),
            "ill": ["a", "b"] * (n // 2),
        }
    )
    asked = {"quasi_identifiers": ["town", "age"], "sensitive": ["ill"], "k": 2, "l": 2}
    sizes = ka.anonymize(frame, **asked, algorithm=Mondrian()).decision.class_sizes
    assert 0.07 < sizes[sizes >= 4].sum() / n < 0.16


@pytest.mark.parametrize("other", [{"strict": False}, {"target": "ill"}])
def test_chance_is_for_strict_cuts_without_a_target(other):
    """Other cuts are the same with a key and without one."""
    table = pl.DataFrame({"age": range(512), "ill": ["a", "b"] * 256})
    asked = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "k": 2, "l": 2}
    sizes = [
        ka.anonymize(table, **asked, algorithm=Mondrian(**other), minimality=one).decision.n_classes
        for one in ("chance", "none")
    ]
    assert sizes[0] == sizes[1]
