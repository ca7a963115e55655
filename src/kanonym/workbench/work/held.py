"""What the process holds: a table and a release, again where it was ended meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kanonym.workbench.work.facts import OpenedTable, Source
from kanonym.workbench.work.messages import Step
from kanonym.workbench.work.worker import CANCELLED, ENDED, Worker, WorkError

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
