"""Find records that agree as those of one person do, although no column numbers the persons."""

from __future__ import annotations

from kanonym.profiling.repeated_persons import repeated_persons as search_repeated_persons
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "repeated-persons",
    "persons",
    "The records agree in {columns} as several records of one person do: {values} combinations "
    "in {records} records, of which {alone} are alone. k counts records, not people.",
    needs_original=True,
)
def repeated_persons(view: ReleaseView) -> Evidence:
    if view.policy.entities or view.proposed_persons:
        return
    if repeated := search_repeated_persons(view.coded_records):
        message = (
            f"{column_names_text(repeated.columns)}: {repeated.values:,} combinations in "
            f"{repeated.records:,} records, of which {repeated.alone:,} are alone, agree as "
            "several records of one person do, and k counts records, not people: anonymize a "
            "table with a column that tells the persons apart, and set entity in k-anonymity"
        )
        counts = {"values": repeated.values, "records": repeated.records, "alone": repeated.alone}
        yield repeated.columns, message, counts
