"""What the order of the input does to a release: nothing."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.policy.algorithms import ALGORITHMS
from releases import MODELS, SICKNESS, TREE, policy_of

NARROW = ka.hierarchy.intervals(width=[2], origin=0)
VARIANTS = {
    "mondrian": [
        ka.Mondrian(strict=strict, split=split, target=target)
        for strict, target in ((True, None), (False, None), (True, "s"))
        for split in ("loss", "span")
    ],
    "segmentation": [
        *(ka.Segmentation(order) for order in ("auto", "hilbert", "serpentine", "kd")),
        ka.Segmentation(target="s"),
    ],
    "kmeans": [ka.algorithms.KMeans(3), ka.algorithms.KMeans(2, per_column=True)],
}
"""Algorithms with parameters; of the others the defaults."""


def fitting_models(algorithm):
    """Return the models of `releases` that an algorithm takes."""
    about_values = not (algorithm.by_size or algorithm.recodes == "cells")
    return [
        name
        for name, models in MODELS.items()
        if about_values or all(model.attribute is None for model in models)
    ]


@st.composite
def tables_of_equal_records(draw):
    """Draw 8 to 30 records of few quasi-identifiers, with further columns that differ."""
    n = draw(st.integers(8, 30))
    values = {
        "x": st.integers(0, 2),
        "y": st.integers(0, 1),
        "s": st.sampled_from(list(SICKNESS)),
        "note": st.sampled_from("abcde"),
        "list": st.lists(st.integers(0, 1), min_size=1, max_size=2),
    }
    columns = {name: draw(st.lists(one, min_size=n, max_size=n)) for name, one in values.items()}
    return pl.DataFrame(columns, schema_overrides={"list": pl.List(pl.Int64)})


def release_or_refusal(table, policy):
    """Return the released rows, or the class of the error where there is no release."""
    try:
        return ka.anonymize(table, policy).frame.rows()
    except (ka.InfeasibleError, ka.PolicyError) as error:
        return type(error)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=examples(80), suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data(), table=tables_of_equal_records())
def test_equal_records_in_any_order_give_the_same_release(name, data, table):
    """With one seed, every algorithm and model releases the same rows in the same order.

    Records are equal in their quasi-identifiers, and differ in what is released with them.
    """
    algorithm = data.draw(st.sampled_from(VARIANTS.get(name) or [ALGORITHMS[name]()]))
    models = MODELS[data.draw(st.sampled_from(fitting_models(algorithm)))]
    attributes = {"x": ka.QuasiIdentifier(NARROW), "s": ka.Sensitive(TREE)}
    attributes["y"] = ka.QuasiIdentifier(NARROW)
    policy = policy_of(attributes, models, algorithm)
    order = data.draw(st.permutations(range(len(table))))
    assert release_or_refusal(table, policy) == release_or_refusal(table[order], policy)


MORE = {
    "identifier": {"note": ka.Identifier(action="surrogate")},
    "insensitive": {"list": ka.Insensitive()},
    "sensitive": {"s": ka.Sensitive()},
    "set": {"list": ka.ItemSet()},
    "late action": {"pay": ka.Sensitive(action=ka.actions.After(ka.actions.Round(to=5)))},
    "person": {"note": ka.Identifier()},
}
"""What may differ between records of equal quasi-identifiers."""


@pytest.mark.parametrize("more", MORE)
@settings(max_examples=examples(80), suppress_health_check=list(HealthCheck), deadline=None)
@given(table=tables_of_equal_records(), k=st.integers(2, 4), data=st.data())
def test_whatever_differs_between_equal_records_their_order_changes_nothing(more, table, k, data):
    """So it is with further columns of any role, and so is what verification finds of persons."""
    table = table.with_columns(pay=pl.int_range(pl.len()) % 7)
    named = MORE[more]
    attributes = {"x": ka.QuasiIdentifier(), "y": ka.QuasiIdentifier(), **named}
    table = table.select(list(attributes))
    models = [ka.KAnonymity(k, entity="note" if more == "person" else None)]
    models += [ka.models.KmAnonymity(2, 1)] * (more == "set")
    policy = ka.Policy(
        attributes=attributes, models=models, algorithm=ka.Mondrian(strict=False), seed=3
    )
    order = data.draw(st.permutations(range(len(table))))
    try:
        one = ka.anonymize(table, policy)
    except ka.InfeasibleError:
        return
    other = ka.anonymize(table[order], policy)
    assert one.frame.rows() == other.frame.rows()
    assert one.verification.checks == other.verification.checks


def test_neither_order_nor_values_of_equal_records_decide_on_their_class():
    """Of 20 equal records, chance takes the 10 of the first class: as many ill ones as it draws.

    How many are ill follows the hypergeometric distribution, with a variance of 25 / 19 around 5;
    the mean of 50 draws is within five standard deviations, and so is not 10, nor always 5.
    """
    ages, ill = [1] * 10 + [5] * 20 + [9] * 10, [0] * 10 + [1] * 10 + [0] * 20
    table = pl.DataFrame({"age": ages, "ill": ill})
    counts = []
    for seed in range(50):
        release = ka.anonymize(
            table,
            quasi_identifiers=["age"],
            sensitive=["ill"],
            k=20,
            algorithm=ka.MDAV(),
            seed=seed,
        )
        counts.append(release.frame.filter(pl.col("age") < 5)["ill"].sum())
    assert abs(sum(counts) / 50 - 5) < 5 * (25 / 19 / 50) ** 0.5
    assert len(set(counts)) > 1
