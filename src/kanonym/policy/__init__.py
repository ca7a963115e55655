"""The policy: what a table's columns are, what is required, and how it is reached."""

from __future__ import annotations

from kanonym.policy.definition import Policy

__all__ = ["Policy"]
