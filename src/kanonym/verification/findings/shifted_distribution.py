"""Whether suppression shifted what classes are compared with so far that a model fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


class ShiftedDistribution(FindingKind):
    """Attributes whose models hold beside all records, and not beside the released ones.

    An intruder has only these, and `verify` without the original compares with them.
    """

    type = "shifted-distribution"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such attributes, if there are any."""
        checked = view.checked
        if all(one.reference is None for one in checked.sensitive):
            return []
        plain = [one._replace(reference=None, reference_counts=None) for one in checked.sensitive]
        columns = list(
            dict.fromkeys(
                after.attribute
                for before, after in zip(checked.checks, checked.ask(plain), strict=True)
                if before.satisfied and not after.satisfied and after.attribute is not None
            )
        )
        if not columns:
            return []
        return [
            self.finding(
                columns,
                f"{column_names_text(columns)}: the models hold beside the input, and fail beside "
                "the released table, from which records are suppressed: verify compares with "
                "that. Require more, or suppress less",
            )
        ]
