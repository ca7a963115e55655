"""Items that are protected apart from quasi-identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class ItemsApart(FindingKind):
    """Sets of items whose model does not look at classes."""

    type = "items-apart"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such sets, if there are any."""
        known = [one.known_items for one in view.models if one.known_items is not None]
        apart = [one for one in known if not one.by_class]
        if view.sets is None or not apart or not view.labels:
            return []
        names = view.sets.tree.names
        return [
            self.finding(
                names,
                f"{column_names_text(names)}: items and quasi-identifiers are protected apart. "
                "Whoever knows both may find fewer records; require k-km-anonymity to protect "
                "them together",
            )
        ]
