"""A policy over several tables: which one holds the persons, and how rows belong to them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.hierarchy import Flat
from kanonym.data.schema import Identifier, QuasiIdentifier, Role, Schema
from kanonym.linked.table_policy import (
    Reference,
    TablePolicy,
    banded_tables,
    build_table,
    gather,
    raise_all,
    table_faults,
    with_below,
    with_owners,
)
from kanonym.models.base import PrivacyModel
from kanonym.policy import construction, document
from kanonym.policy.faults import Fault, FaultsFoundError, policy_error, unknown_name
from kanonym.policy.listed_values import without_values

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
        top: dict[str, Any] = {}
        tables: dict[str, TablePolicy] = {}
        models: tuple[PrivacyModel, ...] = ()
        with gather(faults):
            top = construction.call_with_values(_options, form, "a policy")
        with gather(faults, "tables"):
            tables = _tables(form.get("tables"), directory)
        if top and tables and top["person"] not in tables:
            faults.append(Fault(("person",), unknown_name("table", top["person"], tables)))
        elif top and tables:
            with gather(faults, "tables"):
                tables = with_owners(top["person"], tables)
        with gather(faults, "models"):
            models = construction.build_models(form.get("models"), directory)
            if not faults:
                _check_models(models, top["person"], tables)
        if faults:
            raise policy_error(faults, source)
        hidden = {name: without_values(one) for name, one in form["tables"].items()}
        return cls(tables=tables, models=models, form={**form, "tables": hidden}, **top)

    @property
    def order(self) -> list[str]:
        """The tables with rows of persons, each after the table that it belongs to."""
        return with_below([self.person], self.tables)

    def owner(self, name: str) -> Reference:
        """Return the reference that says whose the rows of a table below the persons are."""
        owner = self.tables[name].owner
        assert owner is not None  # noqa: S101 - `order` has tables of persons alone
        return owner

    def parent(self, name: str) -> str:
        """Return the table that the rows of a table below the persons belong to."""
        return self.owner(name).table

    def children(self, name: str) -> list[str]:
        """Return the tables whose rows belong to rows of a table."""
        return [n for n, one in self.tables.items() if one.owner and one.owner.table == name]


def is_linked(path: str | os.PathLike[str]) -> bool:
    """Whether a policy file is about several tables."""
    return "tables" in document.parse(document.read_text(Path(path)), str(path))


def _options(
    *,
    person: str,
    tables: Any = None,
    models: Any = None,
    version: Literal[1] = 1,
    others: Literal["identifier", "quasi-identifier", "sensitive", "insensitive"] | None = None,
    counting: Counting = "multiset",
    suppression_limit: float = 0.0,
    seed: int | None = None,
) -> dict[str, Any]:
    """Return what a policy says beside its tables and models."""
    del version, tables, models
    if not 0 <= suppression_limit <= 1:
        raise PolicyError(f"suppression_limit is {suppression_limit}; it must be in [0, 1]")
    if seed is not None and seed < 1:
        raise PolicyError(f"seed is {seed}; it must be a whole number of at least 1")
    return {
        "person": person,
        "others": None if others is None else Role(others),
        "counting": counting,
        "suppression_limit": float(suppression_limit),
        "seed": seed,
    }


def _tables(given: Any, directory: Path) -> dict[str, TablePolicy]:
    """Return the tables of a policy; whose their rows are is still to be found."""
    if not isinstance(given, Mapping) or not given:
        raise FaultsFoundError([Fault((), "must map each table's name to its key and columns")])
    faults: list[Fault] = []
    built = {}
    for name, one in given.items():
        with gather(faults, str(name)):
            built[name] = build_table(name, one, directory)
    raise_all(faults)
    return built


def _check_models(
    models: Sequence[PrivacyModel], person: str, tables: Mapping[str, TablePolicy]
) -> None:
    """Refuse models that are not about classes of persons."""
    own, gone = tables[person].sensitive, with_below(banded_tables(tables), tables)
    banded = [f"{name}.{one}" for name in gone for one in tables[name].sensitive]
    other = [f"{one.name}.{name}" for one in tables.values() if one.owner for name in one.sensitive]
    faults = [] if models else [Fault((), construction.AT_LEAST_ONE)]
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
    raise_all(faults)


LinkedPolicySource: TypeAlias = LinkedPolicy | str | os.PathLike[str]
"""A policy over several tables, or the path of one."""


def with_column_roles(policy: LinkedPolicy, tables: Tables, *, whole: bool = False) -> LinkedPolicy:
    """Return the policy with `others` as the role of each column that it does not name.

    whole: refuse named columns that tables lack, as releases may.
    """
    found = {}
    for name, table in policy.tables.items():
        columns = tables[name].columns
        free = [one for one in columns if one not in table.linking]
        named = {
            column: role
            for column, role in table.attributes.items()
            if column not in table.linking and (whole or column in columns)
        }
        try:
            further = Schema.resolve(free, named, policy.others).attributes
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
        found[name] = replace(table, attributes={**table.attributes, **further})
    several = found.values() if policy.others is not None else ()
    faults = [one for table in several for one in table_faults(table, policy.person, found)]
    if faults:
        raise policy_error([one.below(("tables",)) for one in faults], "")
    return replace(policy, tables=found)


def band_column(table: str) -> str:
    """Return the column of the table of persons that says how many rows a person has."""
    return f"{table}_rows"


def banded_policy(policy: LinkedPolicy) -> LinkedPolicy:
    """Return the policy of a release: a number of rows in the place of each banded table."""
    banded = banded_tables(policy.tables)
    gone = with_below(banded, policy.tables)
    tables = {name: one for name, one in policy.tables.items() if name not in gone}
    for one in tables.values():
        for reference in one.references:
            if reference.table in gone:
                raise PolicyError(
                    f"{one.name}.{reference.text} refers to {reference.table}, which band does "
                    "not release"
                )
    person = tables[policy.person]
    counted = {band_column(name): QuasiIdentifier(hierarchy=Flat()) for name in banded}
    tables[policy.person] = replace(person, attributes={**person.attributes, **counted})
    return replace(policy, tables=tables)


def is_plain(table: TablePolicy, column: str) -> bool:
    """Whether a column of a key has no role, or is an identifier without an action."""
    attribute = table.attributes.get(column)
    return attribute is None or (isinstance(attribute, Identifier) and not attribute.action)


def released_policy(policy: LinkedPolicy, tables: Tables) -> LinkedPolicy:
    """Return the policy of tables as they were released, which may be the tables that came in.

    Without tables that `band` replaces, references that were dropped as identifiers, and keys
    that nothing needs and that are incomplete.
    """
    if not {*policy.tables} <= {*tables}:
        policy = banded_policy(policy)
    owning = {one.owner.table for one in policy.tables.values() if one.owner}
    keyless = {
        name
        for name, table in policy.tables.items()
        if not table.key
        or (name in tables and name not in owning and not {*table.key} <= {*tables[name].columns})
    }
    found = {}
    for name, table in policy.tables.items():
        columns = {*tables[name].columns} if name in tables else {*table.linking}
        dropped = {one for one in table.linking if one not in columns and is_plain(table, one)}
        kept = tuple(
            one
            for one in table.references
            if one == table.owner or (one.table not in keyless and not dropped & {*one.columns})
        )
        key = () if name in keyless else table.key
        found[name] = replace(table, references=kept, key=key)
    return replace(policy, tables=found)
