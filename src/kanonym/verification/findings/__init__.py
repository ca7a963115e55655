"""Findings: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

from importlib import import_module

from kanonym.verification.verdict import FindingKind

KINDS = (
    "repeated_identifier",
    "person_column",
    "repeated_persons",
    "batches_together",
    "unprotected_sensitive",
    "dominant_value",
    "near_values",
    "similar_values",
    "spellings",
    "shifted_distribution",
    "identifying_amount",
    "free_text",
    "dependent_column",
    "knowable_column",
    "copied_column",
    "date_intervals",
    "unshifted_dates",
    "long_list",
    "items_apart",
    "drawn_values",
    "trivial_model",
    "not_private",
    "unrecorded",
    "foreign_labels",
    "large_delta",
    "unread_parts",
    "no_records",
)
"""Every kind by the name of its module and function, in the order in which findings are told."""

FINDINGS: tuple[FindingKind, ...] = tuple(
    getattr(import_module(f"{__name__}.{kind}"), kind) for kind in KINDS
)
"""Every kind that is looked for in a release."""
