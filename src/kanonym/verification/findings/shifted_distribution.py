"""Find attributes whose models hold beside all records, and not beside the released ones.

An intruder has only these, and `verify` without the original compares with them.
"""

from __future__ import annotations

from kanonym.verification.findings.spellings import failing_attributes
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "shifted-distribution",
    "attributes",
    "{columns}: the requirements hold beside the original table, and not beside the released "
    "one, from which records are suppressed.",
)
def shifted_distribution(view: ReleaseView) -> Evidence:
    sensitive = view.checked.sensitive
    if all(column.reference is None for column in sensitive):
        return
    if columns := failing_attributes(view, [column.alone() for column in sensitive]):
        message = (
            f"{column_names_text(columns)}: the models hold beside the input, and fail beside "
            "the released table, from which records are suppressed: verify compares with "
            "that. Require more, or suppress less"
        )
        yield columns, message, {}
