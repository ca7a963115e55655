"""Laws of what loads late: registries of places, and modules."""

from __future__ import annotations

import sys

import pytest

from kanonym.actions.registry import ACTIONS
from kanonym.data.loading import LazyModule, LazyRegistry
from kanonym.evaluation.attacks import ATTACKS
from kanonym.language import LANGUAGES
from kanonym.metrics.information_loss import METRICS
from kanonym.models import MODELS
from kanonym.policy.algorithms import ALGORITHMS, ITEM_ALGORITHMS


@pytest.mark.parametrize(
    "registry", [ACTIONS, ALGORITHMS, ATTACKS, ITEM_ALGORITHMS, METRICS, MODELS]
)
def test_each_name_is_the_type_of_its_class(registry):
    """What stands at a place is the class of that name."""
    assert {name: kind.type for name, kind in registry.items()} == {name: name for name in registry}
    assert set(registry.loaded()) == set(registry.values())


def test_each_language_has_its_code():
    """What stands at a place is the language of that code."""
    assert {code: one.code for code, one in LANGUAGES.items()} == {code: code for code in LANGUAGES}


def test_a_name_is_imported_when_it_is_looked_up():
    """Names, their number and whether one is known import nothing; a toy may be registered."""
    registry = LazyRegistry("json", {"decode": "decoder:JSONDecoder", "toy": "no_module:Toy"})
    assert list(registry) == ["decode", "toy"]
    assert (len(registry), "toy" in registry, "none" in registry) == (2, True, False)
    assert registry["decode"].__name__ == "JSONDecoder"
    assert registry.loaded() == (registry["decode"],)
    registry["toy"] = int
    assert registry["toy"] is int
    del registry["toy"]
    with pytest.raises(KeyError):
        registry["toy"]


def test_a_module_is_imported_by_its_first_attribute():
    """Naming a module imports nothing; an attribute is that of the module."""
    sys.modules.pop("colorsys", None)
    module = LazyModule("colorsys")
    assert "colorsys" not in sys.modules
    assert module.rgb_to_hls is sys.modules["colorsys"].rgb_to_hls
    with pytest.raises(AttributeError):
        module.nothing  # noqa: B018
