"""A policy over several tables: which one holds the persons, and how rows belong to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from kanonym.actions.registry import has_late_actions
from kanonym.data.errors import PolicyError
from kanonym.data.schema import Attribute, QuasiIdentifier, Role, Sensitive
from kanonym.models.base import PrivacyModel
from kanonym.policy import actions, construction, document
from kanonym.policy.faults import Fault, FaultsFoundError, policy_error, unknown_name
from kanonym.policy.listed_values import without_values

Counting = Literal["multiset", "set"]
COUNTINGS: tuple[Counting, ...] = ("multiset", "set")

_KEYS = (
    "version",
    "person",
    "tables",
    "models",
    "others",
    "counting",
    "suppression_limit",
    "seed",
)
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
    counting: Counting = "multiset"
    suppression_limit: float = 0.0
    seed: int | None = None
    form: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> LinkedPolicy:
        """Read a policy over several tables from a YAML or JSON file.

        Raises
        ------
        PolicyError
            The file cannot be read, or the policy has faults: all are listed.

        """
        file = Path(path)
        return cls.from_dict(
            document.parse(document.read_text(file), str(file)), file.parent, source=str(file)
        )

    @classmethod
    def from_dict(
        cls, form: Mapping[str, Any], directory: Path = Path(), *, source: str = ""
    ) -> LinkedPolicy:
        """Build a policy from its YAML form; file names in it are relative to `directory`.

        Raises
        ------
        PolicyError
            The policy has faults: all are listed.

        """
        faults: list[Fault] = []

        def attempt(path: tuple[str, ...], build: Callable[[], Any], default: Any) -> Any:
            try:
                return build()
            except FaultsFoundError as error:
                faults.extend(one.below(path) for one in error.faults)
                return default

        faults += [
            Fault((name,), unknown_name("key", name, _KEYS)) for name in form if name not in _KEYS
        ]
        attempt((), lambda: _check_options(form), None)
        given = form.get("tables")
        tables: dict[str, TablePolicy] = {}
        if not isinstance(given, Mapping) or not given:
            faults.append(Fault(("tables",), "must map each table's name to its key and columns"))
            given = {}
        for name, one in given.items():
            built = attempt(("tables", str(name)), partial(_table, name, one, directory), None)
            if built is not None:
                tables[name] = built
        person = form.get("person")
        if len(tables) == len(given) and given:
            if person not in tables:
                faults.append(Fault(("person",), unknown_name("table", person, tables)))
            else:
                tables = attempt(("tables",), lambda: _with_owners(str(person), tables), tables)
        models = attempt(
            ("models",), lambda: construction.build_models(form.get("models"), directory), ()
        )
        if not faults:
            attempt(("models",), lambda: _check_models(models, str(person), tables), None)
        if faults:
            raise policy_error(faults, source)
        others = form.get("others")
        return cls(
            person=str(person),
            tables=tables,
            models=tuple(models),
            others=None if others is None else Role(others),
            counting=form.get("counting", "multiset"),
            suppression_limit=float(form.get("suppression_limit", 0.0)),
            seed=form.get("seed"),
            form=_shown_form(form),
        )

    @property
    def order(self) -> list[str]:
        """The tables with rows of persons, each after the table that it belongs to."""
        found = [self.person]
        for name in found:
            found += self.children(name)
        return found

    def children(self, name: str) -> list[str]:
        """Return the tables whose rows belong to rows of a table."""
        return [
            one.name
            for one in self.tables.values()
            if one.owner is not None and one.owner.table == name
        ]

    def is_counted(self, name: str) -> bool:
        """Whether rows of a table make persons different: an intruder may know their number."""
        return self.tables[name].known

    def other_references(self, name: str) -> list[Reference]:
        """Return the references of a table that do not say whose its rows are."""
        table = self.tables[name]
        return [one for one in table.references if one != table.owner]


def is_linked(path: str | os.PathLike[str]) -> bool:
    """Whether a policy file is about several tables."""
    return "tables" in document.parse(document.read_text(Path(path)), str(path))


def _check_options(form: Mapping[str, Any]) -> None:
    faults = []
    if form.get("version", 1) != 1:
        faults.append(Fault(("version",), f"is {form['version']!r}; it must be 1"))
    if form.get("counting", "multiset") not in COUNTINGS:
        faults.append(Fault(("counting",), unknown_name("value", form["counting"], COUNTINGS)))
    if form.get("others") is not None and form["others"] not in list(Role):
        faults.append(Fault(("others",), unknown_name("value", form["others"], list(Role))))
    limit = form.get("suppression_limit", 0.0)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        faults.append(Fault(("suppression_limit",), f"is {limit!r}; it must be in [0, 1]"))
    seed = form.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 1):
        faults.append(Fault(("seed",), f"is {seed!r}; it must be a whole number of at least 1"))
    if faults:
        raise FaultsFoundError(faults)


def _table(name: Any, given: Any, directory: Path) -> TablePolicy:
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


def _with_owners(person: str, tables: Mapping[str, TablePolicy]) -> dict[str, TablePolicy]:
    """Return the tables, each with the reference that says whose its rows are."""
    faults: list[Fault] = []
    for table in tables.values():
        for one in table.references:
            target = tables.get(one.table)
            if target is None:
                reason = unknown_name("table", one.table, tables)
            elif len(target.key) != len(one.columns):
                reason = (
                    f"has {len(one.columns)} column(s), and the key of {one.table} has "
                    f"{len(target.key)}: name as many"
                )
            else:
                continue
            faults.append(Fault((table.name, "references", one.text), reason))
    if not tables[person].key:
        faults.append(Fault((person, "key"), "is missing: the table of persons needs a key"))
    if faults:
        raise FaultsFoundError(faults)
    leading = _leading_to(person, tables)
    found: dict[str, TablePolicy] = {}
    for table in tables.values():
        candidates = [
            one for one in table.references if one.table in leading and one.table != table.name
        ]
        owner = table.owner
        if table.name == person:
            candidates, owner = [], None
        elif owner is None and len(candidates) > 1:
            ways = " and ".join(f"{one.text} → {one.table}" for one in candidates)
            reason = (
                f"its rows belong to persons in several ways ({ways}): name the reference of the "
                "person whom a row is about, owner: COLUMN"
            )
            faults.append(Fault((table.name,), reason))
        elif owner is not None and owner not in candidates:
            reason = f"{owner.text} does not lead to {person}"
            faults.append(Fault((table.name, "owner"), reason))
        found[table.name] = _with_owner(table, owner or next(iter(candidates), None))
    faults += _ownership_faults(person, found) or [
        fault for table in found.values() for fault in _table_faults(table, person, found)
    ]
    if faults:
        raise FaultsFoundError(faults)
    return found


def _with_owner(table: TablePolicy, owner: Reference | None) -> TablePolicy:
    parts = {name: getattr(table, name) for name in TablePolicy.__dataclass_fields__}
    return TablePolicy(**{**parts, "owner": owner})


def _leading_to(person: str, tables: Mapping[str, TablePolicy]) -> set[str]:
    """Return the tables from which references lead to the persons, and the persons' own."""
    found, before = {person}, 0
    while len(found) > before:
        before = len(found)
        found |= {
            table.name
            for table in tables.values()
            if any(one.table in found for one in table.references)
        }
    return found


def _ownership_faults(person: str, tables: Mapping[str, TablePolicy]) -> list[Fault]:
    """Return the tables whose rows would belong to themselves."""
    faults = []
    for table in tables.values():
        passed, at = [table.name], table
        while at.owner is not None and at.owner.table not in passed:
            at = tables[at.owner.table]
            passed.append(at.name)
        if at.owner is not None:
            way = " → ".join([*passed, at.owner.table])
            reason = f"its references go round ({way}) and never reach {person}: name the owner"
            faults.append(Fault((table.name,), reason))
    return faults


def _table_faults(
    table: TablePolicy, person: str, tables: Mapping[str, TablePolicy]
) -> list[Fault]:
    """Return what is wrong in one table whose owner is known."""
    faults = []

    def fault(*path: str, reason: str) -> None:
        faults.append(Fault((table.name, *path), reason))

    rooted = table.owner is not None or table.name == person
    structural = set(table.owner.columns if table.owner else ())
    free = {name for one in table.references if one != table.owner for name in one.columns}
    for name in structural:
        if name in table.attributes and name not in table.key:
            fault("attributes", name, reason="says whose a row is, and has no role of its own")
    for name in free - structural:
        if name not in table.attributes:
            fault(
                "attributes",
                name,
                reason="refers to another table: say its role (identifier drops it, "
                "quasi-identifier counts it, insensitive releases its pseudonym)",
            )
    if not rooted and table.quasi_identifiers:
        fault(
            "attributes",
            table.quasi_identifiers[0],
            reason=f"is a quasi-identifier, but no reference leads to {person}: anonymize this "
            "table by itself",
        )
    if (table.cap or table.merge or table.band) and table.owner is None:
        fault(reason="cap, merge and band are for tables whose rows belong to persons")
    below = [table.name]
    for name in below:
        below += [one.name for one in tables.values() if one.owner and one.owner.table == name]
    if not table.known and any(tables[name].quasi_identifiers for name in below):
        fault(
            "rows",
            reason="is 'unknown', but there are quasi-identifiers in its rows or below them: who "
            "knows these knows that there are rows",
        )
    return faults


def _check_models(
    models: Sequence[PrivacyModel], person: str, tables: Mapping[str, TablePolicy]
) -> None:
    """Refuse models that are not about classes of persons."""
    own = tables[person].sensitive
    other = [f"{one.name}.{name}" for one in tables.values() if one.owner for name in one.sensitive]
    faults = [] if models else [Fault((), construction.AT_LEAST_ONE)]
    for i, model in enumerate(models):
        if model.guarantee != "per class" or model.entity is not None:
            reason = f"{model.type} is not about classes of persons: choose k-anonymity, or a "
            faults.append(Fault((i,), f"{reason}model of a sensitive attribute"))
        elif model.attribute in other and model.type != "alpha-k-anonymity":
            reason = (
                f"{model.attribute!r} may have several values per person: choose "
                "alpha-k-anonymity, which bounds the share of persons with each value"
            )
            faults.append(Fault((i, "attribute"), reason))
        elif model.attribute is not None and model.attribute not in [*own, *other]:
            reason = unknown_name("sensitive attribute", model.attribute, [*own, *other])
            faults.append(Fault((i, "attribute"), reason))
    if faults:
        raise FaultsFoundError(faults)


def _shown_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of a policy without the values that its hierarchies list."""
    tables = {name: without_values(one) for name, one in form["tables"].items()}
    return {**form, "tables": tables}


def linked_policy_from(given: LinkedPolicy | str | os.PathLike[str]) -> LinkedPolicy:
    """Return a policy over several tables, read from its file where a path is given.

    Raises
    ------
    PolicyError
        It is neither, or the file cannot be read or has faults.

    """
    if isinstance(given, str | os.PathLike):
        return LinkedPolicy.from_file(given)
    if not isinstance(given, LinkedPolicy):
        raise PolicyError(
            f"policy must be a LinkedPolicy or the path of one, not {type(given).__name__}"
        )
    return given
