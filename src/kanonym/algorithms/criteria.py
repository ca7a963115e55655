"""Privacy models in the form that compiled algorithms read, and as a question to a partition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import Classes, Distribution
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import RELATIONS, SIZE, reference_shares
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.models.base import PrivacyModel


def classes_of(table: EncodedTable, labels: NDArray[np.int32], n_classes: int) -> Classes:
    """Return sizes and distributions of classes of tuples; the table itself is the reference.

    labels: (n_tuples,) int32, negative for suppressed tuples. With a population table,
    classes have their persons, too; a class of tuples that only the population has
    is of size 0.
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


def table_counts(table: EncodedTable, j: int) -> NDArray[np.int64]:
    """Return (n_values,) int64: records of each value of sensitive attribute j."""
    codes = table.sensitive_codes[:, j]
    mask = codes >= 0
    return np.bincount(codes[mask], table.weights[mask], table.sensitive[j].size).astype(np.int64)


def ancestors_of(table: EncodedTable, j: int) -> NDArray[np.int32]:
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


def _pad_shares(share: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
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
