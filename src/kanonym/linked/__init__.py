"""Several tables about the same persons, anonymized, verified and measured as one."""

from __future__ import annotations

from kanonym.linked.linked_policy import LinkedPolicy
from kanonym.linked.linked_release import LinkedRelease, anonymize
from kanonym.linked.linked_risk import LinkedMeasurement, attack, measure
from kanonym.linked.linked_verification import LinkedVerification, verify

__all__ = [
    "LinkedMeasurement",
    "LinkedPolicy",
    "LinkedRelease",
    "LinkedVerification",
    "anonymize",
    "attack",
    "measure",
    "verify",
]
