"""What is fixed for all batches of a series."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from kanonym.data.results.short_repr import ShortRepr
from kanonym.policy import Policy
from kanonym.series.learning import Recoding


@dataclass(frozen=True, repr=False)
class Series(ShortRepr):
    """What is fixed for all batches.

    Attributes
    ----------
    policy, recoding
        What every release must satisfy, and how values are recoded.
    unseen
        `root` or `error`: what becomes of values that the recoding does not know, and of
        records in no class.
    each_batch
        Whether a batch must satisfy the policy by itself, too.
    sensitive
        The types of the sensitive attributes that models look at.

    """

    policy: Policy
    recoding: Recoding
    unseen: str
    each_batch: bool
    sensitive: dict[str, pl.DataType]
