"""Several tables of the same persons in, a verified release of all of them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from kanonym.data import files
from kanonym.data.results.result import Result, ResultTable
from kanonym.engines.stopwatch import Stopwatch
from kanonym.linked.levels import SearchedLevels
from kanonym.linked.linked_input import LinkedInput
from kanonym.linked.linked_policy import LinkedPolicy, LinkedPolicySource
from kanonym.linked.linked_verification import LinkedVerification, measured_persons
from kanonym.linked.linked_view import LinkedView
from kanonym.linked.released_rows import MergedRows
from kanonym.pipeline.publishing import publish
from kanonym.policy.document import read_or_given
from kanonym.release import versions

PROMISE = (
    "k counts persons with all their rows in all tables of this release, joined by their keys. A "
    "further release about the same persons is judged together with this one"
)

LEAST_SUPPRESSED = 5
"""Of fewer suppressed persons, or fewer than k, no numbers of rows are told."""


@dataclass(frozen=True, repr=False)
class LinkedRelease(Result):
    """Released tables that satisfy their policy together.

    Attributes
    ----------
    frames
        The released tables by name, each of the type of the table that came in.
    policy
        What was asked.
    verification
        What was found in the released values.
    rows_in, rows_out
        Rows by table, before and after.
    suppressed
        Persons who were suppressed with all their rows.
    merged
        By table that merges rows, how many an equal row stands for, and what that lost: nothing.
    levels
        By `table.column` the level at which each quasi-identifier is released.
    highest
        The level of the root of each.
    search
        How the levels were found.
    keys
        How each key space was replaced.
    built
        Hierarchies that were built because none was given: a sentence by `table.column`.
    seconds
        Seconds by stage.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "rows_in",
        "rows_out",
        "suppressed",
        "verification.persons.k",
    )

    frames: Mapping[str, Any]
    policy: LinkedPolicy
    verification: LinkedVerification
    rows_in: Mapping[str, int]
    rows_out: Mapping[str, int]
    suppressed: int
    merged: Mapping[str, MergedRows]
    levels: Mapping[str, int]
    highest: Mapping[str, int]
    search: SearchedLevels
    keys: list[dict[str, Any]]
    built: Mapping[str, str]
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def told_rows_in(self) -> dict[str, int | None]:
        """`rows_in` as manifests and reports tell it, beside the release.

        None where the difference to `rows_out` counts the rows of fewer suppressed persons than
        a class has.
        """
        k = max((getattr(one, "k", 1) for one in self.policy.models), default=1)
        few = 0 < self.suppressed < max(k, LEAST_SUPPRESSED)
        person = self.policy.person
        below = {*self.policy.order} - {person} if few else set()
        return {name: None if name in below else n for name, n in self.rows_in.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        checked = self.verification.to_dict()
        del checked["violating"]
        return {
            "tables": {
                name: {
                    "rows_in": count,
                    "rows_out": self.rows_out.get(name, 0),
                    **({"merged": self.merged[name]._asdict()} if name in self.merged else {}),
                }
                for name, count in self.told_rows_in.items()
            },
            "suppressed_persons": self.suppressed,
            "algorithm": {
                "type": "full-domain",
                "levels": dict(self.levels),
                "highest_levels": dict(self.highest),
                "metric": "span-loss",
                "score": self.search.loss,
                "optimal": self.search.optimal,
                "lattice_size": self.search.size,
                "nodes_checked": self.search.checked,
                **({"built_hierarchies": dict(self.built)} if self.built else {}),
            },
            "keys": self.keys,
            "verification": checked,
            "seconds": {**self.seconds, "total": sum(self.seconds.values())},
        }

    def manifest(self, path: str | Path, facts: Mapping[str, Any]) -> None:
        """Write what was asked, promised and found as JSON: no value of any record.

        Parameters
        ----------
        path
            Where to.
        facts
            Places and SHA-256 of what was read and written.

        """
        parts = {
            "versions": versions(),
            "policy": self.policy.form,
            "promise": PROMISE,
            "counting": self.policy.counting,
            **facts,
            **self.to_dict(),
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False, default=str) + "\n")

    def tables(self) -> list[ResultTable]:
        """Return rows by table, levels, and the verdict."""
        rows = [
            (
                name,
                "–" if count is None else f"{count:,}",
                f"{self.rows_out[name]:,}" if name in self.rows_out else "–",
                f"{self.merged[name].rows:,}" if name in self.merged else "–",
            )
            for name, count in self.told_rows_in.items()
        ]
        levels = [(name, f"{level} of {self.highest[name]}") for name, level in self.levels.items()]
        proof = "minimal" if self.search.optimal else "not proven minimal"
        lead = (
            f"suppressed persons {self.suppressed:,} · mean span loss "
            f"{100 * self.search.loss:.1f} % ({proof})"
        )
        return [
            ResultTable(
                ("table", "rows in", "rows out", "merged"), rows, frozenset({1, 2, 3}), lead
            ),
            ResultTable(("quasi-identifier", "level"), levels),
            *self.verification.tables(),
        ]


def anonymize(
    tables: Mapping[str, Any],
    policy: LinkedPolicySource,
    *,
    progress: Callable[[str], None] | None = None,
) -> LinkedRelease:
    """Release several tables in which persons are alike with all their rows.

    Parameters
    ----------
    tables
        pandas, polars or pyarrow tables by name.
    policy
        A `LinkedPolicy`, or the path of a policy file with `tables`.
    progress
        Called with the name of each stage as it begins.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says which table and column.
    InfeasibleError
        No levels satisfy the policy with so few persons suppressed; nothing is released.

    """
    policy = read_or_given(policy, LinkedPolicy)
    watch = Stopwatch(progress)
    source = LinkedInput.read(tables, policy, watch)
    decided = source.decide()
    published = publish(source, decided)
    staged, known, search = published.staged, source.persons.known, decided.search
    with watch.stage("verify"):
        assert isinstance(published.view, LinkedView)  # noqa: S101 - the input made it
        verified = measured_persons(published.view, published.verification)
    verified = replace(verified, notes=(*verified.notes, *staged.notes))
    return LinkedRelease(
        frames=published.frame,
        policy=policy,
        verification=verified,
        rows_in=source.rows_in,
        rows_out=dict(verified.rows),
        suppressed=int(decided.suppressed.sum()),
        merged=staged.merged,
        levels={
            f"{one.table}.{one.name}": level
            for one, level in zip(known, search.levels, strict=True)
        },
        highest={f"{one.table}.{one.name}": one.highest for one in known},
        search=search,
        keys=staged.keys,
        built=source.built,
        seconds=watch.seconds,
    )
