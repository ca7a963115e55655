"""What classes are to reach, and the fewest records that take them there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.models.base import check_integer, check_number
from kanonym.synthesis.injection.classes import Classes

Counts = NDArray[np.int64]

WHOLE = 100.0
"""Percent in a whole."""


@dataclass(frozen=True, slots=True)
class ClassTargets:
    """What every chosen class is to reach."""

    size: int | None = None
    diversity: float | None = None
    l: int | None = None

    def __post_init__(self) -> None:
        if self.size is None and self.diversity is None and self.l is None:
            raise PolicyError(
                "inject: set a target for classes: size (records per class), diversity (distinct "
                "sensitive values in percent of the records) or l (distinct sensitive values)"
            )
        if self.size is not None:
            check_integer("inject", "size", self.size, 1)
        if self.l is not None:
            check_integer("inject", "l", self.l, 1)
        if self.diversity is not None:
            check_number("inject", "diversity", self.diversity, above=0, maximum=WHOLE)

    @property
    def concerns_values(self) -> bool:
        """Whether anything is asked of sensitive attributes."""
        return self.diversity is not None or self.l is not None

    def values(self, sizes: Counts) -> Counts:
        """Return (n_classes,) int64: different values that classes of these sizes must have."""
        least = np.full(len(sizes), self.l or 0, np.int64)
        if self.diversity is None:
            return least
        found = np.floor(self.diversity * sizes / WHOLE).astype(np.int64) - 1
        for _ in range(3):  # rounded as diversity is where it is measured
            found += WHOLE * found / sizes < self.diversity
        clipped: Counts = np.maximum(least, np.clip(found, 0, sizes))
        return clipped

    def to_dict(self) -> dict[str, Any]:
        """Return the targets that are given, by name."""
        given = {"size": self.size, "diversity_percent": self.diversity, "l": self.l}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Needs:
    """Records that classes need.

    records: (n_classes,) int64 records to be added to each class.
    fresh: by sensitive attribute, (n_classes,) int64: how many of them need values that neither the
    class nor another one of them has.
    """

    records: Counts
    fresh: Mapping[str, Counts]


def compute_needs(
    wanted: ClassTargets, classes: Classes, reach: Mapping[str, Counts], chosen: Counts
) -> Needs:
    """Return the fewest records that take every chosen class to all that is wanted.

    reach: by sensitive attribute, (n_classes,) int64: different values that a class could have: its
    own, and all that can be drawn for it.

    Notes
    -----
    With c different values among s records, m new ones bring at most min(m, reach − c)
    further values. (c + m) / (s + m) grows with m, and falls once the values are used up, so
    the least m is the largest of what each target asks for by itself: if values do not suffice
    for that, they suffice for no more. Cost O(n_classes) an attribute.

    """
    sizes = classes.sizes[chosen]
    added = np.zeros(len(chosen), np.int64)
    if wanted.size is not None:
        added = np.maximum(added, wanted.size - sizes)
    if wanted.concerns_values:
        for name, distinct in classes.distinct.items():
            own = distinct[chosen]
            spare = np.maximum(reach[name][chosen] - own, 0)
            added = np.maximum(added, np.minimum(_least(wanted, sizes, own), spare + 1))
    fresh: dict[str, Counts] = {}
    for name, distinct in classes.distinct.items() if wanted.concerns_values else ():
        own = distinct[chosen]
        lacking = np.maximum(wanted.values(sizes + added) - own, 0)
        most = np.minimum(np.maximum(reach[name][chosen] - own, 0), added)
        if (lacking > most).any():
            failing = lacking > most
            failed, asked = chosen[failing], added[failing]
            raise _impossible_error(wanted, classes, name, reach[name], failed, asked)
        fresh[name] = _scatter_counts(lacking, chosen, len(classes))
    return Needs(_scatter_counts(added, chosen, len(classes)), fresh)


def _least(wanted: ClassTargets, sizes: Counts, distinct: Counts) -> Counts:
    """Return (n,) int64: new values that take each class to what is asked of an attribute.

    A number beyond any reach where none suffices.
    """
    added = np.maximum((wanted.l or 0) - distinct, 0)
    if wanted.diversity is None:
        return added
    rest = WHOLE - wanted.diversity
    lacking = wanted.diversity * sizes - WHOLE * distinct
    # Equal values stay equal: whoever wants only different ones cannot be helped by adding.
    never = np.iinfo(np.int64).max // 4
    exact = np.where(lacking > 0, never, 0.0)
    if rest > 0:
        exact = np.minimum(lacking / rest, never)
    found = np.maximum(np.floor(exact).astype(np.int64) - 1, added)
    for _ in range(3):
        found += distinct + found < wanted.values(sizes + found)
    return found


def _scatter_counts(counts: Counts, chosen: Counts, n_classes: int) -> Counts:
    """Return the counts of chosen classes as those of all, 0 for the others."""
    found = np.zeros(n_classes, np.int64)
    found[chosen] = counts
    return found


def _impossible_error(
    wanted: ClassTargets,
    classes: Classes,
    name: str,
    reach: Counts,
    failed: Counts,
    added: Counts,
) -> InfeasibleError:
    """Return the error that names the class that stays furthest behind.

    failed: numbers of the classes that cannot reach what is asked of an attribute. added: (n,)
    records that the targets together ask of them.
    """
    sizes, own = classes.sizes[failed], classes.distinct[name][failed]
    most = np.maximum(reach[failed], own)
    short = wanted.l is not None and bool((most < wanted.l).any())
    alone = WHOLE * most / (sizes + most - own)
    together = WHOLE * most / np.maximum(sizes + added, sizes + most - own)
    worst = int(np.argmin(most if short else together))
    held = sizes[worst] + most[worst] - own[worst]
    if short:
        asked, best = f"{wanted.l} different values", f"the best is {most[worst]}"
    else:
        asked = f"a diversity of {wanted.diversity:g} %"
        best = f"the best is {_floor_percent(alone[worst])} %, with {held} records"
        if alone[worst] >= (wanted.diversity or 0):
            held = sizes[worst] + added[worst]
            best = f"the other targets ask for {held} records, of which that is "
            best += f"{_floor_percent(together[worst])} %"
    number = "1 class" if len(failed) == 1 else f"{len(failed)} classes"
    return InfeasibleError(
        f"inject: {asked} of {name!r} cannot be reached by {number}: that of row "
        f"{classes.first[failed[worst]] + 1} has {_count_phrase(sizes[worst], 'record')} with "
        f"{_count_phrase(own[worst], 'different value')}, and can have {most[worst]} of them: "
        f"{best}. Ask for less, generalize less, or name other classes"
    )


def _count_phrase(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _floor_percent(percent: float) -> str:
    """Return a percentage with two digits, never more than it is."""
    return f"{np.floor(percent * 100) / 100:.2f}"
