"""Worked tables of lecture notes and articles, with the printed answers.

The first is a page on anonymization techniques (knoppia.net, "Técnicas de anonimidad"):
nine patients, grouped for 2-anonymity, then for 2-diversity, then by age.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.kernels.classes import disclosure
from kanonym.metrics.disclosure import measure_table
from kanonym.models import KAnonymity, LDiversity, TCloseness
from model_classes import classes

ILLNESS = {
    1: "Covid",
    2: "Gripe",
    3: "Cancer",
    4: "Gripe",
    5: "Infección",
    6: "Cancer",
    7: "Covid",
    8: "Gripe",
    9: "Corazón",
}
TWO_ANONYMOUS = [[4, 8], [7, 2], [5, 1, 3], [6, 9]]
TWO_DIVERSE = [[4, 8, 7, 2], [5, 1, 3], [6, 9]]
BY_AGE = [[1, 3, 4, 5], [6, 8], [2, 7, 9]]
AGES = ["15-25", "26-35", "40-65"]


def grouped(groups):
    """Return patients in groups as classes with their illness."""
    labels = [label for label, group in enumerate(groups) for _ in group]
    return classes(labels, illness=[ILLNESS[patient] for group in groups for patient in group])


def test_first_table_is_two_anonymous():
    """The table of four groups is 2-anonymous and not 3-anonymous."""
    table = grouped(TWO_ANONYMOUS)
    assert KAnonymity(2).satisfied(table).all()
    assert KAnonymity(3).achieved(table) == 2


def test_its_first_group_alone_is_not_two_diverse():
    """Of its groups only the first, in which both have the flu, is 1-diverse."""
    table = grouped(TWO_ANONYMOUS)
    assert LDiversity("illness", 2).satisfied(table).tolist() == [False, True, True, True]
    assert LDiversity("illness", 2).achieved(table) == 1


def test_joined_table_is_two_diverse():
    """With the first two groups joined, the table is 2-diverse."""
    table = grouped(TWO_DIVERSE)
    assert LDiversity("illness", 2).satisfied(table).all()
    assert LDiversity("illness", 2).achieved(table) == 2


def test_earth_movers_distance_of_two_lists():
    """One of each of three illnesses against shares 1/2, 1/3, 1/6 is at distance 0.1667."""
    no_tree = np.zeros((0, 0), np.int32)
    table = disclosure.reference_shares(np.array([3, 2, 1]), no_tree)
    values, counts = np.arange(3, dtype=np.int32), np.ones(3, np.int64)
    distance = disclosure.class_measure(disclosure.T_EQUAL, values, counts, 3, 3, table, no_tree, 0)
    assert distance == pytest.approx(1 / 6, abs=1e-15)
    assert round(distance, 4) == 0.1667


def test_distance_of_the_second_age_group():
    """The group of 26 to 35 years is at distance 4/9, its largest difference is 0.28."""
    table = grouped(BY_AGE)
    exactly = TCloseness("illness", 4 / 9)
    assert exactly.satisfied(table).all()
    assert TCloseness("illness", 0.444).satisfied(table).tolist() == [True, False, True]
    assert exactly.achieved(table) == pytest.approx(4 / 9, abs=1e-15)
    measured = measure_table(table).attributes["illness"]
    assert measured.t_equal == pytest.approx(4 / 9, abs=1e-15)
    assert round(measured.total_variation, 2) == 0.28


def test_last_table():
    """The table by age has k = 2, l = 2 and t = 4/9, printed as 0.44."""
    measured = measure_table(grouped(BY_AGE))
    assert measured.k == 2
    assert measured.attributes["illness"].l_distinct == 2
    assert round(measured.attributes["illness"].t_equal, 2) == 0.44


def test_last_table_as_a_user_measures_and_verifies_it():
    """`measure` and `verify` find k = 2, l = 2 and t = 4/9 in the table itself."""
    patients = [patient for group in BY_AGE for patient in group]
    ages = [age for age, group in zip(AGES, BY_AGE, strict=True) for _ in group]
    table = pl.DataFrame({"age": ages, "illness": [ILLNESS[patient] for patient in patients]})
    measured = ka.measure(table, quasi_identifiers=["age"], sensitive=["illness"])
    illness = measured.attributes["illness"]
    assert (measured.k, illness.l_distinct) == (2, 2)
    assert illness.t_equal == pytest.approx(4 / 9, abs=1e-15)
    roles = {"age": ka.QuasiIdentifier(), "illness": ka.Sensitive()}
    for t, violating in ((4 / 9, []), (0.44, ["26-35"])):
        models = [KAnonymity(2), LDiversity("illness", 2), TCloseness("illness", t)]
        found = ka.verify(table, ka.Policy(attributes=roles, models=models))
        assert [one["class"]["age"] for one in found.violating] == violating


def test_notebook_measures_closeness_by_the_largest_difference():
    """The largest pointwise difference and the Kullback-Leibler divergence of a class.

    Both as a teaching notebook on k-anonymity, l-diversity and t-closeness defines
    them: max |q - p| over the table's values, and the sum of q ln(q / p).
    """
    table = classes("aaaabbbb", income=["<=50k"] * 4 + ["<=50k", ">50k", ">50k", ">50k"])
    measured = measure_table(table).attributes["income"]
    p, q = 5 / 8, 1
    assert measured.total_variation == pytest.approx(q - p)
    rich = 0.25 * math.log(0.25 / p) + 0.75 * math.log(0.75 / (1 - p))
    assert measured.kl_divergence == pytest.approx(max(q * math.log(q / p), rich))


def test_anonymity_set_and_extended_l_diversity():
    """Anonymity set sizes and 100 * distinct / entries have minimum, mean and maximum over sets.

    As an extension of the AI privacy toolkit defines them: the mean is over the
    sets, each counted once, not over the entries.
    """
    measured = measure_table(classes("aaaabbc", s=[1, 1, 2, 3, 1, 1, 4]))
    assert measured.anonymity_set.to_dict() == {"min": 1, "mean": pytest.approx(7 / 3), "max": 4}
    assert measured.attributes["s"].diversity_percent.to_dict() == {
        "min": 50.0,
        "mean": pytest.approx((75 + 50 + 100) / 3),
        "max": 100.0,
    }


# --- Li, Li and Venkatasubramanian (2007), t-closeness -------------------------------

SALARIES = {3: [3, 4, 5], 6: [6, 8, 11], 7: [7, 9, 10]}


def test_salaries_of_the_t_closeness_paper():
    """{3k, 4k, 5k} is at 0.375 and {6k, 8k, 11k} at 0.167 from {3k, ..., 11k}."""
    labels = [label for label, group in SALARIES.items() for _ in group]
    table = classes(labels, salary=[value for group in SALARIES.values() for value in group])
    (criterion,) = TCloseness("salary", 0.1, "ordered").criteria()
    low, spread, _ = criterion.measure_classes(table)
    assert low == pytest.approx(0.375, abs=1e-15)
    assert spread == pytest.approx(1 / 6, abs=1e-15)


def test_salaries_of_the_papers_close_table():
    """The table that the paper calls 0.167-close in salary is so, and no closer."""
    groups = {"a": [3, 5, 9], "b": [6, 11, 8], "c": [4, 7, 10]}
    labels = [label for label, group in groups.items() for _ in group]
    table = classes(labels, salary=[value for group in groups.values() for value in group])
    assert TCloseness("salary", 1 / 6, "ordered").achieved(table) == pytest.approx(1 / 6)


DISEASES = {
    "flu": ("infection", "respiratory", "all"),
    "bronchitis": ("infection", "respiratory", "all"),
    "pulmonary embolism": ("vascular", "respiratory", "all"),
    "stomach cancer": ("stomach", "digestive", "all"),
}


@pytest.mark.parametrize(
    ("other", "distance"),
    [("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1)],
)
def test_diseases_of_the_t_closeness_paper(other, distance):
    """Flu is 1/3 from bronchitis, 2/3 from pulmonary embolism and 1 from stomach cancer.

    A class of flu in a table that is half flu and half the other moves half of its
    mass over that distance.
    """
    paths = {"disease": {name: DISEASES[name] for name in ("flu", other)}}
    table = classes("ab", paths, disease=["flu", other])
    model = TCloseness("disease", 1, "hierarchical")
    assert model.achieved(table) == pytest.approx(distance / 2)


# --- Machanavajjhala et al. (2007), l-diversity ---------------------------------------

CONDITION = ["Heart", "Heart", "Viral", "Viral", "Cancer", "Heart", "Viral", "Viral"] + 4 * [
    "Cancer"
]
FOUR_ANONYMOUS = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
THREE_DIVERSE = [[1, 4, 9, 10], [5, 6, 7, 8], [2, 3, 11, 12]]


def inpatients(groups):
    """Return the inpatients of the paper in groups as classes with their condition."""
    labels = [label for label, group in enumerate(groups) for _ in group]
    return classes(labels, condition=[CONDITION[i - 1] for group in groups for i in group])


def test_four_anonymous_inpatients_of_the_l_diversity_paper():
    """The 4-anonymous table has a group in which all have cancer: it is 1-diverse."""
    table = inpatients(FOUR_ANONYMOUS)
    assert KAnonymity(4).satisfied(table).all()
    assert LDiversity("condition", 2).satisfied(table).tolist() == [True, True, False]


def test_three_diverse_inpatients_of_the_l_diversity_paper():
    """The table that the paper calls 3-diverse has three conditions in every group."""
    table = inpatients(THREE_DIVERSE)
    assert LDiversity("condition", 3).satisfied(table).all()
    assert LDiversity("condition", 3, "entropy").achieved(table) == pytest.approx(2 * math.sqrt(2))
