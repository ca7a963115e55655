"""Does a released table satisfy its models, and protect people? Asked of released values alone."""

from __future__ import annotations

from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.findings import FINDINGS
from kanonym.verification.frequency_set import ColumnValues, FrequencySet, Repeats
from kanonym.verification.release_view import (
    Mechanism,
    ReleaseView,
    sensitive_names,
    verify_release,
)
from kanonym.verification.released_classes import (
    Counting,
    SensitiveColumn,
    classes_of_release,
    classes_of_values,
    count_suppressed,
    group_by_code,
    group_released,
    k_wildcard,
)
from kanonym.verification.verdict import (
    GuaranteeVerdict,
    LargestShare,
    ModelCheck,
    Part,
    PartVerdict,
    Verdict,
    Verification,
)

__all__ = [
    "FINDINGS",
    "ColumnValues",
    "Counting",
    "Finding",
    "FindingKind",
    "FrequencySet",
    "GuaranteeVerdict",
    "LargestShare",
    "Mechanism",
    "ModelCheck",
    "Part",
    "PartVerdict",
    "ReleaseView",
    "Repeats",
    "SensitiveColumn",
    "Verdict",
    "Verification",
    "classes_of_release",
    "classes_of_values",
    "count_suppressed",
    "group_by_code",
    "group_released",
    "k_wildcard",
    "sensitive_names",
    "verify_release",
]
