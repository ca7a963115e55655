"""A first policy for a table, and why."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka
from kanonym.comparison import recommend, recommendation
from kanonym.comparison.sweep import default_sweep
from kanonym.data.example_tables import patients

TABLE = patients(300)


@pytest.fixture(scope="module")
def found():
    """Return the recommendation for the table of patients."""
    return recommend(TABLE)


def test_the_policy_releases_the_table(found):
    """A release by it satisfies it, and loses what was told."""
    release = ka.anonymize(TABLE, found.policy)
    assert release.verification.satisfied
    tried = min(one.utility["span-loss"] for one in found.comparison.trials if one.has_release)
    assert release.utility.span_loss == pytest.approx(tried)


def test_the_least_loss_is_taken(found):
    """No algorithm that was tried loses less than the one that is recommended."""
    losses = {one.label: one.utility["span-loss"] for one in found.comparison.trials}
    assert len(losses) == 1 + len(recommendation.OTHERS)
    assert losses[found.policy.algorithm.type] == min(losses.values())


def test_roles_are_those_of_the_profile(found):
    """The roles and models are the profile's own, and so are the reasons for the columns."""
    suggested = ka.profile(TABLE).policy(5)
    assert found.policy.to_dict()["attributes"] == suggested.to_dict()["attributes"]
    assert found.policy.models == suggested.models
    assert any("dropped: name, national_number" in reason for reason in found.reasons)


def test_the_written_policy_is_the_recommended_one(found, tmp_path):
    """The file has the reasons as comments, and reads as the policy."""
    path = tmp_path / "policy.yaml"
    found.write_policy(path)
    assert ka.Policy.from_file(path).to_dict() == found.policy.to_dict()
    assert "# The name suggests: postal code." in path.read_text()


def test_no_value_of_the_table_is_in_the_reasons(found):
    """Reasons speak of columns and numbers."""
    texts = "\n".join(found.reasons)
    assert not any(value in texts for value in TABLE["diagnosis"].unique())


def test_an_algorithm_that_loses_less_is_told(monkeypatch):
    """Where levels of hierarchies lose less than ranges, the reasons name their algorithm."""
    monkeypatch.setattr(recommendation, "_loss", lambda trial: 0.5 - 0.4 * ("-" in trial.label))
    reasons = "\n".join(recommend(TABLE).reasons)
    assert "full-domain loses less, 0.100" in reasons


def test_of_a_large_table_a_sample_is_tried(monkeypatch):
    """The recommended policy is then carried out on the whole table; the same one each time."""
    monkeypatch.setattr(recommendation, "MOST_ROWS", 120)
    first, second = recommend(TABLE), recommend(TABLE)
    assert first.comparison.rows == 120
    assert any("tried on 120 of the 300 records" in reason for reason in first.reasons)
    assert first.text == second.text
    assert ka.anonymize(TABLE, first.policy).verification.satisfied


def test_too_few_records_have_no_policy():
    """Where no release has k records in a class, the error says why."""
    with pytest.raises(ka.InfeasibleError, match="no release of this table satisfies"):
        recommend(TABLE.head(3), k=5)


def test_a_table_without_records_has_no_policy():
    """There is nothing to learn from, whatever library holds the table."""
    with pytest.raises(ka.DataError, match="the table has no record"):
        recommend(TABLE.clear())


@pytest.mark.parametrize("k", ["5", 0, 2.5, True])
def test_k_is_a_number_of_records(k):
    """Anything else is refused before the table is looked at."""
    with pytest.raises(ka.PolicyError, match=r"recommend: k is .* an integer of at least 1"):
        recommend(None, k=k)


def test_a_table_without_quasi_identifiers_has_no_policy():
    """There is nothing to protect, and the error says so."""
    with pytest.raises(ka.PolicyError, match="no column is a quasi-identifier"):
        recommend(pl.DataFrame({"name": ["Ada Lovelace", "Alan Turing"] * 3}))


def test_every_frame_library_is_recommended_the_same(frame):
    """The policy does not depend on the library that holds the table."""
    columns = TABLE.select("postal_code", "sex", "occupation", "diagnosis").to_dict(as_series=False)
    assert recommend(frame(columns)).text == recommend(pl.DataFrame(columns)).text


def test_the_reasons_say_which_diversity_is_asked():
    """Entropy l-diversity of an attribute of two values, and why two of them are not enough."""
    table = pl.DataFrame(
        {"age": [20, 30, 40, 50] * 10, "disease": ["flu", "flu", "flu", "cold"] * 10}
    )
    found = recommend(table, k=2)
    (said,) = [one for one in found.reasons if "mixed" in one]
    (model,) = [one for one in found.policy.models if one.type == "l-diversity"]
    assert model.kind == "entropy"
    assert f"(entropy l-diversity of at least {model.l:g})" in said


def test_the_reasons_say_that_t_closeness_is_asked():
    """Where nearly all share one value, the shares of every class are bounded."""
    table = pl.DataFrame({"age": list(range(20, 60)) * 2, "hiv": ["no"] * 72 + ["yes"] * 8})
    found = recommend(table, k=2)
    assert any("t-closeness of at most 0.04" in reason for reason in found.reasons)


VISITS = pl.concat([TABLE.select("birth_date", "sex", "occupation", "diagnosis")] * 2).with_columns(
    patient_id=pl.Series([f"P{i:05d}" for i in range(len(TABLE))] * 2),
    hiv=pl.Series((["no"] * 9 + ["yes"]) * (len(TABLE) // 5)),
)


@pytest.mark.parametrize(
    "table",
    [pytest.param(TABLE, id="persons"), pytest.param(VISITS, id="several records of a person")],
)
def test_a_suggested_policy_runs_in_every_algorithm_of_the_default_sweep(table):
    """Each of them gives a verified release, with an entity and with t-closeness."""
    policy = ka.profile(table).policy(5)
    algorithms = default_sweep(policy)["algorithm"]
    found = ka.compare(table, policy, sweep={"algorithm": algorithms, "k": [5]}, workers=1)
    assert [one.reason for one in found.trials] == [None] * len(algorithms)
    assert (table is VISITS) == (policy.models[0].entity == "patient_id")
