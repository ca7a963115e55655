"""What a policy over several tables says of one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kanonym.actions.registry import has_late_actions
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Sensitive
from kanonym.policy import actions, construction
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name

_TABLE_KEYS = ("key", "references", "owner", "attributes", "cap", "merge", "band", "rows")
_ROWS = ("known", "unknown")
_REFERENCE = "must be {column: table}, or a list of {columns: […], table: …}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: columns whose values are the key of a table.

    Attributes
    ----------
    columns
        In the order of the key that they refer to.
    table
        The table that they refer to, which may be their own.

    """

    columns: tuple[str, ...]
    table: str

    @property
    def text(self) -> str:
        """The columns as messages name them."""
        return ", ".join(self.columns)


@dataclass(frozen=True, slots=True)
class TablePolicy:
    """What a policy says of one table.

    Attributes
    ----------
    name
        The table.
    key
        The columns of its primary key; empty where nothing refers to its rows.
    references
        Its foreign keys.
    owner
        The reference by which a row belongs to a person; None for the table of persons and
        for tables whose rows belong to nobody.
    attributes
        Roles of columns, as of `Policy`.
    cap
        Rows that are kept for each row that they refer to, drawn; None keeps all.
    merge
        Whether rows of one person that are equal after recoding are released once.
    band
        Release the number of rows of each person instead of the rows, as 0, 1, … and `band+`.
    known
        Whether an intruder is assumed to know how many rows a person has here.

    """

    name: str
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    owner: Reference | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    cap: int | None = None
    merge: bool = False
    band: int | None = None
    known: bool = True

    @property
    def linking(self) -> list[str]:
        """The columns of its key and of its references, each once."""
        referring = [name for one in self.references for name in one.columns]
        return list(dict.fromkeys([*self.key, *referring]))

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that an intruder may know."""
        return [n for n, one in self.attributes.items() if isinstance(one, QuasiIdentifier)]

    @property
    def sensitive(self) -> list[str]:
        """The columns whose values must not be learned."""
        return [n for n, one in self.attributes.items() if isinstance(one, Sensitive)]


def build_table(name: Any, given: Any, directory: Path) -> TablePolicy:
    """Return what a policy says of one table; its owner is still to be found."""
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise FaultsFoundError([Fault((), "must be a mapping with `key` and `attributes`")])
    faults = [
        Fault((key,), unknown_name("key", key, _TABLE_KEYS))
        for key in given
        if key not in _TABLE_KEYS
    ]
    key = _columns(given.get("key", []), ("key",), faults)
    references = _references(given.get("references", {}), faults)
    owner = None
    if "owner" in given:
        named = _columns(given["owner"], ("owner",), faults)
        owner = next((one for one in references if one.columns == named), None)
        if owner is None:
            texts = [one.text for one in references]
            faults.append(Fault(("owner",), unknown_name("reference", ", ".join(named), texts)))
    numbers: dict[str, int | None] = {}
    for option in ("cap", "band"):
        value = given.get(option)
        if value is not None and (type(value) is not int or value < 1):
            reason = f"is {value!r}; it must be a whole number of at least 1"
            faults.append(Fault((option,), reason))
            value = None
        numbers[option] = value
    if not isinstance(given.get("merge", False), bool):
        faults.append(Fault(("merge",), "must be true or false"))
    if given.get("rows", "known") not in _ROWS:
        faults.append(Fault(("rows",), unknown_name("value", given["rows"], _ROWS)))
    attributes: dict[str, Attribute] = {}
    try:
        attributes = construction.build_attributes(
            given.get("attributes", {}), directory, actions.build_actions
        )
    except FaultsFoundError as error:
        faults += [one.below(("attributes",)) for one in error.faults]
    faults += [
        Fault(
            ("attributes", column),
            "is a set of items, which linked tables do not protect: keep its items as rows of a "
            "table of their own",
        )
        for column, one in attributes.items()
        if isinstance(one, ItemSet)
    ]
    late = [column for column, one in attributes.items() if has_late_actions(one.action)]
    faults += [
        Fault(("attributes", column), "`when: after` is not possible in linked tables")
        for column in late
    ]
    if faults:
        raise FaultsFoundError(faults)
    return TablePolicy(
        name=name,
        key=key,
        references=references,
        owner=owner,
        attributes=attributes,
        cap=numbers["cap"],
        band=numbers["band"],
        merge=given.get("merge", False),
        known=given.get("rows", "known") == "known",
    )


def _columns(given: Any, path: tuple[str, ...], faults: list[Fault]) -> tuple[str, ...]:
    """Return the columns of a key: a name, or a list of names."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
        faults.append(Fault(path, "must be the name of a column, or a list of names"))
        return ()
    return tuple(names)


def _references(given: Any, faults: list[Fault]) -> tuple[Reference, ...]:
    """Return the foreign keys of a table, in either form."""
    found: list[Reference] = []
    if isinstance(given, Mapping):
        pairs: Iterable[tuple[Any, Any]] = given.items()
    elif isinstance(given, Sequence) and all(
        isinstance(one, Mapping) and set(one) == {"columns", "table"} for one in given
    ):
        pairs = [(one["columns"], one["table"]) for one in given]
    else:
        faults.append(Fault(("references",), _REFERENCE))
        return ()
    for columns, table in pairs:
        names = _columns(columns, ("references",), faults)
        if not isinstance(table, str):
            faults.append(Fault(("references",), _REFERENCE))
        elif names:
            found.append(Reference(names, table))
    return tuple(found)
