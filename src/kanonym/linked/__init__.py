"""Several tables about the same persons, anonymized, verified and measured as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "LinkedMeasurement": "kanonym.linked.linked_risk",
        "LinkedPolicy": "kanonym.linked.linked_policy",
        "LinkedRelease": "kanonym.linked.linked_release",
        "LinkedVerification": "kanonym.linked.linked_verification",
        "anonymize": "kanonym.linked.linked_release",
        "attack": "kanonym.linked.linked_risk",
        "measure": "kanonym.linked.linked_risk",
        "verify": "kanonym.linked.linked_verification",
    },
)
