"""What a policy over several tables says of one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kanonym.actions.registry import has_late_actions
from kanonym.data.errors import PolicyError
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Sensitive
from kanonym.policy import actions, construction
from kanonym.policy.faults import Fault, FaultsFoundError, unknown_name

_REFERENCE = "must be {column: table}, or a list of {columns: […], table: …}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: columns whose values are the key of a table, which may be their own."""

    columns: tuple[str, ...]
    table: str

    @property
    def text(self) -> str:
        """The columns as messages name them."""
        return ", ".join(self.columns)


@dataclass(frozen=True, slots=True)
class TablePolicy:
    """What a policy says of one table; the keys of the same names are in docs/linked_tables.md.

    owner: the reference by which a row belongs to a person; None for the table of persons and for
    rows of nobody. known: whether an intruder may know how many rows a person has here.
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
    def other_references(self) -> list[Reference]:
        """The references that do not say whose its rows are."""
        return [one for one in self.references if one != self.owner]

    @property
    def referring(self) -> set[str]:
        """The columns of references that do not say whose its rows are."""
        return {name for one in self.other_references for name in one.columns}

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that an intruder may know."""
        return [n for n, one in self.attributes.items() if isinstance(one, QuasiIdentifier)]

    @property
    def sensitive(self) -> list[str]:
        """The columns whose values must not be learned."""
        return [n for n, one in self.attributes.items() if isinstance(one, Sensitive)]


def with_below(names: Iterable[str], tables: Mapping[str, TablePolicy]) -> list[str]:
    """Return tables, and further down those whose rows belong to their rows."""
    found = list(names)
    for name in found:
        found += [
            one.name
            for one in tables.values()
            if one.owner and one.owner.table == name and one.name not in found
        ]
    return found


def banded_tables(tables: Mapping[str, TablePolicy]) -> list[str]:
    """Return the tables of which a release has numbers of rows."""
    return [name for name, one in tables.items() if one.band]


@contextmanager
def gather(faults: list[Fault], *path: str) -> Iterator[None]:
    """Add the faults that are found to a list, as seen from the top of the policy."""
    try:
        yield
    except FaultsFoundError as error:
        faults.extend(one.below(path) for one in error.faults)


def raise_all(faults: Iterable[Fault]) -> None:
    """Raise faults, if there are any."""
    several = list(faults)
    if several:
        raise FaultsFoundError(several)


def build_table(name: Any, given: Any, directory: Path) -> TablePolicy:
    """Return what a policy says of one table; its owner is still to be found."""
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise FaultsFoundError([Fault((), "must be a mapping with `key` and `attributes`")])
    faults: list[Fault] = []
    built: dict[str, Attribute] = {}
    with gather(faults, "attributes"):
        built = _attributes(given.get("attributes", {}), directory)

    def build(
        *,
        key: Any = (),
        references: Any = (),
        owner: Any = None,
        attributes: Any = None,
        cap: int | None = None,
        merge: bool = False,
        band: int | None = None,
        rows: Literal["known", "unknown"] = "known",
    ) -> TablePolicy:
        del attributes  # they are built
        for option, value in (("cap", cap), ("band", band)):
            if value is not None and value < 1:
                raise PolicyError(f"{option} is {value}; it must be a whole number of at least 1")
        keyed, linked = _columns(key, "key"), _references(references)
        whose = None if owner is None else _owner(_columns(owner, "owner"), linked)
        known = rows == "known"
        return TablePolicy(name, keyed, linked, whose, built, cap, merge, band, known)

    with gather(faults):
        table: TablePolicy = construction.call_with_values(build, given, "a table")
    raise_all(faults)
    return table


def _attributes(given: Any, directory: Path) -> dict[str, Attribute]:
    """Return the roles of columns, without what linked tables have not."""
    built = construction.build_attributes(given, directory, actions.build_actions)
    sets = (
        "is a set of items, which linked tables do not protect: keep its items as rows of a table "
        "of their own"
    )
    late = "`when: after` is not possible in linked tables"
    raise_all(
        Fault((column,), sets if isinstance(one, ItemSet) else late)
        for column, one in built.items()
        if isinstance(one, ItemSet) or has_late_actions(one.action)
    )
    return built


def _columns(given: Any, key: str) -> tuple[str, ...]:
    """Return the columns of a key: a name, or a list of names."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
        raise FaultsFoundError([Fault((key,), "must be the name of a column, or a list of names")])
    return tuple(names)


def _references(given: Any) -> tuple[Reference, ...]:
    """Return the foreign keys of a table, in either form."""
    pairs: Any = given.items() if isinstance(given, Mapping) else given
    if isinstance(given, Sequence) and all(
        isinstance(one, Mapping) and set(one) == {"columns", "table"} for one in given
    ):
        pairs = [(one["columns"], one["table"]) for one in given]
    elif not isinstance(given, Mapping):
        raise FaultsFoundError([Fault(("references",), _REFERENCE)])
    found = [Reference(_columns(columns, "references"), table) for columns, table in pairs]
    if not all(isinstance(one.table, str) and one.columns for one in found):
        raise FaultsFoundError([Fault(("references",), _REFERENCE)])
    return tuple(found)


def _owner(columns: tuple[str, ...], references: Sequence[Reference]) -> Reference:
    """Return the reference of some columns."""
    for one in references:
        if one.columns == columns:
            return one
    texts = [one.text for one in references]
    reason = unknown_name("reference", ", ".join(columns), texts)
    raise FaultsFoundError([Fault(("owner",), reason)])
