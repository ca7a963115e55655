"""What shows that differential privacy does not protect a release as it is asked to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanonym.verification.finding import Finding, FindingKind, column_names_text

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

MOST_DELTA = 1e-4
"""A larger δ is found, whatever the size of the table."""


class NotPrivate(FindingKind):
    """A seed repeats what a mechanism drew."""

    type = "not-private"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where a seed was given."""
        if view.mechanism is None or not view.mechanism.repeatable:
            return []
        return [
            self.finding(
                (),
                "a seed was given, and whoever knows or guesses it can repeat what was drawn: "
                "this release is not differentially private. Leave the seed out for a release; "
                "use one for tests only",
            )
        ]


class Unrecorded(FindingKind):
    """No ledger adds up what the table has spent."""

    type = "unrecorded"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where the release is in no ledger; one from a seed spends nothing."""
        if view.mechanism is None or view.mechanism.recorded is not False:
            return []
        if view.mechanism.repeatable:
            return []
        return [
            self.finding(
                (),
                "not recorded in a ledger: each further release of the same table adds its "
                "epsilon; give a ledger, which sums them",
            )
        ]


class ForeignLabels(FindingKind):
    """Released columns that the mechanism does not make."""

    type = "foreign-labels"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of such columns, if there are any."""
        if view.mechanism is None or not view.mechanism.foreign:
            return []
        columns = view.mechanism.foreign
        return [
            self.finding(
                columns,
                f"{column_names_text(columns)}: released values that are no labels of one level "
                "of the hierarchy, or a column that the policy does not release. The mechanism "
                "did not make this table",
            )
        ]


class LargeDelta(FindingKind):
    """A δ that allows a mechanism to publish some records as they are.

    1 / n would be the limit, but n is private: there are at least as many as were released.
    """

    type = "large-delta"
    part = "identity"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding where δ is that large."""
        if view.mechanism is None:
            return []
        delta, rows = view.mechanism.delta, view.checked.rows
        if delta <= MOST_DELTA and delta * rows <= 1:
            return []
        one_in = math.floor(1 / delta)
        return [
            self.finding(
                (),
                f"delta is a chance of 1 in {one_in:,}, and {rows:,} records were released: with "
                "such a delta, a mechanism may publish some records as they are. Use 1e-6 or less",
                {"one_in": one_in, "released": rows},
            )
        ]
