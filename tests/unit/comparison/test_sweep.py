"""Which combinations a sweep has, and which policies they are."""

from __future__ import annotations

import pytest

import kanonym as ka
from kanonym.comparison.sweep import combinations, default_sweep, plain_value, with_first_values


def policy(**options):
    """Return a policy of two models."""
    asked = {"quasi_identifiers": ["age"], "sensitive": ["pay"], "k": 5, "l": 2}
    return ka.Policy.from_columns(**{**asked, **options})


def test_every_combination_is_there_once():
    """The values of the last key vary fastest; a value that is given twice counts once."""
    found = combinations(policy(), {"algorithm": ["mondrian", "auto"], "k": [2, 3, 2]})
    assert [one.parameters for one in found] == [
        {"algorithm": name, "k": k} for name in ("mondrian", "auto") for k in (2, 3)
    ]


def test_a_combination_is_the_policy_with_its_values():
    """Models, algorithm and options are those that are swept, and all else is the policy's."""
    sweep = {
        "k": [7],
        "l": [3],
        "suppression_limit": [0.1],
        "recoding": ["set"],
        "algorithm": ["mondrian"],
        "algorithm.split": ["span"],
    }
    (one,) = combinations(policy(seed=4), sweep)
    assert one.policy.to_dict() == {
        **policy(seed=4).to_dict(),
        "models": [
            {"type": "k-anonymity", "k": 7},
            {"type": "l-diversity", "attribute": "pay", "l": 3, "kind": "distinct"},
        ],
        "suppression_limit": 0.1,
        "recoding": "set",
        "algorithm": {"type": "mondrian", "strict": True, "split": "span"},
    }


def test_a_threshold_may_be_meant_of_one_type_alone():
    """`alpha-k-anonymity.k` leaves the k of k-anonymity as it is."""
    (one,) = combinations(policy(alpha=0.5), {"alpha-k-anonymity.k": [9]})
    assert [getattr(model, "k", None) for model in one.policy.models] == [5, None, 9]


def test_a_parameter_is_of_the_algorithms_that_have_it():
    """Of others there is one combination, in which it has no value."""
    sweep = {"algorithm": ["mondrian", "auto"], "algorithm.split": ["loss", "span"]}
    found = combinations(policy(), sweep)
    assert [tuple(one.parameters.values()) for one in found] == [
        ("mondrian", "loss"),
        ("mondrian", "span"),
        ("auto", None),
    ]


def test_the_own_algorithm_keeps_its_parameters():
    """A name or a form of the policy's own type changes what it says, an object all."""
    asked = policy(algorithm=ka.Mondrian(split="span"))
    forms = ["mondrian", {"type": "mondrian", "strict": False}, ka.Mondrian()]
    found = combinations(asked, {"algorithm": forms})
    assert [one.policy.algorithm for one in found] == [
        ka.Mondrian(split="span"),
        ka.Mondrian(strict=False, split="span"),
    ]
    (one,) = combinations(asked, {"algorithm": [ka.Mondrian()]})
    assert one.policy.algorithm == ka.Mondrian()


def test_values_that_do_not_fit_have_no_policy_but_a_reason():
    """A recoding that an algorithm has no room for is told, and the others go on."""
    sweep = {"recoding": ["set"], "algorithm": ["full-domain", "mondrian"]}
    found = combinations(policy(), sweep)
    assert found[0].policy is None
    assert found[0].reason.startswith("recoding: is 'set', but full-domain releases levels")
    assert found[1].policy is not None
    assert found[1].reason is None


def test_the_recoding_of_the_policy_is_left_out_where_an_algorithm_has_no_room_for_it():
    """A default for all columns is no reason to leave an algorithm out of a comparison."""
    found = combinations(policy(recoding="interval"), {"algorithm": ["full-domain", "mondrian"]})
    assert [one.policy.recoding for one in found] == [None, "interval"]


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ({"kk": [1]}, "'kk' is an unknown parameter; did you mean 'k'?"),
        ({"t": [0.2]}, "'t' is an unknown parameter"),
        ({"algorithm.splt": ["loss"]}, "did you mean 'algorithm.split'?"),
        ({"algorithm": ["mondrain"]}, "did you mean 'mondrian'?"),
        ({"k": 5}, "sweep of 'k': 5 is not a list of values"),
        ({"k": []}, r"sweep of 'k': \[\] is not a list of values"),
        ({"k": "25"}, "sweep of 'k': '25' is not a list of values"),
        ({}, "a sweep maps each parameter"),
        ({"k": [0, "a"]}, "no combination is a policy. The first: k-anonymity: k is 0"),
        ({"recoding": ["sett"]}, "no combination is a policy. The first: recoding: 'sett'"),
    ],
)
def test_what_is_no_sweep_is_refused(sweep, message):
    """Unknown names and sweeps without a policy are errors at once, before any work."""
    with pytest.raises(ka.PolicyError, match=message):
        combinations(policy(), sweep)


def test_an_algorithm_is_shown_by_what_it_does_not_leave_at_its_default():
    """An object is shown as people would write it: a name where no parameter says more."""
    assert plain_value(ka.FullDomain()) == "full-domain"
    assert plain_value(ka.FullDomain(steps=9)) == {"type": "full-domain", "steps": 9}
    assert plain_value(ka.algorithms.KMeans(3)) == {"type": "kmeans", "clusters": 3}
    assert plain_value({"type": "auto"}) == "auto"


def test_without_a_sweep_four_algorithms_and_five_sizes_are_tried():
    """The policy's own algorithm comes first; k is swept where a model has it."""
    assert default_sweep(policy()) == {
        "algorithm": ["mondrian", "segmentation", "auto", "full-domain"],
        "k": [2, 5, 10, 20, 50],
    }
    own = default_sweep(policy(k=None, algorithm="local-recoding"))
    assert own["algorithm"][0] == "local-recoding"
    assert "k" not in own


def test_thresholds_that_only_the_sweep_has_stand_in_the_short_forms():
    """What is given stays; what is not is the first value."""
    short = {"k": 5, "l": None}
    assert with_first_values(short, {"k": [2], "l": [3, 4]}) == {"k": 5, "l": 3}
