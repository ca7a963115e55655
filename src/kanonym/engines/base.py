"""What an engine is: a table, what computes on it, and what cannot be done there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.schema import Schema
from kanonym.engines.decision import Decision
from kanonym.engines.frequency_set import FrequencySet
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.policy import Policy
from kanonym.verification import ColumnValues

Ability = Literal[
    "row-actions",
    "record-order",
    "formats",
    "aggregate",
    "file-options",
    "item-sets",
    "sampling",
]
"""What only some engines can do; all can count, recode, verify and write."""

SAMPLED = 10_000
"""Records of a sample."""

ABILITIES: frozenset[Ability] = frozenset(get_args(Ability))

_INSTEAD: dict[Ability, str] = {
    "row-actions": "Change the column there first, or load the table into memory",
    "record-order": "Its rows have no order that could be kept; leave keep_order out",
    "formats": "Convert the column there first, or load the table into memory",
    "aggregate": "Group the release there by its columns, and count",
    "item-sets": "Load the table into memory",
    "sampling": "Records are drawn in this process: load the table into memory",
    "file-options": "It always counts what it wrote, and has no safe cells; leave both out",
}


class Request(NamedTuple):
    """What is asked of an engine beside counting, recoding and writing.

    Attributes
    ----------
    ability
        What the engine must be able to do.
    subject
        What asks for it, as messages name it.

    """

    ability: Ability
    subject: str


def require_abilities(engine: Engine, asked: Iterable[Request]) -> None:
    """Refuse what an engine cannot do: the one place where that is said.

    Raises
    ------
    PolicyError
        With what is asked, and what to do instead.

    """
    for one in asked:
        if one.ability not in engine.abilities:
            raise unsupported_error(engine.name, one)


def unsupported_error(engine: str, asked: Request) -> PolicyError:
    """Return the error that an engine cannot do what is asked."""
    return PolicyError(
        f"{asked.subject}: not supported by the engine {engine}. {_INSTEAD[asked.ability]}"
    )


class StagedRelease(Protocol):
    """A release that is made, and that nobody can take for one before it is verified.

    Attributes
    ----------
    columns
        The released columns, in order.
    rows
        (n_released,) int64, which record of the input each released one is; None where an
        engine does not tell.

    """

    @property
    def columns(self) -> list[str]: ...  # noqa: D102 - above
    @property
    def rows(self) -> NDArray[np.int64] | None: ...  # noqa: D102 - above

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some of the columns as they were released, or identifiers that count persons.

        Raises
        ------
        DataError
            There are too many distinct combinations for this process.

        """
        ...

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a released column are repeated."""
        ...

    def publish(self, watch: Stopwatch) -> Any:
        """Put the release in its place, whole, and return the released table or its place."""
        ...

    def discard(self) -> None:
        """Take everything away that was written."""
        ...


class Input(Protocol):
    """A table as a policy reads it: columns have their types, actions are carried out."""

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated, before any action."""
        ...

    def decide(self, task: Task, watch: Stopwatch) -> Decision:
        """Divide the table into classes, and give them values: nothing is written."""
        ...

    def stage(self, decision: Decision, place: str | None, watch: Stopwatch) -> StagedRelease:
        """Make the released table, and write it where nobody takes it for a release.

        decision: of this very table. place: where `publish` puts it; None for a table.
        """
        ...


class Engine(Protocol):
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
    @property
    def columns(self) -> list[str]:
        """Names of the table's columns."""
        ...

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some columns of a table as it is; errors as of `StagedRelease.take`."""
        ...

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return at most `SAMPLED` records, not drawn at random, without nested columns."""
        ...

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated."""
        ...

    def read(self, policy: Policy, schema: Schema, seed: int) -> Input:
        """Return the table as a policy reads it.

        seed: of all that actions draw.
        """
        ...

    def require_place(self, place: str | None) -> None:
        """Refuse a place that `stage` would refuse, before there is something to write."""
        ...

    def close(self) -> None:
        """Take away everything that was left on the engine."""
        ...
