"""One value per cell, drawn from the labels of a release."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from kanonym.actions.registry import has_late_actions
from kanonym.data import files, frames
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.readings import styled_table
from kanonym.data.results import Result, ResultTable
from kanonym.data.schema import QuasiIdentifier, Role, readings_of
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_choice, check_integer
from kanonym.pipeline import measure, verify, with_readings
from kanonym.pipeline.checks import released_columns
from kanonym.pipeline.planning import to_canonical
from kanonym.policy import Policy, PolicySource
from kanonym.policy.definition import policy_from
from kanonym.policy.faults import unknown_name, without_values
from kanonym.recoding.recode import released_names
from kanonym.release import Release, versions
from kanonym.synthesis.cell_values.columns import CellValues, values_of_classes, values_of_labels
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.result import keeps_constraints
from kanonym.verification.verdict import Verification

By = Literal["label", "class"]
"""What values are drawn by."""

UNCHANGED = "No cell has several values to choose from: these are the values that were verified."

MEANING: Mapping[By, str] = {
    "label": (
        "Each cell with a label holds one of the values that the label leaves open, all alike. "
        "The models of the policy were verified on the labels and do not hold for these values: "
        "records that share them are together by chance. Whoever has this table learns no more "
        "than the labels say."
    ),
    "class": (
        "Each quasi-identifier of a record holds a value of the record's class, as frequent as "
        "among its records. The models of the policy were verified on the labels and do not hold "
        "for these values: records that share them are together by chance. This table tells more "
        "than the labels: how frequent each value is within a class."
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class DrawnTable(Result):
    """A release with one value per cell.

    Attributes
    ----------
    frame
        The table, of the type of the released one, its records in the same order.
    by
        What values were drawn by: `label` or `class`.
    seed
        Of what was drawn; None for one that was not kept.
    columns
        Columns of which cells were drawn.
    cells
        Cells with several values to choose from.
    constraints
        What holds in every record.
    verification
        Of the labels: the verdict is on them, not on this table.
    policy
        That of the labels.
    k_of_values
        Records of the smallest class of equal values in this table.
    """

    _shown: ClassVar[tuple[str, ...]] = ("by", "cells", "k_of_values")

    frame: Any = field(repr=False)
    by: By
    seed: int | None
    columns: tuple[str, ...]
    cells: int
    constraints: tuple[str, ...]
    verification: Verification = field(repr=False)
    policy: Policy = field(repr=False)
    k_of_values: int

    @property
    def meaning(self) -> str:
        """What verification of the labels means for this table."""
        return MEANING[self.by] if self.cells else UNCHANGED

    def to_dict(self) -> dict[str, Any]:
        """Return how the table was drawn, and which table was verified, in JSON form."""
        return {
            "by": self.by,
            "seed": self.seed,
            "columns": list(self.columns),
            "cells": self.cells,
            "constraints": list(self.constraints),
            "verified": {
                "table": "labels",
                "verdict": self.verification.verdict,
                "k": self.verification.k,
            },
            "values": {"verified": not self.cells, "k": self.k_of_values},
            "meaning": self.meaning,
        }

    def tables(self) -> list[ResultTable]:
        """Return what was drawn, and what its verification means, a fact a row."""
        told = "not verified" if self.cells else "verified"
        labels = f"{self.verification.verdict}, k = {self.verification.k:,}"
        facts = ResultTable.of_facts(
            ("cells drawn", f"{self.cells:,} by {self.by}"),
            *(("constraint", constraint) for constraint in self.constraints),
            ("labels", labels),
            ("drawn values", f"{told}, smallest class {self.k_of_values:,}"),
            notes=(self.meaning,),
        )
        return [facts]

    def manifest(
        self, path: str | Path, *, released: files.Content | None, drawn: files.Content | None
    ) -> None:
        """Write how the table was drawn, and which table was verified, as JSON.

        Parameters
        ----------
        path
            Where to.
        released, drawn
            The files of the labels and of this table; their SHA-256 goes in.
        """
        known = {"input": released, "output": drawn}
        hashes = {
            name: {"file": content.name, "sha256": content.sha256}
            for name, content in known.items()
            if content is not None
        }
        told = ("satisfied", "verdict", "parts", "k", "classes", "models", "findings")
        checked = self.verification.to_dict()
        parts = {
            "versions": versions(),
            "policy": without_values(self.policy.to_dict()),
            **hashes,
            "drawn": {**self.to_dict(), **hashes.get("output", {})},
            "verification": {key: checked[key] for key in told if key in checked},
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")


ROUNDS = 100
"""How often the values of records that break a constraint are drawn again."""

ROOT = 0x64726177
"""Keeps what is drawn here apart from other draws of the same seed."""


def draw_values(
    released: Any,
    policy: PolicySource | None = None,
    *,
    by: By = "label",
    constraints: Sequence[str | Constraint] = (),
    seed: int | None = None,
) -> DrawnTable:
    """Draw one value for each cell of a release, for programs that cannot read labels.

    The labels are verified first, and a table that does not satisfy its policy is refused. What is
    drawn is not k-anonymous by its values: protection is that of the labels.

    Parameters
    ----------
    released
        A `Release`, or a released table: a pandas or polars DataFrame, a polars LazyFrame or a
        pyarrow Table.
    policy
        That of the release, or its file; a `Release` has its own.
    by
        `label`: one of the values that the label leaves open, all alike. `class`: one of the
        values of the class's records, as frequent as there; of a `Release` only, and it tells
        more than the labels.
    constraints
        What holds between two columns in every record, such as "discharge >= admission".
    seed
        Of what is drawn, apart from the seed of the release; None draws one and keeps it nowhere.

    Raises
    ------
    InfeasibleError
        The labels do not satisfy the policy.
    SchemaError
        A label does not say which values it stands for, or a column is missing.
    DataError
        Records have no values that keep the constraints, or the release is on an engine.
    PolicyError
        A parameter is none of those possible.

    Notes
    -----
    An interval leaves open every number, date or second between its ends, with the decimals of
    the labels; a set its members; a label of a hierarchy from a file or mapping the leaves below
    it; `*` otherwise all values that the column's labels name. Cells with one value keep it.
    Cost O(records) per column.

    Examples
    --------
    >>> import polars as pl
    >>> import kanonym as ka
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "flu", "cold", "flu"]})
    >>> release = ka.anonymize(table, quasi_identifiers=["age"], k=2, others="insensitive")
    >>> drawn = draw_values(release, seed=0)
    >>> drawn.frame["age"].is_between(23, 42).all(), drawn.verification.k
    (True, 2)
    """
    check_choice("draw", "by", by, get_args(By))
    if seed is not None:
        check_integer("draw", "seed", seed, 0)
    release = released if isinstance(released, Release) else None
    if release is None and by == "class":
        raise PolicyError(
            "draw: by 'class' needs the release object, which knows the values of each class; a "
            "released table has its labels alone: by 'label'"
        )
    if release is not None and release.promise is not None and by == "class":
        raise PolicyError(
            "draw: by 'class' takes the values of the original records, which no epsilon pays for; "
            "use by 'label'"
        )
    if release is not None:
        verification, meant, given = release.verification, release.policy, release.frame
        if release.rows is None:
            raise DataError(
                f"the release is on the engine {release.engine}: draw from a table in memory"
            )
    else:
        meant, given = _with_label_styles(policy_from(_require_policy(policy)), released), released
        verification = verify(given, meant)
    _require_satisfied(verification)
    if sets := [name for name, one in meant.attributes.items() if one.role is Role.SET]:
        raise PolicyError(
            f"draw: {sets[0]!r} is a set of items, and no items are drawn for its labels; drop the "
            "column from the policy and the table"
        )
    native = frames.to_eager(given)
    table = to_canonical(native, meant)
    known = _quasi_identifiers(meant, release, frames.column_names(table))
    every = (
        _by_class(release) if by == "class" and release else _by_label(table, meant, release, known)
    )
    rules = [
        constraint if isinstance(constraint, Constraint) else Constraint.parse(constraint)
        for constraint in constraints
    ]
    random = np.random.default_rng([secrets.randbits(128) if seed is None else seed, ROOT])
    drawn = _draw_records(table, every, rules, random)
    columns = _replace_columns(frames.column_names(table), known, drawn)
    frame = styled_table(
        frames.assemble(native, None, columns, given), readings_of(meant.attributes)
    )
    return DrawnTable(
        frame=frame,
        by=by,
        seed=seed,
        columns=tuple(values.name for values in every if values.is_open.any()),
        cells=sum(int(values.is_open.sum()) for values in every),
        constraints=tuple(map(str, rules)),
        verification=verification,
        policy=meant,
        k_of_values=measure(frame, quasi_identifiers=list(known)).k,
    )


def _require_policy(policy: PolicySource | None) -> PolicySource:
    if policy is None:
        raise PolicyError("draw: give the policy of the released table")
    return policy


def _with_label_styles(policy: Policy, released: Any) -> Policy:
    """Return the policy with the style of dates in labels, as `[01.02.1990, 05.02.1990]`."""
    native = frames.to_eager(released)
    for name in frames.column_names(native):
        labels = frames.label_column(native, name)
        # Bounds and sets alone may be categories, as `<=50K` is.
        if labels.dtype == pl.String and labels.str.contains(r"^[^{<>≤≥*]").any():
            parts = labels.unique().str.strip_chars("[](){}<>=≤≥ ").str.split("; ")
            parts = parts.explode().str.split(", ").explode().drop_nulls().unique()
            parts = parts.filter(~parts.is_in(["*", "null"]))
            if (
                parts.cast(pl.Float64, strict=False).null_count()
                and parse_times(parts).null_count()
            ):
                policy, _ = with_readings(policy, pl.DataFrame({name: parts}), lenient=True)
    return policy


def _require_satisfied(found: Verification) -> None:
    """Refuse labels that do not satisfy their policy."""
    if found.satisfied is False:
        failed = ", ".join(
            dict.fromkeys(check.type for check in found.checks if not check.satisfied)
        )
        raise InfeasibleError(
            f"the released table violates {failed} in {found.n_violating} classes: nothing is "
            "drawn. Give a release that satisfies its policy"
        )


def _quasi_identifiers(
    policy: Policy, release: Release | None, names: Sequence[str]
) -> dict[str, list[str]]:
    """Return the released columns of each quasi-identifier: one, or two of its ends."""
    if release is not None:
        known = release.schema.names(Role.QUASI_IDENTIFIER)
    else:
        role = Role.QUASI_IDENTIFIER
        known = [name for name, one in policy.attributes.items() if one.role is role]
        ends = [end for name in known for end in released_names(name, "range")]
        if policy.others is role:
            known += [one for one in names if one not in policy.attributes and one not in ends]
    return {name: released_columns([name], names) for name in known}


def _by_label(
    table: Any, policy: Policy, release: Release | None, known: Mapping[str, Sequence[str]]
) -> list[CellValues]:
    """Return what the labels of each quasi-identifier leave open."""
    nulls = policy.algorithm.recodes != "cells"
    domains = () if release is None else release.decision.encoded().table.domains
    dtypes = {domain.name: domain.values.dtype for domain in domains}

    def read(name: str) -> CellValues:
        attribute = policy.attributes.get(name)
        quasi = attribute if isinstance(attribute, QuasiIdentifier) else QuasiIdentifier()
        return values_of_labels(
            name,
            [frames.label_column(table, column) for column in known[name]],
            quasi.hierarchy,
            dates=quasi.type == "date",
            nulls=nulls,
            dtype=dtypes.get(name),
        )

    return parallel(read, list(known))


def _by_class(release: Release) -> list[CellValues]:
    """Return the values of each class of a release, by quasi-identifier."""
    decision = release.decision.encoded()
    encoded, rows = decision.table, release.rows
    codes = encoded.codes[encoded.tuple_of_row[rows]]
    classes = np.unique(decision.labels[rows], return_inverse=True)[1].astype(np.int32)
    late = [n for n, one in release.schema.attributes.items() if has_late_actions(one.action)]
    if late:
        raise PolicyError(
            f"draw: {late[0]!r} has an action after the algorithm, which values of a class do not "
            "pass through; use by 'label'"
        )
    return [
        values_of_classes(domain, np.ascontiguousarray(codes[:, a]), classes)
        for a, domain in enumerate(encoded.domains)
    ]


def _draw_records(
    table: Any,
    every: Sequence[CellValues],
    rules: Sequence[Constraint],
    random: np.random.Generator,
) -> dict[str, pl.Series]:
    """Return the columns with open cells, drawn until every record keeps the constraints."""
    n = frames.n_rows(table)
    wanted = [one for one in every if one.is_open.any() or one.is_label]
    drawn = {one.name: one.draw(np.arange(n), random) for one in wanted}
    if not rules:
        return drawn
    others = _other_columns(table, rules, drawn)
    broken = np.arange(n)
    for _ in range(ROUNDS):
        records = pl.DataFrame({**others, **drawn})[broken]
        broken = broken[~keeps_constraints(records, rules)]
        if not len(broken):
            return drawn
        for values in wanted:
            drawn[values.name] = drawn[values.name].scatter(broken, values.draw(broken, random))
    raise DataError(
        f"{len(broken)} records, the first in row {broken[0] + 1}, have no values that keep the "
        f"constraints {', '.join(map(str, rules))}, or hardly any; leave a constraint out"
    )


def _other_columns(
    table: Any, rules: Sequence[Constraint], drawn: Mapping[str, pl.Series]
) -> dict[str, pl.Series]:
    """Return the columns of constraints that are not drawn; refuse those without an order."""
    names = [name for name in frames.column_names(table) if name not in drawn]
    found = {}
    for rule in rules:
        for name in (rule.left, rule.right):
            if name not in drawn and name not in names:
                raise SchemaError(
                    f"constraint {rule}: {unknown_name('column', name, [*names, *drawn])}"
                )
            if name not in drawn:
                found[name] = frames.column(table, name)
        low, high = ({**found, **drawn}[name].dtype for name in (rule.low, rule.high))
        if not (low.is_numeric() and high.is_numeric()) and not (low == high and low.is_temporal()):
            raise SchemaError(
                f"constraint {rule}: column {rule.low!r} holds {low} and {rule.high!r} {high}, "
                "which have no order"
            )
    return found


def _replace_columns(
    names: Sequence[str], known: Mapping[str, Sequence[str]], drawn: Mapping[str, pl.Series]
) -> list[str | pl.Series]:
    """Return the columns of the drawn table: names of those that stay, and drawn ones."""
    owner = {column: name for name, own in known.items() if name in drawn for column in own}
    columns: list[str | pl.Series] = []
    for name in names:
        if name not in owner:
            columns.append(name)
        elif name == known[owner[name]][0]:
            columns.append(drawn[owner[name]])
    return columns
