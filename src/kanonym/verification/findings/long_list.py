"""Find labels that list many values of people, where a range would cover them."""

from __future__ import annotations

import polars as pl

from kanonym.data.hierarchy.labels import list_lengths
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind

MANY_LISTED = 10
"""A label that lists more values is found."""


@finding_kind(
    "long-list",
    "identity",
    "{columns}: {records} records have a label that lists more than ten values, up to "
    "{longest}. Every listed value is somebody’s; a range or a hierarchy shows fewer.",
)
def long_list(view: ReleaseView) -> Evidence:
    sizes = view.checked.classes.sizes
    texts = pl.DataFrame([label for label in view.checked.labels if label.dtype == pl.String])
    lists = texts.select(pl.all().str.starts_with("{").any())
    for column in (text for text in texts if lists[text.name].any()):
        lengths = list_lengths(column)
        many = lengths > MANY_LISTED
        if not many.any():
            continue
        longest, records = int(lengths.max()), int(sizes[many].sum())
        message = (
            f"{column.name}: labels of {records:,} {view.unit} list more than {MANY_LISTED} "
            f"values, up to {longest:,}: every value in a list belongs to a real person. "
            "Give the column a hierarchy, or recode it as intervals"
        )
        yield [column.name], message, {"longest": longest, "records": records}
