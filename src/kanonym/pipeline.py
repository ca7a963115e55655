"""The flow: a table and a policy in, a verified release out."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym import __version__
from kanonym import report as reports
from kanonym.data import files, frames
from kanonym.data.errors import InfeasibleError, PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.schema import Identifier, QuasiIdentifier, Role, Schema, Sensitive
from kanonym.engine import Outcome, Stopwatch, Task, run, sensitive_names
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.metrics.risk import Risk
from kanonym.metrics.utility import Utility, measure_utility
from kanonym.policy import Policy
from kanonym.transforms.ordering import released_rows
from kanonym.transforms.recoding import released_names
from kanonym.verification import (
    SensitiveColumn,
    Verification,
    classes_as_released,
    group_released,
    k_wildcard,
    record_counts,
    verify_columns,
)


@dataclass(frozen=True)
class Release:
    """A released table that satisfies its policy, and everything measured about it.

    Attributes
    ----------
    frame
        The released table, of the type of the table that came in.
    policy, schema
        What was asked, and the role of each column of the input.
    verification
        What was found in the released values.
    rows_in, rows_out, suppressed
        Records of the input, of the release, and suppressed.
    outcome
        The encoded table, the partition and the recoding behind the release.
    seconds
        Seconds by stage.

    """

    frame: Any
    policy: Policy
    schema: Schema
    verification: Verification
    rows_in: int
    rows_out: int
    suppressed: int
    outcome: Outcome
    seconds: dict[str, float]

    @cached_property
    def utility(self) -> Utility:
        """What the release lost."""
        decided = self.outcome
        return measure_utility(decided.table, decided.partition, decided.recoded, self._class_sizes)

    @cached_property
    def risk(self) -> Risk:
        """How likely a released record is re-identified."""
        return Risk.of_sizes(self._class_sizes)

    @property
    def algorithm(self) -> dict[str, Any]:
        """The algorithm with its parameters, and the number of classes that it led to."""
        named = self.policy.to_dict().get("algorithm", {"type": self.policy.algorithm.type})
        return {**named, "classes": self.verification.n_classes}

    @property
    def _class_sizes(self) -> NDArray[np.int64]:
        sizes = self.verification.class_sizes
        numbers = np.fromiter(sizes.values(), np.int64, len(sizes))
        return np.repeat(np.fromiter(sizes, np.int64, len(sizes)), numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        checked = self.verification.to_dict()
        return {
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "suppressed": self.suppressed,
            "algorithm": self.algorithm,
            "verification": {key: checked[key] for key in ("satisfied", "classes", "models")},
            "utility": self.utility.to_dict(),
            "risk": self.risk.to_dict(),
            "seconds": {**self.seconds, "total": sum(self.seconds.values())},
        }

    def write(self, path: str | Path) -> None:
        """Write the released table, whole or not at all; the extension says the format.

        Raises
        ------
        DataError
            The path cannot be written.

        """
        files.write_table(frames.to_polars(self.frame), path)

    def aggregate(self) -> Any:
        """Return one row a class and combination of sensitive values, with a `count`.

        Raises
        ------
        SchemaError
            A released column is called `count` already.

        """
        names = [*self._released_names, *self.schema.names(Role.SENSITIVE)]
        if "count" in names:
            raise SchemaError(
                "the aggregate form needs the column name 'count'; rename that column"
            )
        frame = frames.eager(self.frame)
        groups = group_released([frames.column(frame, name) for name in names], self.rows_out)
        order = np.argsort(groups.first)
        counts = pl.Series("count", groups.sizes[order])
        return frames.assemble(frame, groups.first[order], [*names, counts], self.frame)

    def manifest(
        self,
        path: str | Path,
        *,
        input: str | Path | None = None,  # noqa: A002 - the word that the manifest uses
        output: str | Path | None = None,
    ) -> None:
        """Write how to repeat and check the release as JSON: no value of any record.

        Parameters
        ----------
        path
            Where to.
        input, output
            The files that were read and written; their SHA-256 goes in.

        """
        hashes = {
            name: {"file": Path(file).name, "sha256": files.sha256(file)}
            for name, file in (("input", input), ("output", output))
            if file is not None
        }
        parts = {
            "versions": versions(),
            "policy": _without_values(self._policy),
            "seed": self.policy.seed,
            **hashes,
            **self.to_dict(),
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")

    def report(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        rectangles: tuple[str, str] | None = None,
    ) -> None:
        """Write the report; the extension says the form: .html, .md or .json.

        Parameters
        ----------
        path
            Where to.
        title
            Heading of the report.
        rectangles
            Two quasi-identifiers over which the classes are drawn; None chooses.

        """
        summary = reports.summarize(
            title=title or "Anonymization report",
            policy=self._policy,
            roles={name: str(attribute.role) for name, attribute in self.schema.attributes.items()},
            table=self.outcome.table,
            partition=self.outcome.partition,
            recoded=self.outcome.recoded,
            verification=self.verification,
            utility=self.utility,
            risk=self.risk,
            rows_in=self.rows_in,
            suppressed=self.suppressed,
            algorithm=self.algorithm,
            seconds=self.seconds,
            seed=self.policy.seed,
            versions=versions(),
            rectangles=rectangles,
        )
        files.write_text(path, reports.render(summary, reports.format_of(path)))

    @property
    def _policy(self) -> dict[str, Any]:
        return self.policy.to_dict()

    @property
    def _released_names(self) -> list[str]:
        return [column.name for attribute in self.outcome.recoded for column in attribute.columns]


def anonymize(
    frame: Any,
    policy: Policy | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    **short: Any,
) -> Release:
    """Release a table that satisfies a policy.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    policy
        What is asked; or leave it out and use the short forms.
    progress
        Called with the name of each stage as it begins.
    short
        Parts of `Policy.short`: `quasi_identifiers`, `sensitive`, `identifiers`,
        `hierarchies`, `k`, `l`, `t`, `others`, and the options of `Policy`.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says what and where.
    InfeasibleError
        No release satisfies the policy; or, as a last defence, verification of the
        released values found a class that does not.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "flu", "cold", "flu"]})
    >>> release = anonymize(
    ...     table, quasi_identifiers=["age"], sensitive=["disease"], k=2, keep_order=True
    ... )
    >>> release.frame["age"].to_list()
    ['[23, 25]', '[23, 25]', '[41, 42]', '[41, 42]']
    >>> release.verification.satisfied
    True

    """
    if policy is None:
        policy = Policy.short(**short)
    elif not isinstance(policy, Policy):
        raise PolicyError(
            f"a policy is a Policy, not a {type(policy).__name__}; see Policy.from_file"
        )
    elif short:
        raise PolicyError(f"give a policy or short forms, not both: {', '.join(short)}")
    watch = Stopwatch(progress)
    with watch.stage("read"):
        native = frames.eager(frame)
        schema = policy.schema_for(frames.column_names(native))
        n_rows = frames.n_rows(native)
    task = Task(schema, policy.models, policy.algorithm, policy.recoding, policy.suppression_limit)
    outcome = run(task, lambda name: frames.column(native, name), n_rows, watch)
    with watch.stage("recode"):
        rows = released_rows(
            outcome.labels,
            outcome.recoded,
            schema.names(Role.SENSITIVE) + schema.names(Role.INSENSITIVE),
            partial(frames.column, native),
            None if policy.keep_order else policy.seed,
        )
        released = frames.assemble(native, rows, outcome.columns(schema, rows), frame)
    with watch.stage("verify"):
        checked = frames.eager(released)
        names = [column.name for part in outcome.recoded for column in part.columns]
        known = [frames.column(checked, name) for name in names]
        # Suppression shifts the distribution that t-closeness and the like compare with:
        # the release has to hold against its own and against the input's.
        hidden = _sensitive(checked, schema, policy, native if len(rows) < n_rows else None)
        verification = verify_columns(known, hidden, policy.models, len(rows))
        _require(verification)
    return Release(
        frame=released,
        policy=policy,
        schema=schema,
        verification=verification,
        rows_in=n_rows,
        rows_out=len(rows),
        suppressed=n_rows - len(rows),
        outcome=outcome,
        seconds=watch.seconds,
    )


def verify(
    frame: Any,
    policy: Policy,
    *,
    original: Any = None,
    count: str | None = None,
) -> Verification:
    """Check a released table against a policy, from its values alone.

    Parameters
    ----------
    frame
        The released table: it has no identifiers, and a quasi-identifier may be two
        columns `name_min` and `name_max`.
    policy
        What is required.
    original
        The table before anonymization: t-closeness and the like then compare classes
        with its distribution too, not only with the released one. They differ where
        records were suppressed.
    count
        A column of record counts, for the aggregate form.

    Raises
    ------
    SchemaError
        A quasi-identifier or a sensitive attribute of the policy is missing, or an
        identifier is still there.

    """
    native = frames.eager(frame)
    columns = frames.column_names(native)
    left = [name for name in columns if isinstance(policy.attributes.get(name), Identifier)]
    if left:
        raise SchemaError(
            f"the table still has the identifiers {', '.join(left)}: it is no release. "
            "Drop them; to measure a table before its release, use measure"
        )
    counts = None if count is None else record_counts(frames.column(native, count))
    if original is not None:
        schema = policy.schema_for(frames.column_names(frames.eager(original)))
    else:
        schema = policy.schema_for(_before_release(policy, columns, count))
    missing = [name for name in sensitive_names(schema, policy.models) if name not in columns]
    names: list[str] = []
    for name in schema.names(Role.QUASI_IDENTIFIER):
        both = [f"{name}_min", f"{name}_max"]
        if name in columns:
            names.append(name)
        elif set(both) <= set(columns):
            names += both
        else:
            missing.append(name)
    if missing:
        raise SchemaError(
            f"the released table has no column for: {', '.join(missing)}. "
            f"It has: {', '.join(columns)}"
        )
    return verify_columns(
        [frames.column(native, name) for name in names],
        _sensitive(native, schema, policy, None if original is None else frames.eager(original)),
        policy.models,
        frames.n_rows(native),
        counts,
    )


def measure(
    frame: Any,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
) -> Measurement:
    """Measure every privacy model on any table, without a threshold.

    Parameters
    ----------
    frame
        Any table, released or not.
    quasi_identifiers, sensitive
        Names of columns.
    hierarchies
        Of sensitive attributes, for t-closeness with hierarchical distance.

    Raises
    ------
    SchemaError
        No such column, or a column in two roles.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 23, 41, 41], "disease": ["flu", "cold", "flu", "flu"]})
    >>> measured = measure(table, quasi_identifiers=["age"], sensitive=["disease"])
    >>> measured.k, measured.attributes["disease"].l_distinct
    (2, 1)

    """
    native = frames.eager(frame)
    trees = hierarchies or {}
    roles: dict[str, Any] = {name: QuasiIdentifier() for name in _list(quasi_identifiers)}
    for name in _list(sensitive):
        if name in roles:
            raise SchemaError(
                f"column {name!r} is both quasi-identifying and sensitive; choose one"
            )
        roles[name] = Sensitive(trees.get(name))
    stray = [name for name in trees if not isinstance(roles.get(name), Sensitive)]
    if stray:
        raise SchemaError(
            f"hierarchy of {stray[0]!r}: only sensitive attributes are measured by one"
        )
    Schema.resolve(frames.column_names(native), roles, Role.INSENSITIVE)
    known = [frames.column(native, name) for name in quasi_identifiers]
    hidden = [SensitiveColumn(frames.column(native, name), trees.get(name)) for name in sensitive]
    groups = group_released(known, frames.n_rows(native))
    return measure_table(classes_as_released(groups, hidden)[0], k_wildcard(known))


def _require(verification: Verification) -> None:
    if not verification.satisfied:
        failed = [check.type for check in verification.checks if not check.satisfied]
        named = "; ".join(str(one["class"]) for one in verification.violating[:3])
        raise InfeasibleError(
            f"the recoded table fails {', '.join(failed)} in {verification.n_violating} classes "
            f"({named}); nothing is released. This is a defect of kanonym: please report it"
        )


def _list(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise SchemaError(f"give a list of columns, not the text {names!r}")
    return names


def versions() -> dict[str, str]:
    """Return the versions that a release depends on."""
    libraries = {name: version(name) for name in ("numpy", "numba", "polars")}
    return {"kanonym": __version__, "python": platform.python_version(), **libraries}


def _without_values(policy: dict[str, Any]) -> dict[str, Any]:
    """Return a policy with the SHA-256 of the values that its hierarchies list."""

    def hashed(form: Any) -> Any:
        if not isinstance(form, dict):
            return form
        return {
            name: {"sha256": sha256(json.dumps(part).encode()).hexdigest()}
            if name in ("mapping", "order")
            else hashed(part)
            for name, part in form.items()
        }

    attributes = {
        name: {**attribute, "hierarchy": hashed(attribute["hierarchy"])}
        if "hierarchy" in attribute
        else attribute
        for name, attribute in policy["attributes"].items()
    }
    return {**policy, "attributes": attributes}


def _sensitive(
    released: Any, schema: Schema, policy: Policy, original: Any
) -> list[SensitiveColumn]:
    """Return what verification looks at; `original` is the input, or None."""
    named = sensitive_names(schema, policy.models)
    return [
        SensitiveColumn(
            frames.column(released, name),
            attribute.hierarchy,
            attribute.nulls == "exclude",
            None if original is None else frames.column(original, name),
        )
        for name, attribute in schema.attributes.items()
        if name in named and isinstance(attribute, Sensitive)
    ]


def _before_release(policy: Policy, columns: Sequence[str], count: str | None) -> list[str]:
    """Return the columns that the table had before it was released."""
    absent = [name for name in policy.attributes if name not in columns]
    made = {count, *(one for name in absent for one in released_names(name, "range"))}
    kept = [name for name in columns if name in policy.attributes or name not in made]
    return [*kept, *absent]
