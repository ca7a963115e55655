"""What a report says, as plain data: every form of the report is written from this."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanonym.reporting.distributions.examples import Transformation
    from kanonym.reporting.distributions.marginals import Marginal
    from kanonym.reporting.distributions.rectangles import ClassMap
    from kanonym.reporting.distributions.sizes import ClassSizes
    from kanonym.reporting.known.assessed import Assessed
    from kanonym.reporting.known.attacked import Attacked
    from kanonym.reporting.known.choice import Choice
    from kanonym.reporting.known.compared import Alternatives
    from kanonym.reporting.known.evidence import Evidence
    from kanonym.reporting.known.provenance import Provenance
    from kanonym.verification import LargestShare, Verdict


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


def _finite(value: Any) -> Any:
    """Replace infinite numbers and NaN, which JSON has not, by None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
