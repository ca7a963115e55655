"""Hierarchies of codes: masks and prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import commonprefix
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan, integers_per_level
from kanonym.data.hierarchy.labels import value_texts
from kanonym.kernels.arrays import Ints

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


def shared_prefixes(codes: pl.Series) -> Ints:
    """Return (len(codes) - 1,) int64: how many leading characters neighbours share."""
    width = max(int(codes.str.len_chars().max() or 0), 1)  # type: ignore[arg-type]
    rows = max(_BLOCK // width, 1)
    shared = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(codes) - 1, rows):
        block = codes[start : start + rows + 1].to_list()
        matrix = np.array(block, dtype=f"U{width}").view(np.uint32).reshape(-1, width)
        same = matrix[1:] == matrix[:-1]
        shared.append(np.where(same.all(axis=1), width, same.argmin(axis=1)))
    return np.concatenate(shared)


def useful_prefix_lengths(shared: Ints) -> tuple[Ints, Ints]:
    """Return the prefix lengths that make useful levels, longest first, and their group counts.

    Neighbours with fewer than p shared characters part at length p. Of lengths that
    group alike the longest counts; those that group nothing do not, nor does 0.
    """
    n = len(shared) + 1
    groups = np.append(1, 1 + np.cumsum(np.bincount(shared)))
    lengths = np.flatnonzero(np.diff(groups, append=n + 1))
    lengths = lengths[(lengths > 0) & (groups[lengths] < n)][::-1]
    return lengths, groups[lengths]


@dataclass(frozen=True, slots=True)
class Prefix(Builder):
    """Values that start alike, shorter and shorter prefixes from level to level.

    For codes that grow from left to right, of any length (diagnoses, industries). A
    group reads as the longest prefix that its values share with `*`, or as the value
    itself where it holds one. Levels are the prefix lengths at which values part;
    where there are more of them than wanted, those are taken that thin the groups out
    most evenly, by about the same factor from level to level.

    Parameters
    ----------
    levels
        At most so many levels between values and root, besides the prefix that all values share.

    Raises
    ------
    HierarchyError
        `levels` below 1; when bound, a column that is neither text nor whole numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> codes = pl.Series("diagnosis", ["E11.9", "E11.65", "E10", "I10"])
    >>> found = hierarchy.prefix().bind(codes)
    >>> found.generalize(1)
    ['E10', 'E11.*', 'E11.*', 'I10']
    >>> found.generalize(2)
    ['E1*', 'E1*', 'E1*', 'I10']
    """

    kind: ClassVar[str] = "prefix"

    levels: int = 4

    def __post_init__(self) -> None:
        integers_per_level("levels", self.levels, least=1)

    def plan(self, column: Column) -> Plan:
        """Return the values by alphabet, and one level a chosen prefix length."""
        codes = code_texts(column.values, "prefix")
        frame = pl.DataFrame({"value": column.values, "code": codes}).sort("code")
        shared = shared_prefixes(frame["code"])
        levels = [_level(frame["code"], shared, length) for length in self._lengths(shared)]
        return Plan(frame["value"].alias(column.name), levels)

    def _lengths(self, shared: Ints) -> list[int]:
        """Return the chosen prefix lengths, longest first, and last the one that all share."""
        every, groups = useful_prefix_lengths(shared)
        lengths, groups = every[groups > 1], groups[groups > 1]
        if len(lengths) > self.levels:
            wanted = np.log(len(shared) + 1) * np.arange(1, self.levels + 1) / (self.levels + 1)
            distance = np.abs(np.log(groups) - wanted[:, np.newaxis])
            lengths = lengths[np.unique(distance.argmin(axis=1))]
        chosen: list[int] = [*lengths.tolist(), *every[len(groups) :].tolist()]
        return chosen


def _level(codes: pl.Series, shared: Ints, length: int) -> Level:
    """Return the level of values that share a prefix of one length."""
    groups = np.concatenate([[0], np.cumsum(shared < length)])

    def labels(starts: Ints, ends: Ints) -> list[str]:
        # In alphabetic order the first and the last of a group part soonest. Characters
        # are meant, not components of a path.
        pairs = zip(codes.gather(starts), codes.gather(ends - 1), strict=True)
        return [a if a == b else f"{commonprefix([a, b])}*" for a, b in pairs]  # noqa: RUF071

    return Level(groups, labels)


@dataclass(frozen=True, slots=True)
class Masking(Builder):
    """One more character hidden at every level, from one end of a code.

    Shorter values are padded at the end that is masked first: a character that is not
    there counts as hidden. Whole numbers are padded with zeros on the left, so that
    masking from the right hides ones, then tens, then hundreds.

    Parameters
    ----------
    from_
        `right` or `left`: where masking starts. A policy writes it `from`.
    character
        What a hidden character becomes.

    Raises
    ------
    HierarchyError
        Parameters out of range; when bound, a column that is neither text nor whole numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> zips = hierarchy.masking().bind(pl.Series("zip", ["13053", "13058", "13068", "148"]))
    >>> zips.generalize(1)
    ['1305*', '1305*', '1306*', '148**']
    >>> zips.generalize(2)
    ['130**', '130**', '130**', '148**']
    """

    kind: ClassVar[str] = "masking"

    from_: Literal["right", "left"] = "right"
    character: str = "*"

    def __post_init__(self) -> None:
        if self.from_ not in ("right", "left"):
            raise HierarchyError(f"masking is from 'right' or 'left', not {self.from_!r}")
        if not isinstance(self.character, str) or len(self.character) != 1:
            raise HierarchyError(f"character must be one character, not {self.character!r}")

    def plan(self, column: Column) -> Plan:
        """Return the values in the order of what stays visible, and one level a character."""
        codes = code_texts(column.values, "masking")
        width = int(codes.str.len_chars().max() or 0)  # type: ignore[arg-type]
        right = self.from_ == "right"
        if column.values.dtype.is_integer():
            padded = codes.str.zfill(width)
        else:
            padded = (codes.str.pad_end if right else codes.str.pad_start)(width, self.character)
        # Not `str.reverse`, which keeps combined characters together.
        visible = padded if right else pl.Series([text[::-1] for text in padded])
        frame = pl.DataFrame({"value": column.values, "code": padded, "visible": visible})
        frame = frame.sort("visible", "value")
        # Values that are alike once padded part nowhere, and are one from level 1 on.
        shared = np.minimum(shared_prefixes(frame["visible"]), width - 1)
        lengths, _ = useful_prefix_lengths(shared)
        levels = [self._level(frame["code"], shared, kept, width) for kept in lengths.tolist()]
        return Plan(frame["value"].alias(column.name), levels)

    def _level(self, codes: pl.Series, shared: Ints, kept: int, width: int) -> Level:
        """Return the level that shows `kept` characters."""
        groups = np.concatenate([[0], np.cumsum(shared < kept)])
        hidden = self.character * (width - kept)

        def labels(starts: Ints, _: Ints) -> list[str]:
            shown = codes.gather(starts)
            if self.from_ == "right":
                return [text[:kept] + hidden for text in shown]
            return [hidden + text[width - kept :] for text in shown]

        return Level(groups, labels)
