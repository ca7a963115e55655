"""What an algorithm is: a table, costs and models in, a partition out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import Classes, Distribution, Partition, Refusals
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import RELATIONS, SIZE, reference_shares
from kanonym.kernels.classes.histograms import Costs, class_histograms
from kanonym.models.base import PrivacyModel

if TYPE_CHECKING:
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.mondrian import Mondrian


def classes_of(table: EncodedTable, labels: Int32s, n_classes: int) -> Classes:
    """Return sizes and distributions of classes of tuples; the table itself is the reference.

    labels: (n_tuples,) int32, negative for suppressed tuples. With a population table, classes have
        their persons, too; a class of tuples that only the population has is of size 0.
    """
    kept = labels >= 0
    sizes = np.bincount(labels[kept], table.weights[kept], n_classes).astype(np.int64)
    distributions = {}
    for j, domain in enumerate(table.sensitive):
        codes = np.ascontiguousarray(table.sensitive_codes[:, j])
        offsets, values, counts = class_histograms(
            labels, codes, table.weights, n_classes, domain.size
        )
        distributions[domain.name] = Distribution(
            offsets, values, counts, table_counts(table, j), ancestors_of(table, j)
        )
    persons = None
    if table.population is not None:
        persons = np.bincount(labels[kept], table.population[kept], n_classes).astype(np.int64)
    return Classes(sizes, distributions, persons)


def satisfies_released(
    table: EncodedTable, labels: Int32s, models: Sequence[PrivacyModel], *, by_row: bool
) -> bool:
    """Say whether classes satisfy models, compared with all records and with the released."""
    if by_row:
        table = replace(
            table,
            codes=table.codes[table.tuple_of_row],
            sensitive_codes=table.sensitive_codes[table.tuple_of_row],
            weights=np.ones(table.n_rows, np.int64),
        )
    kept, n_classes = labels >= 0, int(labels.max()) + 1
    released = replace(
        table, sensitive_codes=table.sensitive_codes[kept], weights=table.weights[kept]
    )
    compared = [classes_of(table, labels, n_classes), classes_of(released, labels[kept], n_classes)]
    return all(bool(model.satisfied(classes).all()) for model in models for classes in compared)


def table_counts(table: EncodedTable, j: int) -> Ints:
    """Return (n_values,) int64: records of each value of sensitive attribute j."""
    codes = table.sensitive_codes[:, j]
    mask = codes >= 0
    return np.bincount(codes[mask], table.weights[mask], table.sensitive[j].size).astype(np.int64)


def ancestors_of(table: EncodedTable, j: int) -> Int32s:
    """Return the labels of sensitive attribute j by level, (0, 0) without a hierarchy."""
    domain = table.sensitive[j]
    if domain.hierarchy is None:
        return np.zeros((0, 0), np.int32)
    # An excluded null is the hierarchy's last leaf and no value of the domain.
    return np.ascontiguousarray(domain.hierarchy.codes[:, : domain.size])


def compile_criteria(models: Sequence[PrivacyModel], table: EncodedTable) -> Criteria:
    """Gather every model's conditions and the table's distributions for kernels.

    A model of the whole table becomes a class size that is sufficient for it: kernels
    that look at one class at a time then guarantee more than was asked.
    """
    for model in models:
        if model.guarantee == "population":
            raise PolicyError(
                f"{model.type} needs an algorithm that counts the population table in every class: "
                "choose full-domain"
            )
    criteria = [criterion for model in models for criterion in model.criteria()]
    sizes = [math.ceil(c.threshold) for c in criteria if c.measure == SIZE]
    sizes += [model.sufficient_size for model in models]
    place = {domain.name: j for j, domain in enumerate(table.sensitive)}
    asked = [c for c in criteria if c.measure != SIZE and c.attribute is not None]
    trees = [ancestors_of(table, j) for j in range(len(place))]
    shares = [reference_shares(table_counts(table, j), trees[j]) for j in range(len(place))]
    n_values = max((share.shape[1] for share in shares), default=0)
    references = np.zeros((len(place), max((len(s) for s in shares), default=0), n_values))
    ancestors = np.zeros((len(place), max((len(t) for t in trees), default=0), n_values), np.int32)
    for j, (share, tree) in enumerate(zip(shares, trees, strict=True)):
        references[j] = _pad_shares(share, references.shape[1:])
        ancestors[j, : tree.shape[0], : tree.shape[1]] = tree
    conditions = np.zeros((len(asked), 5), np.int64)
    for row, c in zip(conditions, asked, strict=True):
        j = place[c.attribute or ""]
        row[:] = c.measure, j, RELATIONS[c.relation], c.argument, len(trees[j])
    thresholds = np.array([c.threshold for c in asked], np.float64)
    return Criteria(max([1, *sizes]), conditions, thresholds, references, ancestors)


def require_feasible(table: EncodedTable, models: Sequence[PrivacyModel]) -> None:
    """Refuse models that the table does not satisfy even as one class.

    Every model of this package that one class of all records fails is failed by some
    class of any division of it, so what the whole table achieves is the best there is.
    """
    whole = classes_of(table, np.zeros(len(table.weights), np.int32), 1)
    failing = [model for model in models if not model.satisfied(whole).all()]
    if failing:
        reasons = []
        for model in failing:
            of = f" of {model.attribute!r}" if model.attribute else ""
            best = model.achieved(whole)
            possible = "no value is possible: its k or l exceeds the table"
            if math.isfinite(best):
                possible = f"the best possible is {_format_number(best)}"
                if any(criterion.relation == "<" for criterion in model.criteria()):
                    possible += ", which must be less than required"
            reasons.append(
                f"{model.type}{of}: required {_format_number(model.required)}, {possible}"
            )
        raise InfeasibleError(
            f"no release of this table (records: {table.n_rows}) satisfies the policy: "
            f"{'; '.join(reasons)}"
        )


def _format_number(value: float) -> str:
    """Return a number for a message: whole ones in full, others in six digits."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}"


def _pad_shares(share: Floats, shape: tuple[int, ...]) -> Floats:
    """Widen one attribute's shares: cumulative rows go on level, absent values come last."""
    padded = np.zeros(shape)
    n_rows, n_values = share.shape
    padded[:n_rows, :n_values] = share
    if n_values:
        for row in (1, 2, 3):  # CUMULATIVE, CUMULATIVE_SUM, RANK
            padded[row, n_values:] = share[row, -1]
    padded[4, n_values:] = np.arange(n_values, shape[1])  # BY_SHARE
    return padded


def without_conditions(criteria: Criteria, min_size: int) -> Criteria:
    """Return criteria that ask for a number of records alone."""
    return criteria._replace(
        min_size=min_size,
        conditions=criteria.conditions[:0].copy(),
        thresholds=criteria.thresholds[:0].copy(),
    )


Recodes = Literal["spans", "levels", "cells"]
Nulls = Literal["value", "wildcard"]
Listener = Callable[[str], None]

LINEAR = 1 << 19
"""Tuples of a fragment for algorithms that take time in proportion to them."""

PAIRWISE = 1 << 14
"""Those for algorithms that look at each pair of records."""


@dataclass(frozen=True, slots=True, repr=False)
class Problem(ShortRepr):
    """What an algorithm is asked to divide, and what the classes must satisfy."""

    _shown: ClassVar[tuple[str, ...]] = ("table", "suppression_limit")

    table: EncodedTable
    costs: Costs
    models: Sequence[PrivacyModel]
    suppression_limit: float = 0.0
    listen: Listener | None = None
    key: int | None = None
    persons: Int32s | None = None
    seed: int | None = None


@runtime_checkable
class Algorithm(Protocol):
    """Who divides a table into equivalence classes.

    An algorithm inherits from this class: what differs from the defaults says so. A parameter out
    of its range is refused by a PolicyError.

    type: The name that a policy gives it.
    recodes: `spans`: classes are arbitrary sets of records, and any recoding fits them. `levels`:
        values are generalized to levels of hierarchies; every quasi-identifier has one. `cells`:
        values are released or suppressed.
    recoding: The recoding of attributes that name none, where neither the policy does; `mean` is
        the centroid of the kind. None for that of the kind.
    own_groups: Whether its own parameters say what classes there are: a policy may then ask for no
        model.
    by_size: Whether it looks at class sizes alone, and refuses models of sensitive values.
    needs_values, needs_numbers: Whether it refuses numbers, dates and ordered categories that are
        missing; and quasi-identifiers that are no numbers.
    stepwise: Whether, for class sizes alone, a class has a label only where none of those one level
        below it has as many of its records as a class needs.
    spends_limit: Whether it suppresses records within the limit where that saves most in the whole
        table.
    largest_fragment: Up to how many tuples it divides at a time, where it can divide parts of a
        table one by one; None where it has to see all of it.
    hides_refusals: Whether it leaves to chance what it refuses because of sensitive values, where
        the problem has a key.
    unweighted: What it does, where no weight of an attribute has a meaning in it.
    hides_growing: Whether it does so for models that a class may fail although it has grown, too.
    target: The column that guides it; None where none does.
    weights: By quasi-identifier, how much its loss, or a difference in it, counts; 1 for the
        others.
    nulls, subsets: How k counts a suppressed cell, and over how many attributes; None where k
        counts the records of a class.
    """

    __slots__ = ()

    type: ClassVar[str]
    title: ClassVar[str] = ""
    recodes: ClassVar[Recodes]
    recoding: ClassVar[Recoding | None] = None
    own_groups: ClassVar[bool] = False
    by_size: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = False
    stepwise: ClassVar[bool] = False
    hides_growing: ClassVar[bool] = True
    spends_limit: ClassVar[bool] = False
    largest_fragment: ClassVar[int | None] = None
    unweighted: ClassVar[str] = ""

    @property
    def by_tuple(self) -> bool:
        """Whether it never separates equal records: it can do without a place for each."""
        return False

    @property
    def hides_refusals(self) -> bool:
        """No: whoever knows the algorithm can see what it refused."""
        return False

    @property
    def target(self) -> str | None:
        """None: no column guides it."""
        return None

    @property
    def weights(self) -> Mapping[str, float]:
        """None: all attributes count alike."""
        return {}

    @property
    def nulls(self) -> Nulls | None:
        """None: k counts the records of a class."""
        return None

    @property
    def subsets(self) -> int | None:
        """None: k counts over all attributes."""
        return None

    @property
    def lattice(self) -> FullDomain | None:
        """The search of the lattice that it makes; None where it makes none."""
        return None

    @property
    def cuts(self) -> Mondrian | None:
        """The cuts of single nodes that it makes, so that fragments continue its tree; or None."""
        return None

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        Raises InfeasibleError where no division satisfies the models; PolicyError, SchemaError or
        DataError where the algorithm cannot take a model, a type of attribute, or missing values.

        problem: The table, and what is asked of its classes.
        """
        ...

    def classes_by_size(self, problem: Problem, partition: Partition) -> Int32s | None:
        """Return (n_tuples,) the classes that quasi-identifiers alone lead to; -1 for no class.

        Whoever knows everybody's quasi-identifiers can make them. None where it is not known of the
        algorithm how they differ from those of a division.
        """
        del problem, partition
        return None

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return what it refused in a division of its own because of sensitive values.

        Class sizes alone would have allowed it: whoever knows everybody's quasi-identifiers finds
        the same. None where that is not known of the algorithm, or of the division.

        problem, partition: What it was asked, and what it answered.
        """
        del problem, partition
        return None
