"""Released columns of records in this process, from what was decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from kanonym.actions.registry import ColumnActions
from kanonym.data.columns.values import ReleasedColumn, RepeatedColumn
from kanonym.data.partition import RecodedAttribute
from kanonym.data.schema import Role, Schema
from kanonym.engines.decision import EncodedDecision
from kanonym.kernels.arrays import Ints
from kanonym.kernels.parallel import parallel


def released_values(
    decision: EncodedDecision,
    schema: Schema,
    rows: Ints,
    acting: ColumnActions,
    changed: Mapping[str, Sequence[pl.Series]],
) -> list[ReleasedColumn]:
    """Return the columns of the release in order, as `data.frames.assemble` takes them.

    rows: (n_released,) the records of the input that are released, in their new order.
    acting: what is done to columns before the algorithm; changed: of `apply_late_actions`.
    """
    # As unsigned 32-bit Series, polars takes indices without a copy.
    labels = decision.labels[rows]
    classes = pl.Series(labels.view(np.uint32))
    # A class may be one of the population alone: what it would release is nobody's here.
    occurs = np.zeros(decision.n_classes, np.bool_)
    occurs[labels] = True

    def values(attribute: RecodedAttribute) -> list[ReleasedColumn]:
        if attribute.name in changed:
            return [column.gather(rows) for column in changed[attribute.name]]
        value_of_class = attribute.label_of_class
        used = np.zeros(len(attribute.columns[0]), np.bool_)
        used[value_of_class[occurs]] = True
        if not used.all():
            value_of_class = np.maximum(np.cumsum(used) - 1, 0)[value_of_class]
        places = pl.Series(value_of_class.astype(np.uint32, copy=False))
        return [
            RepeatedColumn(column.filter(used), places, classes) for column in attribute.columns
        ]

    names = (one.name for one in decision.recoded)
    recoded = dict(zip(names, parallel(values, decision.recoded), strict=True))
    released: list[ReleasedColumn] = []
    for name, attribute in schema.attributes.items():
        if attribute.role is Role.QUASI_IDENTIFIER:
            released += recoded[name]
        elif attribute.action or attribute.role is Role.SET:
            whole = changed[name] if name in changed else [acting.before(name)]
            released += [column.gather(rows) for column in whole]
        elif attribute.role is not Role.IDENTIFIER:
            released.append(name)
    return released


def apply_late_actions(
    decision: EncodedDecision, acting: ColumnActions
) -> dict[str, list[pl.Series]]:
    """Return the columns that actions change after the algorithm, by attribute.

    Each has n_rows values in the order of the input, null for suppressed records.
    """
    if not acting.late_attributes:
        return {}
    kept = decision.labels >= 0
    labels = decision.labels[kept]
    of_record = pl.Series(np.where(kept, np.cumsum(kept) - 1, 0), dtype=pl.UInt32).set(
        pl.Series(~kept), None
    )
    known = {attribute.name: attribute for attribute in decision.recoded}
    columns = {}
    for name in acting.late_attributes:
        if name in known:
            place = known[name].label_of_class[labels]
            released = [column.gather(place) for column in known[name].columns]
        else:
            released = [acting.before(name).filter(pl.Series(kept))]
        columns[name] = [
            acting.after(name, column, labels, np.flatnonzero(kept)).gather(of_record)
            for column in released
        ]
    return columns
