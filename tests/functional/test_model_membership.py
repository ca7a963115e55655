"""Models of the US census extract (UCI Adult): whom they give away before and after."""

from __future__ import annotations

import pytest
from sklearn.ensemble import RandomForestClassifier

import kanonym as ka
from kanonym.evaluation.attacks.models.table_membership import model_membership

KNOWN = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
]


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return 4,000 records."""
    table = ka.read_table(shared_data / "adult" / "adult.csv")
    return table.sample(4000, seed=0)


def test_a_forest_gives_away_less_of_adult_the_larger_k_is(adult):
    """Before, a forest tells members from others; of classes of 50 its intervals hold chance."""
    found = {}
    for k in (2, 50):
        policy = ka.Policy(
            attributes={name: ka.QuasiIdentifier() for name in KNOWN}
            | {"salary-class": ka.Sensitive()},
            models=[ka.KAnonymity(k)],
        )
        forest = RandomForestClassifier(30)
        found[k] = model_membership(
            adult, policy=policy, target="salary-class", hold_out=0.3, estimator=forest
        )
    before, little, much = found[2].before, found[2].after, found[50].after
    assert before == found[50].before
    for kind in ("correctness", "loss", "shadow"):
        assert before[kind].interval[0] > 0.53
        assert before[kind].auc > little[kind].auc > much[kind].auc
        assert before[kind].interval[0] > much[kind].interval[1]
    low, high = much["shadow"].interval
    assert low < 0.5 < high
    assert before.on_control < 0.82 < before.on_members
