"""Summarizes a release for its report: one small function for each section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.actions.registry import unwrap
from kanonym.data.person_key import entity_of
from kanonym.evaluation.attacks.sentences import check_limits
from kanonym.language import Translator, translator
from kanonym.policy.faults import without_values
from kanonym.release import versions
from kanonym.release.account import published_account
from kanonym.reporting import account_wording, wording
from kanonym.reporting.distributions.bars import ClassSizes
from kanonym.reporting.distributions.examples import transformations_of
from kanonym.reporting.distributions.marginals import Marginal, marginal_of
from kanonym.reporting.distributions.rectangles import maps_of, released_counts
from kanonym.reporting.document import (
    coarse_account,
    coarse_amount,
    coarse_coverage,
    coarse_utility,
    step_of_shares,
)
from kanonym.reporting.known import KnownResults
from kanonym.reporting.known.assessment import assessment_figures
from kanonym.reporting.known.choice import alternatives_of, choice_of
from kanonym.reporting.known.evidence import evidence_of
from kanonym.reporting.known.provenance import Provenance
from kanonym.reporting.summary import (
    AttributeLoss,
    Columns,
    Cover,
    FindingSentence,
    Loss,
    Origin,
    Privacy,
    Requirement,
    Size,
    Summary,
    VerificationFigures,
)
from kanonym.verification.findings import FINDINGS

if TYPE_CHECKING:
    from kanonym.data.partition import Partition, RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.metrics.certainty import Coverage
    from kanonym.profiling.profile import Profile
    from kanonym.release import Release
    from kanonym.verification.verdict import Finding, Verification

SMALLEST_CELL = 5
"""Fewest records of a bar where no k was asked: what statistical offices commonly publish."""
MOST_MARGINALS = 24


@dataclass(frozen=True, slots=True)
class _Context:
    """A release, the language, and what several sections need.

    `roles` are those of the attributes, `policy` its YAML form, `account` what the algorithm
    tells, rounded. `sizes` are (n_classes,) numbers of records; `held` the records of each original
    value that were released, by attribute; `floor` the fewest records that a figure may show;
    `step` to which shares are rounded.
    """

    release: Release
    says: Translator
    policy: Mapping[str, Any]
    roles: Mapping[str, str]
    account: Mapping[str, Any]
    sizes: NDArray[np.int64]
    held: Sequence[NDArray[np.int64]]
    floor: int
    step: float

    @classmethod
    def of(cls, release: Release, says: Translator) -> _Context:
        decision = release.decision.encoded().released
        policy = release.policy.to_dict()
        floor = _floor(policy.get("models", ()))
        table, partition, recoded = decision.table, decision.partition, decision.recoded
        return cls(
            release,
            says,
            policy,
            roles={
                name: f"{attribute.role}, changed" if attribute.action else str(attribute.role)
                for name, attribute in release.schema.attributes.items()
            },
            account=coarse_account(published_account(release), floor),
            sizes=_sizes(table, partition),
            held=[released_counts(table, partition, a) for a in range(len(recoded))],
            floor=floor,
            step=step_of_shares(release.rows_in, floor),
        )

    @property
    def table(self) -> EncodedTable:
        return self.release.decision.encoded().released.table

    @property
    def recoded(self) -> Sequence[RecodedAttribute]:
        return self.release.decision.encoded().released.recoded

    @property
    def models(self) -> Sequence[Mapping[str, Any]]:
        models: Sequence[Mapping[str, Any]] = self.policy.get("models", ())
        return models


def summarize(
    release: Release,
    cover: Cover,
    known: KnownResults,
    *,
    rectangles: tuple[str, str] | None = None,
    provenance: Provenance | None = None,
) -> Summary:
    """Summarize a release for its report.

    Notes
    -----
    Cost O(n_tuples) an attribute, and one sort of the classes a pair.

    """
    says = translator(cover.language)
    context = _Context.of(release, says)
    return Summary(
        cover=cover,
        size=_size(release),
        columns=_columns(context, known.profile),
        privacy=_privacy(context),
        loss=_loss(context, rectangles),
        attacks=tuple(known.attacks),
        limit_checks=check_limits(known.attacks, release.policy.attack_limits),
        assessed=assessment_figures(known.risk, known.utility, context.step),
        comparison=alternatives_of(known.comparison, context.floor, says),
        choice=choice_of(release, context.floor, says),
        limits=_limits(context, known),
        origin=_origin(context, provenance),
    )


def _size(release: Release) -> Size:
    return Size(
        rows_in=release.rows_in,
        rows_out=release.verification.rows,
        suppressed=release.suppressed,
        columns_in=len(release.schema.attributes),
        columns_out=len(release.columns),
    )


def _columns(context: _Context, profile: Profile | None) -> Columns:
    release = context.release
    if profile is not None and release.suppressed and profile.rows != release.verification.rows:
        profile = None  # it tells of suppressed records
    return Columns(
        roles=context.roles,
        evidence=evidence_of(profile, context.roles, context.says, context.step),
        transformations=transformations_of(
            context.release.schema.attributes,
            context.table,
            context.recoded,
            context.sizes,
            context.held,
            context.floor,
            context.account,
        ),
    )


def _privacy(context: _Context) -> Privacy:
    says, verification = context.says, context.release.verification
    class_sizes = ClassSizes.of(verification.class_sizes)
    risk = context.release.risk
    answer = wording.answer_text(
        says,
        verdict=verification.verdict,
        findings=len(verification.findings),
        requirements=len(verification.checks),
        rows_in=context.release.rows_in,
        rows_out=verification.rows,
        n_classes=verification.n_classes,
        smallest=class_sizes.smallest,
        highest=risk.highest,
        average=risk.average,
        known_items=max((int(one.get("m", 0)) for one in context.models), default=0),
        constructed=any(check.verdict == "by construction" for check in verification.checks),
        persons=any(model.get("entity") for model in context.models),
    )
    verified = VerificationFigures(
        satisfied=verification.satisfied,
        verdict=verification.verdict,
        classes=verification.n_classes,
        models=_requirements(says, verification, context.models),
        largest_shares=verification.largest_shares,
        parts=verification.parts,
        findings=tuple(_finding_sentence(says, finding) for finding in verification.findings),
    )
    return Privacy(verified, class_sizes, risk, (*answer, *_countings(says, verification)))


def _loss(context: _Context, rectangles: tuple[str, str] | None) -> Loss:
    release, says = context.release, context.says
    covered = coarse_coverage(release.utility, context.step)
    price = wording.price_text(
        says,
        rows_in=release.rows_in,
        suppressed=release.suppressed,
        limit=float(context.policy.get("suppression_limit", 0)),
        lost=release.utility.span_loss,
        by_column={name: coverage.loss for name, coverage in covered.items()},
        sampled=any(check.guarantee == "mechanism" for check in release.verification.checks),
    )
    maps, further = maps_of(
        context.table, context.recoded, context.held, context.sizes, context.floor, rectangles, says
    )
    return Loss(
        price=(
            *price,
            *account_wording.items_text(says, context.account),
            *account_wording.suppressed_cells_text(
                says, context.account, release.verification.rows
            ),
            *account_wording.squared_error_text(says, context.account),
        ),
        utility=coarse_utility(release.utility, context.step),
        attributes=_losses(context, covered),
        floor=context.floor,
        step=context.step,
        marginals=_marginals(context),
        maps=maps,
        further_maps=further,
    )


def _limits(context: _Context, known: KnownResults) -> tuple[tuple[str, str], ...]:
    """Say what the release does not protect against."""
    entities = [model["entity"] for model in context.models if model.get("entity")]
    checks = context.release.verification.checks
    return wording.limit_texts(
        context.says,
        context.roles,
        [check.attribute for check in checks if check.attribute],
        actions=[
            (name, one.type, one.protects, one.exposes)
            for name, attribute in context.release.schema.attributes.items()
            for one in unwrap(attribute.action)
        ],
        attacked=any(attack.attempts for attack in known.attacks),
        entity=entity_of("the policy", entities[0]) if entities else None,
        none_sensitive="sensitive" in context.policy,
        private=any(check.guarantee == "mechanism" for check in checks),
    )


def _origin(context: _Context, provenance: Provenance | None) -> Origin:
    return Origin(
        policy=without_values(context.policy),
        algorithm=context.account,
        seconds=context.release.seconds,
        seed=context.release.policy.seed,
        repeatable=context.release.policy.repeatable,
        versions=versions(),
        provenance=provenance or Provenance.of(context.policy),
    )


def _losses(context: _Context, covered: Mapping[str, Coverage]) -> tuple[AttributeLoss, ...]:
    """Return what each quasi-identifier lost."""
    rmse = context.release.utility.rmse
    return tuple(
        AttributeLoss(
            name=attribute.name,
            recoding=attribute.recoding,
            lost=covered[attribute.name].loss,
            listed=covered[attribute.name].listed,
            named=covered[attribute.name].values,
            rmse=coarse_amount(rmse.get(attribute.name), context.step),
            values=int((counts > 0).sum()),
            released_values=len(attribute.columns[0]),
        )
        for attribute, counts in zip(context.recoded, context.held, strict=True)
    )


def _marginals(context: _Context) -> tuple[Marginal, ...]:
    """Return the distributions of the attributes that lost most, in the order of the table."""
    lost = [float(context.sizes @ one.loss) for one in context.recoded]
    shown = sorted(np.argsort(-np.array(lost), kind="stable")[:MOST_MARGINALS].tolist())
    return tuple(
        marginal_of(
            context.table,
            context.release.decision.encoded().released.partition,
            a,
            context.recoded[a],
            context.sizes,
            context.floor,
            context.says,
        )
        for a in shown
    )


def finding_text(says: Translator, finding: Finding) -> str:
    """Say a finding in the language of the report; real numbers are shares."""
    facts = {
        name: says.percent(number) if isinstance(number, float) else says.count(number)
        for name, number in finding.counts.items()
    }
    sentence = next(kind.sentence for kind in FINDINGS if kind.type == finding.kind)
    return says.text(sentence, columns=says.names(finding.columns), **facts)


def _finding_sentence(says: Translator, finding: Finding) -> FindingSentence:
    sentence = finding_text(says, finding)
    return FindingSentence(
        finding.kind, finding.part, finding.columns, sentence, dict(finding.counts)
    )


def _countings(says: Translator, verification: Verification) -> list[str]:
    """Return what is to say about how models were counted."""
    ways = [check.counting for check in verification.checks if check.counting is not None]
    said = [
        account_wording.counting_text(says, way.nulls, way.subsets)
        for way in ways
        if verification.rows
    ]
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
    says: Translator, verification: Verification, models: Sequence[Mapping[str, Any]]
) -> tuple[Requirement, ...]:
    """Join the checks with the models' further parameters, which stand in the policy's order."""
    same = len(models) == len(verification.checks)
    return tuple(
        Requirement(
            type=check.type,
            attribute=check.attribute,
            kind=given.get("kind") or given.get("distance"),
            sentence=wording.requirement_text(
                says, check.type, check.attribute, check.required, given
            ),
            symbol=wording.symbol(check.type, given, says),
            relation=wording.relation(check.type, given),
            required=check.required,
            achieved=check.achieved if verification.rows else None,
            satisfied=check.satisfied,
        )
        for check, given in zip(
            verification.checks, models if same else [{} for _ in verification.checks], strict=True
        )
    )
