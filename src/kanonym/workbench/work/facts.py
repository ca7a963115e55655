"""What the pages know of a table and of a release: plain data that crosses from the process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kanonym.data.databases import database_kind, displayable_url
from kanonym.data.errors import DataError
from kanonym.data.files import is_text
from kanonym.data.option import split_names
from kanonym.evaluation.risk.subsets import SubsetRisk
from kanonym.pipeline.reasons import Reason
from kanonym.profiling import Profile

PUBLIC = ("public-report.html", "public-manifest.json")
"""What may go along with a release under differential privacy."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table is, and how it is read."""

    path: str
    sheet: str | None = None
    header_row: int | None = None
    encoding: str | None = None
    columns: str | None = None
    table: str | None = None
    uploaded: bool = False
    ledger: str | None = None
    content: str | None = None
    """The hash of an uploaded file."""

    @property
    def options(self) -> list[str]:
        """The options by which a command reads it."""
        row = "" if self.header_row is None else str(self.header_row)
        given = {
            "--sheet": self.sheet,
            "--header-row": row,
            "--encoding": self.encoding,
            "--columns": self.columns,
        }
        return [word for name, value in given.items() if value for word in (name, value)]

    @property
    def column_names(self) -> list[str] | None:
        """The names of the columns of a file without a header."""
        return None if self.columns is None else split_names([self.columns])

    @property
    def in_database(self) -> bool:
        """Whether the table is in a database."""
        return database_kind(self.path) is not None

    @property
    def is_text(self) -> bool:
        """Whether the table may be a text file."""
        try:
            return not self.in_database and is_text(self.path, None)
        except DataError:
            return False

    @property
    def in_duckdb(self) -> bool:
        """Whether the table is in a DuckDB file."""
        return database_kind(self.path) == "duckdb"

    def is_place_of(self, other: Source) -> bool:
        """Whether another source is the same table, which may leave open how it is read."""
        ours, theirs = self.displayable, other.displayable
        if ours.uploaded or theirs.uploaded:
            names = Path(ours.path).name, Path(theirs.path).name
            both = ours.uploaded and theirs.uploaded and names[0] == names[1]
            return both and ours.content == theirs.content is not None
        return (ours.path, ours.table) == (theirs.path, theirs.table) and theirs.sheet in (
            None,
            ours.sheet,
        )

    @property
    def displayable(self) -> Source:
        """The same, without what opens a database."""
        return replace(self, path=displayable_url(self.path)) if "://" in self.path else self


@dataclass(frozen=True, slots=True)
class Histogram:
    """How the values of a column are distributed: labels and records of bars."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """A table that was read."""

    name: str
    sha256: str
    profile: Profile
    histograms: Mapping[str, Mapping[str, Histogram]]
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Its number of records."""
        return self.profile.rows

    @property
    def columns(self) -> list[str]:
        """The names of its columns, in order."""
        return [column.name for column in self.profile.columns]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table, as text; None is a missing value."""

    header: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    start: int
    total: int


@dataclass(frozen=True, slots=True)
class MadeRelease:
    """A release that was made and verified; the table itself stays in the process."""

    form: Mapping[str, Any]
    figures: Mapping[str, Any]
    rows: Rows


@dataclass(frozen=True, slots=True)
class BoundHierarchy:
    """A hierarchy over the values of a column."""

    form: Any
    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A measure of risk, of the table and of its release; `is_share` where it is from 0 to 1."""

    title: str
    counted: str
    before: float | None
    after: float | None
    is_share: bool
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class ComparedRisk:
    """The risk of the table and of its release, by all quasi-identifiers and by subsets."""

    figures: tuple[ComparedFigure, ...]
    subsets: tuple[tuple[SubsetRisk, SubsetRisk], ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordRisk:
    """One record, before and after."""

    number: int
    before: int
    after: int
    cells: tuple[tuple[str | None, str | None], ...]
    telling: Mapping[str, int]
    reasons: tuple[Reason, ...] = ()
    group: int = -1


@dataclass(frozen=True, slots=True)
class RecordRisks:
    """Some records, the riskiest first."""

    names: tuple[str, ...]
    records: tuple[RecordRisk, ...]
    start: int
    total: int
    suppressed: int
    uniques: int
    whole: int
    entity: str | None = None

    @property
    def unit(self) -> str:
        """What is counted: `record` or `person`."""
        return "record" if self.entity is None else "person"


@dataclass(frozen=True, slots=True)
class Solution:
    """One of many releases, or one node of a lattice.

    achieved: by requirement. losses: by column. shares: the largest in a class, by sensitive
    attribute. risk: the average chance of finding a record.
    """

    label: str
    privacy: float
    loss: float
    suppressed: int
    classes: int
    satisfied: bool
    front: bool
    knee: bool
    parts: Mapping[str, Any]
    size: int | None = None
    achieved: Mapping[str, float | None] = field(default_factory=dict)
    losses: Mapping[str, float | None] = field(default_factory=dict)
    shares: Mapping[str, float | None] = field(default_factory=dict)
    risk: float | None = None


@dataclass(frozen=True, slots=True)
class Exploration:
    """Solutions beside the chosen one."""

    kind: str
    axes: Mapping[str, tuple[str, str]]
    reason: Mapping[str, str]
    solutions: tuple[Solution, ...]
    total: int
    whole: int = 0


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A section of the report as HTML, or a figure with a note."""

    anchor: str
    title: str
    html: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files of a release, in a folder of the project."""

    folder: str
    names: tuple[str, ...]
    sha256: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleasedBatch:
    """A further batch that was released by the recoding of a release."""

    place: str
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuickRelease:
    """What a quick release of some records lost; `loss` is None where there was none.

    `reason` says why not; `sampled` whether the table has more records.
    """

    records: int
    sampled: bool
    suppressed: int = 0
    loss: float | None = None
    reason: str = ""


class ReadCell(NamedTuple):
    """A cell of a column and what it is read as."""

    kind: Literal["value", "bound", "missing", "exception", "fault"]
    text: str
    value: str = ""
    row: int = 0
    cells: int = 0
