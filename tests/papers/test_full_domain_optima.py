"""Optima of the US census extract (UCI Adult) that ARX 3.9.2 proved, model by model.

One deviation is right: ARX refuses some classes that satisfy entropy l-diversity exactly,
because it compares rounded logarithms; a score with that model may be lower, never higher.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import kanonym as ka

METRICS = {
    "loss": "loss",
    "loss_am": "loss-arithmetic",
    "aecs": "average-class-size",
    "discernibility": "discernibility",
    "entropy": "non-uniform-entropy",
    "precision": "precision",
}
"""Our name of each of ARX's metrics."""

MODELS = {
    "k": lambda _, k: ka.KAnonymity(int(k)),
    "distinct-l": lambda name, l: ka.LDiversity(name, int(l)),
    "entropy-l": lambda name, l: ka.LDiversity(name, l, "entropy"),
    "recursive-cl": lambda name, c, l: ka.LDiversity(name, int(l), "recursive", c),
    "t-equal": lambda name, t: ka.TCloseness(name, t, "equal"),
    "t-ordered": lambda name, t: ka.TCloseness(name, t, "ordered"),
    "t-hier": lambda name, t: ka.TCloseness(name, t, "hierarchical"),
    "delta-disclosure": ka.models.DeltaDisclosure,
    "basic-beta": lambda name, beta: ka.models.BetaLikeness(name, beta, "basic"),
    "avg-risk": lambda _, threshold: ka.models.AverageRisk(threshold),
}
"""What each of ARX's models is here, from the sensitive attribute and its parameters."""

PATH = Path(__file__).resolve().parents[3] / "shared" / "golden" / "full_domain_optima.csv"


def rows():
    """Return the rows of the file, none where it is absent."""
    if not PATH.is_file():
        return [pytest.param(None, marks=pytest.mark.skip("needs ../shared beside the checkout"))]
    with PATH.open(encoding="utf-8", newline="") as file:
        return [
            pytest.param(row, id=f"{row['models']} {row['suppression_limit']} {row['metric']}")
            for row in csv.DictReader(file)
        ]


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return the table."""
    return ka.read_table(shared_data / "adult" / "adult.csv")


@pytest.fixture(scope="module")
def files(shared_data):
    """Return the path of the hierarchy of a column."""
    return lambda name: shared_data / "adult" / f"hierarchy_{name}.csv"


@pytest.fixture(scope="module", params=rows())
def asked(request, files):
    """Return a row of the file, and its policy."""
    row = request.param
    known = {
        name: ka.QuasiIdentifier(ka.hierarchy.from_file(files(name)))
        for name in row["qis"].split("|")
    }
    secret = row["sensitive"]
    # A hierarchy would be the order of the values, too: that of distances is the alphabet.
    tree = ka.hierarchy.from_file(files(secret)) if "t-hier" in row["models"] else None
    hidden = {secret: ka.Sensitive(tree)} if secret else {}
    parts = [part.split(":") for part in row["models"].split("+")]
    policy = ka.Policy(
        attributes={**known, **hidden},
        models=[MODELS[kind](secret, *map(float, numbers)) for kind, *numbers in parts],
        algorithm=ka.FullDomain(METRICS[row["metric"]]),
        suppression_limit=float(row["suppression_limit"]),
        minimality="none",
    )
    return row, policy


@pytest.fixture(scope="module")
def release(asked, adult):
    """Return the release of a policy."""
    _, policy = asked
    return ka.anonymize(adult.select(*policy.attributes), policy)


def test_the_optimum_is_that_of_arx(asked, release):
    """The score to 1e-9; levels, suppressed records and classes exactly; and it is proven."""
    row, _ = asked
    found = release.algorithm
    assert found["optimal"] is True
    assert found["lattice_size"] == int(row["lattice_nodes"])
    score = float(row["score"])
    if "entropy-l" in row["models"] and found["score"] < score * (1 - 1e-9):
        return
    assert found["score"] == pytest.approx(score, rel=1e-9)
    levels = dict(part.split("=") for part in row["levels"].split("|"))
    assert found["levels"] == {name: int(level) for name, level in levels.items()}
    assert release.suppressed == int(row["suppressed_rows"])
    assert release.verification.n_classes == int(row["classes"])


def test_the_release_is_verified(asked, release, adult):
    """Against the distribution of the input, which is what the search compares classes with.

    Suppression shifts it. Against that of the release, one of these optima fails: a class of
    24 has a hierarchical distance of 0.2028, not 0.1985, where 0.2 is allowed.
    """
    row, policy = asked
    assert release.verification.satisfied
    assert release.rows_out + release.suppressed == len(adult)
    assert ka.verify(release.frame, policy, original=adult).satisfied
    assert ka.verify(release.frame, policy).satisfied == ("t-hier" not in row["models"])


def test_the_score_is_the_loss_of_the_released_values(asked, release, files):
    """`utility.loss` is the search's score, and so is a loss counted here, label by label."""
    row, _ = asked
    utility, score = release.utility, release.algorithm["score"]
    if row["metric"] == "loss_am":
        assert utility.loss_arithmetic == pytest.approx(score, rel=1e-12)
    if row["metric"] != "loss":
        return
    assert utility.loss == pytest.approx(score, rel=1e-12)
    product, n_rows = 1.0, release.rows_in
    names = row["qis"].split("|")
    for name in names:
        tree = pl.read_csv(
            files(name), separator=";", has_header=False, infer_schema=False
        ).to_dict(as_series=False)
        level = list(tree.values())[release.algorithm["levels"][name]]
        leaves = Counter(level)
        lost = sum(leaves[label] for label in release.frame[name].cast(pl.String))
        lost += release.suppressed * len(level)
        product *= 1 + (lost - n_rows) / (n_rows * len(level) - n_rows)
    assert product ** (1 / len(names)) - 1 == pytest.approx(score, rel=1e-9)
