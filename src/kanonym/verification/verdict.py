"""What verification found: findings, and a verdict on a released table with what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.partition import Distribution
from kanonym.data.results import Result, ResultTable
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.kernels.classes.disclosure import TOLERANCE
from kanonym.models import Guarantee
from kanonym.verification.released_classes import Counting
from kanonym.verification.tables import models_table, verdict_table

PartName = Literal["identity", "attributes", "persons"]
"""A part of the verdict: can somebody be found, what is learned of them, who is counted."""

LISTED = 5
"""Columns that a message names; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a release that satisfies its models may still not protect the people in it."""

    kind: str
    part: PartName
    columns: tuple[str, ...]
    message: str
    counts: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "columns": list(self.columns)}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Finding:
        """Return what `to_dict` wrote."""
        columns, counts = tuple(form["columns"]), dict(form["counts"])
        return cls(form["kind"], form["part"], columns, str(form["message"]), counts)


def column_names_text(columns: Sequence[str]) -> str:
    """Return the names of columns for a message: the first five, and how many more."""
    more = len(columns) - LISTED
    return ", ".join(columns[:LISTED]) + (f" and {more} more" if more > 0 else "")


Verdict = Literal[
    "satisfied",
    "satisfied with findings",
    "not assessed",
    "violated",
    "not private",
    "nothing required",
]
"""`satisfied`: every model holds, all parts were assessed, and no finding stands.

`not assessed`: no finding stands, but nobody said who the persons are or what is sensitive; or
no record was released.
`not private`: what a mechanism draws was repeatable, so that its promise does not hold.
"""

PartVerdict = Literal["checked", "by construction", "not assessed", "violated"]
"""What is known of a part of the verdict."""

GuaranteeVerdict = Literal["checked", "by construction", "not private", "violated"]
"""`checked`: on released values. `by construction`: they cannot show it; `rests_on` says why."""

NO_RECORDS = Message("no record was released, so there is nothing that models could check")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the verdict."""

    name: PartName
    verdict: PartVerdict
    rests_on: Message

    @property
    def assessed(self) -> bool:
        """Whether the part was looked at, and holds."""
        return self.verdict in ("checked", "by construction")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"verdict": self.verdict, "rests_on": self.rests_on}


@dataclass(frozen=True, slots=True)
class LargestShare:
    """How much of a class its commonest sensitive value has, in the worst class."""

    attribute: str
    share: float
    records: int
    table_share: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


NEARLY_ALL = 0.95
"""A value that so many of a class have is as good as known of everybody in it: whoever
guesses it is wrong at most once in twenty, and in classes of fewer records never."""
DOUBT_LEFT = 0.5
"""The class must also leave at most half of the doubt that the whole table leaves about the
value: that 95 % of a class share what 94 % of all have tells nobody anything."""


def largest_share(attribute: str, distribution: Distribution) -> LargestShare | None:
    """Return the share of the commonest value in the worst class; None without a value."""
    shares, records, table_shares = _commonest_values(distribution)
    if not len(shares):
        return None
    worst = np.lexsort((records, shares))[-1]
    share, of_table = float(shares[worst]), float(table_shares[worst])
    return LargestShare(attribute, share, int(records[worst]), of_table)


class DominatedClasses(NamedTuple):
    """The classes that are nearly all one value of an attribute, of `n_classes`.

    shares, sizes: (n,) float64 and int64: the share of the value, the records that have a value.
    """

    shares: Floats
    sizes: Ints
    n_classes: int


def dominated_classes(distribution: Distribution, judged: Bools) -> DominatedClasses:
    """Return the classes that are nearly all one value, of those judged: (n_classes,) bool."""
    shares, records, table_shares = _commonest_values(distribution)
    nearly = (shares >= NEARLY_ALL - TOLERANCE) & (shares > table_shares + TOLERANCE)
    nearly &= 1 - shares <= DOUBT_LEFT * (1 - table_shares) + TOLERANCE
    nearly &= judged[np.diff(distribution.offsets) > 0]
    return DominatedClasses(shares[nearly], records[nearly], len(nearly))


def _commonest_values(distribution: Distribution) -> tuple[Floats, Ints, Floats]:
    """Return the commonest value by class: its share, records with a value, share of the table."""
    offsets, counts = distribution.offsets, distribution.counts
    filled = np.flatnonzero(np.diff(offsets))
    if not len(filled):
        return np.zeros(0), np.zeros(0, np.int64), np.zeros(0)
    starts = offsets[filled]
    records, of_table = np.add.reduceat(counts, starts), distribution.table.sum()
    if distribution.totals is not None:
        records, of_table = distribution.totals[filled], distribution.totals.sum()
    most = np.maximum.reduceat(counts, starts)
    table = distribution.table / max(int(of_table), 1)
    # Of values that are equally common in a class the rarest in the table tells most.
    own = np.repeat(np.arange(len(filled)), np.diff(offsets)[filled])
    rarity = np.where(counts == most[own], table[distribution.values], np.inf)
    return most / records, records, np.minimum.reduceat(rarity, starts)


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One model's answer on a released table."""

    type: str
    attribute: str | None
    required: float
    achieved: float
    satisfied: bool
    counting: Counting | None = None
    trivial: bool = False
    recorded: bool = False
    guarantee: Guarantee = "per class"
    rests_on: str | None = None
    repeatable: bool = False
    linked_by: tuple[str, ...] = ()
    protects: tuple[PartName, ...] = ()
    strict: bool = False

    @property
    def verdict(self) -> GuaranteeVerdict:
        """Whether released values were checked, or the way the release was made is the proof."""
        if self.repeatable:
            return "not private"
        if not self.satisfied:
            return "violated"
        return "by construction" if self.guarantee == "mechanism" else "checked"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9; a value that is infinite becomes null."""
        named = {} if self.attribute is None else {"attribute": self.attribute}
        return {
            "type": self.type,
            **named,
            **({} if self.counting is None else self.counting.to_dict()),
            "required": self.required,
            "achieved": self.achieved if math.isfinite(self.achieved) else None,
            "satisfied": self.satisfied,
            "guarantee": self.guarantee,
            "verdict": self.verdict,
            **({} if self.rests_on is None else {"rests_on": self.rests_on}),
            **{name: True for name in ("strict", "trivial", "recorded") if getattr(self, name)},
            **({"linked_by": list(self.linked_by)} if self.linked_by else {}),
        }


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """What verification found in a released table.

    Attributes
    ----------
    rows, n_classes
        Size of the released table and number of its equivalence classes.
    checks
        One `ModelCheck` a model of the policy, in the policy's order.
    violating
        At most 100 classes that fail a model, smallest first:
        `{"class": {column: released value}, "size": n, "row": its first record, from 1,
        "model": type}`; without the row where records are counted. A model of the whole
        table blames no class.
    n_violating
        Number of classes that fail at least one model of classes.
    class_sizes
        `{size: number of classes of that size}`, ascending.
    largest_shares
        One `LargestShare` per sensitive attribute.
    findings
        Why the release may not protect the people in it although its models hold.
    parts
        The parts of the verdict: identity, attributes, persons.
    not_looked_for
        Kinds of findings that show only beside the original, which was not given.
    text_columns
        Quasi-identifiers of a file in which several cells are read as one value, and told apart
        by other readers: records were grouped both ways, and the figures are the worse ones.

    """

    _shown: ClassVar[tuple[str, ...]] = ("rows", "n_classes", "k", "verdict")
    _counted: ClassVar[str] = "records"

    rows: int
    n_classes: int
    checks: tuple[ModelCheck, ...]
    violating: tuple[dict[str, Any], ...]
    n_violating: int
    class_sizes: dict[int, int]
    largest_shares: tuple[LargestShare, ...] = ()
    findings: tuple[Finding, ...] = ()
    parts: tuple[Part, ...] = ()
    not_looked_for: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()

    @property
    def satisfied(self) -> bool | None:
        """Whether every model is satisfied; None where none was required."""
        return all(check.satisfied for check in self.checks) if self.checks else None

    @property
    def verdict(self) -> Verdict:
        """What to tell people: `satisfied` only where all parts are, and nothing was found."""
        if any(check.repeatable for check in self.checks):
            return "not private"
        if self.satisfied is False:
            return "violated"
        if not self.rows:
            return "not assessed"
        if all(check.trivial for check in self.checks):
            return "nothing required"
        if self.findings:
            return "satisfied with findings"
        return "satisfied" if all(part.assessed for part in self.parts) else "not assessed"

    def with_findings(self, *findings: Finding) -> Self:
        """Return the same with further findings, each once."""
        known = {(finding.kind, finding.columns) for finding in self.findings}
        new = tuple(finding for finding in findings if (finding.kind, finding.columns) not in known)
        return replace(self, findings=(*self.findings, *new))

    @property
    def k(self) -> int:
        """Records of the smallest class, 0 without one."""
        return min(self.class_sizes, default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9; `k` tells what there is where nothing was asked."""
        return {
            "satisfied": self.satisfied,
            "verdict": self.verdict,
            **({} if self.checks else {"k": self.k}),
            "rows": self.rows,
            "classes": self.n_classes,
            "models": [check.to_dict() for check in self.checks],
            "largest_shares": [share.to_dict() for share in self.largest_shares],
            "parts": {part.name: part.to_dict() for part in self.parts},
            "findings": [finding.to_dict() for finding in self.findings],
            **({"not_looked_for": list(self.not_looked_for)} if self.not_looked_for else {}),
            **({"text_columns": list(self.text_columns)} if self.text_columns else {}),
            "n_violating": self.n_violating,
            "violating": [
                {**one, "class": {name: _plain(value) for name, value in one["class"].items()}}
                for one in self.violating
            ],
        }

    def tables(self) -> list[ResultTable]:
        """Return a row for each model, and the verdict with its parts and findings."""
        lead = (
            f"{self._counted} {self.rows:,} · classes {self.n_classes:,} · "
            f"smallest class {self.k:,}"
        )
        models = models_table(self.checks, lead, assessed=bool(self.n_classes))
        return [models, verdict_table(self)]


def _plain(value: object) -> object:
    """Return a value as JSON holds it: dates and the like as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def parts_of(
    checks: Sequence[ModelCheck],
    sensitive: Sequence[str],
    persons: Message | None,
    rows: int,
    *,
    none_sensitive: bool = False,
    hides_refusals: bool | None = None,
) -> tuple[Part, ...]:
    """Return the parts of a verdict; persons: who they are as stated, rows: of the release.

    none_sensitive: whether the policy states that no attribute is sensitive.
    """
    if not rows:
        return tuple(Part(name, "not assessed", NO_RECORDS) for name in get_args(PartName))
    return (
        _identity([check for check in checks if "identity" in check.protects]),
        _attributes(
            [check for check in checks if "attributes" in check.protects],
            sensitive,
            none_sensitive=none_sensitive,
            hides_refusals=hides_refusals,
        ),
        _persons(checks, persons),
    )


def _identity(checks: Sequence[ModelCheck]) -> Part:
    asking = [check for check in checks if not check.trivial]
    if asking:
        return Part("identity", _verdict(asking), _models_text(asking, named=False))
    reason = Message("no model limits how well a person can be found: require k-anonymity")
    return Part("identity", "not assessed", reason)


def _attributes(
    checks: Sequence[ModelCheck],
    sensitive: Sequence[str],
    *,
    none_sensitive: bool,
    hides_refusals: bool | None,
) -> Part:
    asking = [check for check in checks if not check.trivial]
    everything = any(check.guarantee == "mechanism" for check in asking)
    protected = {one.attribute for one in asking}
    unprotected = [name for name in sensitive if name not in protected]
    if asking and (_verdict(asking) == "violated" or everything or not unprotected):
        verdict, text = _verdict(asking), _models_text(asking)
        if verdict == "checked" and hides_refusals is not None:
            text = _with_defence(text, hides_refusals=hides_refusals)
        return Part("attributes", verdict, text)
    if none_sensitive:
        reason = Message("the custodian states that no attribute is sensitive (sensitive: none)")
        return Part("attributes", "checked", reason)
    if unprotected:
        reason = Message(
            "no model protects {columns}: require l-diversity or t-closeness",
            columns=column_names_text(unprotected),
        )
    else:
        reason = Message(
            "no sensitive attribute is declared: declare what must not be learned about a person "
            "as sensitive, and require l-diversity or t-closeness; or state that there is none "
            "(sensitive: none)"
        )
    return Part("attributes", "not assessed", reason)


def _with_defence(text: Message, *, hides_refusals: bool) -> Message:
    """Add what keeps those who know the algorithm from reading values off what it refused."""
    if hides_refusals:
        return Message("{models}; what the algorithm refused is left to chance", models=text)
    return Message(
        "{models}; what the algorithm refused is not hidden from those who know it", models=text
    )


def _persons(checks: Sequence[ModelCheck], persons: Message | None) -> Part:
    if persons is None:
        reason = Message(
            "the policy does not state it: set rows: persons if each row is a person, or else "
            "entity, the columns that tell persons apart"
        )
        return Part("persons", "not assessed", reason)
    linked = [check for check in checks if check.linked_by]
    if all(check.satisfied for check in linked):
        return Part("persons", "checked", persons)
    reason = Message(
        "{columns} tells whose rows are whose, and too few persons are alike in all rows",
        columns=column_names_text(linked[0].linked_by),
    )
    return Part("persons", "violated", reason)


def _verdict(checks: Sequence[ModelCheck]) -> PartVerdict:
    verdicts = {check.verdict for check in checks}
    if verdicts & {"violated", "not private"}:
        return "violated"
    return "by construction" if verdicts == {"by construction"} else "checked"


def _models_text(checks: Sequence[ModelCheck], *, named: bool = True) -> Message:
    """Say which models a part rests on; named: with their attributes."""
    attributes: dict[str, list[str]] = {}
    for check in checks:
        attributes.setdefault(check.type, []).extend(
            [] if check.attribute is None or not named else [check.attribute]
        )
    names = ", ".join(
        f"{model} of {column_names_text(of)}" if of else model for model, of in attributes.items()
    )
    failing = [one for one in checks if one.verdict in ("violated", "not private")]
    if failing:
        return Message(
            "{models} does not hold", models=", ".join(dict.fromkeys(one.type for one in failing))
        )
    if all(one.verdict == "by construction" for one in checks):
        return Message("{models}, by how the release was made", models=names)
    if any(one.recorded for one in checks):
        return Message("{models}, with the persons that the manifest recorded", models=names)
    return Message("{models}, counted in the released values", models=names)
