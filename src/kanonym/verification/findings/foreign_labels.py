"""Find released columns that the mechanism does not make."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "foreign-labels",
    "identity",
    "{columns}: released values that are not those of one level of the hierarchy, or a column "
    "that the policy does not release.",
)
def foreign_labels(view: ReleaseView) -> Evidence:
    if view.mechanism is not None and view.mechanism.foreign:
        columns = view.mechanism.foreign
        message = (
            f"{column_names_text(columns)}: released values that are no labels of one level "
            "of the hierarchy, or a column that the policy does not release. The mechanism "
            "did not make this table"
        )
        yield columns, message, {}
