"""What an intruder sees: a release, and what is known of persons who may be in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.refusals import Replay
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import TablePair

NOT_REPLAYED = Message(
    "the algorithm that made the release is not known: give the Release, or the policy that leads "
    "to this table again"
)


def _ignore_progress(done: int, total: int) -> None:
    del done, total


@dataclass(frozen=True, slots=True, repr=False)
class AttackContext(ShortRepr):
    """A release beside the persons whose records were anonymized, and persons who were not.

    units: (n_released,) int32, equal for records that a released column shows to be of one person.
    """

    pair: TablePair
    control: TablePair | None
    sensitive: tuple[str, ...]
    second: TablePair | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    replay: Replay | str = NOT_REPLAYED
    minimal_for: int = 0
    units: NDArray[np.int32] | None = None
    told: Callable[[int, int], None] = _ignore_progress

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What the intruder knows of a person."""
        return self.pair.quasi_identifiers

    def progress_steps(self, total: int) -> Callable[[], None]:
        """Return what an attack calls whenever one of so many steps is done."""
        numbers = count(1)  # each is given once, whichever thread asks
        return lambda: self.told(next(numbers), total)
