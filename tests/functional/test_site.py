"""The reference of the site: what the package declares has its entry."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer

import kanonym
from kanonym.actions.registry import ACTIONS
from kanonym.cli import app
from kanonym.data.hierarchy import SOURCES
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.risk.presets import ENTRIES
from kanonym.evaluation.utility.table_utility import EVERY
from kanonym.metrics.information_loss import METRICS
from kanonym.models import MODELS
from kanonym.policy import Policy
from kanonym.policy.algorithms import ALGORITHMS, ITEM_ALGORITHMS
from kanonym.policy.keywords import KEYWORDS

DOCS = Path(__file__).parents[2] / "docs"
REGISTERED = {
    "models": MODELS,
    "algorithms": {**ALGORITHMS, **ITEM_ALGORITHMS},
    "actions": ACTIONS,
    "hierarchies": SOURCES,
    "metrics": METRICS,
    "attacks": ATTACKS,
}


@pytest.fixture(scope="module")
def pages():
    """Return the written pages by their place."""
    sys.path.insert(0, str(DOCS / "_extensions"))
    try:
        import reference

        return reference.pages()
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("page", REGISTERED)
def test_each_registered_kind_has_a_section_with_its_docstring(page, pages):
    """A model, algorithm, action, hierarchy, metric or attack has a section that documents it."""
    sections = dict(re.findall(r"^## (.*)\n([^#]*)", pages[f"{page}.md"], re.MULTILINE))
    assert list(sections) == list(REGISTERED[page])
    assert all(".. autoclass:: kanonym." in text for text in sections.values())


@pytest.mark.parametrize(
    ("page", "names"),
    [("measures", [*EVERY, *ENTRIES]), ("policy", [*Policy.model_fields, *KEYWORDS])],
)
def test_each_measure_and_key_has_a_row(page, names, pages):
    """A measure, a key of a policy or a keyword has a row in a table."""
    rows = set(re.findall(r"^\| `([^`]*)` \|", pages[f"{page}.md"], re.MULTILINE))
    assert set(names) <= rows


def test_each_command_has_a_page_with_its_options(pages):
    """A command, in a group or not, has a page that names all its options."""

    def check(words, command):
        text = pages[f"commands/{'-'.join(words)}.md"]
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        for option in (name for one in shown for name in one.opts if name.startswith("-")):
            assert option in text, f"{words}: {option}"
        for name, inner in getattr(command, "commands", {}).items():
            check([*words, name], inner)

    check(["kanonym"], typer.main.get_command(app))


def test_each_public_name_is_documented_once(pages):
    """Each class and function of the public namespaces is described on exactly one page."""
    described = re.findall(r"auto(?:class|function|exception):: (\S+)", "\n".join(pages.values()))
    assert len(described) == len(set(described))
    ends = {one.rpartition(".")[2] for one in described}
    inner = [getattr(kanonym, name) for name in kanonym.__all__]
    for module in [kanonym, *(one for one in inner if isinstance(one, ModuleType))]:
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                assert thing.__name__ in ends, f"{module.__name__}.{name}"
