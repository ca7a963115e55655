"""The value of every privacy model on one table, without any threshold (`kanonym measure`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.kernels.classes import disclosure
from kanonym.kernels.classes.histograms import distinct_histograms
from kanonym.metrics.measured_value import Meaning

if TYPE_CHECKING:
    from kanonym.data.partition import Classes, Distribution

_NO_BOUND = math.inf
_MACHANAVAJJHALA = "Machanavajjhala et al. (2007), ACM TKDD 1(1)"
_LI = "Li, Li and Venkatasubramanian (2007), ICDE"
_CAO = "Cao and Karras (2012), PVLDB 5(11)"

K = Meaning(
    "k",
    0,
    _NO_BOUND,
    "higher",
    "records in the smallest class",
    "Sweeney (2002)",
    title=_("Records in the smallest class (k)"),
    counted=_("records"),
)
K_WILDCARD = Meaning(
    "k_wildcard",
    0,
    _NO_BOUND,
    "higher",
    "records in the smallest class, a null matching every value",
    "Franconi and Polettini (2004), mu-Argus",
    title=_("The same, if a missing value matches every value"),
    counted=_("records"),
    short="k, null as wildcard",
)
SUPPRESSED = Meaning(
    "suppressed",
    0,
    _NO_BOUND,
    "lower",
    "records that are * in every quasi-identifier",
    "Prasser et al. (2020), ARX",
    title=_("Records that are * in every quasi-identifier"),
    counted=_("records"),
)
K_UNSUPPRESSED = Meaning(
    "k_unsuppressed",
    0,
    _NO_BOUND,
    "higher",
    "records in the smallest class of the others",
    "Prasser et al. (2020), ARX",
    title=_("Records in the smallest class of the others"),
    counted=_("records"),
)
ANONYMITY_SET = Meaning(
    "anonymity_set",
    0,
    _NO_BOUND,
    "higher",
    "records in a class, mean over the classes",
    "Goldsteen et al. (2023), AI privacy toolkit, its extensions",
    title=_("Average class size"),
    counted=_("records per class"),
)
ATTRIBUTE: tuple[Meaning, ...] = (
    Meaning(
        "alpha",
        0,
        1,
        "lower",
        "largest share of a value in a class",
        "Wong et al. (2006)",
        title=_("Largest share of one value in a class (α)"),
        counted=_("share of the class"),
        short="α, largest share",
    ),
    Meaning(
        "l_distinct",
        0,
        _NO_BOUND,
        "higher",
        "fewest distinct values in a class",
        _MACHANAVAJJHALA,
        title=_("Fewest distinct values in a class (l)"),
        counted=_("values"),
        short="l, distinct",
    ),
    Meaning(
        "l_entropy",
        0,
        _NO_BOUND,
        "higher",
        "smallest exp(entropy) of a class",
        _MACHANAVAJJHALA,
        title=_("Lowest entropy l-diversity of a class"),
        counted=_("equally frequent values"),
        short="l, entropy",
    ),
    Meaning(
        "t_equal",
        0,
        1,
        "lower",
        "largest distance between a class and the table",
        _LI,
        title=_("Largest distance between a class and the table (t)"),
        counted=_("share of the records"),
        short="t, equal",
    ),
    Meaning(
        "t_ordered",
        0,
        1,
        "lower",
        "the same with the order of the values",
        _LI,
        title=_("The same, with ordered distance"),
        counted=_("share of the range of ranks"),
        short="t, ordered",
    ),
    Meaning(
        "t_hierarchical",
        0,
        1,
        "lower",
        "the same with the hierarchy's distances",
        _LI,
        title=_("The same, with hierarchical distance"),
        counted=_("share of the hierarchy’s height"),
        short="t, hierarchical",
    ),
    Meaning(
        "basic_beta",
        0,
        _NO_BOUND,
        "lower",
        "largest relative gain of a value",
        _CAO,
        title=_("Largest gain of a value in a class (β)"),
        counted=_("gain / share in the table"),
        short="β, basic",
    ),
    Meaning(
        "enhanced_beta",
        0,
        _NO_BOUND,
        "lower",
        "the same, at most -ln of its share",
        _CAO,
        title=_("The same, enhanced"),
        counted=_("gain / share in the table"),
        short="β, enhanced",
    ),
    Meaning(
        "delta_disclosure",
        0,
        _NO_BOUND,
        "lower",
        "largest |ln| of the ratio of a value's shares in class and table",
        "Brickell and Shmatikov (2008), KDD; natural logarithm here",
        title=_("Largest log ratio of shares in class and table (δ)"),
        counted=_("natural logarithm"),
        short="δ, natural logarithm",
    ),
)
"""What each sensitive attribute has; the value is the worst over the attributes."""

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

    def to_text(self) -> str:
        """Return the three values in words."""
        low, high, mean = map(format_number, (self.min, self.max, self.mean))
        return f"{low} to {high}, mean {mean}"


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
        return asdict(self) | {"l_recursive_c": {str(l): c for l, c in self.l_recursive_c.items()}}


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
        facts = ResultTable.of_facts(
            ("records", self.rows),
            ("classes", self.classes),
            ("k", self.k),
            ("k, null as wildcard", self.k_wildcard),
            ("records alone in their class", self.uniques),
            ("records per class", self.anonymity_set.to_text()),
            *(
                [
                    ("* in every quasi-identifier", f"{self.suppressed:,} records"),
                    ("k of the others", self.k_unsuppressed),
                ]
                if self.suppressed
                else []
            ),
            *([("counted as", both_readings(self.text_columns))] if self.text_columns else []),
            *([("not counted", uncounted(self.uncounted_sets))] if self.uncounted_sets else []),
        )
        if not self.attributes:
            return [facts]
        several = list(self.attributes.values())
        rows = [
            (LABELS[one.name], *(_cell(getattr(each, one.name)) for each in several))
            for one in fields(AttributeMeasurement)
        ]
        columns = frozenset(range(1, len(several) + 1))
        return [facts, ResultTable(("sensitive attribute", *self.attributes), rows, columns)]


LABELS = {one.name: one.label for one in ATTRIBUTE} | {
    "l_recursive_c": "c of recursive (c, l)",
    "diversity_percent": "distinct values, % of a class",
    "enhanced_excess": "β, enhanced: excess",
    "kl_divergence": "KL divergence",
    "total_variation": "total variation",
}


def both_readings(columns: Sequence[str]) -> str:
    """Say that cells were counted as values and as text."""
    return (
        f"values and as text, the worse of both: in {', '.join(columns)} several texts "
        "stand for one value (as 1 and 1.0 do), and another reader distinguishes them"
    )


def uncounted(sets: Sequence[str]) -> str:
    """Return the sentence about columns of sets that are not counted."""
    return (
        f"the items of {', '.join(sets)}: whoever knows some of a person finds fewer records than "
        "k. Give them the role set in a policy, and use verify, assess or risk"
    )


def _cell(value: float | Spread | Mapping[int, float | None] | None) -> str:
    """Return a figure, a spread, or the figures of several l, one a line."""
    if isinstance(value, Spread):
        return value.to_text()
    if isinstance(value, Mapping):
        return "\n".join(f"l={l}: {format_number(c)}" for l, c in value.items())
    return format_number(value)


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
