"""Domains of columns, and constraints on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.domain import Domain
from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import FromFile, FromMapping
from kanonym.data.schema import Attribute, Role
from kanonym.differential_privacy.cells import declared_cells, read_cells
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.marginals.graphical_model import Attributes
from kanonym.synthesis.marginals.measuring import pool_neighbours, pool_rare

MOST_CATEGORIES = 500
"""With more leaves, the cells are the labels of level 1 of the hierarchy."""
OTHER = "other"
NOWHERE = -1
"""Instead of a cell, for a value that the domain does not have."""


@dataclass(frozen=True, slots=True)
class CellDomain(ABC):
    """The cells of one attribute.

    The first cells are groups of values; then comes null, where it is allowed.
    """

    name: str
    groups: int
    has_null: bool
    dtype: pl.DataType

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.groups + self.has_null

    @property
    def null(self) -> int:
        """The cell of null, if there is one."""
        return self.groups if self.has_null else NOWHERE

    @abstractmethod
    def encode(self, values: pl.Series) -> Int32s:
        """Return (n,) int32, the cell of each value, or NOWHERE; it depends on that value alone.

        values: as `declared_cells` returns them.
        """

    @abstractmethod
    def has(self, values: pl.Series) -> Bools:
        """Return (n,) bool, whether each value is in the domain; no release depends on it."""

    @abstractmethod
    def decode(self, cells: Int32s, random: np.random.Generator) -> pl.Series:
        """Return a value for each cell, drawn evenly from its values."""

    @abstractmethod
    def pool(self, noisy: Floats, least: float) -> Int32s:
        """Return (cells,) int32, fewer cells: those with fewer records than `least` together."""

    def facts(self) -> dict[str, Any]:
        """Return what is public about the domain, in JSON form."""
        return {"cells": self.size, "nulls": self.has_null}


@dataclass(frozen=True, slots=True)
class Categories(CellDomain):
    """Listed values, each in a group.

    group: (values,) int32, ascending: the group of each.
    """

    values: tuple[Any, ...]
    texts: tuple[str, ...]
    group: Int32s

    def encode(self, values: pl.Series) -> Int32s:
        """Return the cell of each value; that of `other` or null for one that is not listed."""
        other = self.texts.index(OTHER) if OTHER in self.texts else None
        unknown = self.null if other is None else int(self.group[other])
        null = self.null if self.has_null else unknown
        codes = values.replace_strict(
            list(self.texts), self.group.tolist(), default=unknown, return_dtype=pl.Int32
        )
        codes = pl.select(pl.when(values.is_null()).then(null).otherwise(codes)).to_series()
        return codes.cast(pl.Int32).to_numpy()

    def has(self, values: pl.Series) -> Bools:
        """Return whether each value is listed, or an allowed null."""
        listed = values.is_in(list(self.texts)).fill_null(value=False) | (
            values.is_null() & self.has_null
        )
        return listed.to_numpy()

    def decode(self, cells: Int32s, random: np.random.Generator) -> pl.Series:
        """Return a value of each group."""
        starts = np.searchsorted(self.group, np.arange(self.groups + 1))
        known = np.minimum(cells, self.groups - 1)
        place = starts[known] + random.integers(0, np.diff(starts)[known])
        column = pl.Series(self.name, [*self.values, None], dtype=self.dtype)
        return column.gather(np.where(cells < self.groups, place, len(self.values)))

    def pool(self, noisy: Floats, least: float) -> Int32s:
        """Return one cell for all rare ones."""
        return pool_rare(noisy, least)

    def facts(self) -> dict[str, Any]:
        """Return what is public about the domain."""
        return {"values": len(self.values), **CellDomain.facts(self)}


@dataclass(frozen=True, slots=True)
class Range(CellDomain):
    """Numbers or dates on a grid, in bins of equal length."""

    domain: Domain

    def encode(self, values: pl.Series) -> Int32s:
        """Return the cell of each value; beyond the ends, that of the nearer one."""
        n = self.domain.number_of_values
        place = self._places(values)
        known = place.is_not_null().to_numpy()
        index = np.clip(np.rint(place.fill_null(0.0).to_numpy()), 0, n - 1).astype(np.int64)
        cells = index * self.groups // n
        return np.where(known, cells, self.null).astype(np.int32)

    def has(self, values: pl.Series) -> Bools:
        """Return whether each value lies between the ends, or is an allowed null."""
        last = self.domain.number_of_values - 1
        within = self._places(values).is_between(0, last).fill_null(value=False)
        return (within | (values.is_null() & self.has_null)).to_numpy()

    def decode(self, cells: Int32s, random: np.random.Generator) -> pl.Series:
        """Return a value of each bin, drawn evenly, on the grid."""
        low, high = self.ends()
        known = np.minimum(cells, self.groups - 1)
        return self.values_at(random.integers(low[known], high[known], endpoint=True), cells)

    def values_at(self, index: Ints, cells: Int32s) -> pl.Series:
        """Return the values of places on the grid, null where the cell is null."""
        start, step = self.domain.start, self.domain.step or 1
        if isinstance(start, date):
            days = (start - date(1970, 1, 1)).days + index * int(step)
            column = pl.Series(self.name, days.astype(np.int32)).cast(pl.Date)
        elif self.dtype == pl.Int64:
            column = pl.Series(self.name, int(start) + index * int(step))
        else:
            column = pl.Series(self.name, np.round(start + index * step, digits_of(step, start)))
        null = pl.Series(cells == self.groups)
        return pl.select(pl.when(~null).then(column).alias(self.name)).to_series()

    def _places(self, values: pl.Series) -> pl.Series:
        """Return the place on the grid of each value, from 0; null where it is none."""
        start, step = self.domain.start, self.domain.step or 1
        if isinstance(start, date):
            return (_days(values).cast(pl.Float64) - (start - date(1970, 1, 1)).days) / step
        return (_numbers(values) - start) / step

    def ends(self) -> tuple[Ints, Ints]:
        """Return the first and the last place on the grid of each bin."""
        n = self.domain.number_of_values
        edges = -(-np.arange(self.groups + 1) * n // self.groups)
        return edges[:-1], edges[1:] - 1

    def pool(self, noisy: Floats, least: float) -> Int32s:
        """Return one cell for rare neighbours; null keeps its own."""
        bins = pool_neighbours(noisy[: self.groups], least)
        return np.append(bins, bins.max() + 1).astype(np.int32)[: len(noisy)]

    def facts(self) -> dict[str, Any]:
        """Return what is public about the domain."""
        return {**self.domain.to_dict(), "bins": self.groups, **CellDomain.facts(self)}


def cell_domains(columns: Sequence[str], attributes: Mapping[str, Attribute]) -> list[CellDomain]:
    """Return the public domain of each column that is no identifier."""
    domains: list[CellDomain] = []
    lacking = []
    for name in columns:
        attribute = attributes[name]
        if attribute.role is Role.IDENTIFIER:
            continue
        domain = getattr(attribute, "domain", None) or Domain()
        leaves = _leaves(getattr(attribute, "hierarchy", None))
        if domain.is_range:
            domains.append(_range(name, domain))
        elif domain.values is not None:
            domains.append(_categories(name, attribute, list(domain.values), nulls=domain.nulls))
        elif leaves is not None:
            domains.append(_categories(name, attribute, *leaves, nulls=domain.nulls))
        else:
            lacking.append(name)
    if lacking:
        raise PolicyError(
            f"no public domain: {', '.join(lacking)}. Values found in the table would disclose "
            "them: add domain: {values: [...]}, domain: {minimum: ..., maximum: ...}, or a "
            "hierarchy from a file or a mapping; or make the column an identifier, which is dropped"
        )
    if not domains:
        raise PolicyError("every column is an identifier: nothing is left to synthesize")
    return domains


def count_beyond(frame: pl.DataFrame, attributes: Mapping[str, Attribute]) -> dict[str, int]:
    """Return how many records have a value beyond the declared domain of its column, by column.

    Such a value is read as another one, or its record is left out (`ka.Domain`). The numbers
    depend on the records: they are for the table's holder alone.
    """
    declared = [
        name
        for name in frame.columns
        if name in attributes and getattr(attributes[name], "domain", None) is not None
    ]
    domains = cell_domains(declared, attributes) if declared else []
    cells = declared_cells(frame, {domain.name: attributes[domain.name] for domain in domains})
    return {domain.name: int((~domain.has(cells[domain.name])).sum()) for domain in domains}


def digits_of(*numbers: float) -> int:
    """Return how many digits after the point numbers are written with."""
    texts = [np.format_float_positional(number, trim="-") for number in numbers]
    return max(len(text.partition(".")[2]) for text in texts)


def _numbers(values: pl.Series) -> pl.Series:
    """Return texts as numbers, null where one is none."""
    return values.cast(pl.Float64, strict=False).fill_nan(None)


def _days(values: pl.Series) -> pl.Series:
    """Return texts as days since 1970, null where one is no date."""
    dates = values.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return dates.cast(pl.Int32)


def _leaves(source: Any) -> tuple[list[str], list[str] | None] | None:
    """Return the leaves of a hierarchy that stands in a file or a mapping, and their parents."""
    if not isinstance(source, FromFile | FromMapping):
        return None
    rows = source.rows
    leaves = [(text, code) for text, code in zip(rows.labels[0], rows.codes[1], strict=True)]
    known = [(text, code) for text, code in leaves if text is not None]
    parents = [str(rows.labels[1][code]) for _, code in known]
    texts = [text for text, _ in known]
    return texts, parents if len(texts) > MOST_CATEGORIES else None


def _categories(
    name: str,
    attribute: Attribute,
    values: list[Any],
    parents: list[str] | None = None,
    *,
    nulls: bool,
) -> Categories:
    given = [_text(value) for value in values]
    texts = read_cells(pl.Series(given, dtype=pl.String), attribute, listed=True).to_list()
    if None in texts:
        raise PolicyError(f"domain of {name!r} lists nan, which is read as null: leave it out")
    if len(set(texts)) < len(texts):
        raise PolicyError(
            f"domain of {name!r} has a value twice, as 1 and 1.0 are. If these are codes and not "
            "numbers, declare type: text, which compares them as they are written"
        )
    kind: pl.DataType = pl.String()
    released: list[Any] = given
    exact = [_whole(one) for one in given]
    whole = [_whole(text) if one is None else one for one, text in zip(exact, texts, strict=True)]
    if all(isinstance(value, bool) for value in values):
        kind, released = pl.Boolean(), values
    elif None not in whole:
        kind, released = pl.Int64(), whole
    elif all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        kind, released = pl.Float64(), [float(value) for value in values]
    names = parents if parents is not None else texts
    order = sorted(range(len(values)), key=lambda one: names.index(names[one]))
    labels = list(dict.fromkeys(names[one] for one in order))
    group = np.array([labels.index(names[one]) for one in order], np.int32)
    return Categories(
        name=name,
        groups=len(labels),
        has_null=nulls,
        dtype=kind,
        values=tuple(released[one] for one in order),
        texts=tuple(texts[one] for one in order),
        group=group,
    )


def _whole(text: str) -> int | None:
    """Return the whole number of 64 bits that a text is, None if it is none."""
    digits = text.removeprefix("-")
    if not digits.isdecimal() or len(digits) > 19 or str(int(text)) != text:
        return None
    return int(text) if -(2**63) <= int(text) < 2**63 else None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _range(name: str, domain: Domain) -> Range:
    start = domain.start
    dtype: pl.DataType = pl.Float64()
    if isinstance(start, date):
        dtype = pl.Date()
    elif float(start).is_integer() and float(domain.step or 1).is_integer():
        dtype = pl.Int64()
    return Range(
        name=name, groups=domain.bin_count, has_null=domain.nulls, dtype=dtype, domain=domain
    )


def impossible_cells(
    domains: Sequence[CellDomain], rules: Sequence[Constraint]
) -> dict[Attributes, Bools]:
    """Return which cells of two attributes break a constraint, whatever their values are."""
    found: dict[Attributes, Bools] = {}
    names = [domain.name for domain in domains]
    for rule in rules:
        low, high = names.index(rule.low), names.index(rule.high)
        least, most = _reach(domains[low], rule)[0], _reach(domains[high], rule)[1]
        if isinstance(least[0], date) is not isinstance(most[0], date):
            raise PolicyError(f"constraint {rule}: one column has numbers, the other one dates")
        table = np.zeros((domains[low].size, domains[high].size), np.bool_)
        for place, smallest in enumerate(least):
            for other, largest in enumerate(most):
                table[place, other] = smallest >= largest if rule.strict else smallest > largest
        if table[: len(least), : len(most)].all():
            raise PolicyError(f"constraint {rule}: no values of the two domains satisfy it")
        key, part = ((low, high), table) if low < high else ((high, low), table.T)
        found[key] = found.get(key, np.zeros_like(part)) | part
    return found


def _reach(domain: CellDomain, rule: Constraint) -> tuple[list[Any], list[Any]]:
    """Return the smallest and the largest value of each bin."""
    if not isinstance(domain, Range):
        raise PolicyError(
            f"constraint {rule}: column {domain.name!r} needs a domain with minimum and maximum"
        )
    cells = np.arange(domain.groups, dtype=np.int32)
    first, last = (domain.values_at(end, cells).to_list() for end in domain.ends())
    return first, last
