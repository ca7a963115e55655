"""Synthesizers of SDV, the Synthetic Data Vault: copulas and neural networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.copula import Constraint
from kanonym.synthesis.external.plain import (
    PlainTable,
    check_imitable,
    seed_generators,
    silence_library,
)

TABLE = "table"

CLASSES = {
    "gaussian-copula": "GaussianCopulaSynthesizer",
    "ctgan": "CTGANSynthesizer",
    "tvae": "TVAESynthesizer",
    "copula-gan": "CopulaGANSynthesizer",
}


@dataclass(frozen=True, slots=True)
class SDV:
    """A synthesizer of SDV (version 2 or later), installed by `pip install sdv`.

    Attributes
    ----------
    synthesizer
        `gaussian-copula`, `ctgan`, `tvae` or `copula-gan`.
    parameters
        Of SDV's synthesizer, such as `{"epochs": 100}`.

    Raises
    ------
    PolicyError
        There is no such synthesizer; or, when it learns, SDV is not installed.

    Notes
    -----
    None of them gives a guarantee of privacy. Numbers keep the range and the decimals of the
    column. SDV is no open source: the Business Source License 1.1 forbids to offer it to
    others as a service, and becomes the MIT license four years after each version.

    Patki, Wedge, Veeramachaneni (2016), DSAA: the Synthetic Data Vault; Xu, Skoularidou,
    Cuesta-Infante, Veeramachaneni (2019), NeurIPS: CTGAN and TVAE.

    """

    synthesizers: ClassVar[tuple[str, ...]] = tuple(CLASSES)
    synthesizer: str = "gaussian-copula"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse synthesizers that SDV does not have."""
        if self.synthesizer not in CLASSES:
            raise PolicyError(unknown_name("synthesizer of SDV", self.synthesizer, CLASSES))

    @property
    def name(self) -> str:
        """How it is called."""
        return f"sdv:{self.synthesizer}"

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> LearnedBySDV:
        """Learn a table; constraints are checked here and kept by drawing again."""
        try:
            from sdv import single_table  # noqa: PLC0415 - an extra, and slow to import
            from sdv.metadata import Metadata  # noqa: PLC0415
        except ImportError:
            raise PolicyError(
                f"{self.name} needs SDV 2, which is not installed: pip install 'sdv>=2'"
            ) from None
        check_imitable(columns, constraints)
        table = PlainTable(tuple(columns))
        kinds = {
            name: {"sdtype": kind}
            for names, kind in ((table.numbers, "numerical"), (table.categories, "categorical"))
            for name in names
        }
        with silence_library(self.name), seed_generators(int(random.integers(1 << 32))):
            metadata = Metadata.load_from_dict({"tables": {TABLE: {"columns": kinds}}})
            model = getattr(single_table, CLASSES[self.synthesizer])(metadata, **self.parameters)
            model.fit({TABLE: table.frame()})
        return LearnedBySDV(self.name, table, model)


@dataclass(frozen=True, slots=True)
class LearnedBySDV:
    """What a synthesizer of SDV learned."""

    name: str
    table: PlainTable
    model: Any

    def sample(self, n: int, random: np.random.Generator) -> list[pl.Series]:
        """Return n records."""
        seed = int(random.integers(1 << 32))
        with silence_library(self.name), seed_generators(seed):
            # Without it every model draws the same records, whatever the seed.
            self.model._set_random_state(seed)  # noqa: SLF001 - there is no other way
            drawn = self.model.sample(n)[TABLE]
        return self.table.restore(drawn, observed=True)
