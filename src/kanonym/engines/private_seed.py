"""The seed of what algorithms leave to chance: nothing that is published determines it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path

from kanonym.actions.pseudonymization.keyed_pseudonyms import read_key

BITS = 63
"""A seed fits a signed integer of 64 bits."""


def draw_private_seed() -> int:
    """Return a seed from the system's source."""
    return secrets.randbits(BITS)


def resolve_private_seed(source: Mapping[str, str | Path] | None) -> int:
    """Return the seed that a policy names, or one that is drawn for this release alone."""
    if source is None:
        return draw_private_seed()
    digest = hashlib.sha256(read_key("private_seed", source)).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - BITS)
