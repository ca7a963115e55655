"""Sets in long form, one row per person and item: grouped to one row per person, and back."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import polars as pl

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.frames import FrameT, assemble, column, column_names, raw_column, to_eager
from kanonym.data.item_sets import lists_of

__all__ = ["from_long", "to_long"]

NUMBER = "{}_number"
"""Name of the running numbers that stand for persons in a release, from the persons' column."""


def from_long(frame: FrameT, person: str, items: str) -> FrameT:
    """Return one row per person of a table with one row per person and item.

    Repeated rows of a person and an item are one item; a person whose only item is null has the
    empty set. Persons come in the order of their first rows.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table.
    person, items
        The column that says whose a row is, and the column of items, which becomes lists. Every
        other column has one value per person. In a release with running numbers instead of the
        column `patient`, `patient_number` says whose a row is, and is left out of the result.

    Raises
    ------
    SchemaError
        A column is missing.
    DataError
        A row has no person, the items are lists already, or another column differs between rows
        of one person.

    Examples
    --------
    >>> rows = pl.DataFrame({"patient": ["a", "a", "b"], "drug": ["x", "y", "x"]})
    >>> from_long(rows, "patient", "drug")["drug"].to_list()
    [['x', 'y'], ['x']]
    """
    native = to_eager(frame)
    names = column_names(native)
    number = NUMBER.format(person)
    numbered = person not in names and number in names
    person = number if numbered else person
    _require(names, person, items)
    owner, item = column(native, person), raw_column(native, items)
    if owner.null_count():
        raise DataError(
            f"column {person!r}, row {int(owner.is_null().arg_max() or 0) + 1:,}: no person "
            f"({owner.null_count():,} rows): remove these rows, or say whose they are"
        )
    if item.dtype.is_nested():
        raise DataError(
            f"column {items!r} holds {item.dtype}: in a long table each row has a single item"
        )
    rows = pl.DataFrame({"person": owner.rank("dense"), "item": item}).with_row_index("row")
    first = rows.group_by("person", maintain_order=True).agg(pl.col("row").first())
    place = first.select("person").with_row_index("place")
    rows = rows.join(place, on="person", how="left", maintain_order="left")
    for name in names:
        if name not in (person, items):
            _require_constant(raw_column(native, name), rows)
    held = rows.drop_nulls("item").unique(["place", "item"]).sort("place", "item")
    offsets = np.append(0, np.cumsum(np.bincount(held["place"], minlength=first.height)))
    texts = held["item"].cast(pl.String)
    sets = lists_of(offsets.astype(np.int64), texts).alias(items)
    kept = [sets if name == items else name for name in names if not numbered or name != person]
    return assemble(cast("FrameT", native), first["row"].to_numpy().astype(np.int64), kept, frame)


def to_long(frame: FrameT, person: str, items: str, *, seed: int | None = None) -> FrameT:
    """Return one row per person and item of a table of sets, sorted by both.

    A person with an empty set has one row, without an item. If the table has no column of persons,
    such as `patient`, a column `patient_number` numbers them from 1 in random order.

    Parameters
    ----------
    frame
        A table with a column of lists, such as `Release.frame`.
    person, items
        The column that says whose a row is, and the column of sets.
    seed
        Of the order of the numbers; None for another order each time.

    Raises
    ------
    SchemaError
        There is no column of items, or another one is called `patient_number`.
    DataError
        The sets are no lists, or two rows have one person.

    Examples
    --------
    >>> sets = pl.DataFrame({"patient": ["a", "b"], "drug": [["x", "y"], []]})
    >>> to_long(sets, "patient", "drug").rows()
    [('a', 'x'), ('a', 'y'), ('b', None)]
    """
    native = to_eager(frame)
    names = column_names(native)
    _require(names, items)
    number = NUMBER.format(person)
    lists = raw_column(native, items)
    if not isinstance(lists.dtype, pl.List):
        raise DataError(
            f"column {items!r} holds {lists.dtype}, not lists: for a long table leave out the "
            "separator of the set in the policy"
        )
    n = len(lists)
    if person in names:
        owner = column(native, person)
        if owner.null_count() or owner.n_unique() < n:
            raise DataError(
                f"column {person!r} does not tell persons apart: their sets would become one. "
                "Give it an action that keeps them apart, such as keyed-hash, or drop it"
            )
    else:
        if number in names:
            raise SchemaError(f"the column {number!r} would stand twice in a long table: rename it")
        numbers = np.random.default_rng(seed).permutation(n) + 1
        owner = pl.Series(number, numbers, dtype=pl.Int64)
    rows = pl.DataFrame({"row": np.arange(n), "person": owner, "item": lists})
    rows = rows.explode("item", empty_as_null=True).sort("person", "item")
    place = rows["row"].to_numpy()
    entries: list[Any] = [rows["item"].alias(items) if name == items else name for name in names]
    if person not in names:
        entries = [rows["person"].alias(number), *entries]
    return assemble(cast("FrameT", native), place, entries, frame)


def _require(names: list[str], *needed: str) -> None:
    """Refuse a table without a column, and one column in two places."""
    for name in needed:
        if name not in names:
            raise SchemaError(f"there is no column {name!r}; columns: {', '.join(names)}")
    if len(set(needed)) < len(needed):
        raise SchemaError(f"{needed[0]!r} cannot be both the person and the item")


def _require_constant(values: pl.Series, rows: pl.DataFrame) -> None:
    """Refuse a column that differs between the rows of one person."""
    seen = pl.DataFrame({"person": rows["person"], "value": values.rename("value")})
    grouped = seen.with_row_index("row").group_by("person", maintain_order=True)
    counted = grouped.agg(pl.col("value").n_unique() > 1, pl.col("row").first())
    differing = counted.filter("value")
    if differing.height:
        raise DataError(
            f"column {values.name!r} has several values for {differing.height:,} persons (one has "
            f"the row {differing['row'][0] + 1:,}): in a long table only the item may differ. "
            "Leave the column out, or use linked tables"
        )
