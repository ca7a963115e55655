"""Records in canonical form, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.base import cell_texts
from kanonym.data.errors import InfeasibleError, SchemaError
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.synthesis.columns.numbers import Grid, plain_numbers, typed_numbers
from kanonym.synthesis.injection.classes import Classes, Domain, count_within
from kanonym.synthesis.injection.targets import Needs
from kanonym.synthesis.trees import LearnedByTrees
from kanonym.verification.released_classes import group_released

BLOCK = 1 << 23
"""Probabilities that are held at a time."""

RARE = 1e-9
"""The weight of a value that the model gives no chance: drawn when no other is left."""

TRIES = 4
"""Rounds in which a finely measured value is drawn by the model before the grid is searched."""

WIDE = 1 << 16
"""Grids of more numbers are searched by chance, smaller ones from end to end."""


def fresh_values(
    model: LearnedByTrees,
    domain: Domain,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw a value for each new record that neither its class nor another of them has.

    labels: (n_rows,) int32 class of each record of the table.
    owners: (n,) int64 class of each new record, ascending.
    given: (n,) columns that new records have already, the attribute is the next one of the model.
        Returns: (n,) of the attribute's type.
    """
    if domain.grid is None:
        return _draw_values(model, domain, labels, owners, given, random)
    return _draw_between_values(model, domain, domain.grid, labels, owners, given, random)


def _draw_values(
    model: LearnedByTrees,
    domain: Domain,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw values of a column whose values repeat."""
    name, values = domain.column.name, domain.values
    m = len(values)
    codes = _codes(domain.column, values)
    picked = np.empty(len(owners), np.int64)
    ranks = _ranks(owners, _choices(model, name, values, given))
    for block in _blocks(owners, m):
        numbers, local = np.unique(owners[block], return_inverse=True)
        place = np.full(int(labels.max()) + 1, -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        taken = np.zeros((len(numbers), m), np.bool_)
        own = np.flatnonzero(place[labels] >= 0)
        taken[place[labels[own]], codes[own]] = True
        rank = ranks[block]
        order = np.argsort(rank, kind="stable")
        ends = np.searchsorted(rank[order], np.arange(int(rank.max()) + 2))
        step = max(BLOCK // m, 1)
        for low in range(0, len(order), step):
            rows = order[low : low + step]
            weights = _weights(model, name, values, [one.gather(block[rows]) for one in given])
            uniform = random.random(len(rows))
            for start, end in pairwise(ends.tolist()):
                here = slice(max(start - low, 0), max(end - low, 0))
                classes = local[rows[here]]
                if not len(classes):
                    continue
                free = np.where(taken[classes], 0.0, weights[here])
                up_to = np.cumsum(free, axis=1)
                if not up_to[:, -1].all():
                    at = int(up_to[:, -1].argmin())
                    raise _exhausted_error(name, labels, int(numbers[classes[at]]))
                aims = uniform[here, None] * up_to[:, -1:]
                value = np.minimum((up_to <= aims).sum(axis=1), m - 1)
                taken[classes, value] = True
                picked[block[rows[here]]] = value
    return values.gather(picked)


def _weights(
    model: LearnedByTrees, name: str, values: pl.Series, given: Sequence[pl.Series]
) -> Floats:
    """Return (n, m) float64 probabilities of values, 0 only for those that constraints forbid."""
    same = group_released(given, len(given[0]))  # many records of a class ask for the same
    different = [one.gather(same.first) for one in given]
    column, shares = model.next_probabilities(different)
    weights = np.full((len(shares), len(values)), RARE / len(values))
    weights[:, _codes(column, values)] += shares
    limits = model.limits(name, different)
    if limits is not None:
        held = values.is_not_null().to_numpy()
        low, high = (limit[:, None] for limit in limits)
        numbers = plain_numbers(values.drop_nulls())
        weights[:, held] *= (numbers >= low) & (numbers <= high)
    return weights[same.labels]


def _choices(
    model: LearnedByTrees, name: str, values: pl.Series, given: Sequence[pl.Series]
) -> Ints:
    """Return (n,) int64, among how many of the values constraints let each record choose."""
    limits = model.limits(name, given)
    if limits is None:
        return np.zeros(len(given[0]), np.int64)
    return count_within(plain_numbers(values.drop_nulls()), limits)


def _codes(column: pl.Series, values: pl.Series) -> Ints:
    """Return (n,) int64 places of a column's values among distinct ones."""
    both = [values, column]
    if column.dtype in (pl.Categorical, pl.Enum):
        both = [one.cast(pl.String) for one in both]
    codes, size = value_codes(pl.concat(both))
    place = np.full(size, -1, np.int64)
    place[codes[: len(values)]] = np.arange(len(values))
    found: Ints = place[codes[len(values) :]]
    return found


def _blocks(owners: Ints, m: int) -> Iterator[Ints]:
    """Cut new records into blocks of whole classes, of so many that a block fits into memory."""
    step = max(BLOCK // m, 1)
    _, number = np.unique(owners, return_inverse=True)
    cuts = np.searchsorted(number, np.arange(step, int(number[-1]) + 1, step))
    yield from np.split(np.arange(len(owners)), cuts)


def _ranks(owners: Ints, choices: Ints) -> Ints:
    """Return (n,) int64: the turn of each record in its class; owners ascend."""
    found = np.empty(len(owners), np.int64)
    found[np.lexsort((choices, owners))] = np.arange(len(owners)) - np.searchsorted(owners, owners)
    return found


def _exhausted_error(name: str, labels: Int32s, owner: int) -> InfeasibleError:
    row = int(np.argmax(labels == owner)) + 1
    return InfeasibleError(
        f"inject: no further value of {name!r} fits the class of row {row}, beside what was drawn "
        "before it; ask for less, name the sensitive attributes in another order, or leave that "
        "class out"
    )


def _draw_between_values(
    model: LearnedByTrees,
    domain: Domain,
    grid: Grid,
    labels: Int32s,
    owners: Ints,
    given: Sequence[pl.Series],
    random: np.random.Generator,
) -> pl.Series:
    """Draw values of a column that is measured finely."""
    name, dtype = domain.column.name, domain.column.dtype
    chosen = np.zeros(int(labels.max()) + 1, np.bool_)
    chosen[owners] = True
    own = np.flatnonzero(chosen[labels])
    taken = set(zip(labels[own].tolist(), domain.column.gather(own).to_list(), strict=True))
    found: list[object] = [None] * len(owners)
    left = np.arange(len(owners))
    for _ in range(TRIES):
        column = model.next_column([one.gather(left) for one in given], random)
        again = []
        for row, value in zip(left.tolist(), column.to_list(), strict=True):
            pair = (int(owners[row]), value)
            if pair in taken:
                again.append(row)
            else:
                taken.add(pair)
                found[row] = value
        left = np.array(again, np.int64)
        if not len(left):
            break
    for row in left.tolist():
        owner = int(owners[row])
        limits = model.limits(name, [one.gather([row]) for one in given])
        for value in _search_grid(domain, grid, limits, random):
            if (owner, value) not in taken:
                break
        else:
            raise _exhausted_error(name, labels, owner)
        taken.add((owner, value))
        found[row] = value
    return pl.Series(name, found, dtype)


def _search_grid(
    domain: Domain,
    grid: Grid,
    limits: tuple[NDArray[Any], NDArray[Any]] | None,
    random: np.random.Generator,
) -> Iterator[object]:
    """Go through what a record can have of a grid, in an order of chance."""
    size = grid.size
    drawn = random.permutation(size) if size <= WIDE else random.integers(0, size, WIDE)
    places = drawn.astype(np.float64)
    if not grid.step:
        places = grid.low + places * ((grid.high - grid.low) / max(size - 1, 1))
    numbers = grid.at(places)
    if limits is not None:
        numbers = numbers[(numbers >= limits[0]) & (numbers <= limits[1])]
    yield from typed_numbers(numbers, domain.column.name, domain.column.dtype).to_list()
    if domain.column.null_count():
        yield None


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
    known: (n_rows,) quasi-identifiers. Returns: (n,) all columns of the table, in its order.
        Quasi-identifiers hold exactly the values of the class. Of sensitive attributes, as many
        records of a class as need it have values that nobody else there has; others have what the
        model draws. All other columns are drawn to fit both.
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
