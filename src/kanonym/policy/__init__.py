"""The policy: what a table's columns are, what is required, and how it is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.policy.definition import Policy, PolicySource

__all__ = ["Policy", "PolicySource"]

__getattr__, __dir__ = lazy_names(__name__, {"kanonym.policy.definition": " ".join(__all__)})
