"""Find a release without a record."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import NO_RECORDS


@finding_kind("no-records", "identity", "No record was released, so there was nothing to check.")
def no_records(view: ReleaseView) -> Evidence:
    if not view.checked.rows:
        yield (), NO_RECORDS, {}
