"""What is known of a release beside itself: profile, attacks, assessment, comparison, search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanonym.comparison import Comparison
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.evaluation.utility.table_utility import Utility
    from kanonym.profiling.profile import Profile


@dataclass(frozen=True, slots=True)
class KnownResults:
    """Results of attacks and measures of a release, None where there are none."""

    attacks: Sequence[AttackResult] = ()
    risk: Risk | None = None
    utility: Utility | None = None
    comparison: Comparison | None = None
    profile: Profile | None = None
