"""What an intruder sees: a release, and what is known of persons who may be in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from kanonym.data.hierarchy import Hierarchy
from kanonym.data.message import Message
from kanonym.data.refusals import Replay
from kanonym.data.results.short_repr import ShortRepr
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

    Attributes
    ----------
    pair
        Persons of the original, and the release. Its `classes` group the released records.
    control
        Persons who are not in the original (of the same population), and the same release;
        None where there are none.
    sensitive
        Columns of both tables that the intruder wants to learn.
    second
        The persons of `pair`, row by row, beside a further release of them; None without.
    trees
        Hierarchies of sensitive columns, where they have one, with every value of the original.
    replay
        What the algorithm refused, or why that is not known.
    minimal_for
        k, where the algorithm is known to release a label only where none of those one level
        below it has k records of the class; else 0.
    told
        Called by an attack that may take long with how much of how much it has done; from any
        thread.

    """

    pair: TablePair
    control: TablePair | None
    sensitive: tuple[str, ...]
    second: TablePair | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    replay: Replay | str = NOT_REPLAYED
    minimal_for: int = 0
    told: Callable[[int, int], None] = _ignore_progress

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What the intruder knows of a person."""
        return self.pair.quasi_identifiers

    def progress_steps(self, total: int) -> Callable[[], None]:
        """Return what an attack calls whenever one of so many steps is done."""
        numbers = count(1)  # each is given once, whichever thread asks
        return lambda: self.told(next(numbers), total)
