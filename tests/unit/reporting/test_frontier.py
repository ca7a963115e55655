"""The frontier of a lattice: which nodes nothing beats, and its chart."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.reporting import chart_format, frontier_of, render_frontier

K = {"type": "k-anonymity", "k": 5}
T = {"type": "t-closeness", "attribute": "pay", "t": 0.2}


def frontier(achieved, score, satisfied=None, *, model=K, classes=None):
    """Return the frontier of nodes of one attribute, whose level is their number."""
    n = len(achieved)
    return frontier_of(
        names=["age"],
        model=model,
        required=model.get("k", 0.2),
        metric="loss",
        levels=np.arange(n, dtype=np.int64).reshape(n, 1),
        achieved=np.array(achieved, np.float64),
        score=np.array(score, np.float64),
        suppressed=np.zeros(n, np.int64),
        classes=np.ones(n, np.int64) if classes is None else np.array(classes, np.int64),
        satisfied=np.ones(n, np.bool_) if satisfied is None else np.array(satisfied, np.bool_),
    )


def places(found):
    """Return which nodes are on a front."""
    return [node.levels[0] for node in found.front]


NODES = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), max_size=12
)


@pytest.mark.parametrize("model", [K, T])
@given(nodes=NODES)
def test_nothing_beats_a_node_of_the_front(model, nodes):
    """A node is on the front exactly if no other is better in one and no worse in the other.

    Only nodes that satisfy count. Of nodes that are equal in both, one is there.
    """
    found = frontier(*zip(*nodes, strict=True), model=model) if nodes else frontier([], [])
    sign = 1 if model is K else -1
    able = {(sign * k, score) for k, score, satisfied in nodes if satisfied}
    best = {
        one for one in able if not any(o[0] >= one[0] and o[1] <= one[1] and o != one for o in able)
    }
    assert {(sign * node.achieved, node.score) for node in found.front} == best
    assert len(found.front) == len(best)
    if best:
        assert found.least_loss_node.score == min(score for _, score in able)


def test_the_front_runs_from_the_most_private_to_the_least_loss():
    """The last node of the front is the one that a search chooses."""
    found = frontier([5, 50, 9, 7], [0.2, 0.8, 0.5, 0.6])
    assert places(found) == [1, 2, 0]
    assert found.least_loss_node is found.front[-1]


def test_a_node_that_releases_nothing_is_not_private():
    """Where all is suppressed, nothing was achieved: such a node is no choice."""
    assert places(frontier([0.0, 0.1], [1.0, 0.5], model=T, classes=[0, 3])) == [1]


def test_no_front_without_a_node_that_satisfies():
    """Then there is nothing to choose, and the chart shows what there is."""
    found = frontier([1, 2], [0.1, 0.2], [False, False])
    assert found.least_loss_node is None
    assert (found.n_nodes, found.n_satisfied) == (2, 0)
    assert b"<svg" in render_frontier(found, "svg")


CASES = {
    "many": frontier(np.arange(1, 5000) % 700 + 1, np.linspace(0, 1, 4999)),
    "distance": frontier([0.1, 0.2, 0.3], [0.9, 0.5, 0.1], model=T),
    "one": frontier([7], [0.5]),
    "equal": frontier([7, 7], [0.5, 0.5]),
    "none": frontier([], []),
    "infinite": frontier([math.inf, 3], [0.1, 0.2], [False, True], model=T),
    "negative scores": frontier([5, 6], [-4.0, -2.0]),
}


@pytest.mark.parametrize("case", CASES)
def test_every_form_is_drawn(case):
    """The SVG is XML, the page has it inside and runs no script."""
    found = CASES[case]
    svg = render_frontier(found, "svg").decode()
    ElementTree.fromstring(svg)  # noqa: S314 - our own
    page = render_frontier(found, "html").decode()
    assert "<svg" in page
    assert "<script" not in page


def test_a_png_is_drawn():
    """The PNG, drawn from the SVG, is one."""
    assert render_frontier(next(iter(CASES.values())), "png").startswith(b"\x89PNG")


def test_nodes_that_lie_on_each_other_are_drawn_once():
    """A lattice of many nodes does not make a chart of many megabytes."""
    rng = np.random.default_rng(0)
    found = frontier(rng.integers(1, 9, 100_000), rng.random(100_000))
    assert len(render_frontier(found, "svg")) < 1_000_000


def test_names_cannot_break_the_page():
    """Names of columns are text, whatever they hold."""
    odd = "<script>alert(1)</script>"
    found = frontier_of(
        names=[odd],
        model={"type": "t-closeness", "attribute": odd, "t": 0.2},
        required=0.2,
        metric="loss",
        levels=np.zeros((1, 1), np.int64),
        achieved=np.array([0.1]),
        score=np.array([0.1]),
        suppressed=np.zeros(1, np.int64),
        classes=np.ones(1, np.int64),
        satisfied=np.ones(1, np.bool_),
    )
    assert "<script" not in render_frontier(found).decode()


def test_the_extension_says_the_form():
    """Of a chart, as of a report; another one is refused."""
    assert [chart_format(f"x{end}") for end in (".html", ".SVG", ".png")] == ["html", "svg", "png"]
    with pytest.raises(ka.DataError, match=r"a\.pdf: a chart is written as \.html, \.svg or \.png"):
        chart_format("a.pdf")
