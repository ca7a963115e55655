"""How many records each class needs, and how well they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn
from kanonym.evaluation.utility.associations import CATEGORIES, COLUMNS, PAIRWISE, two_way_variation
from kanonym.evaluation.utility.cells import category_cells, numeric_cells
from kanonym.evaluation.utility.models.detection import DETECTION, detection
from kanonym.evaluation.utility.models.learning import draw_records
from kanonym.kernels.arrays import Floats, Ints
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.models.base import check_integer, check_number
from kanonym.synthesis.injection.classes import Classes
from kanonym.verification.released_classes import group_by_code

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

    def values(self, sizes: Ints) -> Ints:
        """Return (n_classes,) int64: different values that classes of these sizes must have."""
        least = np.full(len(sizes), self.l or 0, np.int64)
        if self.diversity is None:
            return least
        found = np.floor(self.diversity * sizes / WHOLE).astype(np.int64) - 1
        for _ in range(3):  # rounded as diversity is where it is measured
            found += WHOLE * found / sizes < self.diversity
        clipped: Ints = np.maximum(least, np.clip(found, 0, sizes))
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

    records: Ints
    fresh: Mapping[str, Ints]


def compute_needs(
    wanted: ClassTargets, classes: Classes, reach: Mapping[str, Ints], chosen: Ints
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
    fresh: dict[str, Ints] = {}
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


def _least(wanted: ClassTargets, sizes: Ints, distinct: Ints) -> Ints:
    """Return (n,) int64: new values that take each class to what is asked of an attribute."""
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


def _scatter_counts(counts: Ints, chosen: Ints, n_classes: int) -> Ints:
    """Return the counts of chosen classes as those of all, 0 for the others."""
    found = np.zeros(n_classes, np.int64)
    found[chosen] = counts
    return found


def _impossible_error(
    wanted: ClassTargets, classes: Classes, name: str, reach: Ints, failed: Ints, added: Ints
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


RECORDS = 5_000
"""Most records of each kind that a classifier is given."""

FOLDS = 3

DISTANCE = replace(
    PAIRWISE,
    name="joint-distance",
    unit="share of records that would have to change in a two-way table of the columns to make the "
    "table before of the one after, mean over pairs",
)


def joint_distance(
    before: Mapping[str, pl.Series], added: Mapping[str, pl.Series], known: Sequence[str]
) -> MeasuredValue:
    """Measure how far added records move the joint distribution of a table's columns.

    before, added: (n,) and (m,) columns by name, of the table and of the added records.
    """
    names = sorted(before, key=lambda name: name not in known)[:COLUMNS]
    if len(names) < 2:
        return MeasuredValue(DISTANCE, None, reason="the table has one column: there are no pairs")
    cells = {name: _cells(before[name], added[name]) for name in names}
    n, m = (len(table[names[0]]) for table in (before, added))
    parts = {}
    for a, b in combinations(names, 2):
        (first, size), (second, width) = cells[a], cells[b]
        pairs = first * width + second
        counts = [np.bincount(part, minlength=size * width) for part in (pairs[:n], pairs[n:])]
        after = (counts[0] + counts[1]) / (n + m)
        parts[f"{a} × {b}"] = two_way_variation(counts[0] / n, after)
    return MeasuredValue(DISTANCE, float(np.mean(list(parts.values()))), parts)


def _cells(before: pl.Series, added: pl.Series) -> tuple[Ints, int]:
    """Return (n + m,) int64 cells of a column's values, and their number."""
    both = pl.concat([before, added])
    dtype = both.dtype
    if (dtype.is_numeric() or dtype.is_temporal()) and dtype != pl.Enum:
        values = both.to_physical().cast(pl.Float64).fill_null(np.nan).to_numpy()
        mine, theirs = values[: len(before)], values[len(before) :]
        nowhere = np.zeros(len(theirs), np.bool_)
        numbers = numeric_cells(NumericColumn(before.name, mine, theirs, theirs, nowhere))
        others = np.searchsorted(numbers.borders, theirs, side="right")
        others[np.isnan(theirs)] = numbers.size - 1
        return np.concatenate([numbers.original, others]).astype(np.int64), numbers.size
    groups = group_by_code([both.cast(pl.String)])
    own, labels = groups.labels[: len(before)], groups.labels[len(before) :]
    each = np.arange(len(groups.sizes) + 1)
    column = CategoricalColumn(
        name=before.name,
        categories=both.gather(groups.first),
        original=own,
        labels=labels,
        offsets=each,
        members=each[:-1].astype(np.int32),
        suppressed=np.zeros(len(added), np.bool_),
    )
    categories = category_cells(column, CATEGORIES)
    found = np.concatenate([categories.original, categories.shares.argmax(axis=1)[labels]])
    return found.astype(np.int64), categories.size


def measure_distinguishability(
    real: Sequence[pl.Series],
    added: Sequence[pl.Series],
    classes: Classes,
    owners: Ints,
    random: np.random.Generator,
) -> MeasuredValue:
    """Measure how well a classifier tells added records from real ones of the same classes.

    Real records are drawn with a chance that grows with their weight (Poisson sampling) and
    weighted by what is left of it (Horvitz and Thompson 1952).

    real, added: (n,) and (m,) columns of the table and of the added records.
    owners: (m,) int64 class of each added record.
    """
    numbers = np.bincount(owners, minlength=len(classes))
    rows = np.flatnonzero(numbers[classes.labels])
    weights = (numbers / classes.sizes)[classes.labels[rows]]
    chances = _chances(weights)
    kept = random.random(len(rows)) < chances
    rows, weights = rows[kept], (weights / chances)[kept]
    chosen = draw_records(len(owners), RECORDS, random)
    if not len(rows):
        return MeasuredValue(DETECTION, None, reason="nothing was added")
    return detection(
        [column.gather(rows) for column in real],
        [column.gather(chosen) for column in added],
        random,
        weights=weights,
        folds=FOLDS,
    )


def _chances(weights: Floats) -> Floats:
    """Return (n,) chances, as the weights go as far as 1 allows, that add up to 5,000 at most."""
    if len(weights) <= RECORDS:
        return np.ones(len(weights))
    # Those that reach 1 are the largest: their number is the first that leaves others below.
    order = np.sort(weights)[::-1]
    rest = np.cumsum(order[::-1])[::-1]
    certain = np.arange(len(order))
    fits = order * (RECORDS - certain) <= rest
    first = int(np.argmax(fits))
    scale = (RECORDS - first) / rest[first]
    chances: Floats = np.minimum(weights * scale, 1.0)
    return chances
