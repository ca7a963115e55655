"""Find columns that only `others` makes insensitive, with names of quasi-identifiers.

With them, classes are smaller than is required. Who knows better names them in the policy.
"""

from __future__ import annotations

from kanonym.data.schema import Role
from kanonym.profiling.words import name_hints
from kanonym.verification.findings.person_column import advice_beside_persons
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "knowable-column",
    "identity",
    "{columns}: released unchanged without a role of their own, although by their names others "
    "may know them. Counted with the quasi-identifiers, up to {records} records are in classes "
    "of fewer than {k}.",
)
def knowable_column(view: ReleaseView) -> Evidence:
    names = [
        name
        for name in view.unnamed
        if Role.QUASI_IDENTIFIER in {hint.role for hint in name_hints(name) if hint.sure}
    ]
    records = view.records_in_small_classes(names) if names else 0
    if records:
        advice = advice_beside_persons(
            view,
            names,
            "make them quasi-identifiers, drop them, or declare them insensitive, by name, in the "
            "attributes of the policy",
        )
        message = (
            f"{column_names_text(names)}: released as they are, because others is "
            "insensitive; by their names, people may know them. Counted with the "
            f"quasi-identifiers, up to {records:,} {view.unit} are in classes of fewer than "
            f"{view.k}: {advice}"
        )
        yield names, message, {"records": records, "k": view.k}
