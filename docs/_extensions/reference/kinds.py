"""Pages of what is registered: models, algorithms, actions, hierarchies, metrics, attacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from kanonym.actions.registry import ACTIONS
from kanonym.data.hierarchy import SOURCES
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.risk.presets import ENTRIES
from kanonym.evaluation.utility.table_utility import EVERY
from kanonym.metrics.information_loss import METRICS
from kanonym.metrics.measured_value import Meaning
from kanonym.models import MODELS
from kanonym.policy.algorithms import ALGORITHMS, ITEM_ALGORITHMS
from reference.markdown import autodoc, cell, code, table
from reference.names import public_name

REGISTRIES: dict[str, Mapping[str, Any]] = {
    "models.md": MODELS,
    "algorithms.md": {**ALGORITHMS, **ITEM_ALGORITHMS},
    "actions.md": ACTIONS,
    "hierarchies.md": SOURCES,
    "metrics.md": METRICS,
    "attacks.md": ATTACKS,
}
"""What is registered, by the page that describes it."""


def documented() -> dict[str, tuple[str, str]]:
    """Return page and heading of each class that a page of this module describes."""
    return {
        public_name(kind): (page, name)
        for page, registry in REGISTRIES.items()
        for name, kind in registry.items()
    }


def models_page() -> str:
    """Return the page of privacy models."""
    head = (
        "# Privacy models\n\nEvery model that a policy can ask for. "
        "[Formulas, sources and what other tools do differently](../models.md).\n"
    )
    return head + "\n".join(
        _section(
            name,
            kind,
            _form(name, kind),
            table(
                ("", ""),
                [
                    ("guarantee", cell(kind.guarantee)),
                    ("kept where classes are joined", cell(str(_class_value(kind, "monotone")))),
                ],
            ),
        )
        for name, kind in MODELS.items()
    )


def algorithms_page() -> str:
    """Return the page of algorithms."""
    head = (
        "# Algorithms\n\nEvery algorithm that forms classes, with its options. "
        "[Which one for what](../policy.md#algorithm).\n"
    )
    released = {
        "spans": "any recoding",
        "levels": "levels of hierarchies",
        "cells": "values, or nothing",
    }

    def traits(kind: Any) -> str:
        rows = [
            ("releases", released[kind.recodes]),
            ("needs numbers", _yes(kind.needs_numbers)),
            ("needs values without gaps", _yes(kind.needs_values)),
            ("forms groups without a model", _yes(kind.own_groups)),
            ("refuses models of sensitive values", _yes(kind.by_size)),
        ]
        return table(("", ""), [row for row in rows if row[1] != "no"])

    items = (
        "# Algorithms of items\n\nHow the items of sets are recoded (`item_algorithm`). "
        "[Which one for what](../sets.md).\n"
    )
    of_classes = [
        _section(name, kind, _form(name, kind), traits(kind)) for name, kind in ALGORITHMS.items()
    ]
    of_items = [_section(name, kind, _form(name, kind)) for name, kind in ITEM_ALGORITHMS.items()]
    return "\n".join([head, *of_classes, items, *of_items])


def actions_page() -> str:
    """Return the page of actions."""
    head = (
        "# Actions\n\nWhat can be done to a single column. None of them gives k-anonymity or "
        "another privacy model. [How to use them](../actions.md).\n"
    )
    return head + "\n".join(
        _section(
            name,
            kind,
            _form(name, kind),
            table(("", ""), [("protects", cell(kind.protects)), ("does not", cell(kind.exposes))]),
        )
        for name, kind in ACTIONS.items()
    )


def hierarchies_page() -> str:
    """Return the page of hierarchies."""
    head = (
        "# Hierarchies\n\nFiles, mappings and builders of generalization hierarchies. "
        "[How to choose](../hierarchies.md).\n"
    )
    return head + "\n".join(
        _section(name, kind, f"In a policy: {code(f'hierarchy: {{{name}: …}}')}.", "")
        for name, kind in SOURCES.items()
    )


def metrics_page() -> str:
    """Return the page of metrics of information loss."""
    head = (
        "# Metrics of information loss\n\nWhat a search over levels of hierarchies minimizes "
        "(`metric` of `full-domain` and `local-recoding`). "
        "[How the search works](../full-domain.md).\n"
    )
    return head + "\n".join(
        _section(
            name,
            kind,
            _form(name, kind),
            table(
                ("", ""),
                [
                    ("unit", cell(kind.unit)),
                    ("range", _range(kind.low, kind.high)),
                    ("better", f"{kind.better}"),
                    ("source", cell(kind.source)),
                ],
            )
            if hasattr(kind, "unit")
            else "",
        )
        for name, kind in METRICS.items()
    )


def measures_page() -> str:
    """Return the page of measures: of utility of two tables, and of risk of one."""
    head = (
        "# Measures\n\n## Utility\n\nWhat `ka.utility`, `ka.assess` and "
        "`kanonym assess --measures` "
        "take by name. [Meaning and examples](../utility.md). "
        "Slow ones are taken when asked for.\n\n"
    )
    utility = table(
        ("name", "unit", "range", "better", "slow", "source"),
        [
            (*_meaning(one.meaning), _yes(one.slow), cell(one.meaning.source))
            for one in EVERY.values()
        ],
    )
    middle = (
        "\n## Risk\n\nThe entries of `ka.risk` and `kanonym assess`. "
        "[Meaning and examples](../risk.md).\n\n"
    )
    risk = table(
        ("name", "unit", "range", "better", "source"),
        [(*_meaning(one), cell(one.source)) for one in ENTRIES.values()],
    )
    return head + utility + middle + risk


def attacks_page() -> str:
    """Return the page of attacks."""
    head = (
        "# Attacks\n\nEvery attack on a release, in the order in which they are carried out. "
        "[What they assume, and how to read their results](../attacks.md).\n"
    )
    return head + "\n".join(
        _section(
            name,
            kind,
            cell(kind.question),
            table(
                ("", ""),
                [
                    ("method", cell(kind.method)),
                    ("answers", cell(kind.aim)),
                    ("source", cell(kind.source) or "our own"),
                ],
            ),
        )
        for name, kind in ATTACKS.items()
    )


def _section(name: str, kind: Any, opening: str, traits: str = "") -> str:
    """Return the section of one kind: its name, its form, its traits and its docstring."""
    return f"\n## {name}\n\n{opening}\n\n{traits}\n{autodoc(public_name(kind), kind)}"


def _form(name: str, kind: Any) -> str:
    """Return how a policy writes a kind."""
    given = fields(kind) if is_dataclass(kind) else ()
    needed = [
        one.name for one in given if one.default is MISSING and one.default_factory is MISSING
    ]
    form = ", ".join([f"type: {name}", *(f"{one}: …" for one in needed)])
    return f"In a policy: {code(f'{{{form}}}')}."


def _class_value(kind: Any, name: str) -> Any:
    """Return a trait that the class declares; words for one that depends on its parameters."""
    value = getattr(kind, name)
    return "depends on the parameters" if isinstance(value, property) else value


def _meaning(meaning: Meaning) -> tuple[str, ...]:
    return code(meaning.name), cell(meaning.unit), _range(meaning.low, meaning.high), meaning.better


def _range(low: float, high: float) -> str:
    ends = [f"{end:g}" if math.isfinite(end) else "no bound" for end in (low, high)]
    return f"{ends[0]} to {ends[1]}"


def _yes(trait: object) -> str:
    return "yes" if trait is True else "no"
