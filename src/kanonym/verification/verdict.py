"""What verification found: a verdict on a released table, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, get_args

from kanonym.data.results.result import Result, ResultTable
from kanonym.models import Guarantee
from kanonym.verification.class_counting import Counting

LISTED = 5
"""Columns that a message names; further ones are counted."""

Verdict = Literal[
    "satisfied", "satisfied with warnings", "violated", "not private", "nothing required"
]
"""`satisfied`: every model holds, at least one requires something, and no warning stands.

`not private`: what a mechanism draws was repeatable, so that its promise does not hold.
"""

GuaranteeVerdict = Literal["checked", "by construction", "not private", "violated"]
"""`checked`: on released values. `by construction`: they cannot show it; `rests_on` says why."""

WarningKind = Literal[
    "repeated-identifier",
    "repeated-persons",
    "persons-not-checked",
    "unprotected-sensitive",
    "dominant-value",
    "near-values",
    "similar-values",
    "identifying-amount",
    "free-text",
    "items-apart",
    "long-list",
    "trivial-model",
    "no-records",
    "drawn-values",
    "not-private",
    "foreign-labels",
    "large-delta",
    "date-intervals",
    "unshifted-dates",
    "copied-column",
    "batches-together",
    "spellings",
    "dependent-column",
    "knowable-column",
]
WARNING_KINDS: tuple[str, ...] = get_args(WarningKind)
"""Every kind of warning. The report has a sentence for each: `warning.KIND`."""


@dataclass(frozen=True, slots=True)
class VerificationWarning:
    """Why a release that satisfies its models may still not protect the people in it.

    Attributes
    ----------
    kind
        One of `WARNING_KINDS`.
    columns
        The columns concerned; none where it is the whole table.
    message
        One or two sentences in English: what was found, and what to do. No value of a record.
    counts
        The numbers of the message, by name.

    """

    kind: WarningKind
    columns: tuple[str, ...]
    message: str
    counts: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "message": self.message,
            "counts": dict(self.counts),
        }


MOST_DELTA = 1e-4
"""Of differential privacy; a larger δ is warned of, whatever the size of the table."""
NOT_PRIVATE = VerificationWarning(
    "not-private",
    (),
    "a seed was given, and whoever knows or guesses it can repeat what was drawn: this release is "
    "not differentially private. Leave the seed out for a release; use one for tests only",
)


@dataclass(frozen=True, slots=True)
class LargestShare:
    """How much of a class its commonest sensitive value has, in the worst class.

    Attributes
    ----------
    attribute
        The sensitive attribute.
    share
        Records with the commonest value / records of the class, in [0, 1].
    records
        Records of that class; of the largest one where several have this share.
    table_share
        Share of the same value in the whole table.

    """

    attribute: str
    share: float
    records: int
    table_share: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "attribute": self.attribute,
            "share": self.share,
            "records": self.records,
            "table_share": self.table_share,
        }


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One model's answer on a released table.

    Attributes
    ----------
    type, attribute, required, achieved, satisfied
        The model, what was asked, and what the release has.
    counting
        How class sizes were counted; None for the records of each class.
    trivial
        Whether the model would allow every record to be released as it is.
    recorded
        Whether the manifest of the release tells it: it could not be counted again.
    guarantee
        What the model speaks about: one of `models.base.Guarantee`.
    rests_on
        What the proof of a mechanism rests on; None where released values were checked.
    repeatable
        Whether a seed repeats what a mechanism drew: it then promises nothing.

    """

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
            **({"trivial": True} if self.trivial else {}),
            **({"recorded": True} if self.recorded else {}),
        }


@dataclass(frozen=True, slots=True, repr=False)
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
    warnings
        Why the release may not protect the people in it although its models hold.
    text_columns
        Quasi-identifiers of a text file in which several texts read as one value: records
        were grouped by value and by text, and the figures are the worse ones.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "rows",
        "n_classes",
        "k",
        "verdict",
    )

    rows: int
    n_classes: int
    checks: tuple[ModelCheck, ...]
    violating: tuple[dict[str, Any], ...]
    n_violating: int
    class_sizes: dict[int, int]
    largest_shares: tuple[LargestShare, ...] = ()
    warnings: tuple[VerificationWarning, ...] = ()
    text_columns: tuple[str, ...] = ()

    @property
    def satisfied(self) -> bool | None:
        """Whether every model is satisfied; None where none was required."""
        return all(check.satisfied for check in self.checks) if self.checks else None

    @property
    def verdict(self) -> Verdict:
        """What to tell people: `satisfied` only where every model holds and nothing warns."""
        if any(check.repeatable for check in self.checks):
            return "not private"
        if self.satisfied is False:
            return "violated"
        if all(check.trivial for check in self.checks):
            return "nothing required"
        return "satisfied with warnings" if self.warnings else "satisfied"

    def with_warnings(self, *warnings: VerificationWarning) -> Self:
        """Return the same with further warnings, in the order of their kinds."""
        every = (*self.warnings, *warnings)
        return replace(
            self, warnings=tuple(sorted(every, key=lambda one: WARNING_KINDS.index(one.kind)))
        )

    def repeated_by_seed(self) -> Self:
        """Return the same of a release whose draws a seed repeats: no mechanism holds."""
        void = [
            replace(check, satisfied=False, repeatable=True)
            if check.guarantee == "mechanism"
            else check
            for check in self.checks
        ]
        return replace(self, checks=tuple(void)).with_warnings(NOT_PRIVATE)

    def with_delta(self, delta: float) -> Self:
        """Return the same, with a warning where δ allows to publish some records as they are.

        1 / n would be the limit, but n is private: there are at least as many as were released.
        """
        if delta <= MOST_DELTA and delta * self.rows <= 1:
            return self
        one_in = math.floor(1 / delta)
        warned = VerificationWarning(
            "large-delta",
            (),
            f"delta is a chance of 1 in {one_in:,}, and {self.rows:,} records were released: with "
            "such a delta, a mechanism may publish some records as they are. Use 1e-6 or less",
            {"one_in": one_in, "released": self.rows},
        )
        return self.with_warnings(warned)

    def with_foreign_labels(self, columns: Sequence[str]) -> Self:
        """Return the same of a release with columns that a mechanism does not make: violated."""
        if not columns:
            return self
        named = column_names_text(columns)
        warned = VerificationWarning(
            "foreign-labels",
            tuple(columns),
            f"{named}: released values that are no labels of one level of the hierarchy, or a "
            "column that the policy does not release. The mechanism did not make this table",
        )
        failed = [
            replace(check, satisfied=False) if check.guarantee == "mechanism" else check
            for check in self.checks
        ]
        return replace(self, checks=tuple(failed)).with_warnings(warned)

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
            "largest_shares": [one.to_dict() for one in self.largest_shares],
            "warnings": [one.to_dict() for one in self.warnings],
            **({"text_columns": list(self.text_columns)} if self.text_columns else {}),
            "n_violating": self.n_violating,
            "violating": [
                {**one, "class": {name: _plain(value) for name, value in one["class"].items()}}
                for one in self.violating
            ],
        }

    def tables(self) -> list[ResultTable]:
        """Return a row for each model, below the verdict; warnings stand below."""
        rows = [
            (
                one.type if one.attribute is None else f"{one.type} of {one.attribute}",
                f"{one.required:.4g}",
                f"{one.achieved:.4g}",
                one.verdict,
            )
            for one in self.checks
        ]
        lead = (
            f"{self.verdict} · records {self.rows:,} · classes {self.n_classes:,} · "
            f"smallest class {self.k:,}"
        )
        notes = tuple(f"warning: {one.message}" for one in self.warnings)
        header = ("model", "required", "achieved", "verdict")
        return [ResultTable(header, rows, frozenset({1, 2}), lead, notes)]


def column_names_text(columns: Sequence[str]) -> str:
    """Return the names of columns for a message: the first five, and how many more."""
    more = len(columns) - LISTED
    return ", ".join(columns[:LISTED]) + (f" and {more} more" if more > 0 else "")


def _plain(value: object) -> object:
    """Return a value as JSON holds it: dates and the like as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
