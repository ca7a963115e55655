"""What the pages know of a table and of a release: plain data that crosses from the process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from kanonym.data.command_line import split_names
from kanonym.data.credentials import displayable_url
from kanonym.data.databases import database_kind
from kanonym.data.files import is_text
from kanonym.pipeline.reasons import Reason
from kanonym.profiling import Profile


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table is, and how it is read.

    Attributes
    ----------
    path
        A file of this machine, DuckDB's among them, or the URL of a database.
    sheet, header_row
        Of an Excel workbook.
    encoding
        Of a text file that is not UTF-8.
    columns
        The names of the columns of a file without a header, separated by commas.
    table
        The name of the table, in a database.
    uploaded
        Whether it lies in the private folder of this workbench, and goes with it.
    ledger
        The file that adds up what releases under differential privacy spend of the table; None
        for the usual one.

    """

    path: str
    sheet: str | None = None
    header_row: int | None = None
    encoding: str | None = None
    columns: str | None = None
    table: str | None = None
    uploaded: bool = False
    ledger: str | None = None

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
        return not self.in_database and is_text(self.path, None)

    @property
    def in_duckdb(self) -> bool:
        """Whether the table is in a DuckDB file."""
        return database_kind(self.path) == "duckdb"

    def is_place_of(self, other: Source) -> bool:
        """Whether another source is the same table, which may leave open how it is read."""
        ours, theirs = self.displayable, other.displayable
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
    """A table that was read.

    Attributes
    ----------
    name, sha256
        Of the file; the hash is empty for a table of a database.
    profile
        The columns, with the roles that are suggested and why.
    histograms
        By language and column.
    sheets
        Names of the sheets, of a workbook.
    notes
        Sentences on what was guessed in reading it.

    """

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
        return [one.name for one in self.profile.columns]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table, as text; None is a missing value.

    Attributes
    ----------
    header, cells
        Names of the columns, and a tuple a row.
    start, total
        The number of the first row, from 0, and how many there are.

    """

    header: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    start: int
    total: int


@dataclass(frozen=True, slots=True)
class MadeRelease:
    """A release that was made and verified; the table itself stays in the process.

    Attributes
    ----------
    form
        The policy, as it was carried out.
    figures
        As of `Release.to_dict`.
    rows
        The first of the released table.
    """

    form: Mapping[str, Any]
    figures: Mapping[str, Any]
    rows: Rows


@dataclass(frozen=True, slots=True)
class BoundHierarchy:
    """A hierarchy over the values of a column.

    Attributes
    ----------
    form
        As a policy has it; of one that was suggested, the builder.
    rows
        The labels of each value, from the value to the root; None is null.
    counts
        Records of each value, in the order of the rows.
    labels
        How many labels each level has.

    """

    form: Any
    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordRisk:
    """One record, before and after.

    Attributes
    ----------
    number
        In the table, from 1.
    before, after
        Records with the same quasi-identifiers, itself included, in the table and in the release;
        or persons with such records. after is 0 for a suppressed record.
    cells
        By quasi-identifier, the original value and the released one; None is a missing one.
    telling
        By quasi-identifier, how many would be the same without it, where that are more.
    reasons
        Why it was suppressed, or its values generalized.

    """

    number: int
    before: int
    after: int
    cells: tuple[tuple[str | None, str | None], ...]
    telling: Mapping[str, int]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordRisks:
    """Some records, the riskiest first.

    Attributes
    ----------
    names
        The quasi-identifiers.
    records
        On this page.
    start, total
        The first of them, from 0, and how many there are.
    suppressed
        Records of the whole table that are not released.
    uniques, whole
        Records that were unique before, of all; or persons.
    entity
        The identifier by which persons are counted; None where records are.

    """

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

    Attributes
    ----------
    label
        What makes it.
    privacy, loss
        Its place in the picture.
    suppressed, classes
        Records and classes.
    satisfied, front, knee
        Whether it satisfies the policy, whether no other one beats it, whether it is recommended.
    parts
        What it changes of the policy.

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


@dataclass(frozen=True, slots=True)
class Exploration:
    """Solutions beside the chosen one.

    Attributes
    ----------
    kind
        `comparison` or `lattice`.
    axes, reason
        By language: what privacy and loss are measured by; why one is recommended.
    solutions, total
        Those that are shown, and how many were found.
    whole
        How many there would be without the limit of time; 0 where all were found.

    """

    kind: str
    axes: Mapping[str, tuple[str, str]]
    reason: Mapping[str, str]
    solutions: tuple[Solution, ...]
    total: int
    whole: int = 0


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A section of the report as HTML."""

    anchor: str
    title: str
    html: str


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files of a release, in a folder of the project.

    Attributes
    ----------
    folder
        Its name.
    names
        Of the files.
    sha256
        Of the released table.

    """

    folder: str
    names: tuple[str, ...]
    sha256: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleasedBatch:
    """A further batch that was released by the recoding of a release.

    Attributes
    ----------
    place
        The file.
    figures
        As of `BatchRelease.to_dict`.

    """

    place: str
    figures: Mapping[str, Any]


class ReadCell(NamedTuple):
    """A cell of a column and what it is read as.

    Attributes
    ----------
    kind
        `value`, `bound`, `missing`, `exception`, or `fault`: the column cannot be read.
    text
        The cell; of a fault nothing.
    value
        What it is read as; of a fault why not.
    row, cells
        Of missing cells and exceptions, the first row, from 1, and how many there are.

    """

    kind: Literal["value", "bound", "missing", "exception", "fault"]
    text: str
    value: str = ""
    row: int = 0
    cells: int = 0
