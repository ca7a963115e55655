"""Find sensitive attributes that no model names.

So are columns that only `others` makes insensitive, although their names are surely those of
sensitive attributes.
"""

from __future__ import annotations

from kanonym.data.schema import Role
from kanonym.profiling.words import name_hints
from kanonym.verification.findings.person_column import advice_beside_persons
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind
from kanonym.verification.verdict import column_names_text


@finding_kind(
    "unprotected-sensitive",
    "attributes",
    "No requirement protects {columns}: all records of a class may have the same value, which "
    "is then known for everybody in it.",
)
def unprotected_sensitive(view: ReleaseView) -> Evidence:
    models = view.policy.models
    protected = {model.attribute for model in models}
    private = [
        name
        for name in view.unnamed
        if {hint.role for hint in name_hints(name) if hint.sure} == {Role.SENSITIVE}
    ]
    columns = [name for name in (*view.sensitive, *private) if name not in protected]
    if columns and not any(model.guarantee == "mechanism" for model in models):
        advice = advice_beside_persons(
            view,
            columns,
            "require l-diversity or t-closeness, or declare it insensitive, by name, if it may be "
            "known",
        )
        message = (
            f"no model protects {column_names_text(columns)}: a class whose records share a "
            f"value discloses it: {advice}"
        )
        yield columns, message, {}
