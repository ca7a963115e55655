"""A policy as YAML text with comments, for people to edit."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from kanonym.policy.document import Dumper

WIDTH = 98

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
