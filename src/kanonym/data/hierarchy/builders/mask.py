"""Masking: characters of a code hidden one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan
from kanonym.data.hierarchy.builders.codes import code_texts, shared_prefixes, useful_prefix_lengths


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
        Parameters out of range; when bound, a column that is neither text nor whole
        numbers.

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

    def _level(self, codes: pl.Series, shared: NDArray[np.int64], kept: int, width: int) -> Level:
        """Return the level that shows `kept` characters."""
        groups = np.concatenate([[0], np.cumsum(shared < kept)])
        hidden = self.character * (width - kept)

        def labels(starts: NDArray[np.int64], _: NDArray[np.int64]) -> list[str]:
            shown = codes.gather(starts)
            if self.from_ == "right":
                return [text[:kept] + hidden for text in shown]
            return [hidden + text[width - kept :] for text in shown]

        return Level(groups, labels)
