"""Records in canonical form, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from kanonym.actions.base import cell_texts
from kanonym.data.errors import SchemaError
from kanonym.synthesis.columns.numbers import Grid, plain_numbers
from kanonym.synthesis.injection.classes import Classes, Domain
from kanonym.synthesis.injection.fresh import fresh_values
from kanonym.synthesis.injection.targets import Needs
from kanonym.synthesis.trees import LearnedByTrees

REPEATED = 5.0
"""Values that chance would repeat if they were drawn freely, from which on none is no chance."""

FAR = 4.0
"""Fewer repeated values by so many standard deviations are no chance either."""


def refuse_numbering(columns: Iterable[pl.Series]) -> None:
    """Refuse columns of numbers or times that hardly repeat although their range is crowded.

    A serial number, or an identifier of a short range, also where a record or two stand in the
    table twice. Were n numbers drawn freely of m possible ones, n - m · (1 - exp(-n / m)) would
    repeat another one. That none does where five are expected, or that so many fewer do,
    happens in less than one of a hundred tables.
    """
    for column in columns:
        dtype, held = column.dtype, column.drop_nulls()
        if not (dtype.is_numeric() or dtype.is_temporal()) or len(held) < 2:
            continue
        n, different = len(held), held.n_unique()
        if 2 * different < n:
            continue  # most values are those of several records: they number nothing
        possible = max(Grid.of(np.unique(plain_numbers(held))).size, different)
        expected = n + possible * math.expm1(-n / possible)
        few = max(expected - FAR * math.sqrt(expected), 0.0)
        if expected >= REPEATED and n - different <= few:
            raise SchemaError(
                f"column {column.name!r} numbers the records: {different} of its {n} values are "
                f"different, of {possible} that lie in their range, so an added record would "
                "repeat one. Drop it, or number the records anew afterwards"
            )


_INTEGER = r"^(-?)0*([0-9]+)$"
_DECIMAL = r"^-?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?$"
_DAY = r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
_MOMENT = rf"^(?:{_DAY}[T ])?([0-9]{{2}}:[0-9]{{2}})(:[0-9]{{2}}(?:\.[0-9]+)?)?(?:Z|\+00:?00)?$"
_ZONED = (
    rf"^{_DAY}[T ]([0-9]{{2}}:[0-9]{{2}})(:[0-9]{{2}}(?:\.[0-9]+)?)?([+-][0-9]{{2}}):?([0-9]{{2}})$"
)
_WORDS = {"True": "true", "False": "false"}


def record_texts(columns: Sequence[pl.Series]) -> pl.Series:
    """Return (n,) texts, equal where records are.

    columns: (n,) columns of numbers, dates, text or categories, in any order.

    Notes
    -----
    Each value is spelled in one way whatever a file made of its column: 7, 7.0 and "7" are one,
    also "007"; a time at midnight is its date, a blank and a T before a time of day are one, and
    times with a zone stand in UTC; null and empty text are one, for readers of CSV differ about
    them.

    """
    parts: list[pl.Series] = []
    for column in sorted(columns, key=lambda one: one.name):
        text = canonical_texts(column)
        sizes = text.str.len_bytes().cast(pl.String)
        name = column.name
        parts += [f"{len(name)}:{name}=" + sizes + ":", text]
    frame = pl.DataFrame([part.alias(str(place)) for place, part in enumerate(parts)])
    return frame.select(pl.concat_str(pl.all())).to_series()


def canonical_texts(column: pl.Series) -> pl.Series:
    """Return (n,) texts of a column's values; null is the empty text."""
    dtype = column.dtype
    plain = cell_texts(column, "a mark")
    if dtype == pl.Float32:
        # A file holds the short text, and its reader a float64.
        plain = cell_texts(column.cast(pl.String).cast(pl.Float64), "a mark")
    if dtype.is_integer() or dtype.is_float() or dtype in (pl.Boolean, pl.Date):
        return plain.fill_null("")
    if plain.n_unique() * 2 < len(plain):  # each distinct text once
        distinct = plain.unique().drop_nulls()
        return plain.replace_strict(distinct, _canonical_spelling(distinct), default="")
    return _canonical_spelling(plain).fill_null("")


def _canonical_spelling(plain: pl.Series) -> pl.Series:
    """Return texts in their one spelling: numbers, times and truth values; others as they are."""
    text = _to_utc(plain).alias("text")
    expression = pl.col("text").str.strip_chars()
    # Nothing stands for what is zero: fractions, seconds, the time of day of a date.
    time = expression.str.replace(_MOMENT, "${1}T${2}${3}").str.replace(r"(\.[0-9]*?)0+$", "$1")
    time = time.str.replace(r"\.$", "").str.replace(r"T(.{5}):00$", "T$1")
    time = time.str.replace(r"^(.+)T00:00$", "$1")
    numeric = cell_texts(_decimals(text), "a mark").alias("number")
    frame = pl.DataFrame([text, numeric])
    integer = expression.str.replace(_INTEGER, "$1$2").replace("-0", "0")
    return frame.select(
        pl.when(expression.str.contains(_INTEGER))
        .then(integer)
        .when(pl.col("number").is_not_null())
        .then("number")
        .when(expression.str.contains(_MOMENT))
        .then(time)
        .otherwise(pl.col("text").replace(_WORDS))
    ).to_series()


def _to_utc(text: pl.Series) -> pl.Series:
    """Return texts of which those that spell a time with its distance from UTC are in UTC."""
    bare = text.str.strip_chars()
    zoned = bare.str.contains(_ZONED).fill_null(value=False)
    if not zoned.any():
        return text
    seconds = bare.filter(zoned).str.replace(_ZONED, "${1}T${2}${3}${4}${5}")
    seconds = seconds.str.replace(r"(T[0-9:]{5})([+-])", "${1}:00${2}")
    moments = seconds.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", time_unit="ns", strict=False)
    column = cell_texts(moments, "a mark")
    column = column.zip_with(column.is_not_null(), text.filter(zoned))
    return text.clone().scatter(zoned.arg_true(), column)  # a clone: scatter writes in place


def _decimals(text: pl.Series) -> pl.Series:
    """Return the numbers that texts spell with a point or an exponent, else null."""
    bare = text.str.strip_chars()
    return bare.set(~bare.str.contains(_DECIMAL).fill_null(value=False), None).cast(
        pl.Float64, strict=False
    )


def new_records(
    model: LearnedByTrees,
    known: Sequence[pl.Series],
    domains: Mapping[str, Domain],
    classes: Classes,
    needs: Needs,
    random: np.random.Generator,
) -> list[pl.Series]:
    """Draw the records that classes need, in the order of the classes.

    Where new values are needed, sensitive attributes are drawn one after the other, each
    conditional on those before it.

    model: draws the quasi-identifiers first, then the sensitive attributes.
    known: (n_rows,) quasi-identifiers.
    Returns: (n,) all columns of the table, in its order. Quasi-identifiers hold exactly the values
        of the class. Of sensitive attributes, as many records of a class as need it have values
        that nobody else there has; others have what the model draws. All other columns are drawn to
        fit both.
    """
    owners = np.repeat(np.arange(len(classes)), needs.records)
    given = [column.gather(classes.first[owners]) for column in known]
    rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
    for name, lacking in needs.fresh.items():
        fresh = rank < lacking[owners]
        rows, others = np.flatnonzero(fresh), np.flatnonzero(~fresh)
        parts = []
        if len(rows):
            own = [column.gather(rows) for column in given]
            parts.append(
                fresh_values(model, domains[name], classes.labels, owners[rows], own, random)
            )
        if len(others):
            parts.append(model.next_column([column.gather(others) for column in given], random))
        place = np.argsort(np.concatenate([rows, others]), kind="stable")
        given.append(pl.concat(parts).gather(place).alias(name))
    return model.complete(given, random)
