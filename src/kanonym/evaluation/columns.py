"""What an assessment is told: a policy or columns by name, the population, weights, households."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsIndex, TypedDict

import numpy as np
import polars as pl

from kanonym.data import files, frames
from kanonym.data.columns.rebuild import Frame, Population
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.hierarchy import HierarchySource
from kanonym.data.readings import detect_readings, typed_table
from kanonym.data.results import ShortRepr
from kanonym.data.schema import QuasiIdentifier, Role, Sensitive
from kanonym.data.table import LARGEST, value_codes
from kanonym.evaluation.risk.presets import PRESETS
from kanonym.kernels.arrays import Floats, Int32s
from kanonym.models.base import check_integer
from kanonym.pipeline.checks import released_columns
from kanonym.policy import Policy
from kanonym.policy.faults import unknown_name
from kanonym.verification.checked_classes import name_exceptions


def presets_of(presets: Sequence[str]) -> list[str]:
    """Return the presets that are asked for."""
    names = name_list(presets, "presets")
    for name in names:
        if name not in PRESETS:
            raise PolicyError(unknown_name("preset", name, PRESETS))
    return names


def population_of(given: Population) -> tuple[int | None, Frame | None]:
    """Return the number of persons, or a table of them: one of the two, or neither."""
    if given is None:
        return None, None
    if isinstance(given, str | os.PathLike):
        return None, files.read_table(os.fspath(given))
    if frames.is_frame(given):
        return None, frames.to_eager(given)
    try:
        number = None
        if isinstance(given, SupportsIndex) and not isinstance(given, bool):
            number = operator.index(given)
    except TypeError:
        number = None
    if number is None:
        said = repr(given) if isinstance(given, bool | float) else f"a {type(given).__name__}"
        raise PolicyError(
            "population is the number of persons, a table of all of them or its path; this is "
            f"{said}"
        )
    return number, None


def weights_of(column: pl.Series) -> Floats:
    """Return (n_rows,) float64 sampling weights; texts are read as numbers, `1,25` as 1.25."""
    if column.dtype == pl.String:
        table = pl.DataFrame([column])
        detection = detect_readings(table, table.columns, lenient=True)
        column = frames.column(typed_table(table, detection.readings), column.name)
    if not column.dtype.is_numeric():
        raise SchemaError(
            f"column {column.name!r} is not a column of weights: it holds {column.dtype}, not "
            f"numbers"
        )
    weights = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        row = int(wrong.argmax())
        given = "is missing" if column[row] is None else f"is {column[row]}"
        raise DataError(
            f"column {column.name!r}, row {row + 1}: the sampling weight {given}; it must be a "
            "finite number above 0, the number of persons that the record stands for"
        )
    return weights


def households_of(column: pl.Series) -> Int32s:
    """Return (n_rows,) int32 codes of households, -1 for none."""
    codes, _ = value_codes(column)
    return np.where(column.is_null().to_numpy(), np.int32(-1), codes).astype(np.int32)


@dataclass(frozen=True, slots=True, repr=False)
class SelectedColumns(ShortRepr):
    """Which columns of a table are meant, and what is known about them."""

    held: dict[str, list[str]]
    sensitive: list[str]
    trees: Mapping[str, HierarchySource]
    entities: list[str]

    @property
    def columns(self) -> list[str]:
        """The columns of all quasi-identifiers."""
        return [column for own in self.held.values() for column in own]


class ColumnKeywords(TypedDict, total=False):
    """Which columns are meant, in the place of a policy."""

    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    hierarchies: Mapping[str, HierarchySource] | None
    aligned: bool | None


def select_columns(
    policy: Policy | None,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    hierarchies: Mapping[str, HierarchySource],
    names: Sequence[str],
) -> SelectedColumns:
    """Return what a policy or the short forms say of a table with columns `names`."""
    if policy is None:
        known, hidden = (name_list(one, "columns") for one in (quasi_identifiers, sensitive))
        _check_names(known, hidden, hierarchies, names)
        return SelectedColumns(_columns_by_attribute(known, names), hidden, hierarchies, [])
    if quasi_identifiers or sensitive or hierarchies:
        raise PolicyError("give a policy or name the columns, not both")
    chosen = {
        role: [name for name, one in policy.attributes.items() if one.role is role] for role in Role
    }
    made = {one for name in chosen[Role.QUASI_IDENTIFIER] for one in (f"{name}_min", f"{name}_max")}
    others = [name for name in names if name not in policy.attributes and name not in made]
    if policy.others in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        chosen[policy.others] += others
    return SelectedColumns(
        _columns_by_attribute(chosen[Role.QUASI_IDENTIFIER], names),
        [name for name in chosen[Role.SENSITIVE] if name in names],
        {
            name: attribute.hierarchy
            for name, attribute in policy.attributes.items()
            if isinstance(attribute, QuasiIdentifier | Sensitive)
            and attribute.hierarchy is not None
        },
        policy.entities,
    )


def finite_column(table: Frame, name: str) -> pl.Series:
    """Return the column of a quasi-identifier, whose numbers have finite squares."""
    column = frames.label_column(table, name)
    if has_infinite_squares(column):
        row = (column.abs() > LARGEST).arg_max() or 0
        raise DataError(
            f"quasi-identifier {name!r}, row {row + 1}: {column[row]} is infinite or beyond "
            f"±{LARGEST:g}; replace it, or leave the cell empty"
        )
    return column


def column_with_exceptions(table: Frame, name: str) -> pl.Series:
    """Return a column as `finite_column` does, or its labels, where exceptions are some of them."""
    column = finite_column(table, name)
    return name_exceptions(column, frames.exceptions_of(frames.raw_column(table, name)))


def has_infinite_squares(column: pl.Series) -> bool:
    """Whether a column has numbers that are infinite, or whose squares are."""
    return column.dtype.is_float() and bool((column.abs() > LARGEST).any())


def name_list(given: Sequence[str], what: str) -> list[str]:
    """Return the names as a list; a text would be taken for a list of its letters."""
    if isinstance(given, str):
        raise SchemaError(f"give a list of {what}, not the text {given!r}")
    return list(given)


def check_seed(seed: int) -> None:
    """Refuse a seed that no generator takes."""
    check_integer("assessment", "seed", seed, 0)


def _columns_by_attribute(known: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    released_columns(known, names)  # refuses all that are missing at once
    return {name: released_columns([name], names) for name in known}


def _check_names(
    known: Sequence[str],
    hidden: Sequence[str],
    hierarchies: Mapping[str, HierarchySource],
    names: Sequence[str],
) -> None:
    """Refuse names that are given twice or that nothing has."""
    has = f"The table has: {', '.join(names)}"
    for given in (known, hidden):
        twice = [name for place, name in enumerate(given) if name in given[:place]]
        if twice:
            raise SchemaError(f"{twice[0]!r} is named twice")
    absent = [name for name in hidden if name not in names]
    if absent:
        raise SchemaError(f"no such column: {absent[0]!r}. {has}")
    both = [name for name in hidden if name in known]
    if both:
        raise SchemaError(f"{both[0]!r} is both quasi-identifying and sensitive; choose one")
    stray = [name for name in hierarchies if name not in known and name not in hidden]
    if stray:
        raise SchemaError(
            f"hierarchy of {stray[0]!r}: it is neither a quasi-identifier nor sensitive. {has}"
        )
