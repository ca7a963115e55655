"""A policy over several tables: which one holds the persons, and how rows belong to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from kanonym.data.schema import Role
from kanonym.linked.policies.ownership import with_owners
from kanonym.linked.policies.table_policy import Reference, TablePolicy, build_table
from kanonym.models.base import PrivacyModel
from kanonym.policy import construction, document
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
            built = attempt(("tables", str(name)), partial(build_table, name, one, directory), None)
            if built is not None:
                tables[name] = built
        person = form.get("person")
        if len(tables) == len(given) and given:
            if person not in tables:
                faults.append(Fault(("person",), unknown_name("table", person, tables)))
            else:
                tables = attempt(("tables",), lambda: with_owners(str(person), tables), tables)
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
    roles = [role for role in Role if role is not Role.SET]
    if form.get("others") is not None and form["others"] not in roles:
        faults.append(Fault(("others",), unknown_name("value", form["others"], roles)))
    limit = form.get("suppression_limit", 0.0)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        faults.append(Fault(("suppression_limit",), f"is {limit!r}; it must be in [0, 1]"))
    seed = form.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 1):
        faults.append(Fault(("seed",), f"is {seed!r}; it must be a whole number of at least 1"))
    if faults:
        raise FaultsFoundError(faults)


def _check_models(
    models: Sequence[PrivacyModel], person: str, tables: Mapping[str, TablePolicy]
) -> None:
    """Refuse models that are not about classes of persons."""
    own = tables[person].sensitive
    other = [f"{one.name}.{name}" for one in tables.values() if one.owner for name in one.sensitive]
    banded = [
        f"{one.name}.{name}"
        for one in tables.values()
        if _is_banded(one, tables)
        for name in one.sensitive
    ]
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
        elif model.attribute in banded:
            reason = (
                f"{model.attribute!r} is not released: band releases a number of rows in its "
                "place. Leave out the model, or band"
            )
            faults.append(Fault((i, "attribute"), reason))
        elif model.attribute is not None and model.attribute not in [*own, *other]:
            reason = unknown_name("sensitive attribute", model.attribute, [*own, *other])
            faults.append(Fault((i, "attribute"), reason))
    if faults:
        raise FaultsFoundError(faults)


def _is_banded(table: TablePolicy, tables: Mapping[str, TablePolicy]) -> bool:
    """Whether a table is released as a number of rows, or is below one that is."""
    above = None if table.owner is None else tables[table.owner.table]
    return bool(table.band) or (above is not None and _is_banded(above, tables))


def _shown_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of a policy without the values that its hierarchies list."""
    tables = {name: without_values(one) for name, one in form["tables"].items()}
    return {**form, "tables": tables}


LinkedPolicySource: TypeAlias = LinkedPolicy | str | os.PathLike[str]
"""A policy over several tables, or the path of one."""
