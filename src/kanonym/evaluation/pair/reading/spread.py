"""What a released value stands for where it is not the original's: the span of its class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanonym.evaluation.pair.tables import Generalization
from kanonym.kernels.arrays import Bools, Floats, Int32s
from kanonym.kernels.classes.grouping import group_rows


def spread_over_class(
    read: Generalization, classes: Int32s, off: Bools, own: Int32s, line: Floats | None
) -> Generalization:
    """Let single values stand for the original values of their class.

    A mean, median or mode leaves open what went into it. Without knowing the records that cannot be
    seen, with them it can: of a class in which a released value is not the original one, the value
    stands for all from the smallest to the largest original value of the class, or for its distinct
    values where they have no order.

    classes: (n_released,) int32, from 0.
    off: (n_released,) bool, the cells with one value that is not the original one.
    own: (n_released,) int32, the original codes.
    line: (n_values,) float64, the non-null values of the domain on a line, None where they have no
        order.
    """
    touched = np.unique(classes[off])
    if not len(touched):
        return read
    number = np.full(int(classes.max()) + 1, -1, np.int32)
    number[touched] = np.arange(len(touched), dtype=np.int32)
    at = number[classes] >= 0
    groups = group_rows([number[classes[at]], own[at]], [len(touched), read.size])
    label, code = groups.codes.T
    counts = np.bincount(read.original, minlength=read.size)
    values = np.bincount(label, minlength=len(touched)).astype(np.int64)
    if line is None:
        records = np.bincount(label, counts[code], len(touched)).astype(np.int64)
        penalties = (values - 1) / max(read.size - 1, 1)
    else:
        ends = np.cumsum(values)
        low, high = code[ends - values], code[ends - 1]
        mixed = (high >= len(line)) & (low != high)
        low, high = np.where(mixed, 0, low), np.where(mixed, read.size - 1, high)
        upto = np.concatenate([[0], np.cumsum(counts)])
        values, records = high.astype(np.int64) - low + 1, upto[high + 1] - upto[low]
        padded = np.append(line, line[-1]) if len(line) else np.zeros(1)
        width = float(np.ptp(line)) if len(line) else 0.0
        spans = np.where(low == high, 0.0, padded[high] - padded[low])
        penalties = np.where(mixed, 1.0, spans / width if width > 0 else 0.0)
    labels = read.labels.copy()
    labels[at] = len(read.values) + number[classes[at]]
    return replace(
        read,
        labels=labels,
        values=np.concatenate([read.values, values]),
        records=np.concatenate([read.records, records]),
        penalties=np.concatenate([read.penalties, penalties]),
        spans=np.concatenate([read.spans, penalties]),
    )
