"""The table that is worked on, and its hierarchies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kanonym.data.errors import DataError
from kanonym.data.hierarchy import Automatic, FromFile
from kanonym.data.schema import QuasiIdentifier, Sensitive
from kanonym.data.table import encode_column
from kanonym.policy import Policy
from kanonym.policy.construction import build_source
from kanonym.policy.faults import FaultsFoundError, policy_error
from kanonym.workbench.work.facts import BoundHierarchy, OpenedTable, Source
from kanonym.workbench.work.worker import CANCELLED, ENDED, Step, Worker, WorkError

MOST_VALUES = 1_000_000
"""Of a hierarchy that is shown or edited by hand."""


def bind(column: Any, form: Any, folder: str) -> BoundHierarchy:
    """Bind a hierarchy to a column."""
    try:
        source = None if form is None else build_source(form, Path(folder))
    except FaultsFoundError as error:
        raise policy_error(error.faults, "hierarchy") from None
    if source is None:
        source = Automatic().suggest(column.unique()).builder
    domain, codes = encode_column(column, source)
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101 - it was bound
    if tree.size > MOST_VALUES:
        raise DataError(
            f"column {column.name!r} has {tree.size:,} values: too many to be shown here"
        )
    counts = np.bincount(codes, minlength=tree.size)
    rows = zip(*(tree.generalize(level) for level in range(tree.n_levels)), strict=True)
    return BoundHierarchy(
        source.to_dict(),
        tuple(rows),
        tuple(int(number) for number in counts),
        tuple(len(names) for names in tree.labels),
    )


def copy_hierarchies(policy: Policy, project: Path, place: Path) -> tuple[str, ...]:
    """Copy hierarchy files of a project to where its policy is exported; return their names."""
    copied = []
    for attribute in policy.attributes.values():
        if not isinstance(attribute, QuasiIdentifier | Sensitive):
            continue
        source = attribute.hierarchy
        if isinstance(source, FromFile) and not Path(source.path).is_absolute():
            target = place / source.path
            if not target.resolve().is_relative_to(place.resolve()):
                raise DataError(
                    f"hierarchy file {source.path} lies outside the project: name its whole path"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(project / source.path, target)
            copied.append(str(source.path))
    return tuple(dict.fromkeys(copied))


UNREPEATABLE = "Unrepeatable"
"""The kind of the error that a release is gone, and would be another one."""
GONE = (CANCELLED, ENDED)
"""Kinds of errors that say nothing of what was asked."""

Hear = Callable[[Step], None]


class HeldTable:
    """A process, and what it is to hold."""

    def __init__(self) -> None:
        self.worker = Worker()
        self._source: Source | None = None
        self._sha256 = ""
        self._policy: tuple[str, str] | None = None
        self._repeatable = False
        self._table_of = self._release_of = 0

    @property
    def has_release(self) -> bool:
        """Whether the process holds the release now."""
        return (
            self._policy is not None
            and self.worker.alive
            and self._release_of == self.worker.generation
        )

    async def open(self, source: Source, hear: Hear) -> OpenedTable:
        """Have the process read a table."""
        table: OpenedTable = await self.worker.ask("open", "long", hear, source=source)
        self._source, self._sha256, self._policy = source, table.sha256, None
        self._table_of = self.worker.generation
        return table

    async def release(
        self, policy: str, folder: str, hear: Hear, *, repeatable: bool, ledger: str | None
    ) -> Any:
        """Have the process make a release; ledger: spent from under differential privacy."""
        await self.ready(hear)
        made = await self.worker.ask(
            "release", "long", hear, policy=policy, folder=folder, ledger=ledger
        )
        self.expect(policy, folder, repeatable=repeatable)
        self._release_of = self.worker.generation
        return made

    def expect(self, policy: str, folder: str, *, repeatable: bool) -> None:
        """Take a policy as that of the release, which is made where it is asked for.

        repeatable: whether a seed gives the same release again.
        """
        self._policy, self._release_of, self._repeatable = (policy, folder), 0, repeatable

    async def ready(self, hear: Hear | None, *, released: bool = False) -> None:
        """Have the process hold the table, and the release, again if it was ended."""
        if not self.worker.alive or self._table_of != self.worker.generation:
            await self.worker.ask("reopen", "long", hear, source=self._source, sha256=self._sha256)
            self._table_of = self.worker.generation
        if released and not self.has_release and self._policy is not None:
            if not self._repeatable:
                raise WorkError("the release has no seed: run again for another", UNREPEATABLE)
            policy, folder = self._policy
            await self.worker.ask(
                "release", "long", hear, policy=policy, folder=folder, ledger=None
            )
            self._release_of = self.worker.generation

    async def do(self, task: str, hear: Hear, **arguments: Any) -> Any:
        """Have long work done."""
        return await self.worker.ask(task, "long", hear, **arguments)

    async def question(self, task: str, *, released: bool = False, **arguments: Any) -> Any:
        """Ask something that is answered at once; again where the process was ended meanwhile.

        released: whether it is about the release.
        """
        try:
            await self.ready(None, released=released)
            return await self.worker.ask(task, **arguments)
        except WorkError as error:
            if error.kind not in GONE:
                raise
        await self.ready(None, released=released)
        return await self.worker.ask(task, **arguments)
