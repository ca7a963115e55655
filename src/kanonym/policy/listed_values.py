"""The values of a table that a policy lists, replaced by their SHA-256."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

LISTING = {"hierarchy": ("mapping", "order"), "action": ("matrix", "values")}
"""The keys of hierarchies and actions that list values of a table."""


def without_values(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy with the SHA-256 of the values that its hierarchies and actions list."""

    def hash_values(form: Any, listing: Sequence[str]) -> Any:
        if isinstance(form, list | tuple):
            return [hash_values(part, listing) for part in form]
        if not isinstance(form, Mapping):
            return form
        return {
            name: {"sha256": sha256(json.dumps(part).encode()).hexdigest()}
            if name in listing
            else hash_values(part, listing)
            for name, part in form.items()
        }

    attributes = {
        name: {
            key: hash_values(part, LISTING[key]) if key in LISTING else part
            for key, part in attribute.items()
            if part is not None
        }
        for name, attribute in policy.get("attributes", {}).items()
    }
    return {**policy, "attributes": attributes}
