"""What a table gives away of the persons in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.assessment.columns import columns_asked
from kanonym.data import files, frames
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy import Flat, HierarchySource
from kanonym.data.table import encode_column, value_codes
from kanonym.kernels.grouping import Groups
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.metrics.measured import Measured
from kanonym.metrics.risk import RiskAssessment, measure_risk
from kanonym.metrics.risk.copula import CopulaRisk, copula_risk
from kanonym.metrics.risk.disclosed import disclosed
from kanonym.metrics.risk.presets import PRESETS
from kanonym.metrics.risk.sizes import THRESHOLD
from kanonym.metrics.risk.suda import MOST_ATTRIBUTES, Suda, suda
from kanonym.policy import Policy
from kanonym.transforms.persons import PopulationColumn, count_persons
from kanonym.verification import (
    SensitiveColumn,
    classes_as_released,
    group_by_code,
    k_wildcard,
)

MANY_ATTRIBUTES = 10
LARGEST_OF_MANY = 3
"""Of more attributes than ten, minimal sample uniques of up to three are looked for."""

MOST_DISTINCT = 100_000
"""Of more distinct records the likelihood of a correct match is not computed: 10 s here."""


@dataclass(frozen=True, eq=False)
class TableRisk:
    """What a table gives away of the persons in it.

    Attributes
    ----------
    measurement
        The value of every privacy model.
    assessment
        Prosecutor, journalist and marketer risk and what follows from class sizes,
        persons, weights and households.
    suda
        Special uniques and their scores; None where they were not asked for.
    copula
        How likely a match is correct; None without the number of persons, or of more than
        100,000 distinct records (`metrics.risk.copula` itself has no such limit).

    """

    measurement: Measurement
    assessment: RiskAssessment
    suda: Suda | None
    copula: CopulaRisk | None
    _table: Any
    _columns: tuple[pl.Series, ...]
    _groups: Groups

    def entries(self) -> dict[str, Measured]:
        """Return every measure that the given columns allow, by name."""
        found = {**disclosed(self.measurement), **self.assessment.entries()}
        if self.suda is not None:
            found |= self.suda.entries()
        if self.copula is not None:
            both = (self.copula.population_uniqueness, self.copula.population_correctness)
            found |= {one.meaning.name: one for one in both}
        return {name: one for name, one in found.items() if one.value is not None or one.reason}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9: one entry a measure, and `presets` judged."""
        judged = self.assessment.to_dict()["presets"]
        entries: dict[str, Any] = {name: one.to_dict() for name, one in self.entries().items()}
        return {**entries, "presets": judged}

    @cached_property
    def records(self) -> Any:
        """The risk of each record, in the table's order and type: no value of the table.

        Columns: `class` (its number), `class_size`, `prosecutor`, `journalist`; and
        `individual`, `household`, `persons` (of the class), `suda`, `dis`, `uniqueness`
        and `correctness`, where they were measured.
        """
        labels, found = self._groups.labels, self.assessment
        columns: dict[str, NDArray[Any]] = {
            "class": labels,
            "class_size": self._groups.sizes[labels],
            "prosecutor": found.prosecutor.of_records(labels),
            "journalist": found.journalist.of_records(labels),
        }
        if found.individual is not None:
            columns["individual"] = found.individual.of_records(labels)
        if found.households is not None:
            columns["household"] = found.households.by_record
        if found.persons is not None:
            columns["persons"] = found.persons.by_class[labels]
        if self.suda is not None:
            columns |= {"suda": self.suda.scores, "dis": self.suda.dis}
        if self.copula is not None:
            columns |= {
                "uniqueness": self.copula.uniqueness,
                "correctness": self.copula.correctness,
            }
        return self._framed(columns, [])

    @cached_property
    def classes(self) -> Any:
        """The classes, smallest first: their quasi-identifiers, `class`, `class_size`, risk."""
        order = np.argsort(self._groups.sizes, kind="stable")
        found = self.assessment
        columns: dict[str, NDArray[Any]] = {
            "class": order,
            "class_size": self._groups.sizes[order],
            "prosecutor": found.prosecutor.by_class[order],
            "journalist": found.journalist.by_class[order],
        }
        first = pl.Series(self._groups.first[order])
        taken = [one.gather(first) for one in self._columns if one.name not in columns]
        return self._framed(columns, taken)

    def _framed(self, columns: Mapping[str, NDArray[Any]], taken: Sequence[pl.Series]) -> Any:
        built = [pl.Series(name, np.ascontiguousarray(one)) for name, one in columns.items()]
        return frames.assemble(
            self._table, np.zeros(len(built[0]), np.int64), [*taken, *built], self._table
        )


def risk(
    frame: Any,
    policy: Policy | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    population: Any = None,
    entity: str | None = None,
    weight: str | None = None,
    household: str | None = None,
    threshold: float = THRESHOLD,
    presets: Sequence[str] = tuple(PRESETS),
    largest: int | None = None,
    seed: int = 0,
) -> TableRisk:
    """Measure what a table gives away: any table, before or after it was anonymized.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    policy
        Whose quasi-identifiers, sensitive attributes and hierarchies are meant; or leave
        it out and name them.
    quasi_identifiers, sensitive, hierarchies
        Names of columns; hierarchies of sensitive attributes add t-closeness with
        hierarchical distance, those of quasi-identifiers read the labels of a release
        beside a population table.
    population
        The number of persons that the table is a random sample of: for population
        uniques and the likelihood of a correct match. Or a table (or its path) with the
        quasi-identifiers of all of them: for journalist and marketer risk.
    entity
        Column that tells persons apart, where one person has several records: persons
        are counted, too. None: that of the policy's k-anonymity, where the table has it.
    weight
        Column of sampling weights, for individual risk.
    household
        Column of households, for the risk that one member is found.
    threshold
        In [0, 1]; records with a risk strictly above it are at risk.
    presets
        Which of `metrics.risk.presets` are judged.
    largest
        Attributes of the largest minimal sample unique that is looked for (SUDA), 0 for
        none. None: all of up to ten attributes, else three of them.
    seed
        Of integration points, where `population` is a number.

    Raises
    ------
    SchemaError, DataError, PolicyError
        A column is missing, in two roles or has a cell that has no meaning there; or a
        parameter is out of its range.

    Notes
    -----
    Everything is taken from the values of the table. A null is a value like others, but
    for `k_wildcard`. Cost: one group-by, then O(classes); SUDA and the copula by far the
    most, see `metrics.risk.suda` and `metrics.risk.copula`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 23, 41, 57], "sex": ["f", "f", "m", "m"]})
    >>> found = risk(table, quasi_identifiers=["age", "sex"]).entries()
    >>> found["uniques"].value, found["prosecutor_average"].value
    (2, 0.75)

    """
    native = frames.eager(frame)
    names = frames.column_names(native)
    asked = columns_asked(policy, quasi_identifiers, sensitive, hierarchies or {}, names)
    entity = entity or next((one for one in asked.entities if one in names), None)
    known = [frames.column(native, name) for name in asked.columns]
    groups = group_by_code(known) if known else None
    if groups is None:
        raise SchemaError("say which columns are quasi-identifiers: without one there is no risk")
    hidden = [
        SensitiveColumn(frames.column(native, name), asked.trees.get(name))
        for name in asked.sensitive
    ]
    number = population if isinstance(population, int) and population is not True else None
    persons = None
    if population is not None and number is None:
        persons = _persons(population, known, asked.trees, groups)
    assessment = measure_risk(
        groups.labels,
        len(groups.sizes),
        persons_of_class=persons,
        entities=None if entity is None else value_codes(frames.column(native, entity))[0],
        weights=None if weight is None else _weights(frames.column(native, weight)),
        households=None if household is None else _households(frames.column(native, household)),
        population=number,
        threshold=threshold,
        presets=presets,
    )
    return TableRisk(
        measurement=measure_table(classes_as_released(groups, hidden), k_wildcard(known)),
        assessment=assessment,
        suda=_suda(known, groups, largest, number),
        copula=None if number is None else _copula(known, groups, number, seed),
        _table=native,
        _columns=tuple(known),
        _groups=groups,
    )


def _persons(
    population: Any,
    known: Sequence[pl.Series],
    trees: Mapping[str, HierarchySource],
    groups: Groups,
) -> NDArray[np.int64]:
    """Return (n_classes,) int64: the persons of a population table in each class."""
    path = isinstance(population, str | os.PathLike)
    table = files.read_table(os.fspath(population)) if path else frames.eager(population)
    columns = [
        PopulationColumn(frames.column(table, one.name), trees.get(one.name) or Flat())
        for one in known
    ]
    return count_persons(known, columns, groups.first)[0]


def _weights(column: pl.Series) -> NDArray[np.float64]:
    if not column.dtype.is_numeric():
        raise SchemaError(
            f"column {column.name!r} is no column of weights: it holds {column.dtype}, not numbers"
        )
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _households(column: pl.Series) -> NDArray[np.int32]:
    """Return (n_rows,) int32 codes of households, -1 for none."""
    codes, _ = value_codes(column)
    return np.where(column.is_null().to_numpy(), np.int32(-1), codes).astype(np.int32)


def _suda(
    known: Sequence[pl.Series], groups: Groups, largest: int | None, population: int | None
) -> Suda | None:
    """Return the special uniques; None where nobody asked, or there are too many columns."""
    d = len(known)
    if largest == 0 or (d > MOST_ATTRIBUTES and largest is None):
        return None
    if largest is None and d > MANY_ATTRIBUTES:
        largest = LARGEST_OF_MANY
    codes = np.ascontiguousarray(groups.codes[groups.labels])
    fraction = {} if population is None else {"fraction": len(codes) / population}
    return suda(codes, [one.name for one in known], largest=largest, **fraction)


def _copula(
    known: Sequence[pl.Series], groups: Groups, population: int, seed: int
) -> CopulaRisk | None:
    """Return the likelihood of correct matches; None where it would take minutes."""
    if len(groups.sizes) > MOST_DISTINCT:
        return None
    encoded = [encode_column(one, by_value=True) for one in known]
    codes = np.column_stack([codes for _, codes in encoded]).astype(np.int32)
    return copula_risk(codes, [domain.size for domain, _ in encoded], population, seed=seed)
