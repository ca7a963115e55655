"""Disclosure risk of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frame_rows, frames
from kanonym.data.columns.rebuild import Population, TableSource
from kanonym.data.errors import DataError, Message, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.person_key import EntityColumns, columns_of, entity_of
from kanonym.data.results import Result, ResultTable
from kanonym.data.table import value_codes
from kanonym.evaluation.columns import (
    SelectedColumns,
    column_with_exceptions,
    households_of,
    population_of,
    presets_of,
    select_columns,
    weights_of,
)
from kanonym.evaluation.releases import (
    persons_of_classes,
    persons_of_release,
    persons_unknown,
    unpack_release,
)
from kanonym.evaluation.risk import RiskAssessment, measure_risk
from kanonym.evaluation.risk.assessment import disclosure_entries
from kanonym.evaluation.risk.individual import item_candidates
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.evaluation.risk.subsets import SubsetRisk, subset_risks
from kanonym.evaluation.risk.suda import ENTRIES as SUDA
from kanonym.evaluation.risk.suda import MOST_ATTRIBUTES, Suda, largest_feasible, suda
from kanonym.kernels.arrays import Int32s
from kanonym.kernels.classes.grouping import Groups, group_rows
from kanonym.metrics.disclosure import Measurement, measure_table
from kanonym.metrics.measured_value import MeasuredValue, measured_tables
from kanonym.metrics.record_risk import THRESHOLD, PersonRisk
from kanonym.pipeline.planning import parse_with_policy, to_canonical
from kanonym.policy import PolicySource
from kanonym.verification import released_classes

MANY_ATTRIBUTES = 10
LARGEST_OF_MANY = 3
"""Of more attributes than ten, minimal sample uniques of up to three are looked for."""

TOO_MANY_ATTRIBUTES = Message("SUDA takes at most {most} quasi-identifiers", most=MOST_ATTRIBUTES)
TOO_MANY_RECORDS = Message(
    "SUDA takes minutes and gigabytes of so many records; `largest` asks for it"
)


@dataclass(frozen=True, eq=False, repr=False)
class Risk(Result):
    """What a table gives away of the persons in it.

    Attributes
    ----------
    measurement
        The value of every privacy model.
    assessment
        Prosecutor, journalist and marketer risk and what follows from class sizes,
        persons, weights and households.
    suda
        Special uniques and their scores; None where they were not asked for, of more than
        27 quasi-identifiers, or of too many records.
    reasons
        By entry, why something asked for is not there.
    """

    _shown: ClassVar[tuple[str, ...]] = ("measurement.rows", "measurement.k", "measurement.uniques")

    measurement: Measurement
    assessment: RiskAssessment
    suda: Suda | None
    reasons: Mapping[str, str]
    _like: Any = field(repr=False)
    _table: Any = field(repr=False)
    _columns: tuple[pl.Series, ...] = field(repr=False)
    _groups: Groups = field(repr=False)
    _asked: SelectedColumns = field(repr=False)

    def subsets(self) -> tuple[SubsetRisk, ...]:
        """Return the classes by every subset of the quasi-identifiers, the smallest subsets first.

        Of more than six quasi-identifiers: by every subset of at most three; of very wide or large
        tables, of at most two or one. Records are counted.
        """
        codes = dict(
            zip(
                self._asked.held, _joint_codes(list(self._groups.codes.T), self._asked), strict=True
            )
        )
        return subset_risks(codes, self._groups.sizes)

    def plot(self, language: str = "en") -> Any:
        """Return an Altair chart: how many records are found with at least a given probability."""
        from kanonym.reporting.plots import plot_risk  # noqa: PLC0415 - reports stand above

        return plot_risk(self, language)

    def tables(self) -> list[ResultTable]:
        """Return the counts, a row for each number, and what the presets say."""
        measurement = self.measurement
        alone = f"records alone in their class {measurement.uniques:,}"
        counts = f"records {measurement.rows:,} · classes {measurement.classes:,}"
        counts += f" · k {measurement.k:,} · {alone}"
        items = self.assessment.items
        if items is not None:
            fewest = "not counted" if items.fewest is None else f"{items.fewest:,}"
            counts += f" · fewest with up to {items.m} known items {fewest}"
        entries = self.entries()
        same = {
            name: one.value == entries[name.replace("journalist", "prosecutor")].value
            for name, one in entries.items()
            if name.startswith("journalist_")
        }
        told = {n: one for n, one in entries.items() if n not in same or not all(same.values())}
        together: dict[tuple[bool | None, str], list[str]] = {}
        for name, one in self.assessment.verdicts.items():
            together.setdefault((one.met, one.reason), []).append(name)
        words = {True: "yes", False: "NO", None: "–"}
        presets = [("\n".join(names), words[met], why) for (met, why), names in together.items()]
        return [
            *measured_tables("risk", told, counts),
            *([ResultTable(("preset", "met", "why"), presets)] if presets else []),
        ]

    def entries(self) -> dict[str, MeasuredValue]:
        """Return every measure that the given columns allow, by name."""
        found = {**disclosure_entries(self.measurement), **self.assessment.entries()}
        if self.suda is not None:
            found |= self.suda.entries()
        for meaning in SUDA.values():
            if meaning.name in self.reasons:
                found[meaning.name] = MeasuredValue(meaning, None, {}, self.reasons[meaning.name])
        return {
            name: value for name, value in found.items() if value.value is not None or value.reason
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9: one entry a measure, and `presets` judged."""
        judged = self.assessment.to_dict()["presets"]
        entries: dict[str, Any] = {name: value.to_dict() for name, value in self.entries().items()}
        return {**entries, "presets": judged}

    @cached_property
    def records(self) -> Any:
        """The risk of each record, in the table's order and type: no value of the table.

        Of a pandas frame it has the index, too. Columns: `class` (its number), `class_size`,
        `prosecutor`, `journalist`; and `individual`, `household`, `persons` (of the class),
        `suda` and `dis`, where they were measured.
        """
        labels, assessment = self._groups.labels, self.assessment
        columns: dict[str, NDArray[Any]] = {
            "class": labels,
            "class_size": self._groups.sizes[labels],
            "prosecutor": assessment.prosecutor.per_record(labels),
            "journalist": assessment.journalist.per_record(labels),
        }
        if assessment.individual is not None:
            columns["individual"] = assessment.individual.per_record(labels)
        if assessment.households is not None:
            columns["household"] = assessment.households.by_record
        if assessment.persons is not None:
            columns["persons"] = assessment.persons.by_class[labels]
        if self.suda is not None and self.suda.is_conclusive:
            columns |= {"suda": self.suda.scores, "dis": self.suda.dis}
        return frame_rows.with_index(self._to_frame(columns, []), self._table)

    @cached_property
    def classes(self) -> Any:
        """The classes, smallest first: their quasi-identifiers, `class`, `class_size`, risk.

        Where a quasi-identifier has one of these names, the measure's gets a `_` behind it.
        """
        order = np.argsort(self._groups.sizes, kind="stable")
        assessment = self.assessment
        columns: dict[str, NDArray[Any]] = {
            "class": order,
            "class_size": self._groups.sizes[order],
            "prosecutor": assessment.prosecutor.by_class[order],
            "journalist": assessment.journalist.by_class[order],
        }
        first = pl.Series(self._groups.first[order])
        taken = [column.gather(first) for column in self._columns]
        names = {one.name for one in taken}
        free = {_free_name(name, names): values for name, values in columns.items()}
        return self._to_frame(free, taken)

    def _to_frame(self, columns: Mapping[str, NDArray[Any]], taken: Sequence[pl.Series]) -> Any:
        built = [pl.Series(name, np.ascontiguousarray(one)) for name, one in columns.items()]
        return frames.assemble(
            self._table, np.zeros(len(built[0]), np.int64), [*taken, *built], self._like
        )


def _free_name(name: str, names: set[str]) -> str:
    """Return a name that is none of the others."""
    while name in names:
        name += "_"
    return name


def risk(
    frame: TableSource,
    policy: PolicySource | None = None,
    *,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySource] | None = None,
    population: Population = None,
    entity: EntityColumns | None = None,
    weight: str | None = None,
    household: str | None = None,
    threshold: float = THRESHOLD,
    presets: Sequence[str] = tuple(PRESETS),
    largest: int | None = None,
) -> Risk:
    """Measure the risk of a table, before or after anonymization.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table or the path of a file; or
        a `Release`, which brings its policy, and the persons that it counted where no column says
        whose the records are.
    policy
        Whose quasi-identifiers, sensitive attributes and hierarchies are meant; or leave
        it out and name them.
    quasi_identifiers, sensitive, hierarchies
        Names of columns; hierarchies of sensitive attributes add t-closeness with hierarchical
        distance, those of quasi-identifiers read the labels of a release beside a population table.
    population
        The number of persons that the table is a random sample of: for population
        uniques and the likelihood of a correct match. Or a table (or its path) with the
        quasi-identifiers of all of them: for journalist and marketer risk.
    entity
        Column that tells persons apart, where one person has several records, or a list of columns
        that do so together: persons are counted, too; records without a value count as one person.
        None: that of the policy's k-anonymity. Where the table lacks it, as releases do, nothing
        about persons has a value, and no preset is judged by records in their place.
    weight
        Column of sampling weights, numbers above 0, for individual risk.
    household
        Column of households, for the risk that one member is found; a record without a
        value is in none.
    threshold
        In [0, 1]; records with a risk strictly above it are at risk.
    presets
        Which of `evaluation.risk.presets` are judged.
    largest
        Attributes of the largest minimal sample unique that is looked for (SUDA), 0 for
        none. None: all of up to ten attributes, else three of them; of many records fewer,
        as `evaluation.risk.suda.largest_feasible` says. A range, released as two columns, is one
        attribute.

    Raises
    ------
    SchemaError, DataError, PolicyError
        A column is missing, in two roles or has a cell that has no meaning there; or a
        parameter is out of its range.

    Notes
    -----
    Everything is taken from the values of the table. A null is a value like others, but
    for `k_wildcard`. Cost: one group-by, then O(classes); SUDA by far the most,
    see `evaluation.risk.suda`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 23, 41, 57], "sex": ["f", "f", "m", "m"]})
    >>> found = risk(table, quasi_identifiers=["age", "sex"]).entries()
    >>> found["uniques"].value, found["prosecutor_average"].value
    (2, 0.75)
    """
    named = bool(quasi_identifiers or sensitive or hierarchies)
    frame, meant, release = unpack_release(frame, policy, named=named)
    native = to_canonical(frame, meant)
    names = frames.column_names(native)
    columns = select_columns(meant, quasi_identifiers, sensitive, hierarchies or {}, names)
    if not columns.held:
        raise SchemaError("say which columns are quasi-identifiers: without one there is no risk")
    judged = presets_of(presets)
    number, table = population_of(population)
    if table is not None:
        table = parse_with_policy(table, meant)
    known = [column_with_exceptions(native, name) for name in columns.columns]
    groups = released_classes.group_by_code(known)
    whose: Int32s | PersonRisk | None = None
    untold = None
    if entity is None and columns.entities:
        whose = persons_of_release(release, columns.entities[0], groups, threshold)
        held = (one for one in columns.entities if {*columns_of([one])} <= {*names})
        entity = next(held, None)
        if whose is None and entity is None:
            untold = persons_unknown(columns.entities[0])
    if whose is None and entity is not None:
        whose = value_codes(frames.column(native, entity_of("risk", entity)))[0]
    hidden = [
        released_classes.SensitiveColumn(frames.column(native, name), columns.trees.get(name))
        for name in columns.sensitive
    ]
    items = item_candidates(native, meant, groups.labels)
    assessment = measure_risk(
        groups.labels,
        len(groups.sizes),
        persons_of_class=persons_of_classes(table, known, columns, groups.first),
        entities=whose,
        untold=untold,
        weights=None if weight is None else weights_of(frames.column(native, weight)),
        households=None if household is None else households_of(frames.column(native, household)),
        population=number,
        items=items,
        threshold=threshold,
        presets=judged,
    )
    fraction = None if untold else _fraction(assessment, number)
    special, why = None, None
    if largest != 0:
        special, why = _suda(columns, groups, largest, fraction)
    return Risk(
        measurement=measure_table(
            released_classes.classes_of_release(groups, hidden),
            released_classes.k_wildcard(known),
            suppressed=released_classes.count_suppressed(known),
        ),
        assessment=assessment,
        suda=special,
        reasons={} if why is None else dict.fromkeys(SUDA, why),
        _like=frame,
        _table=native,
        _columns=tuple(known),
        _groups=groups,
        _asked=columns,
    )


def _fraction(assessment: RiskAssessment, population: int | None) -> float | None:
    """Return the share of the population that is in the table; None where it is not known."""
    if population is None:
        return None
    persons = assessment.persons
    inside = assessment.records if persons is None else persons.persons
    if inside > population:
        raise DataError(
            f"the table has records of {inside} persons, but the population only {population}; "
            "it must be the number of persons that the table is a sample of"
        )
    return inside / population if inside else None


def _suda(
    asked: SelectedColumns, groups: Groups, largest: int | None, fraction: float | None
) -> tuple[Suda | None, str | None]:
    """Return the special uniques, or why they were not looked for."""
    d = len(asked.held)
    if largest is None and d > MOST_ATTRIBUTES:
        return None, TOO_MANY_ATTRIBUTES
    of_classes = _joint_codes(list(groups.codes.T), asked)
    if largest is None:
        largest = largest_feasible(
            len(groups.sizes),
            [int(codes.max(initial=-1)) + 1 for codes in of_classes],
            LARGEST_OF_MANY if d > MANY_ATTRIBUTES else d,
        )
        if not largest:
            return None, TOO_MANY_RECORDS
    codes = np.column_stack(of_classes)[groups.labels]
    further = {} if fraction is None else {"fraction": fraction}
    found = suda(np.ascontiguousarray(codes), list(asked.held), largest=largest, **further)
    return found, None


def _joint_codes(columns: Sequence[Int32s], asked: SelectedColumns) -> list[Int32s]:
    """Return one code column for each quasi-identifier, from one for each column."""
    left = list(columns)
    found = []
    for own in asked.held.values():
        codes, left = left[: len(own)], left[len(own) :]
        if len(own) > 1:
            sizes = [int(code.max(initial=-1)) + 1 for code in codes]
            codes = [group_rows([np.ascontiguousarray(code) for code in codes], sizes).labels]
        found.append(codes[0].astype(np.int32))
    return found
