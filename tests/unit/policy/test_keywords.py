"""Keywords of a policy: declared once, for Python and for the command line."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import kanonym as ka
from kanonym.algorithms.options import PARAMETERS
from kanonym.cli.policy_options import OPTIONS
from kanonym.data.option import option_of
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.policy.keywords import KEYWORDS
from kanonym.policy.shorthand import MODEL_OF

COLUMNS = {"quasi_identifiers", "sensitive", "identifiers", "sets", "hierarchies"}
SHORT_ALONE = COLUMNS | {"k", "m", "entity"}


def test_every_part_of_a_policy_has_a_keyword():
    """Keywords are the short forms and the parts of a policy, nothing else."""
    parts = set(ka.Policy.model_fields) - {"version", "attributes"}
    assert set(KEYWORDS) == SHORT_ALONE | set(MODEL_OF) | parts


@pytest.mark.parametrize("name", ["anonymize", "fit", "lattice", "compare"])
def test_keywords_stand_in_the_signature(name):
    """Editors and `help` show every keyword."""
    assert KEYWORDS.keys() <= inspect.signature(getattr(ka, name)).parameters.keys()


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
