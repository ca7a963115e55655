"""Replace each value by another that stands for it, the same one wherever it occurs."""

from __future__ import annotations

from kanonym.actions.base import Action
from kanonym.actions.pseudonymization.fake import Fake
from kanonym.actions.pseudonymization.ff1 import FF1
from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
from kanonym.actions.pseudonymization.surrogate import Surrogate

ACTIONS: tuple[type[Action], ...] = (KeyedHash, Surrogate, FF1, Fake)
"""Every pseudonymizing action."""
