"""Roles of attributes, and the schema that a policy declares for a table."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from kanonym.data.domain import Domain
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.readings import Exceptional, Reading, reading_of

if TYPE_CHECKING:
    from kanonym.data.hierarchy import HierarchySource

Recoding = Literal["interval", "range", "set", "hierarchy", "mean", "median", "mode", "balanced"]
RECODINGS: tuple[Recoding, ...] = (
    "interval",
    "range",
    "set",
    "hierarchy",
    "mean",
    "median",
    "mode",
    "balanced",
)
Nulls = Literal["value", "exclude"]

MOST_NAMES = 5
"""Unknown columns that an error names one by one."""


class Role(StrEnum):
    """Role of an attribute (Samarati 2001; SDC handbook, ch. 2)."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    SET = "set"


@dataclass(frozen=True, slots=True)
class Identifier:
    """An attribute that identifies a person on its own; it is dropped unless an action changes it.

    Parameters
    ----------
    action
        One action or several (`actions`), in order: what they leave is released
        instead, as a pseudonym is.
    """

    action: Any = ()

    role = Role.IDENTIFIER

    def __post_init__(self) -> None:
        _hold_as_tuple(self)


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """An attribute an intruder may know; it is recoded.

    Parameters
    ----------
    hierarchy
        A built hierarchy or a builder of one (`ka.hierarchy`); None for none.
    recoding
        How a class's values are released. None picks `hierarchy` where there is
        one, else `interval` for numbers and dates and `set` for other values.
    action
        One action or several, in order, on the values that come in; `After` an action
        on those that are released. Hierarchies know the values that the former leave.

    type, format
        How a column of texts is written: `date` or `time` with a format such as `%d.%m.%Y`,
        `number` with an example such as `1.234,50 €` or `170 cm`, each without a format if it is
        written as programs write it; `ordered` for bands such as `18-24`. It is read so and
        released so. `text` is never taken for one of them.
    years_from
        The first of the hundred years that years of two digits (`%y`) stand for.
    missing
        Words and codes that are null, such as `-9` or `pending`. Of columns with a type,
        well-known words such as `NA` are null as well.
    exceptions
        What becomes of the few cells that the type does not read: `keep` makes each a value of
        its own outside of all ranges, `null` a missing one, `refuse` an error.
    domain
        The values that it may have, declared without the table, for differentially private
        synthesis (`Domain`). None: those of the hierarchy.
    """

    hierarchy: HierarchySource | None = None
    recoding: Recoding | None = None
    action: Any = ()
    type: Literal["date", "time", "number", "ordered", "text"] | None = None
    format: str | None = None
    domain: Domain | None = None
    years_from: int | None = None
    missing: Sequence[str | int | float] = ()
    exceptions: Exceptional = "keep"

    role = Role.QUASI_IDENTIFIER

    def __post_init__(self) -> None:
        _hold_as_tuple(self)
        _require_source(self.hierarchy)
        _hold_missing(self)
        if self.recoding is not None and self.recoding not in RECODINGS:
            raise PolicyError(
                f"recoding {self.recoding!r} is unknown; it is one of {', '.join(RECODINGS)}"
            )
        if self.recoding == "hierarchy" and self.hierarchy is None:
            raise PolicyError("recoding 'hierarchy' needs a hierarchy")


@dataclass(frozen=True, slots=True)
class Sensitive:
    """An attribute whose value must not be learned; the algorithm releases it unchanged.

    Parameters
    ----------
    hierarchy
        Only for t-closeness with hierarchical distance.
    nulls
        `value`: null counts as one more sensitive value; `exclude`: the models
        of this attribute look at the records that have a value.
    action
        One action or several, in order; models look at the values that they leave.

    type, format
        How a column of texts is written: `date` or `time` with a format such as `%d.%m.%Y`,
        `number` with an example such as `1.234,50 €` or `170 cm`, each without a format if it is
        written as programs write it; `ordered` for bands such as `18-24`. It is read so and
        released so. `text` is never taken for one of them.
    years_from
        The first of the hundred years that years of two digits (`%y`) stand for.
    missing
        Words and codes that are null, such as `-9` or `pending`. Of columns with a type,
        well-known words such as `NA` are null as well.
    exceptions
        What becomes of the few cells that the type does not read: `keep` makes each a value of
        its own outside of all ranges, `null` a missing one, `refuse` an error.
    domain
        The values that it may have, declared without the table, for differentially private
        synthesis (`Domain`). None: those of the hierarchy.
    """

    hierarchy: HierarchySource | None = None
    nulls: Nulls = "value"
    action: Any = ()
    type: Literal["date", "time", "number", "ordered", "text"] | None = None
    format: str | None = None
    domain: Domain | None = None
    years_from: int | None = None
    missing: Sequence[str | int | float] = ()
    exceptions: Exceptional = "keep"

    role = Role.SENSITIVE

    def __post_init__(self) -> None:
        _hold_as_tuple(self)
        _require_source(self.hierarchy)
        _hold_missing(self)
        if self.nulls not in ("value", "exclude"):
            raise PolicyError(f"nulls {self.nulls!r} is unknown; it is 'value' or 'exclude'")


@dataclass(frozen=True, slots=True)
class Insensitive:
    """An attribute that is neither known to an intruder nor private; released unchanged.

    Parameters
    ----------
    action
        One action or several, in order: what they leave is released instead.
    domain
        The values that it may have, declared without the table, for differentially private
        synthesis (`Domain`). None: those of the hierarchy.
    """

    action: Any = ()
    domain: Domain | None = None

    role = Role.INSENSITIVE

    def __post_init__(self) -> None:
        _hold_as_tuple(self)


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A set of items of each person, such as diagnoses; labels of a hierarchy are released.

    An intruder may know some of the items. A column of lists, or of texts with a separator.

    Parameters
    ----------
    hierarchy
        Of the items; None for one label for all of them. Items are texts.
    separator
        Of a column of texts: what stands between two items, such as `;`. None for lists.
    missing
        Items that say that nothing is known, such as `-9`: they are not released.
    person
        Of a long table, with one row per person and item: the column that says whose a row is.
        Commands group its rows by person; in Python, `ka.sets.from_long` does.
    """

    hierarchy: HierarchySource | None = None
    separator: str | None = None
    missing: Sequence[str | int] = ()
    person: str | None = None

    role = Role.SET
    action = ()  # an action changes single values

    def __post_init__(self) -> None:
        _require_source(self.hierarchy)
        if self.separator is not None and (not self.separator or self.separator.isspace()):
            raise PolicyError(
                f"separator {self.separator!r} cannot be told from the items; it is a character "
                "such as ';' that no item has"
            )
        if self.person is not None and not (isinstance(self.person, str) and self.person):
            raise PolicyError(f"person is {self.person!r}; it must be the name of a column")
        if self.person is not None and self.separator is not None:
            raise PolicyError(
                "person is for one item per row, separator for several: give one of them"
            )
        if isinstance(self.missing, str):
            raise PolicyError(f"missing is {self.missing!r}; it must be a list of items")
        object.__setattr__(self, "missing", tuple(str(one) for one in self.missing))


def _hold_as_tuple(attribute: Any) -> None:
    """Hold an attribute's actions as a tuple, one alone or a list as well."""
    given = attribute.action
    if not isinstance(given, tuple):
        several = given if isinstance(given, list) else [] if given is None else [given]
        object.__setattr__(attribute, "action", tuple(several))


def _hold_missing(attribute: Any) -> None:
    """Hold words and codes for missing values as texts; refuse a reading that is none."""
    _reading_of(attribute)
    object.__setattr__(attribute, "missing", tuple(str(one) for one in attribute.missing))


def _reading_of(attribute: QuasiIdentifier | Sensitive) -> Reading | None:
    one = attribute
    return reading_of(one.type, one.format, one.years_from, one.missing, one.exceptions)


def _require_source(hierarchy: Any) -> None:
    """Refuse what is no hierarchy, such as a table or the name of a file."""
    if hierarchy is not None and not hasattr(hierarchy, "bind"):
        raise PolicyError(
            f"a hierarchy is built by kanonym.hierarchy, such as hierarchy.from_file; "
            f"{type(hierarchy).__name__} is none"
        )


Attribute = Identifier | QuasiIdentifier | Sensitive | Insensitive | ItemSet


@dataclass(frozen=True, slots=True)
class Schema:
    """Every column of one table with its role, in the table's column order."""

    attributes: dict[str, Attribute]
    settled: Mapping[str, Reading] = field(default_factory=dict, compare=False)

    @classmethod
    def resolve(
        cls,
        columns: Sequence[str],
        attributes: dict[str, Attribute],
        others: Role | None = None,
        missing: Sequence[str] = (),
    ) -> Schema:
        """Fit declared attributes to a table's columns.

        `others` gives one role to all columns that nobody classified; without it
        they are an error that lists them. `missing` are words for missing values in all columns.
        """
        unknown = [name for name in attributes if name not in set(columns)]
        if unknown:
            raise SchemaError(_unknown_columns(unknown, columns))
        unclassified = [name for name in columns if name not in attributes]
        if unclassified and others is None:
            raise SchemaError(
                f"{len(unclassified)} column(s) have no role: {', '.join(unclassified)}. "
                "Give each a role, or set others: insensitive (or identifier)"
            )
        default: dict[Role, Attribute] = {
            Role.IDENTIFIER: Identifier(),
            Role.QUASI_IDENTIFIER: QuasiIdentifier(),
            Role.SENSITIVE: Sensitive(),
            Role.INSENSITIVE: Insensitive(),
        }
        return cls(
            {
                name: attributes[name]
                if name in attributes
                else with_missing(default[Role(others or "")], missing)
                for name in columns
            }
        )

    @property
    def readings(self) -> dict[str, Reading]:
        """How columns of texts are written, of the attributes that say so."""
        return {**readings_of(self.attributes), **self.settled}

    def names(self, role: Role) -> list[str]:
        """Return the columns of one role, in the table's order."""
        return [name for name, attribute in self.attributes.items() if attribute.role is role]


def with_missing(attribute: Attribute, words: Sequence[str]) -> Attribute:
    """Return an attribute for which further words and codes are missing values."""
    if not words or not isinstance(attribute, QuasiIdentifier | Sensitive):
        return attribute
    return replace(attribute, missing=tuple(dict.fromkeys([*attribute.missing, *words])))


def readings_of(attributes: Mapping[str, Attribute]) -> dict[str, Reading]:
    """Return how columns of texts are written, of the attributes that say so."""
    found = {
        name: _reading_of(attribute)
        for name, attribute in attributes.items()
        if isinstance(attribute, QuasiIdentifier | Sensitive)
    }
    return {name: reading for name, reading in found.items() if reading is not None}


def _unknown_columns(unknown: Iterable[str], columns: Sequence[str]) -> str:
    parts = []
    for name in unknown:
        near = difflib.get_close_matches(name, columns, n=1)
        parts.append(f"{name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    if len(parts) > MOST_NAMES:  # these may be the values of a column
        parts = [f"{parts[0]} and {len(parts) - 1} more"]
    return f"no such column: {', '.join(parts)}. The table has: {', '.join(columns)}"
