"""What a report takes of a release, and what else its author hands over."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kanonym.actions.registry import unwrapped
from kanonym.release import versions

if TYPE_CHECKING:
    from kanonym.comparison import Comparison
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.evaluation.utility.table_utility import Utility
    from kanonym.metrics.record_risk import ProsecutorRisk
    from kanonym.metrics.release_loss import InformationLoss
    from kanonym.profiling.profile import Profile
    from kanonym.release import Release
    from kanonym.verification import Verification


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a report.

    Attributes
    ----------
    title
        None for the usual one.
    purpose, author
        What the release is for, and who made it; may be empty.
    language
        `en` or `es`.
    date
        None takes today.

    """

    title: str | None = None
    purpose: str = ""
    author: str = ""
    language: str = "en"
    date: datetime.date | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What else is known of a release: results of attacks and measures, None where there is none.

    Attributes
    ----------
    attacks
        Outcomes of attacks on it.
    risk, utility
        Of `ka.risk` and `ka.utility`.
    comparison
        Of `ka.compare`.
    profile
        Of `ka.profile`, of the original table.

    """

    attacks: Sequence[AttackResult] = ()
    risk: Risk | None = None
    utility: Utility | None = None
    comparison: Comparison | None = None
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class ReportedRelease:
    """What a report takes of a release.

    Attributes
    ----------
    policy
        The policy in its YAML form.
    roles
        The role of each attribute, in the table's order; `, changed` follows where it has
        actions.
    actions
        What was done value by value: attribute, action, what it protects and what not.
    table, partition, recoded
        The original table, its classes, and their released values.
    verification, utility, risk
        What was measured on the release.
    rows_in, suppressed, columns_out
        Numbers of records, and of released columns.
    algorithm, seconds, seed, versions
        How the release was made.

    """

    policy: Mapping[str, Any]
    roles: Mapping[str, str]
    table: EncodedTable
    partition: Partition
    recoded: Sequence[RecodedAttribute]
    verification: Verification
    utility: InformationLoss
    risk: ProsecutorRisk
    rows_in: int
    suppressed: int
    columns_out: int
    algorithm: Mapping[str, Any]
    seconds: Mapping[str, float]
    seed: int | None
    versions: Mapping[str, str]
    actions: Sequence[tuple[str, str, str, str]] = field(default=())

    @classmethod
    def of(cls, release: Release) -> ReportedRelease:
        """Take it of a release.

        Raises
        ------
        DataError
            The release was pickled: its encoded table stays where it was made.

        """
        attributes = release.schema.attributes
        return cls(
            policy=release.policy.to_dict(),
            roles={
                name: f"{attribute.role}, changed" if attribute.action else str(attribute.role)
                for name, attribute in attributes.items()
            },
            actions=[
                (name, one.type, one.protects, one.exposes)
                for name, attribute in attributes.items()
                for one in unwrapped(attribute.action)
            ],
            table=release.decision.table,
            partition=release.decision.partition,
            recoded=release.decision.recoded,
            verification=release.verification,
            utility=release.utility,
            risk=release.risk,
            rows_in=release.rows_in,
            suppressed=release.suppressed,
            columns_out=len(release.columns),
            algorithm=release.algorithm,
            seconds=release.seconds,
            seed=release.policy.seed,
            versions=versions(),
        )
