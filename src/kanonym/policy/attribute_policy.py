"""A policy of which only the attributes count: where no class is formed, no model is needed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanonym.policy import document
from kanonym.policy.definition import Policy

NO_MODEL = ({"type": "k-anonymity", "k": 1},)
"""Stands in for a missing model: every table satisfies it."""


def attribute_policy(given: Policy | str | os.PathLike[str] | Mapping[str, Any]) -> Policy:
    """Return a policy; models may be missing."""
    if isinstance(given, Policy):
        return given
    if isinstance(given, Mapping):
        return Policy(attributes=dict(given), models=NO_MODEL)
    file = Path(given)
    parts = document.parse(document.read_text(file), str(file))
    if parts.get("models"):
        return Policy.from_file(file)
    text = json.dumps({**parts, "models": NO_MODEL})
    return Policy.from_text(text, file.parent, source=str(file))
