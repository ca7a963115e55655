"""Synthetic tables: records of nobody, drawn by a model of a table, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.results.result import Result, ResultTable
from kanonym.evaluation.attacks.result import AttackResults
from kanonym.evaluation.columns import name_list
from kanonym.evaluation.utility.table_utility import Utility
from kanonym.metrics.measured_table import format_figure, measured_table
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.models.base import check_integer, check_number
from kanonym.policy.faults import raise_together, unknown_name
from kanonym.synthesis.appraisal import (
    Copies,
    attack_synthetic,
    count_copies,
    measure_detection,
    utility_of,
)
from kanonym.synthesis.copula import Constraint
from kanonym.synthesis.drawing import draw_valid_records
from kanonym.synthesis.synthesizer import Copula, Synthesizer, synthesizer_of

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
    constraints
        What holds in every record.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "method",
        "rows",
        "rows_in",
        "held_out",
    )

    frame: Any = field(repr=False)
    method: str
    rows: int
    rows_in: int
    held_out: int
    seed: int
    dropped: tuple[str, ...]
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

    def tables(self) -> list[ResultTable]:
        """Return how the table was made and how it is judged, a number a row."""
        held = f", {self.held_out:,} held out" if self.held_out else ""
        lines = [
            f"{self.rows:,} records by {self.method}, seed {self.seed}",
            f"learned from {self.rows_in - self.held_out:,} records{held}",
            *(f"constraint {one}" for one in self.constraints),
        ]
        records = measured_table("records", {"detection": self.detection})
        copies = [
            (f"copies, {name}", format_figure(share), "lower")
            for name, share in self.copies.to_dict().items()
            if share is not None
        ]
        judged = replace(records, rows=[*records.rows, *copies], lead="\n".join(lines))
        return [judged, *self.utility.tables(), *self.attacks.tables()]

    def _random(self, what: bytes) -> np.random.Generator:
        return np.random.default_rng([self.seed, ROOT, *what])


def synthesize(
    frame: Any,
    *,
    rows: int | None = None,
    drop: Sequence[str] = (),
    constraints: Sequence[str | Constraint] = (),
    method: str | Synthesizer = Copula.name,
    hold_out: float | None = None,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    seed: int = 0,
) -> Synthesis:
    """Fit a model to a table, and draw a synthetic table from it.

    This is not anonymization. No record is copied on purpose, but a drawn record may equal a real
    one, each value of the table may occur in it, and a synthesizer that memorized records discloses
    them. Only the differentially private synthesizers of `SmartNoise` give a guarantee, at the cost
    of utility. Evaluate the table before you share it: with `hold_out`, attacks on people in the
    training data are compared with attacks on people who are not.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    rows
        Synthetic records, at least 1; None for as many as were learned from.
    drop
        Columns to leave out, such as names and other identifiers.
    constraints
        What holds between two columns in every record, such as "discharge >= admission".
    method
        `copula` or `trees`, our own; `sdv:gaussian-copula`, `sdv:ctgan`, `sdv:tvae`,
        `sdv:copula-gan` (`pip install sdv`); or an object with a name and `fit`, such as
        `SequentialTrees`, `SDV` or `SmartNoise` with its parameters.
    hold_out
        Share of the records that are not learned from, in (0, 1): those that attacks are
        compared with. None: all are learned from, and nobody can tell what was learned by heart.
    quasi_identifiers, sensitive
        For the attacks: what intruders know of a person (by default all that is not
        sensitive), and what they want to learn.
    seed
        Of all that is drawn, at least 0: the same one gives the same table, on every frame
        library. What `SmartNoise` draws does not depend on it.

    Raises
    ------
    SchemaError
        There is no such column, one has two roles, or one cannot be imitated, as free text.
    DataError
        The table has too few records, a record breaks a constraint, or the method draws none
        that keeps it.
    PolicyError
        There is no such method, its library is not installed, or a parameter is no number in its
        range.

    Notes
    -----
    Columns keep their type, and no value is missing in a column that misses none. Only `copula`
    keeps every constraint by itself: records of others that break one are drawn again, up to 20
    times as many. Cost: of the synthesizer.

    Examples
    --------
    >>> import polars as pl
    >>> stays = pl.DataFrame({"age": [34, 57, 61, 45] * 5, "ward": ["a", "b", "b", "a"] * 5})
    >>> synthesize(stays, rows=3, seed=1).frame.shape
    (3, 2)

    """
    native = frames.to_eager(frame)
    dropped, known, hidden = (
        name_list(given, "columns") for given in (drop, quasi_identifiers, sensitive)
    )
    raise_together(
        [
            partial(check_integer, "synthesize", "seed", seed, 0),
            *([] if rows is None else [partial(check_integer, "synthesize", "rows", rows, 1)]),
            partial(synthesizer_of, method),
            *column_checks(frames.column_names(native), dropped, (*known, *hidden)),
            *constraint_checks(constraints, frames.column_names(native), dropped),
        ]
    )
    synthesizer = synthesizer_of(method)
    kept = kept_columns(frames.column_names(native), dropped, known, hidden)
    table = pl.DataFrame([frames.column(native, name) for name in kept])
    rules = [one if isinstance(one, Constraint) else Constraint.parse(one) for one in constraints]
    _check_rules(rules, kept)
    learned, rest = _split_hold_out(table, hold_out, seed)
    random = np.random.default_rng([seed, ROOT])
    model = synthesizer.fit(learned.get_columns(), rules, random)
    drawn = draw_valid_records(
        model, len(learned) if rows is None else rows, learned, rules, random
    )
    shape = np.zeros(len(drawn), np.int64)
    return Synthesis(
        frame=frames.assemble(native, shape, drawn.get_columns(), frame),
        method=synthesizer.name,
        rows=len(drawn),
        rows_in=len(table),
        held_out=0 if rest is None else len(rest),
        seed=int(seed),
        dropped=tuple(dropped),
        constraints=tuple(map(str, rules)),
        _learned=learned,
        _synthetic=drawn,
        _rest=rest,
        _known=tuple(known),
        _sensitive=tuple(hidden),
    )


def kept_columns(
    names: list[str], dropped: list[str], known: list[str], hidden: list[str]
) -> list[str]:
    """Return the columns to imitate; refuse names that mean none, or two things."""
    for name in (*dropped, *known, *hidden):
        if name not in names:
            raise SchemaError(unknown_name("column", name, names))
    for name in (*known, *hidden):
        if name in dropped:
            raise SchemaError(f"column {name!r} is dropped: no intruder finds it in the table")
    both = [name for name in hidden if name in known]
    if both:
        raise SchemaError(f"{both[0]!r} is both quasi-identifying and sensitive; choose one")
    kept = [name for name in names if name not in dropped]
    if not kept:
        raise SchemaError("every column is dropped; keep one")
    return kept


def column_checks(
    names: list[str], dropped: Sequence[str], meant: Sequence[str]
) -> list[Callable[[], None]]:
    """Return a check of each column that is named: that it is there, and not dropped if meant."""

    def check(name: str) -> None:
        if name not in names:
            raise SchemaError(unknown_name("column", name, names))
        if name in dropped and name in meant:
            raise SchemaError(f"column {name!r} is dropped, and named as one that is kept")

    return [partial(check, name) for name in dict.fromkeys((*dropped, *meant))]


def constraint_checks(
    given: Sequence[str | Constraint], names: list[str], dropped: Sequence[str]
) -> list[Callable[[], None]]:
    """Return a check of each constraint: that it is one, of columns that are kept."""
    kept = [name for name in names if name not in dropped]

    def check(one: str | Constraint) -> None:
        _check_rules([one if isinstance(one, Constraint) else Constraint.parse(one)], kept)

    return [] if isinstance(given, str) else [partial(check, one) for one in given]


def _check_rules(rules: Sequence[Constraint], kept: list[str]) -> None:
    for rule in rules:
        for name in (rule.left, rule.right):
            if name not in kept:
                raise SchemaError(f"constraint {rule}: {unknown_name('column', name, kept)}")


def _split_hold_out(
    table: pl.DataFrame, hold_out: float | None, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the records that are learned from, and those that are held out."""
    n = len(table)
    if n < 2:
        raise DataError(f"the table has {n} records: there is nothing to learn from")
    if hold_out is None:
        return table, None
    check_number("synthesize", "hold_out", hold_out, above=0, maximum=1)
    held = round(n * hold_out)
    if not 0 < held < n - 1:
        raise DataError(
            f"hold_out is {hold_out:g} of {n} records: at least one must be held out, and two "
            "learned from"
        )
    out = np.zeros(n, np.bool_)
    out[np.random.default_rng([seed, *b"hold out"]).permutation(n)[:held]] = True
    return table.filter(pl.Series(~out)), table.filter(pl.Series(out))
