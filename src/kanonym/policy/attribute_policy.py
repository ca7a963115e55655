"""A policy of which only the attributes count: where no class is formed, no model is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanonym.policy import document
from kanonym.policy.definition import Policy


def attribute_policy(given: Policy | str | os.PathLike[str] | Mapping[str, Any]) -> Policy:
    """Return a policy of an object, a file, or the form of a policy or of its attributes.

    Models may be missing.
    """
    if isinstance(given, Policy):
        return given
    folder, source = Path(), ""
    if isinstance(given, Mapping):
        attributes = given.get("attributes")  # of a policy; else a column may be called so
        whole = isinstance(attributes, Mapping) and "role" not in attributes
        parts = dict(given) if whole else {"attributes": dict(given)}
    else:
        folder, source = Path(given).parent, str(given)
        parts = document.parse(document.read_text(Path(given)), source)
    if not parts.get("models"):
        parts.pop("models", None)
    return Policy.from_dict(parts, folder, source=source)
