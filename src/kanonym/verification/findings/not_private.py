"""Find a seed, which repeats what a mechanism drew."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "not-private",
    "identity",
    "A seed was given: whoever knows it can repeat what was drawn. This release is not "
    "differentially private.",
)
def not_private(view: ReleaseView) -> Evidence:
    if view.mechanism is not None and view.mechanism.repeatable:
        message = (
            "a seed was given, and whoever knows or guesses it can repeat what was drawn: "
            "this release is not differentially private. Leave the seed out for a release; "
            "use one for tests only"
        )
        yield (), message, {}
