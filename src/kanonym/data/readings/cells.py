"""The distinct texts of a column, and how many cells each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import polars as pl

from kanonym.data.readings.missing import is_missing

_SAMPLE = 1000
_FREQUENT = 100


@dataclass(frozen=True, slots=True)
class Cells:
    """The distinct texts of a column that are not missing, stripped, with their numbers of cells.

    texts, counts: (n,) distinct texts by first appearance, and how many cells each is.
    """

    name: str
    texts: pl.Series
    counts: pl.Series

    @classmethod
    def of(
        cls, column: pl.Series, missing: Sequence[str] = (), counts: pl.Series | None = None
    ) -> Self:
        """Return the cells of a column of texts; counts: how many each is, 1 if not given."""
        many = pl.lit(1, pl.Int64) if counts is None else counts.cast(pl.Int64)
        texts = pl.DataFrame({"text": column}).with_columns(n=many).drop_nulls("text")
        frame = texts.group_by("text", maintain_order=True).agg(pl.col("n").sum())
        bare = frame.with_columns(pl.col("text").str.strip_chars())
        if bare["text"].is_duplicated().any():
            bare = bare.group_by("text", maintain_order=True).agg(pl.col("n").sum())
        known = bare.filter(~is_missing(bare["text"], missing, words=True))
        return cls(column.name, known["text"], known["n"])

    @property
    def total(self) -> int:
        """How many cells there are."""
        return int(self.counts.sum())

    def number(self, among: pl.Series) -> int:
        """Return how many cells have the texts that (n,) Booleans choose."""
        return int(self.counts.filter(among).sum())

    def sample(self) -> pl.Series:
        """Return some of the texts: at equal distances, and the most frequent ones."""
        step = max(len(self.texts) // _SAMPLE, 1)
        frequent = self.texts.gather(self.counts.arg_sort(descending=True).head(_FREQUENT))
        return self.texts.gather_every(step).append(frequent)

    def filter(self, among: pl.Series) -> Cells:
        """Return the cells of some texts."""
        return Cells(self.name, self.texts.filter(among), self.counts.filter(among))
