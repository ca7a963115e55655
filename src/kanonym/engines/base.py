"""What an engine is: a table, what computes on it, and what cannot be done there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, get_args

from kanonym.data.errors import PolicyError
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Schema
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.kernels.arrays import Ints
from kanonym.policy import Policy
from kanonym.verification.release_view import ReleaseView
from kanonym.verification.released_classes import Columns, Table


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


Ability = Literal[
    "row-actions", "record-order", "aggregate", "file-options", "item-sets", "sampling"
]
"""What only some engines can do; all can count, recode, verify and write."""

SAMPLED = 10_000
"""Records of a sample."""

ABILITIES: frozenset[Ability] = frozenset(get_args(Ability))

_INSTEAD: dict[Ability, str] = {
    "row-actions": "Change the column there first, or anonymize a copy of the table in a file, "
    "such as Parquet",
    "record-order": "Its rows have no order that could be kept; leave keep_order out",
    "aggregate": "Group the release there by its columns, and count",
    "item-sets": "Load the table into memory",
    "sampling": "Records are drawn in this process: load the table into memory",
    "file-options": "It always counts what it wrote, and has no safe cells; leave both out",
}


class Request(NamedTuple):
    """What is asked of an engine beside counting, recoding and writing."""

    ability: Ability
    subject: str


def require_abilities(engine: Engine, asked: Iterable[Request]) -> None:
    """Refuse what an engine cannot do: the one place where that is said."""
    for request in asked:
        if request.ability not in engine.abilities:
            raise unsupported_error(engine.name, request)


def unsupported_error(engine: str, asked: Request) -> PolicyError:
    """Return the error that an engine cannot do what is asked."""
    return PolicyError(
        f"{asked.subject}: not supported by the engine {engine}. {_INSTEAD[asked.ability]}"
    )


class StagedRelease(Columns, Protocol):
    """A release that is made, and that nobody can take for one before it is verified.

    Its `take` also gives the identifiers by which persons are counted.

    rows: (n_released,) int64, which record of the input each released one is; None where an engine
    does not tell.
    """

    @property
    def rows(self) -> Ints | None: ...  # noqa: D102 - above

    def publish(self) -> Any:
        """Put the release in its place, whole, and return the released table or its place."""
        ...

    def discard(self) -> None:
        """Take everything away that was written."""
        ...


class Input(Protocol):
    """What a release is made of: a table as a policy reads it, a batch, or linked tables."""

    @property
    def watch(self) -> Stopwatch:
        """Notes the seconds of each stage."""
        ...

    def decide(self) -> Any:
        """Divide the records into classes, and give them values: nothing is written."""
        ...

    def stage(self, decision: Any) -> Any:
        """Make the release, and write it where nobody takes it for one.

        decision: of this very input. The result has `publish` and `discard` of `StagedRelease`.
        """
        ...

    def view(self, decision: Any, staged: Any) -> ReleaseView:
        """Return what was staged, as verification sees it."""
        ...


class Engine(Table, Protocol):
    """A table, and what counts, recodes and writes it.

    Attributes
    ----------
    name
        What messages and manifests call it: `local`, `duckdb`, `spark`, `postgresql`, `sqlite`.
    abilities
        What it can do beside counting, recoding and writing.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - above
    @property
    def abilities(self) -> frozenset[Ability]: ...  # noqa: D102 - above

    def read(self, run: Run) -> Input:
        """Return the table as a policy reads it."""
        ...

    def require_place(self, place: str | None) -> None:
        """Refuse a place that `stage` would refuse, before there is something to write."""
        ...

    def close(self) -> None:
        """Take away everything that was left on the engine."""
        ...
