"""Sets the scene of an attack: tables are read, and persons put beside the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError, SchemaError
from kanonym.data.hierarchy import Hierarchy, HierarchySource
from kanonym.data.table import encode_column, kind_of
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair

Columns = Mapping[str, pl.Series]


def build_context(
    original: Columns,
    released: Columns,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    control: Columns | None = None,
    second: Columns | None = None,
    hierarchies: Mapping[str, HierarchySource] | None = None,
    sources: Mapping[str, HierarchySource] | None = None,
    second_hierarchies: Mapping[str, HierarchySource] | None = None,
    aligned: bool | None = None,
    rows: NDArray[np.int64] | None = None,
    persons: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None] = (None, None),
) -> AttackContext:
    """Read a release beside its original, and what else an intruder may have.

    rows: (n_released,) int64, the original row of each released one, where it is known.

    Notes
    -----
    The control is read together with the original: a released label may stand for values
    that no person of the control has.

    """
    trees = dict(hierarchies or {})
    pair = read_pair(original, released, quasi_identifiers, trees, aligned=aligned, rows=rows)
    pair = replace(pair, persons=persons[0])
    wanted = tuple(name for name in sensitive if name in {column.name for column in pair.columns})
    return AttackContext(
        pair,
        None
        if control is None
        else replace(
            _control_pair(original, released, pair, control, (trees, trees | dict(sources or {}))),
            persons=persons[1],
        ),
        wanted,
        second=None
        if second is None
        else replace(
            _second_pair(
                original,
                second,
                quasi_identifiers,
                trees if second_hierarchies is None else second_hierarchies,
            ),
            persons=persons[0],
        ),
        trees={name: trees[name].bind(original[name]) for name in wanted if name in trees},
    )


def _control_pair(
    original: Columns,
    released: Columns,
    pair: TablePair,
    control: Columns,
    trees: tuple[Mapping[str, HierarchySource], Mapping[str, HierarchySource]],
) -> TablePair:
    """Return the pair of the persons of the control and the release.

    trees: hierarchies of the release, and what builds them.
    """
    both = {column.name: stack_columns(original, control, column.name) for column in pair.columns}
    first, known = pair.n_original, dict[str, HierarchySource]()
    for name in pair.quasi_identifiers:
        if name in trees[0]:
            tree, both[name] = _complete_hierarchy(
                trees[0][name], trees[1][name], both[name], first, released
            )
            known |= {} if tree is None else {name: tree}
    held = read_pair(both, released, pair.quasi_identifiers, known, aligned=False)
    return replace(
        held,
        columns=tuple(_skip_persons(column, first) for column in held.columns),
        generalizations=tuple(
            replace(generalization, original=generalization.original[first:])
            for generalization in held.generalizations
        ),
        n_original=held.n_original - first,
    )


def _complete_hierarchy(
    tree: HierarchySource, source: HierarchySource, both: pl.Series, first: int, released: Columns
) -> tuple[HierarchySource | None, pl.Series]:
    """Return a hierarchy of all values, None where the release needs none, and the values.

    Null stands in the place of those that the hierarchy cannot have.
    """
    own = encode_column(both[:first], tree)[0].hierarchy
    assert own is not None  # noqa: S101 - it was given
    try:
        wide = encode_column(both, source)[0].hierarchy
    except HierarchyError:
        wide = None
    if wide is not None and _hierarchies_agree(own, wide):
        return wide, both
    try:
        readable = not read_pair({both.name: both}, released, [both.name], aligned=False).new
    except SchemaError:
        readable = False
    if readable:
        return None, both
    return own, both.set(pl.Series(own.leaf_of(both) < 0), None)


def _hierarchies_agree(own: Hierarchy, wide: Hierarchy) -> bool:
    """Whether labels of a hierarchy stand for the same of its values in another one."""
    labels = {label for names in own.labels for label in names}
    above = _labels(own, np.arange(own.size, dtype=np.int32))
    frame = _labels(wide, wide.leaf_of(own.values)).filter(
        pl.col("label").is_in(list(labels), nulls_equal=True)
    )
    return above.sort("leaf", "label").equals(frame.sort("leaf", "label"))


def _labels(tree: Hierarchy, leaves: NDArray[np.int32]) -> pl.DataFrame:
    """Return each leaf, numbered from 0, beside each label above it."""
    number = pl.int_range(len(leaves), eager=True).alias("leaf")
    return pl.concat(
        pl.DataFrame([number, pl.Series("label", names, pl.String).gather(codes[leaves])])
        for names, codes in zip(tree.labels, tree.codes, strict=True)
    ).unique()


def stack_columns(original: Columns, control: Columns, name: str) -> pl.Series:
    """Return one column of the original and below it that of the control."""
    if name not in control:
        raise SchemaError(
            f"the control has no column {name!r}. It has: {', '.join(control)}; it needs those "
            "of the original"
        )
    own, other = original[name].alias(name), control[name].alias(name)
    wrong = SchemaError(
        f"column {name!r} is {other.dtype} in the control and {own.dtype} in the original; "
        "give both the same type"
    )
    kinds = {kind_of(part.dtype) for part in (own, other)}
    if len(kinds) > 1 and kinds & {"number", "temporal"}:
        raise wrong
    if any(part.dtype == pl.Categorical for part in (own, other)):
        own, other = own.cast(pl.String), other.cast(pl.String)
    try:
        other = other.cast(own.dtype) if own.dtype == pl.Enum else other
        joined = pl.concat([own.to_frame(), other.to_frame()], how="vertical_relaxed")
    except pl.exceptions.PolarsError:
        raise wrong from None
    return joined[name]


def _skip_persons(column: Column, first: int) -> Column:
    """Return a column without the first persons."""
    if isinstance(column, NumericColumn):
        return replace(column, original=column.original[first:])
    assert isinstance(column, CategoricalColumn)  # noqa: S101 - the only other kind
    return replace(column, original=column.original[first:])


def _second_pair(
    original: Columns,
    second: Columns,
    quasi_identifiers: Sequence[str],
    trees: Mapping[str, HierarchySource],
) -> TablePair:
    """Return the pair of the same persons and a further release."""
    known = [
        name
        for name in quasi_identifiers
        if name in second or {f"{name}_min", f"{name}_max"} <= set(second)
    ]
    if not known:
        raise SchemaError(
            "the second release has none of the quasi-identifiers "
            f"{', '.join(quasi_identifiers)}. It has: {', '.join(second)}"
        )
    return read_pair(original, second, known, trees, aligned=False)
