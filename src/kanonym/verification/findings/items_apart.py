"""Find sets of items whose model does not look at classes, beside quasi-identifiers."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "items-apart",
    "identity",
    "{columns}: items and quasi-identifiers are protected apart. Whoever knows both may find "
    "fewer records, or one; k-km-anonymity protects them together.",
)
def items_apart(view: ReleaseView) -> Evidence:
    known = [model.known_items for model in view.models if model.known_items is not None]
    if view.sets is not None and view.labels and any(not items.by_class for items in known):
        names = view.sets.tree.names
        message = (
            f"{column_names_text(names)}: items and quasi-identifiers are protected apart. "
            "Whoever knows both may find fewer records; require k-km-anonymity to protect "
            "them together"
        )
        yield names, message, {}
