"""The US census extract (UCI Adult): every model on real data, loss recomputed from the release."""

from __future__ import annotations

from collections import defaultdict

import pytest

import kanonym as ka
import released_texts as reading
from twins import classes as naive

COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the table of 30,162 records and 9 columns."""
    return ka.read_table(shared_data / "adult" / "adult.csv")


@pytest.fixture(scope="module")
def trees(shared_data):
    """Return the hierarchy of each column."""
    folder = shared_data / "adult"
    return {name: ka.hierarchy.from_file(folder / f"hierarchy_{name}.csv") for name in COLUMNS}


def policy(models, sensitive, trees, recoding):
    """Return a policy in which all columns but the sensitive ones are quasi-identifiers."""
    return ka.Policy(
        attributes={
            name: ka.Sensitive() if name in sensitive else ka.QuasiIdentifier(trees[name])
            for name in COLUMNS
        },
        models=models,
        recoding=recoding,
    )


MODELS = {
    "k": ([ka.KAnonymity(5)], []),
    "l-distinct": ([ka.KAnonymity(5), ka.LDiversity("occupation", 3)], ["occupation"]),
    "l-entropy": ([ka.KAnonymity(5), ka.LDiversity("occupation", 3, "entropy")], ["occupation"]),
    "t-occupation": ([ka.KAnonymity(5), ka.TCloseness("occupation", 0.2)], ["occupation"]),
    "t-salary": ([ka.KAnonymity(5), ka.TCloseness("salary-class", 0.2)], ["salary-class"]),
    "t-both": (
        [ka.KAnonymity(5), ka.TCloseness("salary-class", 0.2), ka.TCloseness("occupation", 0.2)],
        ["salary-class", "occupation"],
    ),
}


@pytest.mark.parametrize("recoding", ["set", "hierarchy"])
@pytest.mark.parametrize("asked", MODELS)
def test_every_model_holds_of_every_released_class(adult, trees, asked, recoding):
    """Regrouped in plain Python, each class has five records and the values that are asked for."""
    models, sensitive = MODELS[asked]
    release = ka.anonymize(adult, policy(models, sensitive, trees, recoding))
    assert release.rows_out == len(adult)
    assert ka.verify(release.frame, release.policy).satisfied
    known = [name for name in COLUMNS if name not in sensitive]
    groups = defaultdict(list)
    for place, row in enumerate(release.frame.select(known).iter_rows()):
        groups[row].append(place)
    assert min(map(len, groups.values())) >= 5
    for model in models[1:]:
        column = release.frame[model.attribute].to_list()
        table = {value: column.count(value) / len(column) for value in set(column)}
        for places in groups.values():
            values = [column[place] for place in places]
            if isinstance(model, ka.TCloseness):
                far = sum(abs(values.count(v) / len(values) - p) for v, p in table.items()) / 2
                assert far <= model.t + 1e-9
            elif model.kind == "entropy":
                assert naive.entropy(values) >= model.l - 1e-9
            else:
                assert naive.distinct(values) >= model.l


@pytest.mark.parametrize(("k", "most"), [(5, 0.0325), (10, 0.0575)])
def test_little_is_lost_on_eight_attributes(adult, k, most):
    """With all columns but salary-class as quasi-identifiers, GCP is low, as the texts say.

    GCP is the mean over records and attributes of (max - min) / (domain's max - min)
    for age and of (values - 1) / (domain's values - 1) for the others.
    """
    known = [name for name in COLUMNS if name != "salary-class"]
    release = ka.anonymize(
        adult, quasi_identifiers=known, k=k, recoding="set", others="insensitive"
    )
    assert release.verification.satisfied
    original = {name: adult[name].to_list() for name in known}
    released = {name: release.frame[name].to_list() for name in known}
    ncp = reading.penalties(original, released, release.suppressed)
    assert release.utility.ncp == pytest.approx(ncp)
    assert sum(ncp.values()) / len(ncp) <= most


@pytest.mark.parametrize("split", ["loss", "span"])
def test_a_stricter_policy_loses_more(adult, trees, split):
    """Each further requirement on the same attributes costs information, by either split."""
    lost = []
    for models in (
        [ka.KAnonymity(5)],
        [ka.KAnonymity(5), ka.LDiversity("occupation", 3)],
        [ka.KAnonymity(5), ka.LDiversity("occupation", 3, "entropy")],
        [ka.KAnonymity(5), ka.TCloseness("occupation", 0.2)],
    ):
        asked = policy(models, ["occupation"], trees, "set")
        asked = asked.model_copy(update={"algorithm": ka.Mondrian(split=split)})
        lost.append(ka.anonymize(adult, asked).utility.gcp)
    assert lost == sorted(lost)
    assert len(set(lost)) == 4


def test_suppression_buys_information(adult, trees):
    """Two percent of the records at most, counted as full loss, lower the loss of all."""
    models = [ka.KAnonymity(10)]
    whole = ka.anonymize(adult, policy(models, [], trees, "hierarchy"))
    asked = whole.policy.model_copy(update={"suppression_limit": 0.02})
    release = ka.anonymize(adult, asked)
    assert 0 < release.suppressed <= 0.02 * len(adult)
    assert release.utility.gcp < whole.utility.gcp
    assert ka.verify(release.frame, asked).satisfied
