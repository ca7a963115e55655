"""Tests: keywords of a policy, and values that they override."""

from __future__ import annotations

import inspect
from dataclasses import fields

import jedi
import pytest

import kanonym as ka
from kanonym.algorithms.options import PARAMETERS
from kanonym.cli.policy_options import OPTIONS
from kanonym.data.option import option_of
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.policy.keywords import KEYWORDS
from kanonym.policy.overrides import override
from kanonym.policy.shorthand import THRESHOLDS

COLUMNS = {"quasi_identifiers", "sensitive", "identifiers", "sets", "hierarchies"}
SHORT_ALONE = COLUMNS | {"k", "m", "entity"}


def test_every_part_of_a_policy_has_a_keyword():
    """Keywords are the short forms and the parts of a policy, nothing else."""
    parts = set(ka.Policy.model_fields) - {"version", "attributes"}
    assert set(KEYWORDS) == SHORT_ALONE | set(THRESHOLDS) | parts


@pytest.mark.parametrize("name", ["anonymize", "fit", "lattice", "compare"])
def test_keywords_stand_in_the_signature(name):
    """Editors and `help` show every keyword."""
    function = getattr(ka, name)
    assert KEYWORDS.keys() <= inspect.signature(function).parameters.keys()
    for keyword in KEYWORDS:
        assert f"\n{keyword} : " in inspect.getdoc(function)


def test_help_is_one_screen():
    """The docstring of `anonymize` has an entry for each parameter, within 60 lines of 100."""
    lines = inspect.getdoc(ka.anonymize).splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    for name in inspect.signature(ka.anonymize).parameters:
        assert any(line.split(" :")[0] == name for line in lines)


@pytest.mark.parametrize("call", ["anonymize", "fit", "compare", "lattice", "Policy.from_columns"])
def test_jedi_completes_every_keyword(call):
    """Jedi, which completes in notebooks, offers every keyword."""
    source = f"import kanonym as ka\nka.{call}(df, "
    completions = jedi.Script(source).complete()
    assert KEYWORDS.keys() <= {one.name.removesuffix("=") for one in completions}


def test_parameters_of_options_are_those_of_algorithms():
    """An option of the command line is declared by the very fields of algorithms that have it."""
    declared: dict[str, set[str]] = {}
    for kind in ALGORITHMS.values():
        for field in fields(kind):
            if field.name in PARAMETERS:
                declared.setdefault(field.name, set()).add(str(field.type))
    assert declared.keys() == PARAMETERS.keys()
    assert all(len(types) == 1 for types in declared.values())


def test_every_option_has_a_sentence():
    """What `--help` says ends with a full stop, and numbers with a range say it."""
    assert all(option.sentence.endswith(".") for _, option in OPTIONS.values())
    assert option_of(KEYWORDS["suppression_limit"])[1].sentence.endswith("0 to 1; default: 0.")


TREE = ka.hierarchy.masking()


def policy(**parts):
    """Return a policy with entropy l-diversity of one of two sensitive attributes."""
    return ka.Policy(
        **{
            "attributes": {
                "name": ka.Identifier(),
                "zip": ka.QuasiIdentifier(hierarchy=TREE),
                "disease": ka.Sensitive(),
            },
            "models": [ka.KAnonymity(2), ka.LDiversity("disease", l=2, kind="entropy")],
            **parts,
        }
    )


def test_nothing_changes_nothing():
    """Without a value the policy itself is returned."""
    own = policy()
    assert override(own, {"k": None}) is own


def test_a_threshold_changes_its_model_and_keeps_the_rest():
    """K and l are changed; the kind of l-diversity, the columns and the hierarchy stay."""
    changed = override(policy(), {"k": 5, "l": 3})
    assert changed.models == (ka.KAnonymity(5), ka.LDiversity("disease", l=3, kind="entropy"))
    assert changed.attributes == policy().attributes


def test_a_threshold_adds_a_model_to_each_sensitive_attribute_that_has_none():
    """t-closeness of both attributes is added, l-diversity of the new one alone."""
    changed = override(policy(), {"sensitive": ["income"], "t": 0.2, "l": 4})
    found = {(one.type, one.attribute) for one in changed.models}
    assert ("t-closeness", "disease") in found
    assert ("t-closeness", "income") in found
    kinds = {one.attribute: one.kind for one in changed.models if one.type == "l-diversity"}
    assert kinds == {"disease": "entropy", "income": "distinct"}


def test_a_policy_without_k_anonymity_gets_one():
    """K adds k-anonymity in front."""
    own = policy(models=[ka.LDiversity("disease", l=2)])
    assert override(own, {"k": 3}).models[0] == ka.KAnonymity(3)


def test_columns_get_the_role_that_is_named():
    """A column in the role already keeps its hierarchy; another one loses its former role."""
    changed = override(policy(), {"quasi_identifiers": ["zip", "name"]})
    assert changed.attributes["zip"].hierarchy is TREE
    assert changed.attributes["name"] == ka.QuasiIdentifier()


def test_options_and_the_algorithm_are_replaced():
    """Fields of the policy are set; an algorithm of its type keeps its other parameters."""
    own = policy(algorithm=ka.Mondrian(strict=False))
    changed = override(
        own,
        {"suppression_limit": 0.1, "seed": 7, "algorithm": {"type": "mondrian", "split": "span"}},
    )
    assert (changed.suppression_limit, changed.seed) == (0.1, 7)
    assert changed.algorithm == ka.Mondrian(strict=False, split="span")


def test_limits_of_attacks_are_added_and_changed():
    """A limit that is named takes the place of the policy's; the others stand."""
    own = policy(attack_limits={"linkage": 0.2, "inference": 0.1})
    changed = override(own, {"attack_limits": {"linkage": 0.3, "homogeneity": 0.5}})
    assert changed.attack_limits == {"linkage": 0.3, "inference": 0.1, "homogeneity": 0.5}


def test_a_hierarchy_file_is_read(tmp_path):
    """The hierarchy of a file takes the place of the policy's."""
    (tmp_path / "zip.csv").write_text("01;0*;*\n02;0*;*\n")
    changed = override(policy(), {"hierarchies": {"zip": tmp_path / "zip.csv"}})
    assert changed.attributes["zip"].hierarchy is not TREE


@pytest.mark.parametrize(
    ("short", "reason"),
    [
        ({"kk": 2}, "did you mean 'k'"),
        ({"k": 0}, "k is 0"),
        ({"quasi_identifiers": "age"}, "give a list of columns"),
        ({"quasi_identifiers": ["a"], "sensitive": ["a"]}, "'a' is in two roles"),
        ({"hierarchies": {"name": TREE}}, "neither a quasi-identifier nor a sensitive"),
        ({"alpha": 0.5}, "alpha: needs k as well"),
        ({"suppression_limit": 2}, "suppression_limit"),
    ],
)
def test_wrong_values_are_policy_errors(short, reason):
    """Each fault is named."""
    with pytest.raises(ka.PolicyError, match=reason):
        override(policy(), short)


def test_an_entity_alone_needs_k():
    """Where the policy has no k-anonymity, an entity alone counts nobody."""
    own = policy(models=[ka.LDiversity("disease", l=2)])
    with pytest.raises(ka.PolicyError, match="entity: needs k as well"):
        override(own, {"entity": "name"})
