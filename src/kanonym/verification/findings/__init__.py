"""Findings: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

from kanonym.verification.findings import persons, released_columns, sensitive_values, whole_release
from kanonym.verification.verdict import FindingKind

FINDINGS: tuple[FindingKind, ...] = (
    persons.repeated_identifier,
    persons.person_column,
    persons.repeated_persons,
    persons.batches_together,
    sensitive_values.unprotected_sensitive,
    sensitive_values.dominant_value,
    sensitive_values.near_values,
    sensitive_values.similar_values,
    sensitive_values.spellings,
    sensitive_values.shifted_distribution,
    released_columns.identifying_amount,
    released_columns.free_text,
    released_columns.dependent_column,
    released_columns.knowable_column,
    released_columns.copied_column,
    released_columns.date_intervals,
    released_columns.unshifted_dates,
    released_columns.long_list,
    whole_release.items_apart,
    whole_release.drawn_values,
    whole_release.trivial_model,
    whole_release.not_private,
    whole_release.unrecorded,
    whole_release.foreign_labels,
    whole_release.large_delta,
    whole_release.unread_parts,
    whole_release.no_records,
)
"""Every kind that is looked for in a release, in the order in which findings are told."""
