"""Laws of differentially private synthetic tables: what is promised, refused and public."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data.domain import Domain
from kanonym.data.errors import PolicyError
from kanonym.differential_privacy.cells import declared_cells
from kanonym.differential_privacy.noise import SeededBits, SystemBits
from kanonym.synthesis import private
from kanonym.synthesis.marginals import measuring

POLICY = {
    "id": ka.Identifier(),
    "age": ka.QuasiIdentifier(domain=Domain(minimum=0, maximum=99, bins=5)),
    "sex": ka.QuasiIdentifier(domain=Domain(values=["f", "m"], nulls=False)),
    "arrived": ka.Sensitive(domain=Domain(minimum=0, maximum=30, bins=5)),
    "left": ka.Sensitive(domain=Domain(minimum=0, maximum=30, bins=5)),
}


@pytest.fixture(autouse=True)
def short_fits(monkeypatch):
    """Let fits take few steps and rounds: these laws do not depend on how close they are."""
    for module in (measuring, measuring):
        monkeypatch.setattr(module, "STEPS", 5)
        monkeypatch.setattr(module, "LAST_STEPS", 20)
    monkeypatch.setattr(measuring, "ROUNDS_PER_ATTRIBUTE", 3)


def people(n=200, seed=0):
    """Return stays of persons."""
    random = np.random.default_rng(seed)
    arrived = random.integers(0, 28, n)
    return pl.DataFrame(
        {
            "id": np.arange(n) % max(n // 2, 1),
            "age": random.integers(0, 100, n),
            "sex": random.choice(["f", "m"], n),
            "arrived": arrived,
            "left": arrived + random.integers(0, 3, n),
        }
    )


def private_table(table, **more):
    """Return a synthetic table with ε = 1."""
    return ka.synthesize(table, **{"epsilon": 1, "policy": POLICY, **more})


@pytest.mark.parametrize("method", ["aim", "mst"])
def test_tables_without_records_or_values_take_the_same_path(method):
    """Empty, one record, all null, other types: same columns, same types, at least one record."""
    full = private_table(people(), method=method)
    blank = people().with_columns(pl.lit(None).alias(name) for name in ("age", "left"))
    for table in (people(0), people(1), blank, people().cast(pl.String)):
        made = private_table(table, method=method)
        assert made.frame.schema == full.frame.schema
        assert made.rows >= 1


def test_records_outside_a_closed_domain_are_left_out():
    """A record whose value the domain does not have is not counted anywhere."""
    table = pl.DataFrame({"sex": ["f"] * 2000 + ["unheard of"] * 6000 + [None] * 2000})
    closed = {"sex": POLICY["sex"]}
    made = ka.synthesize(table, epsilon=10, policy=closed, method="mst")
    assert abs(made.rows - 2000) < 100
    assert set(made.frame["sex"]) <= {"f", "m"}


def test_what_is_public_does_not_depend_on_the_values():
    """Two tables of different values under one policy have the same domains, columns and types."""
    other = people(seed=1).with_columns(
        age=pl.lit(-5), sex=pl.lit("unheard of"), left=pl.lit(10**6)
    )
    one, two = (private_table(table) for table in (people(), other))
    assert one.promise.domains == two.promise.domains
    assert one.frame.schema == two.frame.schema
    assert {*one.facts()} == {*two.facts()}


def test_facts_that_are_published_have_nothing_of_the_original():
    """How many records came in is no fact of a private table; what was public is."""
    facts = private_table(people()).facts()
    assert not {"rows_in", "held_out", "seed"} & {*facts}
    assert facts["private"] is True
    assert (facts["epsilon"], facts["delta"]) == (1.0, 1e-9)
    assert facts["protects"] == "one record"
    assert facts["dropped"] == ["id"]
    json.dumps(facts)


def test_public_files_are_the_same_for_two_tables(tmp_path):
    """Report and manifest that go along have the promise and the policy, byte for byte alike."""
    written = []
    for place, table in (("one", people()), ("other", people(90, seed=1).reverse())):
        folder = tmp_path / place
        folder.mkdir()
        made = private_table(table, method="mst", entity="id", ledger=folder / "ledger.json")
        made.public_manifest(folder / "public.json")
        for form in ("html", "md", "json"):
            made.public_report(folder / f"report.{form}", language="es")
        written.append({one.name: one.read_bytes() for one in folder.glob("[pr]*")})
    assert len(written[0]) == 4
    assert written[0] == written[1]
    assert b"libro de cuentas" in written[0]["report.md"]


def test_a_cost_that_no_ledger_has_is_told():
    """With a ledger its sum is a fact of the table; without one, the result says so."""
    made = private_table(people(), method="mst")
    assert made.facts()["ledger"] is None
    assert "not recorded in a ledger" in str(made)


def test_a_ledger_adds_up_tables_before_they_are_drawn(tmp_path):
    """Each table adds its ε; one from a seed is refused."""
    path = tmp_path / "ledger.json"
    for _ in range(2):
        made = private_table(people(), method="mst", ledger=path)
    assert made.facts()["ledger"]["epsilon"] == 2
    assert "not recorded" not in str(made)
    with pytest.raises(PolicyError, match="no ledger counts it"):
        private_table(people(), ledger=path, seed=1)


@pytest.mark.parametrize(("epsilon", "reason"), [(1e-300, "too small"), (1e300, "at most 500")])
@pytest.mark.parametrize("method", ["aim", "mst"])
def test_an_epsilon_that_means_nothing_is_refused(method, epsilon, reason):
    """Counts of noise alone, and a promise that excludes nothing, are no tables."""
    with pytest.raises(PolicyError, match=reason):
        private_table(people(), method=method, epsilon=epsilon)


def test_the_default_method_with_epsilon_is_aim():
    """Who gives a budget gets a private table; without one, trees, which promises nothing."""
    assert private_table(people()).method == "aim"
    assert ka.synthesize(people(), drop=["id"]).method == "trees"


def test_a_seed_repeats_a_table_and_marks_it():
    """With a seed two runs are equal, and every output says that they are not private."""
    one, two = (private_table(people(), seed=5) for _ in range(2))
    assert one.frame.equals(two.frame)
    assert one.facts()["private"] is False
    assert "not private" in one.facts()["meaning"]
    assert "not private" in str(one)


def test_without_a_seed_tables_differ():
    """Noise comes from the operating system: two runs differ."""
    one, two = (private_table(people()) for _ in range(2))
    assert not one.frame.equals(two.frame)
    assert "not private" not in str(one)


def test_every_record_keeps_public_constraints():
    """Whatever noise does, nobody leaves before arriving; null keeps any rule."""
    for seed in range(5):
        made = private_table(people(30), constraints=["left >= arrived"], seed=seed).frame
        assert made.filter(pl.col("left") < pl.col("arrived")).is_empty()


def test_the_number_of_records_is_noisy_or_asked_for():
    """Without `rows` it is near that of the original; with it, exactly that."""
    assert private_table(people(), rows=7).rows == 7
    assert 50 < private_table(people(2_000)).rows < 4_000


def test_no_more_records_of_a_person_are_used_than_were_promised():
    """At most so many records of each value of the entity remain; without one, none."""
    table = pl.DataFrame({"id": ["a"] * 5 + ["b"] + [None] * 3, "x": range(9)})
    kept = private.limit_records(table, "id", 2, SeededBits(0))
    assert sorted(kept["id"].to_list()) == ["a", "a", "b"]
    several = {
        tuple(private.limit_records(table, "id", 1, SeededBits(seed)).sort("x")["x"])
        for seed in range(20)
    }
    assert len(several) > 3


def test_a_record_without_a_person_pushes_nobody_out():
    """Whoever has no identifier would otherwise take the place of another record."""
    table = pl.DataFrame({"id": [1.0, None, float("nan")], "x": ["x", "y", "z"]})
    cells = declared_cells(table, dict.fromkeys(table.columns), exact=["id"])
    kept = private.limit_records(cells, "id", 1, SystemBits())
    assert kept.to_dict(as_series=False) == {"id": ["1"], "x": ["x"]}


def test_one_record_more_changes_nothing_of_who_else_is_held_out():
    """A coin of its own decides about each record, whatever the number of records is."""
    table = pl.DataFrame({"row": range(300)})
    whole, _ = private.hold_out_records(table, 0.5, SeededBits(3))
    for n in (299, 150):
        learned, _ = private.hold_out_records(table.head(n), 0.5, SeededBits(3))
        assert learned.equals(whole.filter(pl.col("row") < n))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_no_error_tells_how_few_records_were_held_out(n):
    """A table of any length goes the same way."""
    assert private_table(people(n), hold_out=0.5).rows >= 1


def test_persons_are_the_unit_where_an_entity_is_given():
    """With an entity the promise is about a person, by the policy's models, too."""
    made = private_table(people(), entity="id", records_per_person=2)
    assert made.promise.unit == "one person, with at most 2 records"
    policy = ka.Policy(attributes=POLICY, models=[ka.KAnonymity(2, entity="id")])
    assert private_table(people(), policy=policy).promise.records_per_person == 1


@pytest.mark.parametrize("form", ["policy", "mapping", "attributes", "file"])
def test_a_policy_needs_no_models(form, tmp_path):
    """A policy of attributes alone is taken as an object, as a mapping, and from a file."""
    policy = ka.Policy(attributes=POLICY)
    (tmp_path / "p.json").write_text(json.dumps(policy.to_dict()), encoding="utf-8")
    forms = {
        "policy": policy,
        "mapping": policy.to_dict(),
        "attributes": POLICY,
        "file": tmp_path / "p.json",
    }
    made = private_table(people(60), policy=forms[form])
    assert set(made.promise.domains) == {"age", "sex", "arrived", "left"}


def test_evaluation_says_that_it_is_for_the_holder():
    """What compares with the original is there, and marked as outside the guarantee."""
    made = private_table(people(60), sensitive=["sex"])
    judged = made.to_dict()
    assert "not covered by epsilon" in judged["evaluation"]
    assert judged["detection"]["value"] is not None
    assert "detection" not in made.facts()


@pytest.mark.parametrize(
    ("more", "error", "reason"),
    [
        ({"policy": None}, ka.PolicyError, "needs a policy"),
        ({"epsilon": 0}, ka.PolicyError, "epsilon"),
        ({"delta": 0.1}, ka.PolicyError, "delta"),
        ({"method": "trees"}, ka.PolicyError, "trees.*not differentially private"),
        ({"epsilon": None, "method": "mst"}, ka.PolicyError, "needs a privacy budget"),
        ({"records_per_person": 2}, ka.PolicyError, "needs an entity"),
        ({"entity": "age"}, ka.SchemaError, "not an identifier"),
        ({"entity": ["id", "age"]}, ka.PolicyError, "takes one column of them"),
        ({"entity": "person"}, ka.SchemaError, "person"),
        ({"policy": {"age": POLICY["age"]}}, ka.SchemaError, "no role"),
    ],
)
def test_what_promises_nothing_is_refused(more, error, reason):
    """A budget without a policy, a method without a guarantee, persons without a name: errors."""
    with pytest.raises(error, match=reason):
        private_table(people(), **more)


@pytest.mark.parametrize("name", ["delta", "policy", "entity", "records_per_person"])
def test_parts_of_a_promise_need_a_budget(name):
    """Without epsilon, no parameter of the guarantee is taken in silence."""
    with pytest.raises(ka.PolicyError, match=f"{name}.*give epsilon"):
        ka.synthesize(people(), drop=["id"], **{name: 0.1})
