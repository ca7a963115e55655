"""Summarizes a release for its report: one small function for each section."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.language import Speech, speech
from kanonym.report import wording
from kanonym.report.distributions.examples import transformations_of
from kanonym.report.distributions.marginals import Marginal, marginal_of
from kanonym.report.distributions.rectangles import maps_of
from kanonym.report.distributions.resolution import released_counts
from kanonym.report.distributions.sizes import ClassSizes
from kanonym.report.known.assessed import assessed_of
from kanonym.report.known.attacked import attacks_of
from kanonym.report.known.choice import Choice, coarse_choice
from kanonym.report.known.compared import alternatives_of
from kanonym.report.known.evidence import evidence_of
from kanonym.report.known.provenance import Provenance, without_values
from kanonym.report.rounding import (
    coarse_account,
    coarse_amount,
    coarse_coverage,
    coarse_utility,
    published,
    step_of_shares,
)
from kanonym.report.summary import AttributeLoss, Requirement, Summary, Warned

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.metrics.risk import Risk
    from kanonym.metrics.utility import Utility
    from kanonym.metrics.utility.coverage import Coverage
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
    def of(
        cls,
        table: EncodedTable,
        partition: Partition,
        recoded: Sequence[RecodedAttribute],
        floor: int,
    ) -> _Classes:
        held = [released_counts(table, partition, a) for a in range(len(recoded))]
        return cls(table, partition, recoded, _sizes(table, partition), held, floor)


def summarize(
    *,
    title: str | None,
    purpose: str = "",
    author: str = "",
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
    seed: int | None,
    versions: Mapping[str, str],
    choice: Choice | None = None,
    rectangles: tuple[str, str] | None = None,
    columns_out: int | None = None,
    attacks: Any = None,
    assessment: Any = None,
    comparison: Any = None,
    profile: Any = None,
    provenance: Provenance | None = None,
    language: str = "en",
    date: datetime.date | None = None,
) -> Summary:
    """Summarize a release for its report.

    Parameters
    ----------
    title
        Heading of the report; None for the usual one.
    purpose, author
        What the release is for, and who made it.
    policy
        The policy in its YAML form.
    roles
        The role of each attribute, in the table's order; `, changed` follows where it has
        actions.
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
    columns_out
        Columns of the release; None counts the attributes that are no identifiers.
    attacks, assessment, comparison, profile
        What else is known of the release, in the form of their `to_dict` or as objects
        that have it; see `attacked`, `assessed`, `compared` and `evidence`.
    provenance
        How to repeat it; None says what the policy alone tells.
    language
        `en` or `es`.
    date
        Of the report; None takes today.

    Raises
    ------
    SchemaError
        `rectangles` names something that is no quasi-identifier, or one twice.
    DataError
        There is no such language, or one of what else is known has another form.

    Notes
    -----
    Cost O(n_tuples) an attribute, and one sort of the classes a pair.

    """
    says = speech(language)
    models = list(policy.get("models", []))
    classes = _Classes.of(table, partition, recoded, _floor(models))
    floor = classes.floor
    step = step_of_shares(rows_in, floor)
    covered = coarse_coverage(utility, step)
    account = coarse_account(algorithm, floor)
    class_sizes = ClassSizes.of(verification.class_sizes)
    tried = attacks_of(attacks)
    maps, further = maps_of(table, recoded, classes.held, classes.sizes, floor, rectangles, says)
    return Summary(
        language=language,
        title=title or says.say("title"),
        purpose=purpose,
        author=author,
        rows_in=rows_in,
        rows_out=verification.rows,
        suppressed=suppressed,
        columns_in=len(roles),
        columns_out=_released_columns(roles) if columns_out is None else columns_out,
        roles=dict(roles),
        evidence=evidence_of(profile, roles, says, step),
        transformations=transformations_of(
            roles, actions, table, recoded, classes.sizes, classes.held, floor, account
        ),
        satisfied=verification.satisfied,
        n_classes=verification.n_classes,
        requirements=_requirements(says, verification, models),
        verdict=verification.verdict,
        largest_shares=verification.largest_shares,
        warnings=tuple(_warned(says, one) for one in verification.warnings),
        answer=_answer(says, verification, risk, class_sizes, rows_in),
        price=(
            *wording.price(
                says,
                rows_in=rows_in,
                suppressed=suppressed,
                limit=float(policy.get("suppression_limit", 0)),
                lost=utility.span_loss,
                by_column={name: one.loss for name, one in covered.items()},
            ),
            *wording.blanked(says, account, verification.rows),
        ),
        limits=wording.limits(
            says,
            roles,
            [check.attribute for check in verification.checks if check.attribute],
            actions=actions,
            attacked=any(one.attempts for one in tried),
            entity=next((str(model["entity"]) for model in models if model.get("entity")), None),
        ),
        utility=coarse_utility(utility, step),
        risk=risk.to_dict(),
        class_sizes=class_sizes,
        attributes=_losses(classes, covered, utility.rmse, step),
        floor=floor,
        step=step,
        marginals=_marginals(classes, says),
        maps=maps,
        further_maps=further,
        attacks=tried,
        assessed=assessed_of(assessment, step),
        comparison=alternatives_of(comparison, floor),
        policy=without_values(policy),
        choice=choice and coarse_choice(choice, floor, wording.search(says, choice.account)),
        algorithm=account,
        seconds=dict(seconds),
        seed=seed,
        versions=dict(versions),
        provenance=provenance or Provenance.of(policy),
        date=(date or datetime.datetime.now().astimezone().date()).isoformat(),
    )


def _released_columns(roles: Mapping[str, str]) -> int:
    return sum(role != "identifier" for role in roles.values())


def _answer(
    says: Speech,
    verification: Verification,
    risk: Risk,
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
