"""Labels that list many values: they show the values of people where a range would cover them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kanonym.data.hierarchy.labels import list_lengths
from kanonym.verification.finding import Finding, FindingKind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

MANY = 10
"""A label that lists more values is found."""


class LongList(FindingKind):
    """Released columns of which a label lists many values."""

    type = "long-list"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each such column."""
        found = []
        sizes = view.checked.classes.sizes
        texts = pl.DataFrame([one for one in view.checked.labels if one.dtype == pl.String])
        lists = texts.select(pl.all().str.starts_with("{").any())
        for column in (one for one in texts if lists[one.name].any()):
            lengths = list_lengths(column)
            many = lengths > MANY
            if not many.any():
                continue
            longest, records = int(lengths.max()), int(sizes[many].sum())
            found.append(
                self.finding(
                    [column.name],
                    f"{column.name}: labels of {records:,} {view.unit} list more than {MANY} "
                    f"values, up to {longest:,}: every value in a list belongs to a real person. "
                    "Give the column a hierarchy, or recode it as intervals",
                    {"longest": longest, "records": records},
                )
            )
        return found
