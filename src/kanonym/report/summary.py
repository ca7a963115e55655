"""What a report says, as plain data: every form of the report is written from this."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanonym.report import wording
from kanonym.report.distributions.examples import Transformation, transformations_of
from kanonym.report.distributions.marginals import Marginal, marginal_of
from kanonym.report.distributions.rectangles import ClassMap, maps_of
from kanonym.report.distributions.resolution import released_counts
from kanonym.report.distributions.sizes import ClassSizes
from kanonym.report.known.assessed import Assessed, assessed_of
from kanonym.report.known.attacked import Attacked, attacks_of
from kanonym.report.known.choice import Choice, coarse_choice
from kanonym.report.known.compared import Alternatives, alternatives_of
from kanonym.report.known.evidence import Evidence, evidence_of
from kanonym.report.known.provenance import Provenance, without_values
from kanonym.report.language import Speech, speech
from kanonym.report.rounding import (
    coarse_account,
    coarse_amount,
    coarse_coverage,
    coarse_utility,
    published,
    step_of_shares,
)

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.recoded import RecodedAttribute
    from kanonym.data.table import EncodedTable
    from kanonym.metrics.risk import Risk
    from kanonym.metrics.utility import Utility
    from kanonym.verification import (
        LargestShare,
        Verdict,
        Verification,
        VerificationWarning,
    )

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
class Warned:
    """A warning of verification, as a sentence for readers without statistics."""

    kind: str
    columns: tuple[str, ...]
    sentence: str
    counts: dict[str, float]


@dataclass(frozen=True, slots=True)
class AttributeLoss:
    """What one quasi-identifier lost.

    Attributes
    ----------
    name, recoding
        The attribute, and how its values were released.
    lost, listed, named
        Span loss, and the share of records whose value is listed exactly, both in [0, 1]; values
        that a label names.
    rmse
        Root mean squared error in the attribute's unit; None where it is no number.
    values, released_values
        Number of distinct values of the released records: originally, and as released.

    """

    name: str
    recoding: str
    lost: float
    listed: float
    named: float
    rmse: float | None
    values: int
    released_values: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report says about one release.

    Holds no identifier and no sensitive value. Of quasi-identifiers it names what the
    labels of the release name or tell apart, if at least `floor` released records have it.
    No figure counts a suppressed record but the numbers of records themselves.

    Attributes
    ----------
    language
        The code of the language of its sentences.
    title, purpose, author
        Heading of the report, what the release is for, and who made it; the last two may be
        empty.
    rows_in, rows_out, suppressed
        Numbers of records.
    columns_in, columns_out
        Numbers of columns.
    roles
        The role of each attribute.
    evidence
        Why attributes have their roles: of a profile; None without one.
    transformations
        What was done to each attribute.
    satisfied, n_classes, requirements
        What verification found, with one `Requirement` a model; `satisfied` is None
        where none was required.
    verdict, largest_shares, warnings
        What to tell people, the worst class of each sensitive attribute, and what takes the
        green off.
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
    step
        To which shares that compare the release with the original are rounded.
    marginals
        Distributions before and after; of the attributes that lost most where
        there are more than 24.
    maps, further_maps
        Classes over pairs of quasi-identifiers; the further ones with fewer rectangles.
    attacks
        What each attack achieved, in the order given.
    assessed
        Risk and utility as measured on both tables; None where they were not.
    comparison
        Alternatives by privacy and loss; None where none were compared.
    policy
        The policy in its YAML form; values that it lists are replaced by their SHA-256.
    choice
        The node that a search of the lattice chose, among its neighbours; or None.
    algorithm, seconds, seed, versions
        How the release was made.
    provenance
        How to repeat and check it.
    date
        Of the report, as in ISO 8601; in no SHA-256.

    """

    language: str
    title: str
    purpose: str
    author: str
    rows_in: int
    rows_out: int
    suppressed: int
    columns_in: int
    columns_out: int
    roles: dict[str, str]
    evidence: Evidence | None
    transformations: tuple[Transformation, ...]
    satisfied: bool | None
    n_classes: int
    requirements: tuple[Requirement, ...]
    verdict: Verdict
    largest_shares: tuple[LargestShare, ...]
    warnings: tuple[Warned, ...]
    answer: tuple[str, ...]
    price: tuple[str, ...]
    limits: tuple[tuple[str, str], ...]
    utility: dict[str, Any]
    risk: dict[str, Any]
    class_sizes: ClassSizes
    attributes: tuple[AttributeLoss, ...]
    floor: int
    step: float
    marginals: tuple[Marginal, ...]
    maps: tuple[ClassMap, ...]
    further_maps: tuple[ClassMap, ...]
    attacks: tuple[Attacked, ...]
    assessed: Assessed | None
    comparison: Alternatives | None
    policy: dict[str, Any]
    choice: Choice | None
    algorithm: dict[str, Any]
    seconds: dict[str, float]
    seed: int | None
    versions: dict[str, str]
    provenance: Provenance
    date: str

    def named(self, role: str) -> list[str]:
        """Return the attributes of one role."""
        return [name for name, its in self.roles.items() if its == role]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: infinite numbers are None."""
        plain: dict[str, Any] = _finite(asdict(self))
        verification = {
            "satisfied": plain.pop("satisfied"),
            "verdict": plain.pop("verdict"),
            "classes": plain.pop("n_classes"),
            "models": plain.pop("requirements"),
            "largest_shares": plain.pop("largest_shares"),
            "warnings": plain.pop("warnings"),
        }
        return {**plain, "verification": verification}


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
    floor = _floor(models)
    sizes = _sizes(table, partition)
    held = [released_counts(table, partition, a) for a in range(len(recoded))]
    maps, further = maps_of(table, recoded, held, sizes, floor, rectangles, says)
    step = step_of_shares(rows_in, floor)
    covered = coarse_coverage(utility, step)
    account = coarse_account(algorithm, floor)
    class_sizes = ClassSizes.of(verification.class_sizes)
    tried = attacks_of(attacks)
    return Summary(
        language=language,
        title=title or says.say("title"),
        purpose=purpose,
        author=author,
        rows_in=rows_in,
        rows_out=verification.rows,
        suppressed=suppressed,
        columns_in=len(roles),
        columns_out=sum(role != "identifier" for role in roles.values())
        if columns_out is None
        else columns_out,
        roles=dict(roles),
        evidence=evidence_of(profile, roles, step),
        transformations=transformations_of(
            roles, actions, table, recoded, sizes, held, floor, account
        ),
        satisfied=verification.satisfied,
        n_classes=verification.n_classes,
        requirements=_requirements(says, verification, models),
        verdict=verification.verdict,
        largest_shares=verification.largest_shares,
        warnings=tuple(_warned(says, one) for one in verification.warnings),
        answer=(
            *wording.answer(
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
            ),
            *_countings(says, verification),
        ),
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
        attributes=tuple(
            AttributeLoss(
                name=one.name,
                recoding=one.recoding,
                lost=covered[one.name].loss,
                listed=covered[one.name].listed,
                named=covered[one.name].values,
                rmse=coarse_amount(utility.rmse.get(one.name), step),
                values=int((counts > 0).sum()),
                released_values=len(one.columns[0]),
            )
            for one, counts in zip(recoded, held, strict=True)
        ),
        floor=floor,
        step=step,
        marginals=_marginals(table, partition, recoded, sizes, floor, says),
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


def _marginals(
    table: EncodedTable,
    partition: Partition,
    recoded: Sequence[RecodedAttribute],
    sizes: NDArray[np.int64],
    floor: int,
    says: Speech,
) -> tuple[Marginal, ...]:
    lost = [float(sizes @ one.loss) for one in recoded]
    shown = sorted(np.argsort(-np.array(lost), kind="stable")[:MOST_MARGINALS].tolist())
    return tuple(marginal_of(table, partition, a, recoded[a], sizes, floor, says) for a in shown)


def _finite(value: Any) -> Any:
    """Replace infinite numbers and NaN, which JSON has not, by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
