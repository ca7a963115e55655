"""Does a released table satisfy its models? Asked of the released values alone."""

from __future__ import annotations

from kanonym.verification.class_counting import Counting, k_wildcard
from kanonym.verification.model_checks import MOST_VIOLATING, verify_columns
from kanonym.verification.released_classes import (
    SensitiveColumn,
    classes_as_released,
    classes_of_values,
    group_by_code,
    group_released,
    record_counts,
)
from kanonym.verification.verdict import (
    WARNING_KINDS,
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
    "Counting",
    "LargestShare",
    "ModelCheck",
    "SensitiveColumn",
    "Verdict",
    "Verification",
    "VerificationWarning",
    "WarningKind",
    "classes_as_released",
    "classes_of_values",
    "group_by_code",
    "group_released",
    "k_wildcard",
    "record_counts",
    "verify_columns",
]
