"""What a recoding knows of a quasi-identifier, and what it says of values of a batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Automatic, Dates, Hierarchy, HierarchySource, Intervals, Masking
from kanonym.data.hierarchy import from_dict as source_of
from kanonym.data.hierarchy.builders.base import neighbour_runs
from kanonym.data.hierarchy.builders.calendar_date import parse_dates
from kanonym.data.hierarchy.csv_file import Rows
from kanonym.data.hierarchy.labels import parse_values, value_texts
from kanonym.data.results import ShortRepr
from kanonym.data.table import Domain, encode_column, kind_of, refuse_infinite
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.series.document import type_form, type_of


@dataclass(frozen=True, repr=False)
class PlacedColumn(ShortRepr):
    """The column of one quasi-identifier in a batch, encoded with the values of a recoding."""

    domain: Domain
    dtype: pl.DataType  # of the column
    codes: Int32s  # (n_rows,)
    bounds: Int32s  # (m,) of the values that the recoding names
    strange: Bools  # (size,) values of which the recoding knows nothing
    levels: tuple[int, ...] = ()  # of the domain's hierarchy, for each level of the fitted one


@dataclass(frozen=True, repr=False)
class KnownAttribute(ShortRepr):
    """What a recoding knows of one quasi-identifier, after the actions on it."""

    name: str
    dtype: pl.DataType
    hierarchy: Hierarchy | None = None
    rule: HierarchySource | None = None  # says the labels of values that the hierarchy lacks

    def place(self, column: pl.Series, further: pl.Series, *, exact: bool) -> PlacedColumn:
        """Encode the column of a batch with the values that a recoding names; exact: by no rule."""
        held = align_column(column, self.dtype)
        refuse_infinite(held)
        words = categories_as_text(held)
        if self.hierarchy is None:
            return self._place_by_value(words, further, held.dtype)
        wider = extend_hierarchy(self.hierarchy, self.rule, words.unique())
        tree = wider.hierarchy
        codes = tree.leaf_of(words)
        domain = Domain(
            self.name,
            kind_of(self.dtype),
            tree.values[:-1] if tree.has_null else tree.values,
            tree.has_null,
            np.bincount(codes, minlength=tree.size) > 0,
            tree,
        )
        strange = self.hierarchy.leaf_of(tree.values) < 0 if exact else wider.strangers
        return PlacedColumn(domain, held.dtype, codes, tree.leaf_of(further), strange, wider.levels)

    def _place_by_value(
        self, words: pl.Series, further: pl.Series, dtype: pl.DataType
    ) -> PlacedColumn:
        """Encode by order of value."""
        n = len(words)
        domain, codes = encode_column(stack_columns(words, further), by_value=True)
        observed = np.bincount(codes[:n], minlength=domain.size) > 0
        strange = np.zeros(domain.size, np.bool_)
        if isinstance(self.dtype, pl.Enum):
            # Of a category that the fit did not have, nobody knows where it stands.
            new = ~domain.values.cast(pl.String).is_in(self.dtype.categories.to_list())
            strange[: len(new)] = new.to_numpy()
        domain = replace(domain, name=self.name, observed=observed)
        return PlacedColumn(domain, dtype, codes[:n], codes[n:], strange)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        form: dict[str, Any] = {"type": type_form(self.dtype)}
        if self.hierarchy is not None:
            form["leaves"] = type_form(self.hierarchy.values.dtype)
            form["hierarchy"] = [list(row) for row in self.hierarchy.rows()]
        if self.rule is not None:
            form["rule"] = self.rule.to_dict()
        return form

    @classmethod
    def from_dict(cls, name: str, form: dict[str, Any]) -> KnownAttribute:
        """Return what `to_dict` wrote."""
        hierarchy = None
        if "hierarchy" in form:
            rows = form["hierarchy"]
            checked = Rows.check(rows, range(1, len(rows) + 1), f"the hierarchy of {name!r}")
            hierarchy = checked.bind(pl.Series(name, [], dtype=type_of(form["leaves"])))
        rule = source_of(form["rule"]) if "rule" in form else None
        return cls(name, type_of(form["type"]), hierarchy, rule)


class ExtendedHierarchy(NamedTuple):
    """A fitted hierarchy with the values of a batch in it; fitted leaves keep their order."""

    hierarchy: Hierarchy
    levels: tuple[int, ...]  # where fitted leaves have the labels of each fitted level
    strangers: Bools  # (size,) leaves with a branch of their own, never released


def rule_of(
    source: HierarchySource | None, hierarchy: Hierarchy, column: pl.Series
) -> HierarchySource | None:
    """Return the rule (intervals, dates, masking) of a hierarchy, None for listed values."""
    if source is None or isinstance(source, Automatic):
        source = Automatic().suggest(column).builder
    if isinstance(source, Intervals) and source.quantiles is not None:
        return None if source.bottom is not None or source.top is not None else _cut(hierarchy)
    return source if isinstance(source, Intervals | Dates | Masking) else None


def _cut(hierarchy: Hierarchy) -> Intervals | None:
    """Return the intervals that start where the groups of a hierarchy do."""
    n_values = hierarchy.size - hierarchy.has_null
    bounds = []
    for row in hierarchy.codes[1:-1]:
        starts, _ = neighbour_runs(row[:n_values])
        bounds.append(hierarchy.values.gather(starts[1:]).to_list())
    try:
        return Intervals(bounds=bounds) if bounds and all(bounds) else None
    except HierarchyError:  # decimal numbers make no bounds
        return None


def extend_hierarchy(
    fitted: Hierarchy, rule: HierarchySource | None, values: pl.Series
) -> ExtendedHierarchy:
    """Return a fitted hierarchy over values of a batch, too; unplaced ones are strangers."""
    new = values.filter(pl.Series(fitted.leaf_of(values) < 0))
    hierarchy, levels = fitted, tuple(range(fitted.n_levels))
    placeable = _placeable_values(rule, fitted, new.drop_nulls())
    if rule is not None and len(placeable):
        hierarchy, levels = _widen(fitted, rule, placeable) or (hierarchy, levels)
    left = new.filter(pl.Series(hierarchy.leaf_of(new) < 0))
    known = hierarchy
    if len(left):
        hierarchy = _with_branches(known, left)
    return ExtendedHierarchy(hierarchy, levels, known.leaf_of(hierarchy.values) < 0)


def _placeable_values(rule: HierarchySource | None, fitted: Hierarchy, new: pl.Series) -> pl.Series:
    """Return the values that a rule can be asked about without a change to what it said."""
    if isinstance(rule, Dates) and len(new):
        return new.filter(parse_dates(new).is_not_null())
    if isinstance(rule, Masking) and len(new):
        longest = value_texts(fitted.values).str.len_chars().max() or 0
        return new.filter(value_texts(new).str.len_chars() <= longest)
    return new


def _widen(
    fitted: Hierarchy, rule: HierarchySource, new: pl.Series
) -> tuple[Hierarchy, tuple[int, ...]] | None:
    """Return the hierarchy of a rule over more values; None where it changes the old ones."""
    try:
        built = rule.bind(stack_columns(fitted.values, new))
    except HierarchyError:
        return None
    places = built.leaf_of(fitted.values)
    if (np.diff(places) <= 0).any():
        return None
    labels = [np.array(built.generalize(level), object)[places] for level in range(built.n_levels)]
    levels = [0]
    for level in range(1, fitted.n_levels - 1):
        before = fitted.generalize(level)
        inner = range(levels[-1] + 1, built.n_levels - 1)
        same = [at for at in inner if labels[at].tolist() == before]
        if not same:
            return None
        levels.append(same[0])
    return built, (*levels, built.n_levels - 1)


def _with_branches(known: Hierarchy, strangers: pl.Series) -> Hierarchy:
    """Return a hierarchy with further leaves, each a branch of its own below the root."""
    kept, named = known.size - known.has_null, strangers.drop_nulls()
    null = (None,) * (known.has_null or len(named) < len(strangers))
    further = np.arange(len(named) + len(null), dtype=np.int32)
    labels, codes = [], []
    for names, row in zip(known.labels[:-1], known.codes[:-1], strict=True):
        old = names[: len(names) - known.has_null]
        ends = names[len(old) :] or null  # null stays the last
        # Longer than all other labels, so that none of these is equal.
        mark = "'" * (1 + max((len(name) for name in names if name), default=0))
        labels.append((*old, *(f"{mark}{i}" for i in range(len(named))), *ends))
        codes.append(np.concatenate([row[:kept], len(old) + further]))
    codes.append(np.zeros(kept + len(further), np.int32))
    leaves = stack_columns(known.values.head(kept), named).extend_constant(None, len(null))
    return Hierarchy(leaves, (*labels, known.labels[-1]), np.stack(codes).astype(np.int32))


def align_column(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return a column of a batch in the type of the fit; `DataError` names another cell."""
    own = column.dtype
    both = own, dtype
    if own == dtype or all(one.is_integer() for one in both) or all(one.is_float() for one in both):
        return column
    if column.null_count() == len(column):
        return pl.Series(column.name, [None] * len(column), dtype=dtype)
    if dtype in (pl.String, pl.Categorical):
        return column.cast(pl.String)
    if isinstance(dtype, pl.Enum) and own in (pl.String, pl.Categorical, pl.Enum):
        known = dtype.categories.to_list()
        words = column.cast(pl.String)
        more = set(words.drop_nulls().unique().to_list()) - set(known)
        return words.cast(pl.Enum([*known, *sorted(more)]))
    days = (pl.Date, pl.Datetime)
    if own == pl.String and dtype != pl.Duration:
        cast = parse_values(column, dtype)
    elif isinstance(dtype, pl.Datetime) and dtype.time_zone and own == pl.Date:
        cast = column.cast(pl.Datetime(dtype.time_unit)).dt.replace_time_zone(dtype.time_zone)
    elif (dtype.is_numeric() and own.is_numeric()) or (dtype in days and own in days):
        cast = column.cast(dtype, strict=False)
    else:
        raise DataError(
            f"column {column.name!r} holds {own}, but {dtype} in the table that was fitted; "
            "convert it"
        )
    lost = cast.is_null() & column.is_not_null()
    if own.is_numeric() or own == pl.Datetime:  # to fewer digits, to days
        lost |= (cast.cast(own) != column).fill_null(value=False)
    if lost.any():
        row = lost.arg_max() or 0
        raise DataError(
            f"column {column.name!r}, row {row + 1}: {str(column[row])!r} is no {dtype}, which the "
            "column held in the table that was fitted; correct the cell, or leave it empty"
        )
    return cast


def categories_as_text(values: pl.Series) -> pl.Series:
    """Return truth values and categories as text, as domains hold them; others as they are."""
    return values.cast(pl.String) if values.dtype in (pl.Boolean, pl.Categorical) else values


def values_of(domain: Domain, codes: Int32s) -> pl.Series:
    """Return the values of codes; negative ones are null, too."""
    places = np.where(codes < 0, len(domain.values), codes)
    return domain.values.extend_constant(None, 1).gather(places)


def stack_columns(above: pl.Series, below: pl.Series) -> pl.Series:
    """Return two columns of one attribute end to end, in the narrowest type that holds both."""
    if isinstance(above.dtype, pl.Enum) and isinstance(below.dtype, pl.Enum):
        both = pl.Enum(list(dict.fromkeys([*above.dtype.categories, *below.dtype.categories])))
        above, below = above.cast(both), below.cast(both)
    parts = [one.alias(above.name).to_frame() for one in (above, below)]
    return pl.concat(parts, how="vertical_relaxed").to_series()
