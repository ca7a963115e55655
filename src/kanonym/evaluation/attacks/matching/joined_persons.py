"""The persons of the original and of the control beside one release, coded alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair


def join_persons(pair: TablePair, control: TablePair) -> TablePair:
    """Return the release beside the persons of a pair, and those of the control behind them.

    Columns that the two have read in different ways are left out.
    """
    both = zip(
        pair.columns, map(control.column, (column.name for column in pair.columns)), strict=True
    )
    return replace(
        control,
        columns=tuple(_join(*one) for one in both if type(one[0]) is type(one[1])),
        n_original=pair.n_original + control.n_original,
        persons=None,
    )


def _join(own: Column, other: Column) -> Column:
    """Return a column of the control with the persons of another pair before its own."""
    if isinstance(other, NumericColumn):
        return replace(other, original=np.concatenate([own.original, other.original]))
    assert isinstance(own, CategoricalColumn)  # noqa: S101 - of one type, as `join_persons` asks
    code = {text: i for i, text in enumerate(other.categories.to_list())}
    codes = np.array([code[text] for text in own.categories.to_list()], np.int32)
    return replace(other, original=np.concatenate([codes[own.original], other.original]))
