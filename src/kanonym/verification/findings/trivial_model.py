"""Models whose parameter requires nothing of this table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class TrivialModel(FindingKind):
    """Models that classes of a single record would satisfy."""

    type = "trivial-model"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such models, if there are any."""
        pairs = zip(view.models, view.checked.checks, strict=True)
        trivial = [
            model
            for model, check in pairs
            if check.trivial or len(check.protects) < len(model.protects)
        ]
        if not trivial:
            return []
        named = ", ".join(
            f"{one.type} {one.required:g}" + (f" of {one.attribute}" if one.attribute else "")
            for one in trivial
        )
        columns = dict.fromkeys(one.attribute for one in trivial if one.attribute)
        return [
            self.finding(
                tuple(columns),
                f"{named}: requires nothing, because in this table even classes of one record "
                "satisfy it. Require more, or remove it",
                {"models": len(trivial), "requirements": len(view.models)},
            )
        ]
