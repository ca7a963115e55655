"""Summarizes a release for its report: one small function for each section."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.language import Speech, speech
from kanonym.policy.listed_values import without_values
from kanonym.reporting import wording
from kanonym.reporting.distributions.examples import transformations_of
from kanonym.reporting.distributions.marginals import Marginal, marginal_of
from kanonym.reporting.distributions.rectangles import maps_of
from kanonym.reporting.distributions.resolution import released_counts
from kanonym.reporting.distributions.sizes import ClassSizes
from kanonym.reporting.known.assessed import assessed_of
from kanonym.reporting.known.attacked import Attacked, attacks_of
from kanonym.reporting.known.choice import Choice, coarse_choice
from kanonym.reporting.known.compared import alternatives_of
from kanonym.reporting.known.evidence import evidence_of
from kanonym.reporting.known.provenance import Provenance
from kanonym.reporting.reported import Heading, Known, ReportedRelease
from kanonym.reporting.rounding import (
    coarse_account,
    coarse_amount,
    coarse_coverage,
    coarse_utility,
    published,
    step_of_shares,
)
from kanonym.reporting.summary import AttributeLoss, Requirement, Summary, Warned

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.metrics.coverage import Coverage
    from kanonym.metrics.record_risk import ProsecutorRisk
    from kanonym.verification import Verification, VerificationWarning

SMALLEST_CELL = 5
"""Fewest records of a bar where no k was asked: what statistical offices commonly publish."""
MOST_MARGINALS = 24


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes of a release over its original table.

    `sizes` are (n_classes,) numbers of records; `held` the records of each original value that
    were released, by attribute; `floor` the fewest records that a figure may show.
    """

    table: EncodedTable
    partition: Partition
    recoded: Sequence[RecodedAttribute]
    sizes: NDArray[np.int64]
    held: Sequence[NDArray[np.int64]]
    floor: int

    @classmethod
    def of(cls, release: ReportedRelease) -> _Classes:
        table, partition, recoded = release.table, release.partition, release.recoded
        held = [released_counts(table, partition, a) for a in range(len(recoded))]
        sizes = _sizes(table, partition)
        return cls(table, partition, recoded, sizes, held, _floor(_models(release.policy)))


def summarize(
    release: ReportedRelease,
    *,
    heading: Heading,
    known: Known,
    choice: Choice | None = None,
    rectangles: tuple[str, str] | None = None,
    provenance: Provenance | None = None,
) -> Summary:
    """Summarize a release for its report.

    Parameters
    ----------
    release
        What the report takes of it.
    heading
        Title, purpose, author, language and date.
    known
        Attacks, risk, utility, comparison and profile.
    choice
        From `choice_of_release`, for a release whose levels were searched.
    rectangles
        The two quasi-identifiers to draw the classes over; None chooses pairs.
    provenance
        How to repeat it; None says what the policy alone tells.

    Raises
    ------
    SchemaError
        `rectangles` names something that is no quasi-identifier, or one twice.
    DataError
        There is no such language.

    Notes
    -----
    Cost O(n_tuples) an attribute, and one sort of the classes a pair.

    """
    says = speech(heading.language)
    verification, policy = release.verification, release.policy
    classes = _Classes.of(release)
    floor, step = classes.floor, step_of_shares(release.rows_in, classes.floor)
    covered = coarse_coverage(release.utility, step)
    account = coarse_account(release.algorithm, floor)
    class_sizes = ClassSizes.of(verification.class_sizes)
    attacks = attacks_of(known.attacks)
    maps, further = maps_of(
        release.table, release.recoded, classes.held, classes.sizes, floor, rectangles, says
    )
    return Summary(
        language=heading.language,
        title=heading.title or says.say("title"),
        purpose=heading.purpose,
        author=heading.author,
        rows_in=release.rows_in,
        rows_out=verification.rows,
        suppressed=release.suppressed,
        columns_in=len(release.roles),
        columns_out=release.columns_out,
        roles=dict(release.roles),
        evidence=evidence_of(known.profile, release.roles, says, step),
        transformations=transformations_of(
            release.roles,
            release.actions,
            release.table,
            release.recoded,
            classes.sizes,
            classes.held,
            floor,
            account,
        ),
        satisfied=verification.satisfied,
        n_classes=verification.n_classes,
        requirements=_requirements(says, verification, _models(policy)),
        verdict=verification.verdict,
        largest_shares=verification.largest_shares,
        warnings=tuple(_warned(says, one) for one in verification.warnings),
        answer=_answer(says, verification, release.risk, class_sizes, release.rows_in),
        price=_price(says, release, covered, account),
        limits=_limits(says, release, attacks),
        utility=coarse_utility(release.utility, step),
        risk=release.risk.to_dict(),
        class_sizes=class_sizes,
        attributes=_losses(classes, covered, release.utility.rmse, step),
        floor=floor,
        step=step,
        marginals=_marginals(classes, says),
        maps=maps,
        further_maps=further,
        attacks=attacks,
        assessed=assessed_of(known.risk, known.utility, step),
        comparison=alternatives_of(known.comparison, floor),
        policy=without_values(policy),
        choice=choice and coarse_choice(choice, floor, wording.search(says, choice.account)),
        algorithm=account,
        seconds=dict(release.seconds),
        seed=release.seed,
        versions=dict(release.versions),
        provenance=provenance or Provenance.of(policy),
        date=(heading.date or datetime.datetime.now().astimezone().date()).isoformat(),
    )


def _models(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(policy.get("models", []))


def _price(
    says: Speech,
    release: ReportedRelease,
    covered: Mapping[str, Coverage],
    account: Mapping[str, Any],
) -> tuple[str, ...]:
    """Say what the release costs: suppressed records and cells, and what each column lost."""
    return (
        *wording.price(
            says,
            rows_in=release.rows_in,
            suppressed=release.suppressed,
            limit=float(release.policy.get("suppression_limit", 0)),
            lost=release.utility.span_loss,
            by_column={name: one.loss for name, one in covered.items()},
        ),
        *wording.blanked(says, account, release.verification.rows),
    )


def _limits(
    says: Speech, release: ReportedRelease, attacks: Sequence[Attacked]
) -> tuple[tuple[str, str], ...]:
    """Say what the release does not protect against."""
    entities = [model["entity"] for model in _models(release.policy) if model.get("entity")]
    return wording.limits(
        says,
        release.roles,
        [check.attribute for check in release.verification.checks if check.attribute],
        actions=release.actions,
        attacked=any(one.attempts for one in attacks),
        entity=str(entities[0]) if entities else None,
    )


def _answer(
    says: Speech,
    verification: Verification,
    risk: ProsecutorRisk,
    class_sizes: ClassSizes,
    rows_in: int,
) -> tuple[str, ...]:
    """Say whether the requirements hold, what an intruder can still do, and how it was counted."""
    found = wording.answer(
        says,
        verdict=verification.verdict,
        warnings=len(verification.warnings),
        requirements=len(verification.checks),
        rows_in=rows_in,
        rows_out=verification.rows,
        n_classes=verification.n_classes,
        smallest=class_sizes.smallest,
        highest=risk.highest,
        average=risk.average,
    )
    return (*found, *_countings(says, verification))


def _losses(
    classes: _Classes, covered: Mapping[str, Coverage], rmse: Mapping[str, float], step: float
) -> tuple[AttributeLoss, ...]:
    """Return what each quasi-identifier lost."""
    return tuple(
        AttributeLoss(
            name=one.name,
            recoding=one.recoding,
            lost=covered[one.name].loss,
            listed=covered[one.name].listed,
            named=covered[one.name].values,
            rmse=coarse_amount(rmse.get(one.name), step),
            values=int((counts > 0).sum()),
            released_values=len(one.columns[0]),
        )
        for one, counts in zip(classes.recoded, classes.held, strict=True)
    )


def _marginals(classes: _Classes, says: Speech) -> tuple[Marginal, ...]:
    """Return the distributions of the attributes that lost most, in the order of the table."""
    lost = [float(classes.sizes @ one.loss) for one in classes.recoded]
    shown = sorted(np.argsort(-np.array(lost), kind="stable")[:MOST_MARGINALS].tolist())
    return tuple(
        marginal_of(
            classes.table,
            classes.partition,
            a,
            classes.recoded[a],
            classes.sizes,
            classes.floor,
            says,
        )
        for a in shown
    )


def _warned(says: Speech, warning: VerificationWarning) -> Warned:
    """Say a warning in the language of the report; real numbers are shares."""
    facts = {
        name: says.percent(number) if isinstance(number, float) else says.count(number)
        for name, number in warning.counts.items()
    }
    sentence = says.say(f"warning.{warning.kind}", columns=says.names(warning.columns), **facts)
    return Warned(warning.kind, warning.columns, sentence, dict(warning.counts))


def _countings(says: Speech, verification: Verification) -> list[str]:
    """Return what is to say about how models were counted."""
    ways = [check.counting for check in verification.checks if check.counting is not None]
    said = [wording.counting(says, way.nulls, way.subsets) for way in ways if verification.rows]
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
    says: Speech, verification: Verification, models: Sequence[Mapping[str, Any]]
) -> tuple[Requirement, ...]:
    """Join the checks with the models' further parameters, which stand in the policy's order."""
    same = len(models) == len(verification.checks)
    return tuple(
        Requirement(
            type=check.type,
            attribute=check.attribute,
            kind=given.get("kind") or given.get("distance"),
            sentence=wording.requirement(says, check.type, check.attribute, check.required, given),
            symbol=wording.symbol(check.type, given, says),
            relation=wording.relation(check.type, given),
            required=check.required,
            achieved=published(check) if verification.rows else None,
            satisfied=check.satisfied,
        )
        for check, given in zip(
            verification.checks,
            models if same else [{} for _ in verification.checks],
            strict=True,
        )
    )
