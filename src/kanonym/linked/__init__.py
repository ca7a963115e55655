"""Several tables about the same persons, anonymized, verified and measured as one."""

from __future__ import annotations

from kanonym.linked.linked_attack import attack
from kanonym.linked.linked_release import LinkedRelease, anonymize
from kanonym.linked.linked_verification import LinkedVerification, verify
from kanonym.linked.persons.person_counts import LinkedMeasurement, measure
from kanonym.linked.policies.linked_policy import LinkedPolicy

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
