"""Columns as integers on the engine: what each value's code is follows from one column alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.algorithms.base import Algorithm
from kanonym.algorithms.microaggregation.records import class_size, require_number
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.table import Domain
from kanonym.engines.sql.frequencies import values_of
from kanonym.engines.sql.statements import (
    COUNT,
    alias_column,
    equal_condition,
    exact_column,
    nan_as_null,
    subquery,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Prepared, Task, prepare
from kanonym.kernels.arrays import Ints
from kanonym.kernels.classes.disclosure import ALPHA, DISTINCT, ENTROPY, RECURSIVE, SIZE
from kanonym.models.base import PrivacyModel, lost_by_joining

VALUE, CODE = "v", "c"
"""The columns of a dictionary."""


@dataclass(frozen=True)
class Coding:
    """The columns of a table as codes."""

    ready: Prepared
    names: Sequence[str]
    dictionaries: Mapping[str, Query]
    texts: frozenset[str]
    types: Mapping[str, pl.DataType]

    @property
    def codes(self) -> list[str]:
        """The names of the columns of codes."""
        return [f"{CODE}{place}" for place in range(len(self.names))]

    def join_codes(
        self, source: Source, dtypes: Mapping[str, pl.DataType], kept: Mapping[str, str]
    ) -> Query:
        """Return a query of the codes of every record, and of some columns under other names.

        kept: the new name of each of these.
        """
        picked = [
            alias_column(exact_column(CODE, f"d{place}"), code)
            for place, code in enumerate(self.codes)
        ]
        picked += [alias_column(exact_column(name, "t"), alias) for name, alias in kept.items()]
        query = exp.select(*picked).from_(subquery(source.query, "t"))
        for place, name in enumerate(self.names):
            column = nan_as_null(source, exact_column(name, "t"), dtypes[name])
            table = f"d{place}"
            query = query.join(
                subquery(self.dictionaries[name], table),
                on=equal_condition(source, column, exact_column(VALUE, table), dtypes[name]),
            )
        return query


def encode_columns(
    source: Source,
    task: Task,
    names: Sequence[str],
    dtypes: Mapping[str, pl.DataType],
    watch: Stopwatch,
) -> Coding:
    """Encode columns as `engine.prepare` does, from the distinct values of each."""
    with watch.stage("count"):
        counted = {name: values_of(source, name, dtypes) for name in names}
    with watch.stage("encode"):
        places, weights = table_of_counts([one.counts for one in counted.values()])
        columns = {
            name: frequencies.column(name).gather(place)
            for (name, frequencies), place in zip(counted.items(), places.T, strict=True)
        }
    ready = prepare(task, columns.__getitem__, len(weights), watch, weights)
    table = ready.table
    tuples = table.tuple_of_row
    if len(tuples) != len(weights):  # a place for each record
        tuples = tuples[np.cumsum(weights) - weights]
    # Quasi-identifiers first, as the encoded table has them.
    ordered = [domain.name for domain in (*table.domains, *table.sensitive)]
    dictionaries, texts = {}, set()
    for column, name in zip(
        np.hstack([table.codes, table.sensitive_codes]).T, ordered, strict=True
    ):
        codes = np.empty(len(counted[name].counts), np.int32)
        codes[places[:, list(names).index(name)]] = column[tuples]
        frame = pl.DataFrame({VALUE: counted[name].raw.to_series(), CODE: codes})
        if len(np.unique(codes)) < len(codes):
            texts.add(name)
        dictionaries[name] = source.store.put(frame.unique(VALUE, maintain_order=True))
    types = {name: frequencies.table.schema[name] for name, frequencies in counted.items()}
    return Coding(ready, ordered, dictionaries, frozenset(texts), types)


def table_of_counts(counts: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return a small table whose columns have these counts, each by itself.

    Values are put side by side as they come, so that rows end where a value of some column does.
    Whatever depends on single columns is the same for every table of such counts.

    Returns: (n, n_columns) int64 places of values, and (n,) int64 records of each row, at least 1;
        n is at most the number of values of all columns.
    """
    ends = [np.cumsum(count) for count in counts]
    every = np.unique(np.concatenate(ends)) if ends else np.empty(0, np.int64)
    places = [np.searchsorted(end, every) for end in ends]
    weights = np.diff(every, prepend=0)
    return np.stack(places, axis=1) if places else np.empty((0, 0), np.int64), weights


def frequency_set(
    source: Source, coding: Coding, dtypes: Mapping[str, pl.DataType], n_rows: int
) -> tuple[Query, int]:
    """Hold the frequency set of codes on the engine; return what reads it, and its tuples."""
    keys = [exact_column(code, "x") for code in coding.codes]
    number = alias_column(exp.Count(this=exp.Star()), COUNT)
    query = exp.select(*keys, number).from_(subquery(coding.join_codes(source, dtypes, {}), "x"))
    held = source.store.hold(query.group_by(*(key.copy() for key in keys)))
    total = source.store.fetch(
        exp.select(
            alias_column(exp.Count(this=exp.Star()), "tuples"),
            alias_column(sum_column(COUNT), "records"),
        ).from_(subquery(held, "f"))
    )
    tuples, records = int(total["tuples"][0]), int(total["records"][0] or 0)
    if records != n_rows:
        raise DataError(
            f"{n_rows} records were counted, and the values of {records} of them are found again. "
            "If others write to the table, work on a copy; else a view gives other rows each time"
        )
    return held, tuples


def sum_column(name: str) -> exp.Cast:
    """Return the sum of an integer column, as a 64-bit integer."""
    return sum_of(exact_column(name))


def sum_of(value: exp.Expression) -> exp.Cast:
    """Return the sum of whole numbers, as a 64-bit integer."""
    return exp.cast(exp.Sum(this=value), exp.DataType.Type.BIGINT)


OF_CLASS_ALONE = {SIZE, DISTINCT, ENTROPY, RECURSIVE, ALPHA}
"""Measures of a class that are not compared with the table."""

OTHERWISE = "give the source a larger most_tuples, so that its whole frequency set is loaded"


def fragment_limit(
    algorithm: Algorithm, models: Sequence[PrivacyModel], suppression_limit: float
) -> int:
    """Return how many tuples a fragment has at the most; refuse what has to see all of them."""
    name = algorithm.type
    if algorithm.largest_fragment is None:
        raise PolicyError(
            f"{name} needs every distinct tuple, and there are too many to load: "
            f"choose mondrian or segmentation, or {OTHERWISE}"
        )
    if algorithm.target is not None:
        raise PolicyError(
            f"{name}: a target needs the whole frequency set to be loaded: remove it, or "
            f"{OTHERWISE}"
        )
    if suppression_limit > 0 and algorithm.spends_limit:
        raise PolicyError(
            f"suppression_limit: {name} spends it where it saves most in the whole table, but sees "
            f"only fragments: set it to 0, or {OTHERWISE}"
        )
    counting = [model.type for model in models if model.guarantee == "population"]
    if counting:
        raise PolicyError(
            f"{counting[0]} needs an algorithm that counts the population table in every class: "
            "choose full-domain"
        )
    comparing = [
        model.type
        for model in models
        if not {one.measure for one in model.criteria() or ()} <= OF_CLASS_ALONE
    ]
    if comparing and algorithm.cuts is None:
        raise PolicyError(
            f"{comparing[0]} compares classes with the whole table, of which {name} would see only "
            f"fragments: choose strict mondrian, or {OTHERWISE}"
        )
    return algorithm.largest_fragment


def require_values(algorithm: Algorithm, ready: Prepared, models: Sequence[PrivacyModel]) -> None:
    """Refuse what the columns themselves do not allow."""
    # Known here, and not from whichever worker comes first to a fragment.
    if algorithm.by_size:
        class_size(models, ready.table, algorithm.type)
    for domain in ready.table.domains:
        if algorithm.needs_numbers:
            require_number(domain, algorithm.type)
        if algorithm.needs_values and domain.has_null and domain.kind != "nominal":
            raise DataError(
                f"column {domain.name!r}: some record has no value, and {algorithm.type} has no "
                f"distance to a missing value: fill it in, remove the record, or choose another "
                f"algorithm, "
                "such as mondrian"
            )
    if "balanced" in ready.recodings:
        raise PolicyError(
            "recoding balanced compares the classes with the whole table, of which only fragments "
            f"are loaded: choose median or mode, or {OTHERWISE}"
        )
    if any(map(lost_by_joining, models)) and not all(
        map(_releases_distinct_values, ready.table.domains, ready.recodings)
    ):
        raise PolicyError(
            "delta-disclosure may be lost where classes of equal released values become one, which "
            "only the whole table shows: recode numbers and dates as interval or range, or "
            f"{OTHERWISE}"
        )


def _releases_distinct_values(domain: Domain, recoding: str) -> bool:
    """Say whether classes that do not overlap release different values."""
    line = domain.kind in ("number", "temporal") and not domain.has_null
    return line and recoding in ("interval", "range")
