"""A finding: the release has few records."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind

FEW = 100


@finding_kind("small-table", "identity", "The release has only {records} records.")
def small_table(view: ReleaseView) -> Evidence:
    """Find a release of fewer than a hundred records."""
    records = int(view.checked.classes.sizes.sum())
    if records < FEW:
        yield [], f"the release has only {records} records", {"records": records}
