"""Find times between shifted dates of linked tables that set persons apart."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "date-intervals",
    "identity",
    "{columns}: the times between the shifted dates of a person stay as they are and do not "
    "count. Persons who share these times with fewer than {k} of their class, themselves "
    "included: {persons}.",
)
def date_intervals(view: ReleaseView) -> Evidence:
    intervals = view.interval_persons()
    if intervals is not None:
        (columns, few, persons), k = intervals, max(view.k, 2)
        message = (
            f"{', '.join(columns)}: the times between the shifted dates of a person stay as "
            f"they are and do not count: {few:,} of {persons:,} persons are in classes of "
            f"fewer than {k} for somebody who knows them. Make the dates quasi-identifiers "
            "with a hierarchy of months or years, or drop them"
        )
        yield columns, message, {"persons": few, "k": k}
