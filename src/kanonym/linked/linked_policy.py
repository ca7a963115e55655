"""A policy over several tables: which one holds the persons, and how rows belong to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl

from kanonym.actions.registry import conflicting_shifts, has_late_actions, unwrap
from kanonym.data.errors import PolicyError
from kanonym.data.schema import Attribute, ItemSet, QuasiIdentifier, Role, Sensitive
from kanonym.models.base import PrivacyModel
from kanonym.policy import actions, construction, document
from kanonym.policy.faults import (
    Fault,
    Faults,
    FaultsFoundError,
    policy_error,
    unknown_name,
    without_values,
)

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
    """What a policy says of one table; keys of the same names are in docs/linked_tables.md."""

    name: str
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    owner: Reference | None = None  # whose a row is; None for persons and for rows of nobody
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    cap: int | None = None
    merge: bool = False
    band: int | None = None
    known: bool = True  # whether an intruder may know how many rows a person has here

    @property
    def linking(self) -> list[str]:
        """The columns of its key and of its references, each once."""
        referring = [name for reference in self.references for name in reference.columns]
        return list(dict.fromkeys([*self.key, *referring]))

    @property
    def other_references(self) -> list[Reference]:
        """The references that do not say whose its rows are."""
        return [reference for reference in self.references if reference != self.owner]

    @property
    def referring(self) -> set[str]:
        """The columns of references that do not say whose its rows are."""
        return {name for reference in self.other_references for name in reference.columns}

    @property
    def quasi_identifiers(self) -> dict[str, QuasiIdentifier]:
        """The columns that an intruder may know."""
        return {n: one for n, one in self.attributes.items() if isinstance(one, QuasiIdentifier)}

    @property
    def sensitive(self) -> dict[str, Sensitive]:
        """The columns whose values must not be learned."""
        return {n: one for n, one in self.attributes.items() if isinstance(one, Sensitive)}


def with_below(names: Iterable[str], tables: Mapping[str, TablePolicy]) -> list[str]:
    """Return tables, and further down those whose rows belong to their rows."""
    found = list(names)
    for name in found:
        found += [
            table.name
            for table in tables.values()
            if table.owner and table.owner.table == name and table.name not in found
        ]
    return found


def banded_tables(tables: Mapping[str, TablePolicy]) -> list[str]:
    """Return the tables of which a release has numbers of rows."""
    return [name for name, one in tables.items() if one.band]


def build_table(name: Any, given: Any, directory: Path) -> TablePolicy:
    """Return what a policy says of one table; its owner is still to be found."""
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise FaultsFoundError([Fault((), "must be a mapping with `key` and `attributes`")])
    faults = Faults()
    built: dict[str, Attribute] = {}
    with faults.below("attributes"):
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

    with faults.below():
        table: TablePolicy = construction.call_with_values(build, given, "a table")
    faults.raise_all()
    return table


def _attributes(given: Any, directory: Path) -> dict[str, Attribute]:
    """Return the roles of columns, without what linked tables have not."""
    built = construction.build_attributes(given, directory, actions.build_actions)
    sets = (
        "is a set of items, which linked tables do not protect: keep its items as rows of a table "
        "of their own"
    )
    late = "`when: after` is not possible in linked tables"
    Faults(
        Fault((column,), sets if isinstance(attribute, ItemSet) else late)
        for column, attribute in built.items()
        if isinstance(attribute, ItemSet) or has_late_actions(attribute.action)
    ).raise_all()
    return built


def _columns(given: Any, key: str) -> tuple[str, ...]:
    """Return the columns of a key: a name, or a list of names."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
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
    references = [Reference(_columns(columns, "references"), table) for columns, table in pairs]
    if not all(isinstance(reference.table, str) and reference.columns for reference in references):
        raise FaultsFoundError([Fault(("references",), _REFERENCE)])
    return tuple(references)


def _owner(columns: tuple[str, ...], references: Sequence[Reference]) -> Reference:
    """Return the reference of some columns."""
    for reference in references:
        if reference.columns == columns:
            return reference
    texts = [one.text for one in references]
    reason = unknown_name("reference", ", ".join(columns), texts)
    raise FaultsFoundError([Fault(("owner",), reason)])


def with_owners(person: str, tables: Mapping[str, TablePolicy]) -> dict[str, TablePolicy]:
    """Return the tables, each with the reference that says whose its rows are."""
    Faults(_reference_faults(person, tables)).raise_all()
    leading = {person}
    for table in [*tables.values()] * len(tables):  # as long as the longest way is
        leading |= {table.name for reference in table.references if reference.table in leading}
    faults = Faults()
    found: dict[str, TablePolicy] = {}
    for table in tables.values():
        candidates = [
            reference
            for reference in table.references
            if reference.table in leading and reference.table != table.name
        ]
        owner = table.owner
        if table.name == person:
            candidates, owner = [], None
        elif owner is None and len(candidates) > 1:
            ways = " and ".join(f"{candidate.text} → {candidate.table}" for candidate in candidates)
            reason = (
                f"its rows belong to persons in several ways ({ways}): name the reference of the "
                "person whom a row is about, owner: COLUMN"
            )
            faults.append(Fault((table.name,), reason))
        elif owner is not None and owner not in candidates:
            reason = f"{owner.text} does not lead to {person}"
            faults.append(Fault((table.name, "owner"), reason))
        found[table.name] = replace(table, owner=owner or next(iter(candidates), None))
    reached = with_below([person], found)
    faults += [
        Fault((name,), f"its references go round and never reach {person}: name the owner")
        for name, table in found.items()
        if table.owner is not None and name not in reached
    ] or [fault for table in found.values() for fault in table_faults(table, person, found)]
    Faults([*faults, *_shift_faults(found)]).raise_all()
    return found


def _shift_faults(tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return the columns of all tables whose dates shift otherwise than those of one subject."""
    shifts = {
        (name, "attributes", column, "action"): [
            one for one in unwrap(attribute.action) if getattr(one, "subject", None) is not None
        ]
        for name, table in tables.items()
        for column, attribute in table.attributes.items()
    }
    labels = {f"{place[0]}.{place[2]}": place for place in shifts}
    conflicts = conflicting_shifts({label: shifts[place] for label, place in labels.items()})
    return [Fault(labels[label], why) for label, why in conflicts.items()]


def _reference_faults(person: str, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return the references that lead to no key."""
    faults = []
    for table in tables.values():
        for reference in table.references:
            target, n = tables.get(reference.table), len(reference.columns)
            where = (table.name, "references", reference.text)
            if target is None:
                faults.append(Fault(where, unknown_name("table", reference.table, tables)))
            elif len(target.key) != n:
                reason = (
                    f"has {n} column(s), and the key of {reference.table} has {len(target.key)}"
                )
                faults.append(Fault(where, f"{reason}: name as many"))
    if not tables[person].key:
        faults.append(Fault((person, "key"), "is missing: the table of persons needs a key"))
    return faults


def table_faults(
    table: TablePolicy, person: str, tables: Mapping[str, TablePolicy]
) -> Iterator[Fault]:
    """Yield what is wrong in one table whose owner is known."""
    structural = set(table.owner.columns if table.owner else ())
    for name in sorted(structural & {*table.attributes} - {*table.key}):
        reason = "says whose a row is, and has no role of its own"
        yield Fault((table.name, "attributes", name), reason)
    for reference in table.references:
        for name, key in zip(reference.columns, tables[reference.table].key, strict=True):
            if name in table.attributes and table.attributes[name].action:
                reason = (
                    f"refers to {reference.table}.{key}, whose pseudonyms it gets: move it there"
                )
                yield Fault((table.name, "attributes", name, "action"), reason)
    for name in sorted(table.referring - structural - {*table.attributes}):
        reason = (
            "refers to another table: say its role (identifier drops it, quasi-identifier counts "
            "it, insensitive releases its pseudonym)"
        )
        yield Fault((table.name, "attributes", name), reason)
    for name in table.quasi_identifiers if table.owner is None and table.name != person else ():
        reason = f"is a quasi-identifier, but no reference leads to {person}: "
        yield Fault((table.name, "attributes", name), f"{reason}anonymize this table by itself")
    if (table.cap or table.merge or table.band) and table.owner is None:
        reason = "cap, merge and band are for tables whose rows belong to persons"
        yield Fault((table.name,), reason)
    below = with_below([table.name], tables)
    if not table.known and any(tables[name].quasi_identifiers for name in below):
        reason = (
            "is 'unknown', but there are quasi-identifiers in its rows or below them: who knows "
            "these knows that there are rows"
        )
        yield Fault((table.name, "rows"), reason)


Counting = Literal["multiset", "set"]
Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class LinkedPolicy:
    """The requirements of a release of several tables about the same persons.

    Parameters
    ----------
    person
        The table that has one row for each person.
    tables
        Each table by name, in the policy's order.
    models
        What every class of persons must satisfy: k-anonymity, models about sensitive attributes
        of the table of persons, and alpha-k-anonymity of `table.column` in another table.
    others
        The role of columns that no table names; None makes such a column an error.
    counting
        `multiset`: persons are alike when their rows in all tables are, repeated rows
        included. `set`: an intruder knows which rows a person has, but not how often.
    suppression_limit
        Share of the persons, in [0, 1], that may be suppressed with all their rows.
    seed
        Of everything that is drawn; None draws one for each release and keeps it nowhere.
    form
        The policy as it was read, with the values of its hierarchies replaced by hashes.

    """

    person: str
    tables: Mapping[str, TablePolicy]
    models: tuple[PrivacyModel, ...]
    others: Role | None = None
    sensitive: Literal["none"] | None = None
    counting: Counting = "multiset"
    suppression_limit: float = 0.0
    seed: int | None = None
    form: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> LinkedPolicy:
        """Read a policy from a YAML or JSON file; `PolicyError` lists all of its faults."""
        file = Path(path)
        return cls.from_dict(
            document.parse(document.read_text(file), str(file)), file.parent, source=str(file)
        )

    @classmethod
    def from_dict(
        cls, form: Mapping[str, Any], directory: Path = Path(), *, source: str = ""
    ) -> LinkedPolicy:
        """Build a policy from its form; `PolicyError` lists all of its faults."""
        faults = Faults()
        top: LinkedPolicy = cls("", {}, ())
        tables: dict[str, TablePolicy] = {}
        models: tuple[PrivacyModel, ...] = ()
        with faults.below():
            top = construction.call_with_values(_options, form, "a policy")
        with faults.below("tables"):
            tables = _tables(form.get("tables"), directory)
        if not faults and top.person not in tables:
            faults.append(Fault(("person",), unknown_name("table", top.person, tables)))
        elif not faults:
            with faults.below("tables"):
                tables = with_owners(top.person, tables)
            faults += _faults_of_statement(top, tables)
        with faults.below("models"):
            models = construction.build_models(form.get("models"), directory)
            if not faults:
                _check_models(models, top.person, tables)
        if faults:
            raise policy_error(faults, source)
        hidden = {name: without_values(one) for name, one in form["tables"].items()}
        form = {**form, "tables": hidden}
        whole: LinkedPolicy = replace(top, tables=tables, models=models, form=form)
        return whole

    @property
    def order(self) -> list[str]:
        """The tables with rows of persons, each after the table that it belongs to."""
        return with_below([self.person], self.tables)

    @property
    def owners(self) -> dict[str, Reference]:
        """By table, the reference that says whose its rows are; not of persons, and of nobody's."""
        return {name: one.owner for name, one in self.tables.items() if one.owner}

    def parent(self, name: str) -> str:
        """Return the table that the rows of a table below the persons belong to."""
        return self.owners[name].table

    def children(self, name: str) -> list[str]:
        """Return the tables whose rows belong to rows of a table."""
        return [child for child, owner in self.owners.items() if owner.table == name]


def _options(
    *,
    person: str,
    tables: Any = None,
    models: Any = None,
    version: Literal[1] = 1,
    others: Literal["identifier", "quasi-identifier", "sensitive", "insensitive"] | None = None,
    sensitive: Literal["none"] | None = None,
    counting: Counting = "multiset",
    suppression_limit: float = 0.0,
    seed: int | None = None,
) -> LinkedPolicy:
    """Return what a policy says beside its tables and models."""
    del version, tables, models
    if not 0 <= suppression_limit <= 1:
        raise PolicyError(f"suppression_limit is {suppression_limit}; it must be in [0, 1]")
    if seed is not None and seed < 1:
        raise PolicyError(f"seed is {seed}; it must be a whole number of at least 1")
    role = None if others is None else Role(others)
    limit = float(suppression_limit)
    return LinkedPolicy(person, {}, (), role, sensitive, counting, limit, seed)


def _tables(given: Any, directory: Path) -> dict[str, TablePolicy]:
    """Return the tables of a policy; whose their rows are is still to be found."""
    if not isinstance(given, Mapping) or not given:
        raise FaultsFoundError([Fault((), "must map each table's name to its key and columns")])
    build = partial(build_table, directory=directory)
    return dict(construction.collect(build, given.items()))


def _faults_of_statement(policy: LinkedPolicy, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return a fault where nothing is said to be sensitive, and a column is."""
    named = [f"{table.name}.{name}" for table in tables.values() for name in table.sensitive]
    named += ["others"] if policy.others is Role.SENSITIVE else []
    if policy.sensitive is None or not named:
        return []
    return [Fault(("sensitive",), f"is 'none', but {named[0]!r} is sensitive: keep one of them")]


def _check_models(
    models: Sequence[PrivacyModel], person: str, tables: Mapping[str, TablePolicy]
) -> None:
    """Refuse models that are not about classes of persons."""
    own, gone = tables[person].sensitive, with_below(banded_tables(tables), tables)
    banded = [f"{name}.{one}" for name in gone for one in tables[name].sensitive]
    other = [
        f"{table.name}.{name}"
        for table in tables.values()
        if table.owner
        for name in table.sensitive
    ]
    faults = Faults([] if models else [Fault((), construction.AT_LEAST_ONE)])
    for i, model in enumerate(models):
        name, where = model.attribute, (i, "attribute")
        if model.guarantee != "per class" or model.entity is not None:
            reason = f"{model.type} is not about classes of persons: choose k-anonymity, or a "
            faults.append(Fault((i,), f"{reason}model of a sensitive attribute"))
        elif name in banded:
            reason = f"{name!r} is not released: band releases a number of rows in its place. "
            faults.append(Fault(where, f"{reason}Leave out the model, or band"))
        elif name in other and model.type != "alpha-k-anonymity":
            reason = (
                f"{name!r} may have several values per person: choose alpha-k-anonymity, which "
                "bounds the share of persons with each value"
            )
            faults.append(Fault(where, reason))
        elif name is not None and name not in [*own, *other]:
            reason = unknown_name("sensitive attribute", name, [*own, *other])
            faults.append(Fault(where, reason))
    faults.raise_all()


LinkedPolicySource: TypeAlias = LinkedPolicy | Mapping[str, Any] | str | os.PathLike[str]
"""A policy over several tables, or the path of one."""
