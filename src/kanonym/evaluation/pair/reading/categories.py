"""Reading categories without a hierarchy: values, sets, intervals of ordered ones, masks, `*`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.hierarchy.labels import members_of
from kanonym.data.table import Domain, encode_column
from kanonym.evaluation.pair.reading.texts import (
    Cells,
    Codes,
    ColumnReading,
    encode_distinct,
    ends_of,
    is_label,
    says_nothing,
    span_of,
    spread_over_class,
    with_stars,
)
from kanonym.evaluation.pair.tables import CategoricalColumn, Generalization
from kanonym.kernels.arrays import Bools, Int32s
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.certainty import Axis


def read_categories(cells: Cells) -> ColumnReading:
    """Read a column of categories.

    A released text may read as several things at once, as `{a, b}` where that is a value, too: it
    leaves open all that it may mean. A quasi-identifier may have new ones, too, as tables have that
    were made of other persons: plain texts that are no label in form, where most of the records
    with a text say what the original knows.
    """
    domain, codes = encode_column(cells.original, by_value=True)
    ranked, new = np.zeros(0, np.bool_), list[str]()
    texts = text_of(domain.values)
    released = [text_of(column) for column in cells.released]
    if cells.recoded:
        size = domain.size
        place, open_, ranked, new = _code_labels(cells, domain, texts.to_list(), released)
    else:
        values, place = encode_distinct(released[0])
        others = values.filter(~values.is_in(texts.implode()))
        texts = pl.concat([texts, others.alias(texts.name)])
        size = len(texts) + domain.has_null
        codes = np.where(codes == domain.null_code, size - 1, codes) if domain.has_null else codes
        code = {text: i for i, text in enumerate(texts.to_list())}
        open_ = [np.array([code[text]], np.int32) for text in values.to_list()]
    blank = cells.blank()
    labels = np.where(place >= 0, place, len(open_)).astype(np.int32)
    labels[blank] = len(open_) + 1
    open_ += [np.array([max(size - 1, 0)], np.int32), np.arange(max(size, 1), dtype=np.int32)]
    counts = np.array([len(members) for members in open_], np.int64)
    everything = blank | ((counts == size) & (size > 1))[labels]
    column = CategoricalColumn(
        name=domain.name,
        categories=texts.extend_constant(None, 1) if domain.has_null else texts,
        original=codes.astype(np.int32),
        labels=labels,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        members=np.concatenate(open_),
        suppressed=everything,
    )
    read = _generalization(column, domain, ranked) if cells.recoded else None
    if cells.rows is None:
        strange = _count_new(labels, open_, size) if cells.recoded else 0
        return ColumnReading(
            _widen(column, new), read, contains=False, unchanged=False, new=strange
        )
    own = column.original[cells.rows]
    inside = leaves_open(column, own)
    if read is not None:
        line = np.arange(len(texts), dtype=np.float64) if domain.kind == "ordered" else None
        off = ~inside & (counts == 1)[labels] & ~blank
        read = spread_over_class(read, cells.classes, off, own, line)
    alone = (counts == 1)[labels] & ~blank
    return ColumnReading(
        _widen(column, new),
        read,
        contains=bool(inside.all()),
        unchanged=bool((inside & alone).all()),
        new=_count_new(labels, open_, size) if cells.recoded else 0,
    )


def _count_new(labels: Int32s, open_: list[Int32s], size: int) -> int:
    """Return how many released records have a category that the original lacks."""
    strange = np.array([members[0] >= max(size, 1) for members in open_], np.bool_)
    return int(strange[labels].sum())


def _widen(column: CategoricalColumn, new: list[str]) -> CategoricalColumn:
    """Return a column with further categories, whose codes follow those that it has."""
    if not new:
        return column
    known = column.categories.drop_nulls()
    more = pl.concat([known, pl.Series(known.name, new, dtype=known.dtype)])
    code = np.arange(len(column.categories) + len(new), dtype=np.int32)
    if len(known) < len(column.categories):
        code[len(known)] = len(code) - 1
        code[len(known) + 1 :] -= 1
        more = more.extend_constant(None, 1)
    counts = np.diff(column.offsets)
    counts[-1] = len(code)
    members = np.concatenate([code[column.members[: column.offsets[-2]]], np.arange(len(code))])
    # Within a label the codes ascend, for null, which alone has moved, was the last of them.
    return replace(
        column,
        categories=more,
        original=code[column.original],
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        members=members.astype(np.int32),
    )


def leaves_open(column: CategoricalColumn, codes: Int32s) -> Bools:
    """Return (n_released,) bool: whether each released cell leaves open a category.

    codes: (n_released,) int32, one a record.
    """
    size = max(len(column.categories), 1)
    owners = np.repeat(np.arange(len(column.offsets) - 1), np.diff(column.offsets))
    keys = owners * size + column.members
    return np.isin(column.labels.astype(np.int64) * size + codes, keys)


def _code_labels(
    cells: Cells, domain: Domain, known: list[str], released: list[pl.Series]
) -> tuple[Int32s, list[Int32s], Bools, list[str]]:
    """Return each cell's label, -1 for null, what labels leave open, and which are intervals."""
    code = {text: i for i, text in enumerate(known)}
    if len(released) == 1:
        values, place = encode_distinct(released[0])
        letters = set("".join(known))
        texts = [text if text in code else with_stars(text, letters) for text in values.to_list()]
        masked = Codes(known, [text for text in texts if text not in code])
        open_ = [_codes_of_text(text, domain, code, masked) for text in texts]
        wrong = np.array([not len(codes) for codes in open_] + [False], np.bool_)
        new = [text for text, codes in zip(values.to_list(), open_, strict=True) if not len(codes)]
        # With its hierarchy at hand, or where many are unknown, they are labels.
        many = cells.labelled or 2 * wrong[place].sum() >= (place >= 0).sum()
        if wrong.any() and many:
            raise cells.unreadable(int(wrong[place].argmax()))
        wrong[: len(texts)] &= np.array([is_label(text) for text in texts], np.bool_)
        if wrong.any():
            raise cells.unreadable(int(wrong[place].argmax()))
        codes_new = iter(range(domain.size, domain.size + len(new)))
        open_ = [codes if len(codes) else np.array([next(codes_new)], np.int32) for codes in open_]
        intervals = [text.startswith("[") and domain.kind == "ordered" for text in values.to_list()]
        return place, open_, np.array(intervals, np.bool_), new
    ends = []
    for column, series in enumerate(released):
        numbers = list(range(len(known)))
        found = series.replace_strict(known, numbers, default=-1, return_dtype=pl.Int32).to_numpy()
        wrong = (found < 0) & series.is_not_null().to_numpy()
        if wrong.any():
            raise cells.unreadable(int(wrong.argmax()), column)
        ends.append(found)
    groups = group_rows([end + np.int32(1) for end in ends], [len(known) + 1] * 2)
    spans = (groups.codes - 1).tolist()
    open_ = [np.arange(low, high + 1, dtype=np.int32) for low, high in spans]
    return np.where(cells.null, -1, groups.labels), open_, np.ones(len(open_), np.bool_), []


def _codes_of_text(text: str, domain: Domain, code: dict[str, int], masked: Codes) -> Int32s:
    """Return the codes that a text leaves open, none where it cannot be read."""
    if text in code and not set("{[*") & set(text):
        return np.array([code[text]], np.int32)
    if says_nothing(text):
        return np.arange(domain.size, dtype=np.int32)
    meant = {code[text]} if text in code else set()
    members = members_of(text)
    if members is not None:
        found = [domain.null_code if member is None else code.get(member, -1) for member in members]
        meant |= set(found) if min(found) >= 0 else set()
    if domain.kind == "ordered":
        for low, high in ends_of(text):
            if low in code and high in code:
                meant |= set(range(code[low], code[high] + 1))
    if not meant:
        meant = set(masked.under(text)) | _codes_between(text, code)
    return np.array(sorted(meant), np.int32)


def _codes_between(text: str, code: dict[str, int]) -> set[int]:
    """Return the codes of texts that lie between the ends of an interval."""
    span = span_of(text)
    if span and span.low in code and span.high in code and not span.low.isdecimal():
        return {one for name, one in code.items() if span.low <= name <= span.high}
    ends = [end for end in (span.low, span.high) if end is not None] if span else []
    if span is None or not ends or not all(end.isdecimal() for end in ends):
        return set()
    held = {one: int(one) for one in code if one.isdecimal() and len(one) in map(len, ends)}
    low = -1 if span.low is None else int(span.low) + span.low_open
    high = np.inf if span.high is None else int(span.high) - span.high_open
    return {code[one] for one, number in held.items() if low <= number <= high}


def _generalization(column: CategoricalColumn, domain: Domain, ranked: Bools) -> Generalization:
    """Count what each label leaves open; between ordered categories ranks are the measure.

    ranked: (n_labels - 2,) bool, labels that are intervals of ordered categories.
    """
    size, values = domain.size, np.diff(column.offsets)
    # Of a category that the original lacks no record of it has a value.
    mask = column.members < max(size, 1)
    values = values - np.bincount(
        np.repeat(np.arange(len(values)), values)[~mask], minlength=len(values)
    )
    counts = np.bincount(column.original, minlength=int(column.members.max(initial=0)) + 1)
    upto = np.concatenate([[0], np.cumsum(counts[column.members])])
    penalties = np.maximum(values - 1, 0) / max(size - 1, 1)
    ranks = np.flatnonzero(ranked)
    penalties[ranks] = (values[ranks] - 1) / max(len(domain.values) - 1, 1)
    penalties[-1] = 1.0
    return Generalization(
        name=column.name,
        original=column.original,
        size=size,
        height=None,
        labels=column.labels,
        values=values,
        records=upto[column.offsets[1:]] - upto[column.offsets[:-1]],
        penalties=penalties,
        spans=Axis.of(domain).list_costs(column.offsets, column.members),
    )
