"""Audits of truthful records and of synthetic tables: what is stated holds, blunders are caught."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.audit import audit_policy
from kanonym.cli import main
from kanonym.data.errors import DataError, PolicyError

CODES = [f"c{number:03d}" for number in range(400)]
ATTRIBUTES = {
    "code": ka.QuasiIdentifier(hierarchy=ka.hierarchy.from_mapping({c: ["*"] for c in CODES}))
}
TABLE = pl.DataFrame({"code": CODES * 20})
TRUTHFUL = ka.Policy(
    attributes=ATTRIBUTES,
    models=[{"type": "differential-privacy", "epsilon": 1, "delta": 1e-5}],
    algorithm={"type": "full-domain", "levels": {"code": 0}},
)
SYNTHETIC = ka.Policy(attributes=ATTRIBUTES, models=[ka.KAnonymity(1)])
METHODS = ["aim", "mst"]


def test_truthful_records_give_away_less_than_they_state():
    """Sampling and suppression keep what canaries show below ε."""
    found = audit_policy(TABLE, TRUTHFUL, seed=1)
    assert found.satisfied
    assert (found.mechanism, found.epsilon, found.delta) == ("differential-privacy", 1.0, 1e-5)


def test_a_release_without_sampling_is_caught(monkeypatch):
    """Where all records of the table are taken, the size of a class tells who is in it."""
    monkeypatch.setattr(
        "kanonym.algorithms.full_domain.private.draw_sample",
        lambda n_records, *_: np.ones(n_records, np.bool_),
    )
    found = audit_policy(TABLE, TRUTHFUL, seed=1)
    assert not found.satisfied


@pytest.mark.parametrize("method", METHODS)
def test_synthetic_tables_give_away_less_than_they_state(method):
    """Noise on counts keeps what canaries show below ε."""
    assert audit_policy(TABLE, SYNTHETIC, epsilon=1, method=method, seed=1).satisfied


@pytest.mark.parametrize("method", METHODS)
def test_counts_without_noise_are_caught(method, monkeypatch):
    """A synthesizer that forgets its noise shows more than it states."""
    monkeypatch.setattr(
        "kanonym.synthesis.marginals.measuring.discrete_gaussian",
        lambda _, count, __: np.zeros(count, np.int64),
    )
    found = audit_policy(TABLE, SYNTHETIC, epsilon=1, method=method, seed=1)
    assert not found.satisfied


@pytest.mark.parametrize(
    ("policy", "options", "said"),
    [
        (SYNTHETIC, {}, "nothing to audit"),
        (TRUTHFUL, {"epsilon": 1}, "an epsilon of its own"),
        (SYNTHETIC, {"epsilon": 1, "canaries": 50}, "canaries"),
    ],
)
def test_what_cannot_be_audited_is_refused(policy, options, said):
    """The message says what is missing, or too much."""
    with pytest.raises(PolicyError, match=said):
        audit_policy(TABLE, policy, **options)


def test_an_empty_table_has_no_canaries():
    """Canaries take their values from the table."""
    with pytest.raises(DataError, match="no records"):
        audit_policy(TABLE.clear(), SYNTHETIC, epsilon=1)


def test_the_command_prints_the_bound_and_its_json(tmp_path, capsys):
    """`kanonym audit` says what was stated and what was shown."""
    table, policy = tmp_path / "table.csv", tmp_path / "policy.yaml"
    TABLE.write_csv(table)
    policy.write_text(
        "version: 1\nattributes:\n  code:\n    role: quasi-identifier\n"
        f"    domain: {{values: [{', '.join(CODES)}]}}\n"
        "models: [{type: k-anonymity, k: 1}]\n"
    )
    given = ["audit", str(table), "--policy", str(policy), "--epsilon", "1", "--seed", "1"]
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 0
    assert "epsilon is at least" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*given, "--json"])
    assert json.loads(capsys.readouterr().out)["satisfied"] is True


def test_the_example_of_the_page_is_audited():
    """Identifiers are left out, and intervals and mappings are those of the policy."""
    random = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "patient": [f"p{number}" for number in range(2000)],
            "age": random.integers(18, 90, 2000),
            "disease": random.choice(["flu", "cold", "gout"], 2000),
        }
    )
    disease = ka.hierarchy.from_mapping({"flu": "viral", "cold": "viral", "gout": "other"})
    ages = ka.hierarchy.intervals(width=[10, 20, 40], bottom=20, top=80)
    policy = ka.Policy(
        attributes={
            "patient": ka.Identifier(),
            "age": ka.QuasiIdentifier(hierarchy=ages),
            "disease": ka.QuasiIdentifier(hierarchy=disease),
        },
        rows="persons",
        models=[{"type": "differential-privacy", "epsilon": 2, "delta": 1e-5, "beta": 0.7}],
        algorithm={"type": "full-domain", "levels": {"age": 1, "disease": 1}},
    )
    assert audit_policy(table, policy, seed=1).satisfied
