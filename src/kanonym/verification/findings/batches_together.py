"""Find sensitive attributes of which several batches of a series leave too few values open."""

from __future__ import annotations

from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind


@finding_kind(
    "batches-together",
    "persons",
    "{columns}: this batch and earlier ones together leave fewer values open of persons who "
    "are in several than the requirements ask. Persons of whom one is left, which is then "
    "known: {known}.",
)
def batches_together(view: ReleaseView) -> Evidence:
    for name, (known, least) in view.given_away.items():
        message = (
            f"{name}: all batches together leave {least:,} of the values open of a person "
            f"who is in several, and one value, which is then known, of {known:,} persons. "
            "Suppress their records by least_values (--least-values), or release the batches "
            "as one table"
        )
        yield [name], message, {"known": known, "least": least}
