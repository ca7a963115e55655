"""What a report says, as plain data: every form of the report is written from this."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.report import wording
from kanonym.report.choice import Choice
from kanonym.report.marginals import Marginal, marginal_of
from kanonym.report.rectangles import ClassMap, maps_of
from kanonym.report.sizes import ClassSizes

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.metrics.risk import Risk
    from kanonym.metrics.utility import Utility
    from kanonym.verification import Verification

SMALLEST_CELL = 5
"""Fewest records of a bar where no k was asked: what statistical offices commonly publish."""
MOST_MARGINALS = 24


@dataclass(frozen=True, slots=True)
class Requirement:
    """One privacy model: what was asked, in words and numbers, and what was achieved.

    `achieved` is None for a release without a record.
    """

    type: str
    attribute: str | None
    kind: str | None
    sentence: str
    symbol: str
    relation: str
    required: float
    achieved: float | None
    satisfied: bool


@dataclass(frozen=True, slots=True)
class AttributeLoss:
    """What one quasi-identifier lost.

    Attributes
    ----------
    name, recoding
        The attribute, and how its values were released.
    ncp
        Normalized certainty penalty, in [0, 1].
    rmse
        Root mean squared error in the attribute's unit; None where it is no number.
    values, released_values
        Number of distinct values, in the original table and in the release.

    """

    name: str
    recoding: str
    ncp: float
    rmse: float | None
    values: int
    released_values: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report says about one release.

    Holds no identifier and no sensitive value. Of quasi-identifiers it names values
    that at least `floor` records have, and bounds that the release itself shows.

    Attributes
    ----------
    title
        Heading of the report.
    rows_in, rows_out, suppressed
        Numbers of records.
    roles
        The role of each attribute.
    satisfied, n_classes, requirements
        What verification found, with one `Requirement` a model; `satisfied` is None
        where none was required.
    answer, price
        Sentences for readers without statistics.
    limits
        `(heading, sentence)` each: what the release does not protect against.
    utility, risk
        The measures in the form of their `to_dict`.
    class_sizes
        Sizes of the released classes.
    attributes
        One `AttributeLoss` a quasi-identifier.
    floor
        Fewest records that a value or bar of the original table may show.
    marginals
        Distributions before and after; of the attributes that lost most where
        there are more than 24.
    maps, further_maps
        Classes over pairs of quasi-identifiers; the further ones with fewer rectangles.
    policy
        The policy in its YAML form, hierarchies by their kind only.
    choice
        The node that a search of the lattice chose, among its neighbours; or None.
    algorithm, seconds, seed, versions
        How the release was made.

    """

    title: str
    rows_in: int
    rows_out: int
    suppressed: int
    roles: dict[str, str]
    satisfied: bool | None
    n_classes: int
    requirements: tuple[Requirement, ...]
    answer: tuple[str, ...]
    price: tuple[str, ...]
    limits: tuple[tuple[str, str], ...]
    utility: dict[str, Any]
    risk: dict[str, Any]
    class_sizes: ClassSizes
    attributes: tuple[AttributeLoss, ...]
    floor: int
    marginals: tuple[Marginal, ...]
    maps: tuple[ClassMap, ...]
    further_maps: tuple[ClassMap, ...]
    policy: dict[str, Any]
    choice: Choice | None
    algorithm: dict[str, Any]
    seconds: dict[str, float]
    seed: int
    versions: dict[str, str]

    def named(self, role: str) -> list[str]:
        """Return the attributes of one role."""
        return [name for name, its in self.roles.items() if its == role]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: infinite numbers are None."""
        plain: dict[str, Any] = _finite(asdict(self))
        verification = {
            "satisfied": plain.pop("satisfied"),
            "classes": plain.pop("n_classes"),
            "models": plain.pop("requirements"),
        }
        return {**plain, "verification": verification}


def summarize(
    *,
    title: str,
    policy: Mapping[str, Any],
    roles: Mapping[str, str],
    actions: Sequence[tuple[str, str, str, str]] = (),
    table: EncodedTable,
    partition: Partition,
    recoded: Sequence[RecodedAttribute],
    verification: Verification,
    utility: Utility,
    risk: Risk,
    rows_in: int,
    suppressed: int,
    algorithm: Mapping[str, Any],
    seconds: Mapping[str, float],
    seed: int,
    versions: Mapping[str, str],
    choice: Choice | None = None,
    rectangles: tuple[str, str] | None = None,
) -> Summary:
    """Summarize a release for its report.

    Parameters
    ----------
    title
        Heading of the report.
    policy
        The policy in its YAML form.
    roles
        The role of each attribute, in the table's order, as in `wording.FATE`.
    actions
        What was done value by value: attribute, action, what it protects and what not.
    table, partition, recoded
        The original table, its classes, and their released values.
    verification, utility, risk
        What was measured on the release.
    rows_in, suppressed
        Numbers of records.
    algorithm, seconds, seed, versions
        How the release was made.
    choice
        From `choice_of`, for a release whose levels were searched.
    rectangles
        The two quasi-identifiers to draw the classes over; None chooses pairs.

    Raises
    ------
    SchemaError
        `rectangles` names something that is no quasi-identifier, or one twice.

    Notes
    -----
    Cost O(n_tuples) an attribute, and one sort of the classes a pair.

    """
    models = list(policy.get("models", []))
    floor = _floor(models)
    sizes = _sizes(table, partition)
    maps, further = maps_of(table, recoded, sizes, floor, rectangles)
    class_sizes = ClassSizes.of(verification.class_sizes)
    return Summary(
        title=title,
        rows_in=rows_in,
        rows_out=verification.rows,
        suppressed=suppressed,
        roles=dict(roles),
        satisfied=verification.satisfied,
        n_classes=verification.n_classes,
        requirements=_requirements(verification, models),
        answer=(
            *wording.answer(
                satisfied=verification.satisfied,
                rows_out=verification.rows,
                n_classes=verification.n_classes,
                smallest=class_sizes.smallest,
                highest=risk.highest,
                average=risk.average,
            ),
            *_countings(verification),
        ),
        price=(
            *wording.price(
                rows_in=rows_in,
                suppressed=suppressed,
                limit=float(policy.get("suppression_limit", 0)),
                gcp=utility.gcp,
                ncp=utility.ncp,
            ),
            *wording.blanked(algorithm, verification.rows),
        ),
        limits=wording.limits(
            roles, [check.attribute for check in verification.checks if check.attribute], actions
        ),
        utility=utility.to_dict(),
        risk=risk.to_dict(),
        class_sizes=class_sizes,
        attributes=tuple(
            AttributeLoss(
                name=one.name,
                recoding=one.recoding,
                ncp=utility.ncp[one.name],
                rmse=utility.rmse.get(one.name),
                values=int(domain.observed.sum()),
                released_values=len(one.columns[0]),
            )
            for domain, one in zip(table.domains, recoded, strict=True)
        ),
        floor=floor,
        marginals=_marginals(table, partition, recoded, sizes, floor),
        maps=maps,
        further_maps=further,
        policy=_without_values(policy),
        choice=choice,
        algorithm=dict(algorithm),
        seconds=dict(seconds),
        seed=seed,
        versions=dict(versions),
    )


def _countings(verification: Verification) -> list[str]:
    """Return what is to say about how models were counted."""
    ways = [check.counting for check in verification.checks if check.counting is not None]
    said = [wording.counting(way.nulls, way.subsets) for way in ways if verification.rows]
    return [one for one in dict.fromkeys(said) if one]


def _floor(models: Sequence[Mapping[str, Any]]) -> int:
    asked = [int(model["k"]) for model in models if "k" in model]
    return max(2, *asked) if asked else SMALLEST_CELL


def _sizes(table: EncodedTable, partition: Partition) -> NDArray[np.int64]:
    """Return (n_classes,) numbers of records."""
    kept = partition.labels >= 0
    weights = None if partition.by_row else table.weights[kept]
    counted = np.bincount(partition.labels[kept], weights, minlength=partition.n_classes)
    return counted.astype(np.int64)


def _requirements(
    verification: Verification, models: Sequence[Mapping[str, Any]]
) -> tuple[Requirement, ...]:
    """Join the checks with the models' further parameters, which stand in the policy's order."""
    same = len(models) == len(verification.checks)
    return tuple(
        Requirement(
            type=check.type,
            attribute=check.attribute,
            kind=given.get("kind") or given.get("distance"),
            sentence=wording.requirement(check.type, check.attribute, check.required, given),
            symbol=wording.symbol(check.type, given),
            relation=wording.relation(check.type, given),
            required=check.required,
            achieved=check.achieved if verification.rows else None,
            satisfied=check.satisfied,
        )
        for check, given in zip(
            verification.checks,
            models if same else [{} for _ in verification.checks],
            strict=True,
        )
    )


def _marginals(
    table: EncodedTable,
    partition: Partition,
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
    floor: int,
) -> tuple[Marginal, ...]:
    lost = [float(sizes @ one.loss) for one in recoded]
    shown = sorted(np.argsort(-np.array(lost), kind="stable")[:MOST_MARGINALS].tolist())
    return tuple(marginal_of(table, partition, a, recoded[a], sizes, floor) for a in shown)


def _without_values(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policy with the kinds of hierarchies and actions instead of their values."""

    def named(key: str, part: Any) -> Any:
        if key == "hierarchy":
            return " and ".join(part) if isinstance(part, Mapping) else "given"
        return [one["type"] for one in part] if key == "action" else part

    attributes = {
        name: {key: named(key, part) for key, part in attribute.items() if part is not None}
        for name, attribute in policy.get("attributes", {}).items()
    }
    return {**policy, "attributes": attributes}


def _finite(value: Any) -> Any:
    """Replace infinite numbers and NaN, which JSON has not, by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
