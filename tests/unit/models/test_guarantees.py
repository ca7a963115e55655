"""The kinds of guarantees: models of itemsets and of mechanisms need no change of the flow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.kernels.classes.disclosure import SIZE
from kanonym.models import MODELS, Criterion, DifferentialPrivacy
from kanonym.models.base import Answer, PerClass, PrivacyModel

TABLE = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3, 4, 4], "b": list("xyxyxyxy"), "s": list("uvuvuvuv")})
CUBE = pl.DataFrame(list(product("xy", "uv", "pq")), schema=["a", "b", "c"], orient="row")


@dataclass(frozen=True, slots=True)
class KmAnonymity(PerClass):
    """Any m values that occur together in a record do so in k; classes of k are sufficient."""

    k: int
    m: int

    type: ClassVar[str] = "km-anonymity"
    guarantee: ClassVar[str] = "itemsets"
    monotone: ClassVar[str] = "suppression"
    attribute: ClassVar[None] = None

    @property
    def required(self):
        """The k asked for."""
        return self.k

    def criteria(self):
        """Return what algorithms search by: classes of k records."""
        return (Criterion(SIZE, None, self.k, ">="),)

    def answer(self, released):
        """Count the records of all m values in the released rows."""
        rows, counts = released.rows(), released.counts
        weights = np.ones(len(rows), np.int64) if counts is None else counts
        least = len(rows)
        for chosen in combinations(range(rows.shape[1]), min(self.m, rows.shape[1])):
            places = np.unique(rows[:, chosen], axis=0, return_inverse=True)[1]
            least = min(least, int(np.bincount(places.ravel(), weights).min()))
        return Answer(least, least >= self.k)


@dataclass(frozen=True, slots=True)
class Budget(PrivacyModel):
    """A mechanism that spends epsilon: no value of a release shows it."""

    epsilon: float

    type: ClassVar[str] = "budget"
    guarantee: ClassVar[str] = "mechanism"
    monotone: ClassVar[str] = "suppression"
    suppressible: ClassVar[bool] = True
    attribute: ClassVar[None] = None
    rests_on: ClassVar[str] = "noise that is drawn exactly, from the source of the system"

    @property
    def required(self):
        """The epsilon allowed."""
        return self.epsilon

    def criteria(self):
        """Return none."""
        return ()

    def satisfied(self, classes):
        """Every class: the values say nothing against it."""
        return np.ones(len(classes.sizes), np.bool_)

    def achieved(self, classes):  # noqa: ARG002 - of no class
        """Return the epsilon spent."""
        return self.epsilon


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    """Both toys are in the registry: that is all a policy needs."""
    for kind in (KmAnonymity, Budget):
        monkeypatch.setitem(MODELS, kind.type, kind)


def policy_of(*models, names="ab", **options):
    """Return a policy as a file would have it."""
    return ka.Policy(
        attributes={name: {"role": "quasi-identifier"} for name in names},
        models=list(models),
        others="insensitive",
        **options,
    )


@pytest.mark.parametrize("algorithm", ["mondrian", "segmentation", "mdav", "full-domain"])
@pytest.mark.parametrize("engine", [pl.DataFrame.clone, ka.engines.scan_duckdb])
def test_itemsets_and_mechanisms_go_through_the_flow(algorithm, engine):
    """A release is made for both and verified; its verdicts say what was checked and what not."""
    km, budget = {"type": "km-anonymity", "k": 2, "m": 2}, {"type": "budget", "epsilon": 1.0}
    policy = policy_of(km, budget, algorithm=algorithm)
    release = ka.anonymize(engine(TABLE), policy)
    frame = release.frame if engine is pl.DataFrame.clone else release.frame.pl()
    for found in (release.verification, ka.verify(frame, policy)):
        assert [(one.guarantee, one.verdict) for one in found.checks] == [
            ("itemsets", "checked"),
            ("mechanism", "by construction"),
        ]
        assert found.to_dict()["models"][1]["rests_on"] == Budget.rests_on
    assert policy.to_dict()["models"] == [km, budget]


@pytest.mark.parametrize(("m", "verdict"), [(1, "checked"), (2, "checked"), (3, "violated")])
def test_itemsets_are_counted_in_released_rows(m, verdict):
    """Of all combinations of three values, each pair occurs twice, though every class is one."""
    found = ka.verify(CUBE, policy_of({"type": "km-anonymity", "k": 2, "m": m}, names="abc"))
    assert (found.k, found.checks[0].verdict) == (1, verdict)
    assert found.satisfied == (verdict == "checked")
    assert found.n_violating == 0


@pytest.mark.parametrize("kind", list(MODELS.values()), ids=lambda kind: kind.type)
def test_every_model_but_differential_privacy_is_checked_on_released_values(kind):
    """Its guarantee is of a kind that values show: nothing rests on how a release was made."""
    shown = kind.guarantee in ("per class", "whole table", "population", "itemsets")
    assert shown == (kind is not DifferentialPrivacy)
