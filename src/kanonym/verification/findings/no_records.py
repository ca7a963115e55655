"""Find a release without a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanonym.verification.verdict import NO_RECORDS, Evidence, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


@finding_kind("no-records", "identity")
def no_records(view: ReleaseView) -> Iterator[Evidence]:
    """Find a release without a record."""
    if not view.checked.rows:
        yield (), NO_RECORDS, {}
