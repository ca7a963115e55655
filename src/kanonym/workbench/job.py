"""Long work of a project: what it is, how far it is, and how it ended."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

from kanonym.workbench.work.messages import Step


@dataclass(eq=False)
class Job:
    """Long work."""

    task: str
    begun: float = field(default_factory=monotonic)
    sentence: str = ""
    done: int = 0
    total: int = 0
    ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return monotonic() - self.begun

    def hear(self, step: Step) -> None:
        """Take over what the process tells."""
        self.sentence, self.done, self.total = step.sentence, step.done, step.total
        self._tell()

    def end(self) -> None:
        """Say that it is over."""
        self.ended = True
        self._tell()

    def _tell(self) -> None:
        event, self.changed = self.changed, asyncio.Event()
        event.set()
