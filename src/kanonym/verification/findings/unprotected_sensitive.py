"""Sensitive attributes that no model protects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.schema import Role
from kanonym.profiling.words import name_hints
from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class UnprotectedSensitive(FindingKind):
    """Sensitive attributes that no model names.

    So are columns that only `others` makes insensitive, although their names are surely those of
    sensitive attributes.
    """

    type = "unprotected-sensitive"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such attributes, if there are any."""
        models = view.policy.models
        if any(one.guarantee == "mechanism" for one in models):
            return []
        named = {one.attribute for one in models}
        private = [
            name
            for name in view.unnamed
            if {hint.role for hint in name_hints(name) if hint.sure} == {Role.SENSITIVE}
        ]
        columns = [name for name in (*view.sensitive, *private) if name not in named]
        if not columns:
            return []
        return [
            self.finding(
                columns,
                f"no model protects {column_names_text(columns)}: a class whose records share a "
                "value discloses it. Require l-diversity or t-closeness, or declare it "
                "insensitive, by name, if it may be known",
            )
        ]
