"""A policy as YAML text with comments, for people to edit."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from kanonym.data.domain import Domain
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import HierarchySource
from kanonym.models import MODELS
from kanonym.policy import actions, algorithms
from kanonym.policy.document import Dumper
from kanonym.policy.faults import without_values

if TYPE_CHECKING:
    from kanonym.policy.definition import Policy

WIDTH = 98
MOST_LINES = 24
"""Lines of a policy that its `repr` shows."""

Comments = Mapping[tuple[str, ...], Sequence[str]]


def policy_yaml(form: Mapping[str, Any], heading: Sequence[str], comments: Comments) -> str:
    """Return the YAML text of a policy, a comment above each part that has one.

    Examples
    --------
    >>> form = {"attributes": {"age": {"role": "quasi-identifier"}}, "models": [{"type": "m"}]}
    >>> print(policy_yaml(form, ["Edit me."], {("attributes", "age"): ["37 values"]}))
    # Edit me.
    attributes:
      # 37 values
      age: {role: quasi-identifier}
    models:
      - {type: m}
    <BLANKLINE>

    """
    lines = _comment(heading, "")
    for name, part in form.items():
        lines += _comment(comments.get((name,), ()), "")
        if isinstance(part, Mapping) and name == "attributes":
            lines.append(f"{name}:")
            for key, value in part.items():
                lines += _comment(comments.get((name, key), ()), "  ")
                lines.append(f"  {flow_text(key)}: {flow_text(value)}")
        elif isinstance(part, list):
            lines.append(f"{name}:")
            lines += [f"  - {flow_text(value)}" for value in part]
        else:
            lines.append(f"{name}: {flow_text(part)}")
    return "\n".join(lines) + "\n"


def policy_form(policy: Policy) -> dict[str, Any]:
    """Return the form that a policy has in YAML and JSON."""
    parts = {
        "version": policy.version,
        "attributes": {
            name: {"role": str(attribute.role), **_plain(attribute)}
            for name, attribute in policy.attributes.items()
        },
        "others": None if policy.others is None else str(policy.others),
        "missing": list(policy.missing) or None,
        "models": [{"type": model.type, **model.to_dict()} for model in policy.models],
        "rows": policy.rows,
        "sensitive": policy.sensitive,
        "algorithm": algorithms.form_of(policy.algorithm),
        "item_algorithm": policy.item_algorithm and algorithms.form_of(policy.item_algorithm),
        "recoding": policy.recoding,
        "minimality": policy.minimality,
        "private_seed": policy.private_seed,
        "suppression_limit": policy.suppression_limit,
        "attack_limits": dict(policy.attack_limits) or None,
        "seed": policy.seed,
        "keep_order": policy.keep_order,
        "keep_integers": policy.keep_integers,
    }
    return {name: value for name, value in parts.items() if value is not None}


def _plain(part: Any) -> dict[str, Any]:
    """Return the parameters of an attribute, a model or an algorithm, None left out."""
    given = {field.name: getattr(part, field.name) for field in fields(part)}
    if "action" in given:
        given["action"] = [actions.form_of(one) for one in given["action"]] or None
    if given.get("missing"):
        given["missing"] = list(given["missing"])
    if given.get("exceptions") == "keep":
        given["exceptions"] = None
    return {
        name: value.to_dict() if isinstance(value, HierarchySource | Domain) else value
        for name, value in given.items()
        if value is not None and value != ()
    }


def short_yaml(policy: Policy) -> str:
    """Return what a policy states beside the defaults, without values of hierarchies."""
    form, options = without_values(policy.to_dict()), type(policy).model_fields
    changed = {
        name: part
        for name, part in form.items()
        if name != "version" and part and part != options[name].default
    }
    if changed.get("algorithm") == algorithms.form_of(options["algorithm"].default):
        del changed["algorithm"]
    text = re.sub(r"\{sha256: \w+\}", "…", policy_yaml(changed, (), {}).removesuffix("\n"))
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… {len(lines) - MOST_LINES} more lines"]
    return "\n".join(lines)


def form_beside(policy: Policy, path: Path) -> dict[str, Any]:
    """Return the form of a policy in a file of a path: other files as seen from its folder."""
    for model in policy.models:
        if model.type not in MODELS:
            raise PolicyError(f"{model.type} is a model of your own: no file can describe it")
        if model.population_table is not None and "population" not in model.to_dict():
            raise PolicyError(f"{model.type}: its population table is in memory: give a path")
    form: dict[str, Any] = json.loads(json.dumps(policy.to_dict()))
    folder = path.resolve().parent
    named = [(model, "population") for model in form["models"]]
    for name, attribute in form["attributes"].items():
        tree = attribute.get("hierarchy") or {}
        if "file" in tree:
            whole = Path(policy.attributes[name].hierarchy.folder)  # type: ignore[union-attr]
            at = (tree["file"], "path") if isinstance(tree["file"], dict) else (tree, "file")
            at[0][at[1]] = str(whole / at[0][at[1]])
            named.append(at)
        for action in attribute.get("action") or ():
            named.append((action, "mapping"))
            if isinstance(action.get("key"), dict):
                named.append((action["key"], "file"))
    for part, key in named:
        if isinstance(part.get(key), str):  # a population may be a number
            part[key] = _relative_path(folder, part[key])
    return form


def _relative_path(folder: Path, file: str) -> str:
    """Return a file as seen from a folder; one on another drive keeps its whole path."""
    own = Path(file)
    if not own.is_absolute():
        own = own.resolve()
        with contextlib.suppress(ValueError):
            own = Path(os.path.relpath(own, folder))
    return str(own)


def _comment(sentences: Sequence[str], indent: str) -> list[str]:
    """Return lines of comment; whatever a sentence holds, it stays one."""
    lines = []
    for sentence in sentences:
        plain = "".join(letter if letter.isprintable() else " " for letter in sentence)
        lines += textwrap.wrap(
            plain, WIDTH - len(indent), break_long_words=False, subsequent_indent="  "
        )
    return [f"{indent}# {line}" for line in lines]


def flow_text(value: Any) -> str:
    """Return a value in one line; where it has letters that need more, all are escaped."""
    text = _dump(value, allow_unicode=True)
    if len(text.splitlines()) > 1 or not text.isprintable():
        text = _dump(value, default_style='"')
    return text


def _dump(value: Any, **style: Any) -> str:
    text: str = yaml.dump(
        value, Dumper=Dumper, default_flow_style=True, sort_keys=False, width=math.inf, **style
    )
    return text.removesuffix("\n").removesuffix("\n...")
