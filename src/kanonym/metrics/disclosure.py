"""The value of every privacy model on one table, without any threshold (`kanonym measure`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results import Result, ResultTable
from kanonym.kernels.classes import disclosure
from kanonym.kernels.classes.histograms import distinct_histograms
from kanonym.metrics.measured_value import format_figure, short_name

if TYPE_CHECKING:
    from kanonym.data.partition import Classes, Distribution

LARGEST_L = 20
"""Recursive (c, l)-diversity is reported for l from 2 to at most this."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest, mean and largest value over the classes, each class counted once."""

    min: float
    mean: float
    max: float

    @classmethod
    def over(
        cls, measured: NDArray[np.number[Any]], numbers: NDArray[np.int64] | None = None
    ) -> Spread:
        """Summarize (n,) measured values, each of one class or of (n,) `numbers` of them.

        All 0 where there are no classes.
        """
        if not len(measured):
            return cls(0, 0.0, 0)
        mean = float(np.average(measured, weights=numbers))
        return cls(measured.min().item(), mean, measured.max().item())

    def to_dict(self) -> dict[str, float]:
        """Return the three values by name."""
        return {"min": self.min, "mean": self.mean, "max": self.max}


@dataclass(frozen=True, slots=True)
class AttributeMeasurement:
    """What the classes of a table disclose about one sensitive attribute.

    Each is the worst over the classes. p is a value's share in the table, q its share
    in a class, logarithms are natural; definitions in `kernels.classes.disclosure`.
    """

    alpha: float
    l_distinct: int
    l_entropy: float
    l_recursive_c: dict[int, float | None]
    diversity_percent: Spread
    t_equal: float
    t_ordered: float
    t_hierarchical: float | None
    basic_beta: float
    enhanced_beta: float
    enhanced_excess: float
    delta_disclosure: float
    kl_divergence: float
    total_variation: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "alpha": self.alpha,
            "l_distinct": self.l_distinct,
            "l_entropy": self.l_entropy,
            "l_recursive_c": {str(l): c for l, c in self.l_recursive_c.items()},
            "diversity_percent": self.diversity_percent.to_dict(),
            "t_equal": self.t_equal,
            "t_ordered": self.t_ordered,
            "t_hierarchical": self.t_hierarchical,
            "basic_beta": self.basic_beta,
            "enhanced_beta": self.enhanced_beta,
            "enhanced_excess": self.enhanced_excess,
            "delta_disclosure": self.delta_disclosure,
            "kl_divergence": self.kl_divergence,
            "total_variation": self.total_variation,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Measurement(Result):
    """The value of every privacy model on one table."""

    _shown: ClassVar[tuple[str, ...]] = ("rows", "classes", "k", "uniques", "attributes")

    rows: int
    classes: int
    k: int
    k_wildcard: int
    uniques: int
    average_class_size: float
    anonymity_set: Spread
    attributes: dict[str, AttributeMeasurement]
    text_columns: tuple[str, ...] = ()
    uncounted_sets: tuple[str, ...] = ()
    suppressed: int = 0
    k_unsuppressed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        return {
            "rows": self.rows,
            "classes": self.classes,
            "k": self.k,
            "k_wildcard": self.k_wildcard,
            "uniques": self.uniques,
            "average_class_size": self.average_class_size,
            "anonymity_set": self.anonymity_set.to_dict(),
            "attributes": {name: one.to_dict() for name, one in self.attributes.items()},
            **(
                {"suppressed": self.suppressed, "k_unsuppressed": self.k_unsuppressed}
                if self.suppressed
                else {}
            ),
            **({"text_columns": list(self.text_columns)} if self.text_columns else {}),
            **({"uncounted_sets": list(self.uncounted_sets)} if self.uncounted_sets else {}),
        }

    def tables(self) -> list[ResultTable]:
        """Return the figures of the classes, and those of each sensitive attribute."""
        size = self.anonymity_set
        facts: tuple[tuple[str, str], ...] = (
            ("records", f"{self.rows:,}"),
            ("classes", f"{self.classes:,}"),
            ("k", f"{self.k:,}"),
            ("k, null as wildcard", f"{self.k_wildcard:,}"),
            ("records alone in their class", f"{self.uniques:,}"),
            ("records per class, least", format_figure(size.min)),
            ("records per class, mean", format_figure(size.mean)),
            ("records per class, most", format_figure(size.max)),
        )
        if self.suppressed:
            facts += (
                ("records that are * throughout", f"{self.suppressed:,}"),
                ("k of the others", f"{self.k_unsuppressed:,}"),
            )
        if self.uncounted_sets:
            facts += (("not counted", uncounted(self.uncounted_sets)),)
        found = [ResultTable(("measure", "value"), facts, frozenset({1}))]
        if self.attributes:
            named = list(self.attributes.values())
            rows = [
                (short_name(name), *(_figure(getattr(one, name)) for one in named))
                for name in _IN_TABLES
            ]
            columns = frozenset(range(1, len(named) + 1))
            found.append(ResultTable(("sensitive attribute", *self.attributes), rows, columns))
        return found


def uncounted(sets: Sequence[str]) -> str:
    """Return the sentence about columns of sets that are not counted."""
    return (
        f"the items of {', '.join(sets)}: whoever knows some of a person finds fewer records than "
        "k. Give them the role set in a policy, and use verify, assess or risk"
    )


_IN_TABLES = [
    field.name
    for field in fields(AttributeMeasurement)
    if field.name not in ("l_recursive_c", "diversity_percent", "enhanced_excess")
]


def _figure(value: float | None) -> str:
    return "–" if value is None else format_figure(value)


def measure_table(
    classes: Classes,
    k_wildcard: int | None = None,
    text_columns: tuple[str, ...] = (),
    uncounted_sets: tuple[str, ...] = (),
    suppressed: int = 0,
) -> Measurement:
    """Measure every privacy model on the equivalence classes of a table.

    Notes
    -----
    Classes with equal histograms are measured once. About twenty passes over the
    different histograms, whatever the number of records.

    References
    ----------
    Class sizes and diversity in percent as the anonymity set size and the extended
    l-diversity of Goldsteen et al. (2023), AI privacy toolkit, and its extensions.

    """
    sizes = classes.sizes
    spread = Spread.over(sizes)
    k = int(spread.min)
    # Records that are `*` throughout are one class, of their own size.
    others = np.delete(sizes, np.flatnonzero(sizes == suppressed)[:1])
    smallest = int(others.min()) if len(others) else 0
    return Measurement(
        rows=int(sizes.sum()),
        classes=len(sizes),
        k=k,
        k_wildcard=k if k_wildcard is None else k_wildcard,
        uniques=int((sizes == 1).sum()),
        average_class_size=spread.mean,
        anonymity_set=spread,
        attributes={
            name: _measure_attribute(distribution)
            for name, distribution in classes.distributions.items()
        },
        text_columns=text_columns,
        uncounted_sets=uncounted_sets,
        suppressed=suppressed,
        k_unsuppressed=smallest if suppressed else None,
    )


def _measure_attribute(distribution: Distribution) -> AttributeMeasurement:
    """Return the worst of every measure over the classes."""
    reference = disclosure.reference_shares(distribution.table, distribution.ancestors)
    offsets, values, counts, numbers = _distinct_histograms(distribution)

    def measure_all(measure: int, argument: int = 0) -> NDArray[np.float64]:
        return disclosure.measure_classes(
            measure, offsets, values, counts, numbers, reference, distribution.ancestors, argument
        )

    def smallest(measure: int) -> float:
        return float(measure_all(measure).min()) if len(numbers) else 0.0

    def largest(measure: int, argument: int = 0) -> float:
        return float(measure_all(measure, argument).max(initial=0.0))

    l_distinct = int(smallest(disclosure.DISTINCT))
    asked = range(2, min(max(l_distinct, 3), LARGEST_L) + 1)
    return AttributeMeasurement(
        alpha=largest(disclosure.ALPHA),
        l_distinct=l_distinct,
        l_entropy=smallest(disclosure.ENTROPY),
        l_recursive_c={
            l: largest(disclosure.RECURSIVE, l) if l <= l_distinct else None for l in asked
        },
        diversity_percent=Spread.over(measure_all(disclosure.DIVERSITY_PERCENT), numbers),
        t_equal=largest(disclosure.T_EQUAL),
        t_ordered=largest(disclosure.T_ORDERED),
        t_hierarchical=(
            largest(disclosure.T_HIERARCHICAL) if len(distribution.ancestors) else None
        ),
        basic_beta=largest(disclosure.BETA_BASIC),
        enhanced_beta=largest(disclosure.BETA_ENHANCED),
        enhanced_excess=largest(disclosure.BETA_EXCESS),
        delta_disclosure=largest(disclosure.DELTA),
        kl_divergence=largest(disclosure.KL),
        total_variation=largest(disclosure.TOTAL_VARIATION),
    )


def _distinct_histograms(
    distribution: Distribution,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the different histograms, as in `Distribution`, and how many classes have each."""
    offsets, values, counts = distribution.offsets, distribution.values, distribution.counts
    classes, numbers = distinct_histograms(offsets, values, counts)
    if len(classes) == len(offsets) - 1:
        return offsets, values, counts, numbers
    lengths = offsets[classes + 1] - offsets[classes]
    taken = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    entries = np.arange(taken[-1]) + np.repeat(offsets[classes] - taken[:-1], lengths)
    return taken, values[entries], counts[entries], numbers
