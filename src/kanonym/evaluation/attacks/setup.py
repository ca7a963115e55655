"""Build the context of an attack from original, release and control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, HierarchyError, SchemaError
from kanonym.data.hierarchy import Hierarchy, HierarchySource
from kanonym.data.person_key import columns_of
from kanonym.data.schema import Identifier
from kanonym.data.table import encode_column, kind_of, value_codes
from kanonym.evaluation.attacks.base import AttackContext
from kanonym.evaluation.attacks.result import SuccessCount
from kanonym.evaluation.pair.aligned_tables import AlignedTables
from kanonym.evaluation.pair.reading import read_pair
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.pipeline.planning import parse_with_policy
from kanonym.policy import Policy

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
    rows: Ints | None = None,
    persons: tuple[Ints | None, Ints | None] = (None, None),
) -> AttackContext:
    """Read a release beside its original, and what else an intruder may have.

    The control is read together with the original: a released label may stand for values that no
    person of the control has.

    rows: (n_released,) int64, the original row of each released one, where it is known.
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
    """Return a hierarchy of all values, None where the release needs none, and the values."""
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


def _labels(tree: Hierarchy, leaves: Int32s) -> pl.DataFrame:
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


Persons = Ints | None


def control_columns(control: Frame, tables: AlignedTables) -> dict[str, pl.Series]:
    """Return the columns of the control that the original is compared by."""
    native = parse_with_policy(control, tables.policy)
    names = frames.column_names(native)
    absent = [name for name in tables.before if name not in names]
    if absent:
        raise SchemaError(
            f"the control has no column {absent[0]!r}. It has: {', '.join(names)}; it needs those "
            "of the original"
        )
    try:
        return {name: tables.column_of(native, name) for name in tables.before}
    except DataError as fault:
        raise DataError(f"the control: {fault}") from None


def require_other_people(original: Frame, control: Frame, policies: Iterable[Policy]) -> None:
    """Refuse a control that has an identifier's values of the original.

    Looked at are the columns by which a policy counts persons, and identifiers that no two
    records of the original share: two people may have one name.
    """
    tables: list[Any] = [frames.to_eager(original), frames.to_eager(control)]
    for policy in policies:
        counted = columns_of(policy.entities)
        alone = [
            name
            for name, one in policy.attributes.items()
            if isinstance(one, Identifier) and name not in counted
        ]
        for name in [*policy.entities, *alone]:
            if not all({*columns_of([name])} <= {*frames.column_names(table)} for table in tables):
                continue
            try:
                own, other = (
                    frames.column(table, name).drop_nulls().cast(pl.String) for table in tables
                )
            except (DataError, pl.exceptions.PolarsError):
                continue  # lists and the like identify nobody by their values
            if name not in policy.entities and own.n_unique() < len(own):
                continue
            shared = int(other.unique().is_in(own.implode()).sum())
            if shared:
                raise DataError(
                    f"{shared:,} of the control's {other.n_unique():,} values of {name!r} are in "
                    "the original, too: the control must hold other people, or attacks look "
                    "harmless. Leave these records out of it; if they are other people, number "
                    "them differently"
                )


def overlap_notes(
    before: Mapping[str, pl.Series],
    control: Mapping[str, pl.Series],
    persons: tuple[Persons, Persons],
) -> tuple[str, ...]:
    """Return what is told where the control has more of the original's records than chance gives.

    By chance as many equal a record of the original as the original's own records equal
    another person's there; more is told where the intervals of both shares are apart.
    """
    columns = [stack_columns(before, control, name) for name in before]
    n = next((len(column) for column in before.values()), 0)
    if not n or len(columns[0]) == n:
        return ()
    coded = [value_codes(column) for column in columns]
    labels = group_rows([codes for codes, _ in coded], [size for _, size in coded]).labels
    own, other = labels[:n].astype(np.int64), labels[n:]
    whose = np.arange(n) if persons[0] is None else persons[0]
    theirs = np.arange(len(other)) if persons[1] is None else persons[1]
    size = int(whose.max()) + 1
    distinct = np.unique(own * size + whose) // size
    held = np.bincount(distinct, minlength=int(labels.max()) + 1)
    count, expected = _mean_share(held[other] > 0, theirs), _mean_share(held[own] > 1, whose)
    if count.interval()[0] <= expected.interval()[1]:
        return ()
    note = (
        f"{int((held[other] > 0).sum()):,} of the control's {len(other):,} records are equal in "
        f"all columns to a record of the original ({count.rate:.1%}; of the original's own records "
        f"{expected.rate:.1%} are equal to another person's). If they are "
        "people of the original, leave them out: they make attacks look harmless."
    )
    return (note,)


def _mean_share(flags: Bools, whose: Ints) -> SuccessCount:
    """Return the mean over persons of the share of their records that are flagged."""
    held = np.bincount(whose)
    shares = np.bincount(whose, flags)[held > 0] / held[held > 0]
    return SuccessCount(float(shares.sum()), len(shares))
