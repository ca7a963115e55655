"""Codes as rows of characters: what masking and common prefixes share."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.leaves import value_texts

_BLOCK = 2**22  # characters of codes that are compared at a time


def code_texts(values: pl.Series, builder: str) -> pl.Series:
    """Return text or whole numbers as text."""
    dtype = values.dtype
    if dtype not in (pl.String, pl.Categorical, pl.Enum) and not dtype.is_integer():
        instead = (
            "dates" if dtype.is_temporal() else "intervals" if dtype.is_numeric() else "groups"
        )
        raise HierarchyError(
            f"column {values.name!r} holds {dtype}: {builder} needs text or whole numbers; "
            f"use {instead}"
        )
    return value_texts(values)


def shared_prefixes(codes: pl.Series) -> NDArray[np.int64]:
    """Return (len(codes) - 1,) int64: how many leading characters neighbours share.

    Cost: one pass over a matrix of characters, block by block.
    """
    width = max(int(codes.str.len_chars().max() or 0), 1)  # type: ignore[arg-type]
    rows = max(_BLOCK // width, 1)
    shared = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(codes) - 1, rows):
        block = codes[start : start + rows + 1].to_list()
        matrix = np.array(block, dtype=f"U{width}").view(np.uint32).reshape(-1, width)
        same = matrix[1:] == matrix[:-1]
        shared.append(np.where(same.all(axis=1), width, same.argmin(axis=1)))
    return np.concatenate(shared)


def useful_prefix_lengths(shared: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the prefix lengths that make useful levels, longest first, and their group counts.

    Neighbours with fewer than p shared characters part at length p. Of lengths that
    group alike the longest counts; those that group nothing do not, nor does 0.
    """
    n = len(shared) + 1
    groups = np.append(1, 1 + np.cumsum(np.bincount(shared)))
    lengths = np.flatnonzero(np.diff(groups, append=n + 1))
    lengths = lengths[(lengths > 0) & (groups[lengths] < n)][::-1]
    return lengths, groups[lengths]
