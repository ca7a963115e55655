"""What a report says, as plain data by section: every form of the report is written from this."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from kanonym.data.errors import gettext as _
from kanonym.language import translator
from kanonym.reporting.wording import counts_persons

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.attacks.sentences import LimitCheck
    from kanonym.metrics.record_risk import ProsecutorRisk
    from kanonym.reporting.distributions.bars import ClassSizes
    from kanonym.reporting.distributions.examples import Transformation
    from kanonym.reporting.distributions.marginals import Marginal
    from kanonym.reporting.distributions.rectangles import ClassMap
    from kanonym.reporting.known.assessment import AssessmentFigures
    from kanonym.reporting.known.choice import Alternatives, Choice
    from kanonym.reporting.known.evidence import Evidence
    from kanonym.reporting.known.provenance import Provenance
    from kanonym.verification.verdict import LargestShare, Part, PartName, Verdict


@dataclass(frozen=True, slots=True)
class Cover:
    """What stands above a report: language code, heading, purpose, author, and date (ISO 8601)."""

    language: str
    title: str
    purpose: str
    author: str
    date: str

    @classmethod
    def of(
        cls,
        title: str | None = None,
        purpose: str = "",
        author: str = "",
        language: str = "en",
        date: datetime.date | None = None,
    ) -> Self:
        """Fill in the usual title and the date of today, where they are None."""
        said = title or translator(language).text(_("Anonymization report"))
        day = date or datetime.datetime.now().astimezone().date()
        return cls(language, said, purpose, author, day.isoformat())


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of records and columns, before and after."""

    rows_in: int
    rows_out: int
    suppressed: int
    columns_in: int
    columns_out: int


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns are, and what was done to them."""

    roles: Mapping[str, str]
    evidence: Evidence | None
    transformations: tuple[Transformation, ...]

    def of_role(self, role: str) -> list[str]:
        """Return the attributes of one role."""
        return [name for name, its in self.roles.items() if its == role]


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
class FindingSentence:
    """A finding of verification, as a sentence for readers without statistics."""

    kind: str
    part: PartName
    columns: tuple[str, ...]
    sentence: str
    counts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class VerificationFigures:
    """What verification found, with one `Requirement` a model.

    `satisfied` is None where nothing was required; `largest_shares` has the worst class of each
    sensitive attribute, `parts` and `findings` what takes the green
    off.
    """

    satisfied: bool | None
    verdict: Verdict
    classes: int
    models: tuple[Requirement, ...]
    largest_shares: tuple[LargestShare, ...]
    parts: tuple[Part, ...]
    findings: tuple[FindingSentence, ...]


@dataclass(frozen=True, slots=True)
class Privacy:
    """Whether the requirements hold, how large the classes are, and what an intruder can do.

    `answer` says it in sentences for readers without statistics.
    """

    verification: VerificationFigures
    class_sizes: ClassSizes
    risk: ProsecutorRisk
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeLoss:
    """What one quasi-identifier lost."""

    name: str
    recoding: str
    lost: float
    listed: float
    named: float
    rmse: float | None
    values: int
    released_values: int


@dataclass(frozen=True, slots=True)
class Loss:
    """What the release costs."""

    price: tuple[str, ...]
    utility: Mapping[str, Any]
    attributes: tuple[AttributeLoss, ...]
    floor: int
    step: float
    marginals: tuple[Marginal, ...]
    maps: tuple[ClassMap, ...]
    further_maps: tuple[ClassMap, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """How the release was made, and how to repeat and check it.

    Values that `policy`, in its YAML form, lists are replaced by their SHA-256. `repeatable`:
    whether the same command gives the same release.
    """

    policy: Mapping[str, Any]
    algorithm: Mapping[str, Any]
    seconds: Mapping[str, float]
    seed: int | None
    repeatable: bool
    versions: Mapping[str, str]
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report says about one release, by section.

    Holds no identifier and no sensitive value. Of quasi-identifiers it names what the
    labels of the release name or tell apart, if at least `loss.floor` released records have it.
    No figure counts a suppressed record but the numbers of records themselves.
    """

    cover: Cover
    size: Size
    columns: Columns
    privacy: Privacy
    loss: Loss
    attacks: tuple[AttackResult, ...]
    limit_checks: tuple[LimitCheck, ...]
    assessed: AssessmentFigures | None
    comparison: Alternatives | None
    choice: Choice | None
    limits: tuple[tuple[str, str], ...]
    origin: Origin

    @property
    def counts_persons(self) -> bool:
        """Whether k-anonymity counts persons, who may have several records."""
        models = self.privacy.verification.models
        return any(counts_persons(model.type, model.attribute) for model in models)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the fields of design §9 are at the top; no number is infinite."""
        form: dict[str, Any] = {}
        for section in (self.cover, self.size, self.columns, self.privacy, self.loss, self.origin):
            form |= _plain(section)
        names = ("attacks", "limit_checks", "assessed", "comparison", "choice", "limits")
        return form | {name: _plain(getattr(self, name)) for name in names}


@runtime_checkable
class _Result(Protocol):
    """What has a JSON form of its own."""

    def to_dict(self) -> dict[str, Any]: ...


def _plain(value: Any) -> Any:
    """Return the JSON form of a value; infinite numbers and NaN, which JSON has not, are None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, _Result):
        value = value.to_dict()
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
