"""The page of a policy's keys and of the keywords of functions."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from pydantic_core import PydanticUndefined

from kanonym.algorithms.options import PARAMETERS
from kanonym.cli.command_options import FLAGS
from kanonym.data.option import option_of
from kanonym.data.schema import (
    RECODINGS,
    Identifier,
    Insensitive,
    ItemSet,
    QuasiIdentifier,
    Sensitive,
)
from kanonym.policy import Policy
from kanonym.policy.actions import meanings
from kanonym.policy.keywords import KEYWORDS
from reference.markdown import cell, code, table

ROLES = (Identifier, QuasiIdentifier, Sensitive, Insensitive, ItemSet)


def page() -> str:
    """Return the page of a policy."""
    return "\n".join(
        [
            "# Policy keys\n",
            "All keys of a policy, in YAML, JSON and `ka.Policy(…)`.",
            "[With examples and explanations](../policy.md).\n",
            table(("key", "default", "meaning"), _keys()),
            "## Attributes\n",
            *(_role(one) for one in ROLES),
            "## Recodings\n",
            ", ".join(map(code, RECODINGS)) + ". [What each releases](../policy.md#attributes).\n",
            "## Short forms\n",
            "What `ka.anonymize`, `ka.fit` and others take in the place of a policy or beside it,",
            "and the option of a command with the same meaning.\n",
            table(("keyword", "option", "meaning"), map(_keyword, KEYWORDS)),
            "## Parameters of algorithms as options\n",
            table(("parameter", "option", "meaning"), map(_keyword, PARAMETERS)),
        ]
    )


def _keys() -> list[tuple[str, str, str]]:
    said = meanings(Policy)
    return [
        (code(name), _default(field.default, PydanticUndefined), cell(said[name]))
        for name, field in Policy.model_fields.items()
    ]


def _role(kind: Any) -> str:
    said = meanings(kind)
    rows = [
        (code(one.name), _default(one.default, MISSING), cell(said[one.name]))
        for one in fields(kind)
    ]
    head = f"### {kind.role}\n\nIn Python: {code(f'ka.{kind.__name__}')}.\n\n"
    return head + table(("key", "default", "meaning"), rows)


def _default(value: Any, missing: object) -> str:
    if value is missing:
        return "required"
    if value in (None, (), {}):
        return "none"
    return code(
        str(value).lower() if isinstance(value, bool) else str(getattr(value, "type", value))
    )


def _keyword(name: str) -> tuple[str, str, str]:
    found = option_of((KEYWORDS | PARAMETERS)[name])
    if found is None:
        return (
            code(name),
            "",
            "in Python only: the parameter of that name, for each sensitive attribute",
        )
    _, option = found
    long = [] if len(name) == 1 else [FLAGS.get(name, f"--{name.replace('_', '-')}")]
    flags = ", ".join([*long, *filter(None, [option.flag])])
    return code(name), code(f"{flags} {option.value}".strip()), cell(option.sentence)
