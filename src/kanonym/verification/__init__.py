"""Does a released table satisfy its models? Asked of the released values alone."""

from __future__ import annotations

from kanonym.verification.class_counting import Counting, k_wildcard
from kanonym.verification.dominant_values import dominance
from kanonym.verification.lone_records import lone_records, repeated_persons_warning
from kanonym.verification.model_checks import MOST_VIOLATING, unprotected_warnings, verify_columns
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_of_release,
    classes_of_values,
    group_by_code,
    group_released,
    record_counts,
)
from kanonym.verification.repeats import (
    ColumnValues,
    Repeats,
    amount_owner_warnings,
    free_text_warning,
    names_owners,
    repeated_identifier_warning,
    repeats_of,
    unchecked_persons_warning,
)
from kanonym.verification.verdict import (
    WARNING_KINDS,
    GuaranteeVerdict,
    LargestShare,
    ModelCheck,
    Verdict,
    Verification,
    VerificationWarning,
    WarningKind,
)

__all__ = [
    "MOST_VIOLATING",
    "WARNING_KINDS",
    "ColumnValues",
    "Counting",
    "GuaranteeVerdict",
    "LargestShare",
    "ModelCheck",
    "Repeats",
    "SensitiveColumn",
    "Verdict",
    "Verification",
    "VerificationWarning",
    "WarningKind",
    "amount_owner_warnings",
    "classes_of_release",
    "classes_of_values",
    "dominance",
    "free_text_warning",
    "group_by_code",
    "group_released",
    "k_wildcard",
    "lone_records",
    "names_owners",
    "record_counts",
    "repeated_identifier_warning",
    "repeated_persons_warning",
    "repeats_of",
    "unchecked_persons_warning",
    "unprotected_warnings",
    "verify_columns",
]
