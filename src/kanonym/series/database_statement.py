"""A fitted recoding as one SQL statement; what SQL cannot say of it is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.data.hierarchy import Dates, Hierarchy, Intervals, Masking
from kanonym.data.hierarchy.builders.calendar_date import UNITS
from kanonym.data.hierarchy.builders.interval import number_text
from kanonym.data.hierarchy.labels import value_texts
from kanonym.data.schema import Identifier, Role
from kanonym.engines.sql.recoding_query import (
    Cells,
    ClassBoxes,
    Kind,
    Labels,
    ReadColumn,
    Rule,
    recoding_statement,
)
from kanonym.series.known_attribute import KnownAttribute
from kanonym.series.recodings import Boxes, Levels, Side
from kanonym.series.tally import Series


def statement_of(
    series: Series,
    table: str,
    dialect: str,
    create: tuple[Literal["view", "table"], str] | None = None,
) -> str:
    """Return the statement that recodes a table in its database, as `Fitted.to_sql` has it."""
    _refuse_unsayable(series)
    recoding = series.recoding
    columns = {
        name: [name]
        for name, role in series.policy.attributes.items()
        if not isinstance(role, Identifier)
    }
    said: list[Labels] | ClassBoxes
    if isinstance(recoding, Levels):
        pairs = zip(recoding.known, recoding.levels, strict=True)
        said = [_labels(one, level) for one, level in pairs]
    else:
        said = _class_boxes(recoding)
        columns |= {one.known.name: [part.name for part in one.released] for one in recoding.sides}
    known = [_read_column(one, dialect) for one in recoding.known]
    return recoding_statement(table, dialect, known, said, columns, create)


def _refuse_unsayable(series: Series) -> None:
    """Refuse what needs more than the recoding of each record by itself."""
    policy, reason = series.policy, ""
    acted = [name for name, one in policy.attributes.items() if one.action]
    read = [
        name
        for name, one in policy.attributes.items()
        if getattr(one, "format", None)
        or getattr(one, "missing", None)
        or getattr(one, "type", None) == "ordered"
    ]
    if series.unseen == "error":
        reason = "a view refuses no value: fit with unseen: root"
    elif policy.others not in (None, Role.IDENTIFIER):
        reason = f"others: {policy.others} leaves the columns open: give each a role"
    elif acted:
        reason = f"an action changes {', '.join(acted)}: carry it out in a view, and fit to that"
    elif read or policy.missing:
        columns = ", ".join(read) or "all columns"
        reason = f"{columns} are read by a format or have words for missing values: give them types"
    if reason:
        raise PolicyError(f"SQL cannot say this recoding: {reason}")


def _read_column(known: KnownAttribute, dialect: str) -> ReadColumn:
    """Return how the column of an attribute is read."""
    dtype, kind = known.dtype, cast("Kind | None", None)
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        kind = "text"
    elif dtype == pl.Boolean:
        kind = "truth"
    elif dtype.is_float():
        kind = "real"
    elif dtype.is_numeric():
        kind = "number"
    elif dtype == pl.Date:
        kind = "date"
    elif isinstance(dtype, pl.Datetime) and dtype.time_zone is None and dialect != "sqlite":
        kind = "time"
    if kind is None:
        raise PolicyError(f"SQL cannot say this recoding: {known.name} holds {dtype} in the fit")
    return ReadColumn(known.name, kind)


def _labels(known: KnownAttribute, level: int) -> Labels:
    """Return what the values of an attribute become at a level."""
    tree = known.hierarchy
    assert tree is not None  # noqa: S101 - all attributes by level have one
    top = tree.labels[-1][0]
    if not level:
        return Labels(dict.fromkeys(tree.values.drop_nulls().to_list(), ""), keep=True)
    if level == tree.n_levels - 1:
        return Labels({}, null=top, otherwise=top)
    null = None if tree.has_null else top
    if known.rule is not None:
        return Labels({}, rule=_rule(known, tree, level), null=null, otherwise=top)
    return Labels(_label_of_value(tree, level), null=null, otherwise=top)


def _label_of_value(tree: Hierarchy, level: int) -> dict[Any, str]:
    """Return the label of each value that is not null."""
    pairs = zip(tree.values.to_list(), tree.generalize(level), strict=True)
    return {value: label for value, label in pairs if value is not None and label is not None}


def _rule(known: KnownAttribute, tree: Hierarchy, level: int) -> Rule:
    """Return the rule of a level: of all levels of the builder, that which gives its labels."""
    labels = _label_of_value(tree, level)
    values = tree.values.drop_nulls()
    for own, rule in _rules(known, values):
        if own == labels:
            return rule
    raise PolicyError(
        f"SQL cannot say this recoding: the {type(known.rule).__name__.lower()} of {known.name} "
        "that label new values, too; use whole widths, bounds, or a hierarchy of listed values"
    )


def _rules(known: KnownAttribute, values: pl.Series) -> Iterator[tuple[dict[Any, Any], Rule]]:
    """Yield the labels of known values by each level of a builder, and its rule."""
    source = known.rule
    if isinstance(source, Masking):
        width = int(str(value_texts(values).str.len_chars().max() or 0))
        number, left = values.dtype.is_integer(), source.from_ == "left"
        if number and (left or (values.min() or 0) < 0):  # type: ignore[operator]
            return
        texts = value_texts(values)
        padded = texts.str.zfill(width) if number else texts
        for kept in range(1, width):
            hidden = source.character * (width - kept)
            if left:
                shown = [hidden + one.rjust(width, source.character)[-kept:] for one in padded]
            else:
                shown = [one.ljust(width, source.character)[:kept] + hidden for one in padded]
            rule = Rule.of_mask(kept, width, source.character, left=left, number=number)
            yield dict(zip(values.to_list(), shown, strict=True)), rule
    single: list[tuple[Dates | Intervals, Rule]] = []
    if isinstance(source, Dates) and values.dtype in (pl.Date, pl.Datetime):
        single += [(Dates([unit]), Rule.of_unit(unit)) for unit in UNITS if unit != "week"]
    if isinstance(source, Intervals) and source.width is not None:
        ends = [
            None if one is None else (one, number_text(one)) for one in (source.bottom, source.top)
        ]
        origin = source.origin or 0
        single += [
            (replace(source, width=one), Rule.of_grid(int(one), int(origin), *ends))
            for one in cast("Sequence[float]", source.width)
            if float(one).is_integer() and float(origin).is_integer()
        ]
    if isinstance(source, Intervals) and source.bounds is not None:
        low = -math.inf if source.bottom is None else source.bottom
        high = math.inf if source.top is None else source.top
        for cuts in cast("Sequence[Sequence[float]]", source.bounds):
            coded = {low, high} - {-math.inf, math.inf}
            points = sorted(coded | {one for one in cuts if low < one < high})
            rule = Rule.of_cuts(points, [number_text(one) for one in points])
            single.append((replace(source, bounds=cuts), rule))
    for builder, rule in single:
        tree = builder.bind(values)
        if tree.n_levels > 2:
            yield _label_of_value(tree, 1), rule


def _class_boxes(recoding: Boxes) -> ClassBoxes:
    """Return the boxes of classes, and behind them, where labels reach further, these."""
    exact = [_side_cells(side) for side in recoding.sides]
    wide = [_side_cells(side, wide=True) for side in recoding.sides]
    classes = recoding.class_of_box.tolist()
    boxes = list(zip(zip(*exact, strict=True), classes, strict=True))
    further = zip(zip(*wide, strict=True), classes, strict=True)
    boxes += [box for own, box in zip(boxes, further, strict=True) if own != box]
    released = {one.name: one.to_list() for side in recoding.sides for one in side.with_root()}
    return ClassBoxes(boxes, released)


def _side_cells(side: Side, *, wide: bool = False) -> list[Cells]:
    """Return the values of each box along one attribute; wide: as far as labels are true."""
    known, tree, starts = side.known, side.known.hierarchy, side.offsets.tolist()
    given = side.values.to_list()
    lists = [given[low:high] for low, high in pairwise(starts)]
    if side.listed:
        return [Cells(_named(one), null=None in one) for one in lists]
    if tree is None:
        if isinstance(known.dtype, pl.Enum):
            order = [*known.dtype.categories, None]
            spans = [order[order.index(low) : order.index(high) + 1] for low, high in lists]
            return [Cells(_named(one), null=None in one) for one in spans]
        return [_range(low, high) for low, high in lists]
    if not lists:
        return []
    codes = tree.leaf_of(side.values).reshape(-1, 2)
    low, high = codes.min(axis=1), codes.max(axis=1)
    wide = wide and side.recoding == "hierarchy"
    levels = tree.meet(low, high) if wide else np.zeros(len(low), np.int32)
    if wide:
        low, high = tree.subtree(low, high)
    values, top = tree.values.to_list(), tree.n_levels - 1
    spans = [values[a : b + 1] for a, b in zip(low, high, strict=True)]
    if known.rule is None:
        return [Cells(_named(one), null=None in one) for one in spans]
    ordered = _order(known, tree)
    rules = {one: _rule(known, tree, one) for one in {*levels.tolist()} - {0, top}}
    cells = []
    for span, level, leaf in zip(spans, levels.tolist(), low.tolist(), strict=True):
        if not level:
            cells.append(_range(span[0], span[-1], ordered))
        elif level == top:
            cells.append(Cells(rule=ordered, null=tree.has_null))
        else:
            cells.append(Cells(rule=rules[level], label=tree.label(level, leaf)))
    return cells


def _order(known: KnownAttribute, tree: Hierarchy) -> Rule:
    """Return by what the values of a rule are ordered, and which it can be asked about."""
    if isinstance(known.rule, Masking):
        return _rule(known, tree, tree.n_levels - 2)
    return Rule("")


def _range(low: Any, high: Any, rule: Rule | None = None) -> Cells:
    """Return the values from low to high; null, the highest, is no end."""
    if low is None:
        return Cells(null=True)
    return Cells(ends=(low, high), rule=rule, null=high is None)


def _named(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values that are not null."""
    return tuple(value for value in values if value is not None)
