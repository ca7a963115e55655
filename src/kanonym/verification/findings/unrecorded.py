"""Find that no ledger adds up what was spent; a release from a seed spends nothing."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "unrecorded",
    "identity",
    "Not recorded in a ledger: each further release of the same table adds its ε. A ledger "
    "sums them.",
)
def unrecorded(view: ReleaseView) -> Evidence:
    mechanism = view.mechanism
    if mechanism is not None and mechanism.recorded is False and not mechanism.repeatable:
        message = (
            "not recorded in a ledger: each further release of the same table adds its "
            "epsilon; give a ledger, which sums them"
        )
        yield (), message, {}
