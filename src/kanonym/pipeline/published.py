"""A release as if its input had the released records alone: how columns are read, and their types.

What is published tells nothing of how a suppressed person's cells are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.files import typed_texts
from kanonym.data.readings import Reading, canonical_table, settle_readings, styled_table
from kanonym.data.schema import readings_of
from kanonym.kernels.arrays import Ints
from kanonym.pipeline.planning import with_readings
from kanonym.policy import Policy
from kanonym.release import Release

ReadAgain = Callable[[Ints, dict[str, int]], pl.DataFrame | None]
"""Reads some records of the input alone, and fills in the decimals; None where it cannot."""


def publish_own_records(
    release: Release[Any],
    policy: Policy,
    frame: Any,
    notes: tuple[str, ...],
    read_again: ReadAgain | None = None,
) -> tuple[Release[Any], tuple[str, ...]]:
    """Return a release as it is written and reported: as its own records alone are read.

    Whoever compares it with the original takes the release before. policy: the one before
    `with_readings`, whose notes are returned with suppressed records left out, too.
    """
    if release.rows is None or not release.suppressed or release.promise is not None:
        return release, notes
    native, rows, decimals = frames.to_eager(frame), np.sort(release.rows), dict[str, int]()
    kept = None if read_again is None else read_again(rows, decimals)
    released = _with_own_types(release, native, kept)
    if kept is None:
        kept = frames.to_polars(frames.assemble(native, rows, frames.column_names(native)))
        kept = kept.with_columns(typed_texts(column) for column in kept.select(pl.col(pl.String)))
    stated, notes = with_readings(policy, kept, lenient=True, decimals=decimals)
    own = release.schema.readings
    readings = settle_readings(kept, readings_of(stated.attributes))
    changed = {name for name, reading in own.items() if readings.get(name) != reading}
    released = _restyled(released, {name: own[name] for name in changed}, readings)
    attributes = {
        name: stated.attributes.get(name, one) for name, one in release.schema.attributes.items()
    }
    schema = replace(release.schema, attributes=attributes, settled=readings)
    return replace(release, frame=released, policy=stated, schema=schema), notes


def with_own_types(release: Release[Any], frame: Any, read_again: ReadAgain) -> pl.DataFrame:
    """Return a released table with the types that its own records alone have in a file."""
    rows = release.rows if release.suppressed else None
    kept = None if rows is None else read_again(np.sort(rows), {})
    return _with_own_types(release, frames.to_eager(frame), kept)


def _with_own_types(release: Release[Any], native: Any, kept: pl.DataFrame | None) -> pl.DataFrame:
    """Return the released table, with the types of kept cells where it has values of the input."""
    released, rows = frames.to_polars(release.frame), release.rows
    if kept is None or rows is None:
        return released
    places, columns = np.argsort(np.argsort(rows)), []
    for column in released:
        if column.name in kept.columns:
            before = frames.raw_column(native, column.name).gather(rows)
            own = kept[column.name].gather(places)
            same = column.dtype == before.dtype and column.eq_missing(before).all()
            if same and own.dtype != column.dtype and own.n_unique() == column.n_unique():
                column = own  # noqa: PLW2901 - the same cells
        columns.append(column)
    return pl.DataFrame(columns)


def _restyled(
    released: pl.DataFrame, before: Mapping[str, Reading], after: Mapping[str, Reading]
) -> pl.DataFrame:
    """Return a table with labels in another style, where that leaves as many and no cell out."""
    styled = styled_table(canonical_table(released, before), after)
    kept = [
        new if new.n_unique() == old.n_unique() and new.null_count() == old.null_count() else old
        for old, new in zip(released, styled, strict=True)
    ]
    return pl.DataFrame(kept)
