"""Laws of the search under limits, by other strategies, and with keys of several words."""

from __future__ import annotations

import math
import re
import signal
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.full_domain import FullDomain, find_best_node
from kanonym.algorithms.full_domain.branch import NOTHING
from kanonym.algorithms.full_domain.nodes import evaluate
from kanonym.algorithms.full_domain.refinement import improve_from_top, search_from_top
from kanonym.algorithms.full_domain.search import SearchClock, branch_and_bound
from kanonym.algorithms.full_domain.strategies import beam_search, most_general_solution
from kanonym.data.errors import InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from lattice_searches import COSTS, best_of, near, nodes_of, require_optimum, searches

STRATEGIES = ["optimal", "best-first", "genetic"]
"""Every way to search."""

HIERARCHY = ka.hierarchy.intervals(width=[2, 4])
FOUR = [ka.KAnonymity(4)]


def wide(d, n=300):
    """Encode a table of d attributes of nine values, their hierarchies of four levels."""
    rng = np.random.default_rng(0)
    columns = [pl.Series(f"q{a}", np.minimum(*rng.integers(0, 9, (2, n)))) for a in range(d)]
    return encode([(column, HIERARCHY) for column in columns], [], n)


def account_of(table, limit=0.1, models=FOUR, **options):
    """Return what a search tells."""
    return FullDomain(**options).partition(Problem(table, COSTS, models, limit)).account


# --- strategies ------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["best-first", "genetic"])
@settings(max_examples=examples(30))
@given(search=searches())
def test_a_heuristic_finds_a_node_that_satisfies_the_models(strategy, search):
    """Never one of less than the optimum; and what it calls the optimum is one."""
    nodes = nodes_of(search.problem())
    best = best_of(nodes)
    try:
        account = search.partition(search=strategy).account
    except InfeasibleError:
        # Of a small lattice both see every node.
        assert best is None
        return
    node = nodes[tuple(account["levels"].values())]
    assert node.satisfied
    assert near(account["score"], node.score)
    if account["optimal"]:
        assert near(account["score"], best.score)
    else:
        assert account["lower_bound"] <= best.score + 1e-9
        assert near(account["gap"], account["score"] - account["lower_bound"])


@settings(max_examples=examples(120))
@given(search=searches())
def test_large_lattices_are_searched_in_stages_to_the_same_end(search):
    """A good node first, bounds of the last attributes then: the optimum stays what it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", 0)
        patch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", 0)
        require_optimum(search)


@pytest.mark.parametrize("metric", ["loss", "loss-arithmetic", "precision", "height"])
@settings(max_examples=examples(40))
@given(data=st.data())
def test_bounds_of_the_last_attributes_hold_for_every_sum(metric, data):
    """The stages again, for the metrics whose attributes are bounded one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", 0)
        patch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", 0)
        require_optimum(data.draw(searches(metric, ["k-anonymity"], 20)))


@settings(max_examples=examples(150))
@given(search=searches(n=12), width=st.integers(1, 4))
def test_branches_left_out_are_bounded(search, width):
    """However badly they are chosen: nothing that was left out scores less than the bound."""
    best = best_of(nodes_of(search.problem()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.strategies.PRICES", (-5.0,))
        space = search.algorithm().space(search.table(), search.models, search.limit)
        found = beam_search(space, NOTHING, None, SearchClock(), width)
    if best is None:
        assert found.best is NOTHING
    else:
        assert found.bound <= best.score or near(found.bound, best.score)
        assert found.best.score >= best.score or near(found.best.score, best.score)


def test_a_heuristic_proves_what_it_can():
    """Best-first knows that it has seen all of a small lattice; genetic search never does."""
    table = wide(3)
    best = account_of(table)["score"]
    assert account_of(table, search="best-first")["optimal"] is True
    evolved = account_of(table, search="genetic")
    assert evolved["score"] == best
    assert evolved["optimal"] is False
    assert evolved["lower_bound"] == 0


# --- steps -----------------------------------------------------------------------------


@pytest.mark.parametrize("large", [0, 1 << 22])
@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=examples(40))
@given(search=searches(), share=st.floats(0, 1))
def test_a_bound_holds_at_every_limit(strategy, large, search, share):
    """No node that satisfies the models scores less than the bound, however early it ends."""
    nodes = nodes_of(search.problem())
    best = best_of(nodes)
    steps = 1 + int(share * len(nodes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", large)
        patch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", large)
        algorithm = search.algorithm(search=strategy, steps=steps)
        found = find_best_node(
            algorithm, algorithm.space(search.table(), search.models, search.limit)
        )
    if best is not None:
        assert found.bound <= best.score or near(found.bound, best.score)
    if found.best is not NOTHING:
        assert nodes[found.best.levels].satisfied
        assert near(found.best.score, nodes[found.best.levels].score)
        assert found.bound <= found.best.score


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("steps", [10, 100, 1000])
def test_a_limit_of_steps_is_about_the_nodes_checked(strategy, steps):
    """By no more than the nodes that are checked side by side; and twice the same."""
    algorithm = FullDomain(search=strategy, steps=steps)
    first, second = (
        find_best_node(algorithm, algorithm.space(wide(6), FOUR, 0.9)) for _ in range(2)
    )
    assert first.checked <= steps + 200
    assert first == second


def test_more_steps_are_never_worse():
    """A search goes on where a shorter one ended."""
    table = wide(6)
    scores = [
        account_of(table, 0.9, search="best-first", steps=steps)["score"]
        for steps in (1, 10, 100, 1000)
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < scores[0]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=examples(10))
@given(search=searches(), steps=st.sampled_from([None, 5, 30]))
def test_the_number_of_cores_does_not_matter(strategy, search, steps):
    """Neither for the node, nor for the bound, nor for the nodes checked."""
    found = []
    algorithm = search.algorithm(search=strategy, steps=steps)
    for cores in (1, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("kanonym.kernels.parallel.cores", lambda cores=cores: cores)
            space = algorithm.space(search.table(), search.models, search.limit)
            found.append(find_best_node(algorithm, space))
    assert found[0] == found[1]


# --- from the top ----------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("closed", [0, 1, 3, 5])
def test_a_good_node_from_the_top_is_a_node_of_its_score(limit, closed, monkeypatch):
    """With all attributes taken back it is the optimum; with fewer it may lose more, not less."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.refinement.CLOSED", closed)
    monkeypatch.setattr("kanonym.algorithms.full_domain.refinement.GREEDY", 2)
    space = FullDomain().space(wide(5), FOUR, limit)
    top = most_general_solution(space)
    found = improve_from_top(space, top, None, SearchClock()).best
    least = branch_and_bound(space, top, None, SearchClock()).best
    assert near(found.score, next(evaluate(space, [found.levels])).score)
    assert least.score - 1e-9 <= found.score <= top.score
    assert closed < 5 or near(found.score, least.score)


def test_pairs_of_many_labels_are_counted_in_a_sparse_table():
    """Sixty records in up to 2,500 cells of two attributes: the optimum stays what it is."""
    rng = np.random.default_rng(1)
    tree = ka.hierarchy.intervals(width=[2, 10])
    columns = [pl.Series(f"q{a}", np.r_[np.arange(50), rng.integers(0, 9, 10)]) for a in range(3)]
    table = encode([(column.shuffle(seed), tree) for seed, column in enumerate(columns)], [], 60)
    space = FullDomain().space(table, [ka.KAnonymity(2)], 0.9)
    top = most_general_solution(space)
    found = search_from_top(space, top, None, SearchClock()).best
    assert near(found.score, branch_and_bound(space, top, None, SearchClock()).best.score)
    assert near(found.score, next(evaluate(space, [found.levels])).score)
    assert found < top


# --- seconds, and whoever stops it -----------------------------------------------------


@pytest.mark.parametrize("large", [0, 1 << 62])
def test_a_search_stops_when_its_time_is_up(large, monkeypatch):
    """With the best so far, and the gap to what is possible at the least."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", large)
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", large)
    table = wide(12, 2000)
    begun = time.monotonic()
    found = account_of(table, 0.5, seconds=0.5)
    assert time.monotonic() - begun < 5
    assert found["optimal"] is False
    assert 0 <= found["lower_bound"] < found["score"]
    assert found["gap"] == found["score"] - found["lower_bound"]
    assert found["nodes_checked"] < found["lattice_size"]


@pytest.mark.parametrize("large", [0, 1 << 22])
@pytest.mark.parametrize("strategy", ["optimal", "best-first", "genetic"])
def test_a_search_without_time_returns_the_most_general_node(strategy, large, monkeypatch):
    """Or one below it that loses no more: it is the best that is known, and no more is claimed."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", large)
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", large)
    found = account_of(wide(6), seconds=1e-9, search=strategy)
    top = account_of(wide(6), levels=dict.fromkeys(found["levels"], 3))
    assert found["score"] <= top["score"]
    assert found["optimal"] is False


def test_a_listener_is_told_of_the_best_so_far(monkeypatch):
    """How many nodes, their best, and what is proven: now and then."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.search.PAUSE", -1.0)
    monkeypatch.setattr("kanonym.algorithms.full_domain.search.TICK", 1e-3)
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", 0)
    monkeypatch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", 0)
    said = []
    FullDomain().partition(Problem(wide(8), COSTS, FOUR, 0.5, said.append))
    form = r"[\d,]+ nodes checked, (no node yet|best [\d.]+)(, none below [\d.]+)?"
    assert all(re.fullmatch(form, sentence) for sentence in said)
    assert any("best 0." in sentence and "none below 0." in sentence for sentence in said)


def test_the_first_interruption_ends_a_search_with_the_best_so_far(monkeypatch):
    """The account says that it was the user; the handler from before is back."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.search.PAUSE", -1.0)
    before = signal.getsignal(signal.SIGINT)
    raised = []

    def stop(sentence):
        if "best" in sentence and not raised:
            raised.append(sentence)
            signal.raise_signal(signal.SIGINT)

    found = FullDomain(search="best-first", steps=10**6).partition(
        Problem(wide(12, 2000), COSTS, FOUR, 0.5, stop)
    )
    assert found.account["interrupted"] is True
    assert found.account["optimal"] is False
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_interruption_ends_everything(monkeypatch):
    """As a Ctrl-C ever does."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.search.PAUSE", -1.0)

    def stop(_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        FullDomain(search="best-first").partition(Problem(wide(8), COSTS, FOUR, 0.5, stop))
    assert signal.getsignal(signal.SIGINT) is before


# --- keys of several words -------------------------------------------------------------


@pytest.mark.parametrize("large", [0, 1 << 22])
@settings(max_examples=examples(80))
@given(search=searches(), bits=st.integers(6, 9))
def test_keys_of_several_words_hold_the_same(large, search, bits):
    """Words of a few bits: attributes, sensitive values and persons are found in all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanonym.algorithms.full_domain.space.WORD_BITS", bits)
        patch.setattr("kanonym.algorithms.full_domain.strategies.LARGE", large)
        patch.setattr("kanonym.algorithms.full_domain.strategies.SMALL", large)
        require_optimum(search)


@pytest.mark.parametrize(("d", "words"), [(15, 1), (16, 1), (17, 2), (33, 3)])
@pytest.mark.parametrize("metric", ["loss", "discernibility"])
def test_many_attributes_fill_words_to_the_last_bit(d, words, metric):
    """Sixteen attributes of sixteen values are 64 bits: found as if they had but one value."""
    rng = np.random.default_rng(d)
    values = rng.integers(0, 16, (d, 60))
    values[:, :16] = np.arange(16)  # every value is there
    free = [0, d // 2, d - 1]
    tree = ka.hierarchy.intervals(width=[4, 8])
    columns = [pl.Series(f"q{a:02}", values[a]) for a in range(d)]
    bounds = {f"q{a:02}": (0, 3) if a in free else (0, 0) for a in range(d)}
    other = [columns[a] if a in free else columns[a] * 0 for a in range(d)]
    algorithm = FullDomain(metric, levels=bounds)
    table = encode([(column, tree) for column in columns], [], 60)
    space = algorithm.space(table, [ka.KAnonymity(1)], 0.0)
    assert len(space.keys) == words
    assert find_best_node(algorithm, space).best.levels == (0,) * d
    # Only the free attributes tell records apart, once the others are at the root.
    top = {name: (0, 3) if pair[1] else 3 for name, pair in bounds.items()}
    full = FullDomain(metric, levels=top).partition(Problem(table, COSTS, FOUR, 0.3))
    few = encode([(column, tree) for column in other], [], 60)
    least = FullDomain(metric, levels={n: t if t == (0, 3) else 0 for n, t in top.items()})
    alone = least.partition(Problem(few, COSTS, FOUR, 0.3))
    assert [full.account["levels"][f"q{a:02}"] for a in free] == [
        alone.account["levels"][f"q{a:02}"] for a in free
    ]
    assert full.n_classes == alone.n_classes


# --- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "optimum"}, "search is 'optimum'; it must be optimal, best-first or genetic"),
        ({"steps": 0}, "steps is 0; it must be"),
        ({"steps": "10"}, "steps is '10'; it must be"),
        ({"steps": 1.5}, "steps is 1.5; it must be"),
        ({"seconds": 0}, "seconds is 0; it must be"),
        ({"seconds": math.nan}, "seconds is nan; it must be"),
        ({"seconds": "1"}, "seconds is '1'; it must be"),
        ({"levels": {"q0": -1}}, "levels of q0 is -1; it must be a level"),
        ({"levels": {"q0": (2, 1)}}, "levels of q0 is "),
        ({"levels": {"q0": (0, 1, 2)}}, "levels of q0 is "),
        ({"levels": {"q0": ()}}, "levels of q0 is "),
        ({"levels": {"q0": 1.5}}, "levels of q0 is 1.5"),
        ({"levels": {"q0": None}}, "levels of q0 is None"),
        ({"levels": {"q0": True}}, "levels of q0 is True"),
        ({"metric": "los"}, "did you mean 'loss'"),
    ],
)
def test_parameters_out_of_their_range_are_refused(options, message):
    """The message says which, and what is right."""
    with pytest.raises(PolicyError, match=message):
        FullDomain(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": {"q0": 4}}, "levels: q0 is 4; its hierarchy has the levels 0 to 3"),
        ({"levels": {"q0": (2, 9)}}, "levels: q0 is 2 to 9; its hierarchy has"),
        ({"levels": {"age": 1}}, "levels: 'age' is not a quasi-identifier; there are q0, q1"),
        ({"weights": {"age": 1}}, "weights: 'age' is not a quasi-identifier"),
        ({"weights": {"q0": -1}}, "weights: q0 is -1"),
        ({"weights": {"q0": 0, "q1": 0}}, "weights: all are 0"),
    ],
)
def test_levels_and_weights_that_do_not_fit_the_table_are_refused(options, message):
    """The message names the attribute."""
    with pytest.raises(PolicyError, match=message):
        account_of(wide(2), **options)


def test_an_attribute_without_a_hierarchy_is_refused():
    """There is no level to generalize it to."""
    table = encode([(pl.Series("age", [1, 2]), None)], [], 2)
    with pytest.raises(SchemaError, match="column 'age' has no hierarchy"):
        account_of(table)


@pytest.mark.parametrize("strategy", ["optimal", "best-first"])
def test_a_table_that_fails_as_a_whole_is_named(strategy):
    """Four hundred of three hundred records: the message says what would be possible."""
    with pytest.raises(InfeasibleError, match="required 400, the best possible is 300"):
        account_of(wide(2), models=[ka.KAnonymity(400)], search=strategy)


def test_genetic_search_does_not_claim_that_there_is_none():
    """It never knows; the error says which search would."""
    with pytest.raises(InfeasibleError, match="but others might"):
        account_of(wide(2), models=[ka.KAnonymity(400)], search="genetic")


def test_levels_that_fail_are_named():
    """The message says how many records fail at the most general node that is allowed."""
    with pytest.raises(
        InfeasibleError,
        match=r"most general one \(q0=0, q1=1\), \d+ records .*, and 3 may be suppressed",
    ):
        account_of(wide(2), 0.01, models=[ka.KAnonymity(50)], levels={"q0": 0, "q1": 1})


@settings(max_examples=examples(20))
@given(search=searches(models=["k-anonymity"]))
def test_what_is_infeasible_is_so_for_every_strategy(search):
    """Small lattices are seen as a whole by all of them."""
    if best_of(nodes_of(search.problem())) is None:
        for strategy in STRATEGIES:
            with pytest.raises(InfeasibleError):
                search.partition(search=strategy)
