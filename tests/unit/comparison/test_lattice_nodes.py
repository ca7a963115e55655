"""The whole lattice as a table, and its chart."""

from __future__ import annotations

import math
from itertools import product

import polars as pl
import pytest

import kanonym as ka
from kanonym.data.errors import Progress
from kanonym.data.frames import to_polars

PEOPLE = {
    "age": [20, 21, 22, 23, 30, 31, 32, 33, 40, 41],
    "sex": ["f", "m"] * 5,
    "score": [1, 2] * 5,
    "pay": ["low", "high", "low", "high", "high"] * 2,
}
ROLES = {
    "age": ka.QuasiIdentifier(ka.hierarchy.intervals(width=[2, 10], origin=0)),
    "sex": ka.QuasiIdentifier(),
    "pay": ka.Sensitive(),
}


def policy(*models, **options):
    """Return a policy over the people; 2-anonymity where no model is given."""
    asked = {"algorithm": "full-domain", "others": "insensitive", **options}
    return ka.Policy(attributes=ROLES, models=list(models or [ka.KAnonymity(2)]), **asked)


def test_every_node_is_there_once():
    """The levels of the rows are all combinations of levels."""
    nodes = ka.lattice(pl.DataFrame(PEOPLE), policy())
    assert nodes.columns[:2] == ["level_age", "level_sex"]
    found = nodes.select("level_age", "level_sex").rows()
    assert sorted(found) == list(product(range(4), range(2)))


def test_a_node_is_what_its_levels_release():
    """Each row says what `anonymize` with these levels gives, or that there is no release."""
    table = pl.DataFrame(PEOPLE)
    asked = policy(ka.KAnonymity(2), ka.LDiversity("pay", 2), suppression_limit=0.2)
    n_satisfied = 0
    for node in ka.lattice(table, asked).iter_rows(named=True):
        levels = {"age": node["level_age"], "sex": node["level_sex"]}
        by_hand = asked.with_algorithm({"type": "full-domain", "levels": levels})
        if not node["satisfied"]:
            with pytest.raises(ka.InfeasibleError):
                ka.anonymize(table, by_hand)
            continue
        release = ka.anonymize(table, by_hand)
        assert release.algorithm["score"] == pytest.approx(node["score"])
        assert release.suppressed == node["suppressed"]
        assert release.verification.n_classes == node["classes"]
        assert [check.achieved for check in release.verification.checks] == pytest.approx(
            [node["k-anonymity"], node["l-diversity of pay"]]
        )
        n_satisfied += 1
    assert n_satisfied


def test_the_best_node_stands_first():
    """Nodes that satisfy stand before the others, in order of their score: as a search chooses."""
    asked = policy(suppression_limit=0.2)
    nodes = ka.lattice(pl.DataFrame(PEOPLE), asked)
    order = [(not one, score) for one, score in nodes.select("satisfied", "score").rows()]
    assert order == sorted(order)
    best = ka.anonymize(pl.DataFrame(PEOPLE), asked).algorithm["levels"]
    assert {name: nodes[f"level_{name}"][0] for name in best} == best


def test_the_nodes_come_in_the_type_of_the_table(frame):
    """Whatever library holds the table holds the nodes, and they are the same."""
    table = frame(PEOPLE)
    nodes = ka.lattice(table, policy())
    assert type(nodes) is type(table)
    assert to_polars(nodes).equals(ka.lattice(pl.DataFrame(PEOPLE), policy()))


def test_models_of_one_name_have_a_column_each():
    """The second of two models about the same attribute gets a number."""
    asked = policy(ka.LDiversity("pay", 2), ka.LDiversity("pay", 1.5, "entropy"))
    nodes = ka.lattice(pl.DataFrame(PEOPLE), asked)
    assert nodes.columns[-2:] == ["l-diversity of pay", "l-diversity of pay #2"]
    assert nodes["l-diversity of pay"][0] == 2


@pytest.mark.parametrize(
    ("algorithm", "metric"),
    [("mondrian", "loss"), ({"type": "full-domain", "metric": "height"}, "height")],
)
def test_another_algorithm_has_the_lattice_of_the_defaults(algorithm, metric):
    """A policy for Mondrian can be explored, too; the metric is full-domain's own."""
    nodes = ka.lattice(pl.DataFrame(PEOPLE), policy(algorithm=algorithm))
    expected = ka.lattice(
        pl.DataFrame(PEOPLE), policy(algorithm={"type": "full-domain", "metric": metric})
    )
    assert nodes.equals(expected)


def test_levels_of_the_policy_bound_the_lattice():
    """A level that is fixed is the only one."""
    form = {"type": "full-domain", "levels": {"age": (1, 2), "sex": 0}}
    nodes = ka.lattice(pl.DataFrame(PEOPLE), policy(algorithm=form))
    assert sorted(nodes.select("level_age", "level_sex").rows()) == [(1, 0), (2, 0)]


def test_seconds_that_are_too_few_leave_the_best_that_was_found():
    """Without time, the nodes are some of all, each worth the same."""
    table = pl.DataFrame(PEOPLE)
    whole = ka.lattice(table, policy())
    form = {"type": "full-domain", "seconds": 1e-9}
    found = ka.lattice(table, policy(algorithm=form))
    assert 0 < found.height < whole.height
    assert found.join(whole, on=whole.columns, how="anti").is_empty()


def test_short_forms_do_as_well():
    """What is asked may be said in the short forms, hierarchies are built and told."""
    told = []
    table = pl.DataFrame(PEOPLE)
    nodes = ka.lattice(
        table, quasi_identifiers=["age"], k=2, others="insensitive", progress=told.append
    )
    assert nodes["satisfied"].any()
    assert any(one.startswith("encode: age: no hierarchy given; built ") for one in told)


@pytest.mark.parametrize("known", [["age"], ["age", "sex"]])
def test_progress_is_told_as_a_share(monkeypatch, known):
    """Each message after nodes were checked has how many of how many, from few to all of them."""
    monkeypatch.setattr("kanonym.algorithms.full_domain.search.PAUSE", -1.0)
    told = []
    table = pl.DataFrame(PEOPLE).select(known)
    nodes = ka.lattice(table, quasi_identifiers=known, k=2, progress=told.append)
    shares = [(one.done, one.total) for one in told if isinstance(one, Progress)]
    assert len(shares) == len(nodes) / nodes[f"level_{known[-1]}"].n_unique()
    assert shares == sorted(shares)
    assert shares[-1] == (len(nodes), len(nodes))


@pytest.mark.parametrize("extension", ["html", "svg", "png"])
def test_the_chart_is_written_on_request(tmp_path, extension):
    """The extension says the form."""
    path = tmp_path / f"frontier.{extension}"
    ka.lattice(pl.DataFrame(PEOPLE), policy(ka.TCloseness("pay", 0.5)), chart=path)
    assert path.stat().st_size > 1000


def test_a_table_without_records_has_a_lattice():
    """Nothing is released, and nothing is lost."""
    empty = pl.DataFrame(PEOPLE).clear()
    nodes = ka.lattice(empty, policy())
    assert nodes["satisfied"].all()
    assert nodes["classes"].sum() == 0
    assert all(math.isfinite(score) for score in nodes["score"])
