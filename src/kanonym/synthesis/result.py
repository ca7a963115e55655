"""A synthetic table, and how good and safe it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.results import Result, ResultTable
from kanonym.evaluation.attacks.result import AttackResults
from kanonym.evaluation.attacks.table_attacks import attack
from kanonym.evaluation.utility.models.detection import detection
from kanonym.evaluation.utility.table_utility import Utility, utility
from kanonym.kernels.arrays import Bools
from kanonym.metrics.measured_value import MeasuredValue, measured_tables
from kanonym.synthesis.columns import Constraint

MEASURES = (
    "total-variation",
    "hellinger",
    "jensen-shannon",
    "wasserstein",
    "pairwise-total-variation",
    "k-marginal",
    "correlation-difference",
    "cramers-v-difference",
    "correlation-ratio-difference",
    "interval-overlap",
    "interval-overlap-regression",
    "query-error",
    "pmse",
)
"""Measures of two tables whose records are not the same persons."""

ATTACKS = ("singling-out", "linkability", "inference", "membership")
"""Attacks on a table that was not recoded and has no record of anybody on purpose."""


UNJUDGED = (
    "Not judged, and nothing is promised: this method gives no guarantee of privacy. To attack the "
    "table and compare it with the original, add --judge and --hold-out; for a guarantee, add "
    "--epsilon."
)


@dataclass(frozen=True, slots=True)
class Copies:
    """How many synthetic records are equal to one of a real person."""

    learned: float
    held_out: float | None = None
    learned_as_many: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return asdict(self)


def count_copies(
    learned: pl.DataFrame,
    synthetic: pl.DataFrame,
    held_out: pl.DataFrame | None,
    random: np.random.Generator,
) -> Copies:
    """Count synthetic records that equal real ones, null equal to null. Cost O(records)."""

    def share(real: pl.DataFrame) -> float:
        frame = synthetic.join(real.unique(), on=real.columns, how="semi", nulls_equal=True)
        return len(frame) / len(synthetic)

    if held_out is None:
        return Copies(share(learned))
    size = min(len(held_out), len(learned))
    rows = np.sort(random.choice(len(learned), size, replace=False))
    return Copies(share(learned), share(held_out), share(learned[rows]))


def measure_detection(
    learned: pl.DataFrame, synthetic: pl.DataFrame, random: np.random.Generator
) -> MeasuredValue:
    """Measure how well a classifier tells synthetic records from those learned from."""
    return detection(learned.get_columns(), synthetic.get_columns(), random)


def utility_of(learned: pl.DataFrame, synthetic: pl.DataFrame, seed: int) -> Utility:
    """Measure what the synthetic table is good for beside the one learned from."""
    return utility(learned, synthetic, aligned=False, measures=MEASURES, seed=seed)


def attack_synthetic(
    learned: pl.DataFrame,
    synthetic: pl.DataFrame,
    held_out: pl.DataFrame | None,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    seed: int,
) -> AttackResults:
    """Attack a synthetic table as a release of the records that were learned from.

    Where no quasi-identifier is named, the intruder knows every column that is not sensitive.
    Records that were held out are the control.
    """
    known = list(quasi_identifiers)
    known = known or [name for name in learned.columns if name not in sensitive]
    return attack(
        learned,
        synthetic,
        quasi_identifiers=known,
        sensitive=list(sensitive),
        control=held_out,
        aligned=False,
        attacks=ATTACKS,
        seed=seed,
    )


ROOT = 0x73796E
"""Keeps what is drawn here apart from other draws of the same seed."""


@dataclass(frozen=True, eq=False, repr=False)
class Synthesis(Result):
    """A synthetic table, and how good and how safe it is.

    What it is judged by is measured when it is first asked for: `detection`, `copies` and
    `utility` in seconds, `attacks` in up to minutes. `to_dict` and `print` ask for all of it.

    Attributes
    ----------
    frame
        The synthetic table, of the type of the one that came in.
    method
        Name of the synthesizer.
    rows
        Synthetic records.
    rows_in, held_out
        Records that came in, and how many of them were not learned from.
    seed
        Of what was drawn.
    dropped
        Columns that were left out.
    identifiers
        Those of them that seem to identify people, and that nobody named.
    constraints
        What holds in every record.
    """

    _shown: ClassVar[tuple[str, ...]] = ("method", "rows", "rows_in", "held_out")

    frame: Any = field(repr=False)
    method: str
    rows: int
    rows_in: int
    held_out: int
    seed: int
    dropped: tuple[str, ...]
    identifiers: tuple[str, ...]
    constraints: tuple[str, ...]
    _learned: pl.DataFrame = field(repr=False)
    _synthetic: pl.DataFrame = field(repr=False)
    _rest: pl.DataFrame | None = field(repr=False)
    _known: tuple[str, ...]
    _sensitive: tuple[str, ...]

    @cached_property
    def detection(self) -> MeasuredValue:
        """How well a classifier tells synthetic records from those learned from; 0.5 is chance."""
        return measure_detection(self._learned, self._synthetic, self._random(b"detection"))

    @cached_property
    def copies(self) -> Copies:
        """How many synthetic records equal one of a real person."""
        return count_copies(self._learned, self._synthetic, self._rest, self._random(b"copies"))

    @cached_property
    def utility(self) -> Utility:
        """What the table is good for, by the measures that compare distributions."""
        return utility_of(self._learned, self._synthetic, self.seed)

    @cached_property
    def attacks(self) -> AttackResults:
        """What intruders get from the table, against chance and against held-out persons."""
        return attack_synthetic(
            self._learned,
            self._synthetic,
            self._rest,
            quasi_identifiers=self._known,
            sensitive=self._sensitive,
            seed=self.seed,
        )

    def facts(self) -> dict[str, Any]:
        """Return how the table was made, in JSON form, without judging it."""
        return {
            "method": self.method,
            "rows": self.rows,
            "rows_in": self.rows_in,
            "held_out": self.held_out,
            "seed": self.seed,
            "dropped": list(self.dropped),
            "identifiers": list(self.identifiers),
            "constraints": list(self.constraints),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return how the table was made and how it is judged, in JSON form."""
        return {
            **self.facts(),
            "detection": self.detection.to_dict(),
            "copies": self.copies.to_dict(),
            "utility": self.utility.to_dict(),
            **self.attacks.to_dict(),
        }

    def tables(self, *, judged: bool = True) -> list[ResultTable]:
        """Return how the table was made and how it is judged, a number a row.

        judged: False leaves out what has to be measured for it.
        """
        learned = f"{self.rows_in - self.held_out:,} learned from, {self.held_out:,} held out"
        facts = ResultTable.of_facts(
            ("records", learned),
            ("synthetic", f"{self.rows:,} by {self.method}, seed {self.seed}"),
            ("dropped", ", ".join(self.dropped) or "no column"),
            *(("seems to identify people", identifier) for identifier in self.identifiers),
            *(("constraint", constraint) for constraint in self.constraints),
            *(self._quality() if judged else ()),
            notes=() if judged else (UNJUDGED,),
        )
        return [facts, *self._judged()] if judged else [facts]

    def _judged(self) -> list[ResultTable]:
        """Return the measures of utility that have a value, and the attacks."""
        known = {name: one for name, one in self.utility.entries().items() if one.value is not None}
        return [*measured_tables("utility", known), *self.attacks.tables()]

    def _quality(self) -> list[tuple[str, object]]:
        """Return the lines about how much the records are like real ones."""
        copies = self.copies
        lines: list[tuple[str, object]] = [
            ("distinguishable, AUC (0.5: chance)", self.detection.to_text()),
            ("equal to a real record", f"{100 * copies.learned:.1f} % of the synthetic records"),
        ]
        if copies.held_out is not None and copies.learned_as_many is not None:
            mine, theirs = f"{100 * copies.learned_as_many:.1f} %", f"{100 * copies.held_out:.1f} %"
            lines.append(("of as many real records", f"{mine}, of those held out {theirs}"))
        return lines

    def _random(self, what: bytes) -> np.random.Generator:
        return np.random.default_rng([self.seed, ROOT, *what])


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


ROUNDS = 20
"""How often records that break a constraint are drawn again."""


def draw_valid_records(
    model: Learned,
    n: int,
    learned: pl.DataFrame,
    rules: Sequence[Constraint],
    random: np.random.Generator,
) -> pl.DataFrame:
    """Return n records that keep every constraint, and miss no value that none misses."""
    parts: list[pl.DataFrame] = []
    lacking, asked = n, n
    for _ in range(ROUNDS):
        drawn = pl.DataFrame(list(model.sample(asked, random)))
        if drawn.schema != learned.schema:
            raise DataError(
                f"the synthesizer drew the columns {drawn.schema}, and the table has "
                f"{learned.schema}: names, order and types must be those of the table"
            )
        fine = drawn.filter(pl.Series(_holds_what_must_hold(drawn, learned, rules)))
        # Some libraries draw alike records one after the other: the first would be a choice.
        fine = fine[random.permutation(len(fine))]
        parts.append(fine.head(lacking))
        lacking -= len(parts[-1])
        if not lacking:
            return pl.concat(parts)
        # As many as will do at this rate, and a few more; never far more than the table.
        asked = min(n, lacking * (asked // max(len(fine), 1) + 1) + 10)
    told = ", ".join(map(str, rules)) or "no missing value where the table has none"
    raise DataError(
        f"only {n - lacking} of {n} records keep what must hold ({told}) after {ROUNDS} rounds of "
        "drawing; leave a constraint out, or take the default method, which draws none that "
        "breaks it"
    )


def keeps_constraints(table: pl.DataFrame, rules: Sequence[Constraint]) -> Bools:
    """Return (n,) bool, which records keep every constraint; null keeps any."""
    keeps = np.ones(len(table), np.bool_)
    for rule in rules:
        low, high = table[rule.low], table[rule.high]
        holds = low < high if rule.strict else low <= high
        keeps &= holds.fill_null(value=True).to_numpy()
    return keeps


def _holds_what_must_hold(
    drawn: pl.DataFrame, learned: pl.DataFrame, rules: Sequence[Constraint]
) -> Bools:
    """Return (n,) bool, which drawn records keep constraints and miss no value that none misses."""
    keeps = keeps_constraints(drawn, rules)
    for column in learned.get_columns():
        if not column.null_count():
            keeps &= drawn[column.name].is_not_null().to_numpy()
    return keeps
