"""Find dates of persons in linked tables that stay as they are beside shifted ones."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "unshifted-dates",
    "identity",
    "{columns}: dates that do not shift with the other dates of the person. Where both are "
    "about one event, the difference tells the shift.",
)
def unshifted_dates(view: ReleaseView) -> Evidence:
    if columns := view.unshifted_dates():
        message = (
            f"{column_names_text(columns)}: dates are released that do not shift with the "
            "other dates of the person: where both are about one event, the difference tells "
            "the shift. Shift them too, generalize them to years, or drop them"
        )
        yield columns, message, {}
