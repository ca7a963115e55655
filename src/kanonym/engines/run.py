"""What every step of making a release needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kanonym.data.results import ShortRepr
from kanonym.data.schema import Schema
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.policy import Policy


@dataclass(frozen=True, repr=False)
class Run(ShortRepr):
    """One way from a table to its release."""

    policy: Policy
    schema: Schema
    seed: int
    place: str | None
    watch: Stopwatch
    recorded: bool | None = None

    @cached_property
    def task(self) -> Task:
        """What an engine is asked to do."""
        return Task.of(self.policy, self.schema)
