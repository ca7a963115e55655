"""What learns a table and draws another one from what it learned: one interface for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.copula import Constraint, TableModel, fit
from kanonym.synthesis.trees import SequentialTrees


class Learned(Protocol):
    """What a synthesizer learned of a table."""

    def sample(self, n: int, random: np.random.Generator) -> Sequence[pl.Series]:
        """Return n records: the table's columns, in its order, their types and names."""
        ...


class Synthesizer(Protocol):
    """Frozen parameters, and a way to learn a table by them.

    Attributes
    ----------
    name
        As in the JSON contract and on the command line.

    """

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> Learned:
        """Learn a table.

        Parameters
        ----------
        columns
            (n,) each: numbers, times, Booleans, text and categories, with nulls.
        constraints
            What holds in every record. Who cannot keep them draws records that break
            some; these are drawn again.
        random
            Of what is drawn while learning.

        Raises
        ------
        SchemaError, DataError
            A column cannot be imitated, as free text, or a record breaks a constraint.

        """
        ...


@dataclass(frozen=True, slots=True)
class Copula:
    """The Gaussian copula of `synthesis.copula`: shares of values, and what joins pairs.

    It keeps the distribution of each column and the association of each two. What only three
    columns together show is lost. It gives no guarantee of privacy.
    """

    name: ClassVar[str] = "copula"

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> TableModel:
        """Learn a table, constraints included; nothing is drawn."""
        del random
        return fit(columns, constraints)


OWN = (Copula, SequentialTrees)
"""Synthesizers of this package, each with its default parameters."""


def synthesizer_of(method: str | Synthesizer) -> Synthesizer:
    """Return the synthesizer that a name means; of an object, itself."""
    if not isinstance(method, str):
        if isinstance(method, type) or not (hasattr(method, "fit") and hasattr(method, "name")):
            raise PolicyError(
                "method is the name of a synthesizer, or one such as SequentialTrees(leaf=50), "
                f"with a name and fit; this is {method!r}"
            )
        return method
    for own in OWN:
        if method == own.name:
            return own()
    raise PolicyError(unknown_name("synthesizer", method, synthesizer_names()))


def synthesizer_names() -> list[str]:
    """Return the name of every synthesizer."""
    return [own.name for own in OWN]
