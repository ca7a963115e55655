"""Find sensitive attributes that no model names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanonym.data.schema import Role
from kanonym.profiling.words import name_hints
from kanonym.verification.verdict import Evidence, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


@finding_kind("unprotected-sensitive", "attributes")
def unprotected_sensitive(view: ReleaseView) -> Iterator[Evidence]:
    """Find sensitive attributes that no model names.

    So are columns that only `others` makes insensitive, although their names are surely those of
    sensitive attributes.
    """
    models = view.policy.models
    protected = {model.attribute for model in models}
    private = [
        name
        for name in view.unnamed
        if {hint.role for hint in name_hints(name) if hint.sure} == {Role.SENSITIVE}
    ]
    columns = [name for name in (*view.sensitive, *private) if name not in protected]
    if columns and not any(model.guarantee == "mechanism" for model in models):
        message = (
            f"no model protects {column_names_text(columns)}: a class whose records share a "
            "value discloses it. Require l-diversity or t-closeness, or declare it "
            "insensitive, by name, if it may be known"
        )
        yield columns, message, {}
