"""Replace each value by another that stands for it, the same one wherever it occurs."""

from __future__ import annotations

from kanonym.transforms.action import Action
from kanonym.transforms.pseudonymization.fake import Fake
from kanonym.transforms.pseudonymization.ff1 import FF1
from kanonym.transforms.pseudonymization.keyed_hash import KeyedHash
from kanonym.transforms.pseudonymization.surrogate import Surrogate

ACTIONS: tuple[type[Action], ...] = (KeyedHash, Surrogate, FF1, Fake)
"""Every pseudonymizing action."""
