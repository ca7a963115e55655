"""Synthesizers of SmartNoise, which are differentially private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.models.base import check_number
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.copula import Constraint
from kanonym.synthesis.external.plain import PlainTable, check_imitable, silence_library

SYNTHESIZERS = ("mst", "aim", "mwem", "patectgan", "dpctgan")

FOR_RANGES = 0.1
"""The share of the budget that finds the range of numbers, where there are any."""


@dataclass(frozen=True, slots=True)
class SmartNoise:
    """A synthesizer of SmartNoise, which is installed by `pip install smartnoise-synth`.

    Attributes
    ----------
    synthesizer
        `mst`, `aim` or `mwem`, which measure tables of a few columns with noise; `patectgan` or
        `dpctgan`, neural networks.
    epsilon
        The privacy budget, above 0. A tenth of it finds the ranges of numbers.
    parameters
        Of SmartNoise's synthesizer, such as `{"delta": 1e-6}`.

    Raises
    ------
    PolicyError
        There is no such synthesizer, the budget is none; or, when it learns, SmartNoise is not
        installed.

    Notes
    -----
    The guarantee is SmartNoise's: any one record changes the chance of any table that may be
    drawn by a factor of exp(epsilon) at most, but for delta. It takes as known to everybody: names
    and types of columns, the categories that occur, which columns have nulls, and how many
    records there are. What is drawn cannot be repeated by a seed: who knew it could take the noise
    away.

    McKenna, Miklau, Sheldon (2021), J. Privacy and Confidentiality 11(3): MST; McKenna, Mullins,
    Sheldon, Miklau (2022), VLDB 15(11): AIM; Hardt, Ligett, McSherry (2012), NeurIPS: MWEM.

    """

    synthesizers: ClassVar[tuple[str, ...]] = SYNTHESIZERS
    synthesizer: str
    epsilon: float
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse synthesizers that SmartNoise does not have, and no budget."""
        if self.synthesizer not in SYNTHESIZERS:
            raise PolicyError(
                unknown_name("synthesizer of SmartNoise", self.synthesizer, SYNTHESIZERS)
            )
        check_number(self.name, "epsilon", self.epsilon, above=0)

    @property
    def name(self) -> str:
        """How it is called."""
        return f"smartnoise:{self.synthesizer}"

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> LearnedBySmartNoise:
        """Learn a table; constraints are checked here and kept by drawing again."""
        del random  # see the class
        try:
            import snsynth  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise PolicyError(
                f"{self.name} needs SmartNoise, which is not installed: "
                "pip install smartnoise-synth"
            ) from None
        check_imitable(columns, constraints)
        table = PlainTable(tuple(columns))
        with silence_library(self.name):
            model = snsynth.Synthesizer.create(
                self.synthesizer, epsilon=float(self.epsilon), **self.parameters
            )
            model.fit(
                table.frame(),
                categorical_columns=table.categories,
                continuous_columns=table.numbers,
                preprocessor_eps=FOR_RANGES * self.epsilon if table.numbers else 0.0,
                nullable=any(column.null_count() for column in columns),
            )
        return LearnedBySmartNoise(self.name, table, model)


@dataclass(frozen=True, slots=True)
class LearnedBySmartNoise:
    """What a synthesizer of SmartNoise learned."""

    name: str
    table: PlainTable
    model: Any

    def sample(self, n: int, random: np.random.Generator) -> list[pl.Series]:
        """Return n records; `random` says nothing, see `SmartNoise`."""
        del random
        with silence_library(self.name):
            drawn = self.model.sample(n)
        return self.table.restore(drawn, observed=False)
