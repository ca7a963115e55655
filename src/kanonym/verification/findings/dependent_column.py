"""Find unprotected columns that depend on a quasi-identifier: a birth year beside the age.

With them classes are smaller than is required. Pairs of columns only: what several
quasi-identifiers tell together is not found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from kanonym.data.results import ShortRepr
from kanonym.data.table import value_codes
from kanonym.kernels.arrays import Floats, Ints
from kanonym.verification.findings.person_column import advice_beside_persons
from kanonym.verification.release_view import Evidence, ReleaseView, finding_kind

LEAST_ROWS = 50
"""Of fewer rows nothing is said: any two columns agree by chance."""
TOLD = 0.8
"""Share of the doubt about one column that the other one takes away."""
RANKED = 0.95
"""Rank correlation of numbers or dates that are nearly the same scale."""
LEAST_VALUES = 10
"""Of fewer different numbers, ranks say little."""
_COUNTED = 1 << 18
"""Pairs of values that are counted in an array; more of them by sorting."""


@finding_kind(
    "dependent-column",
    "identity",
    "{columns}: released unchanged, although a quasi-identifier can be told from it, or it "
    "from one. Counted with the quasi-identifiers, up to {records} records are in classes of "
    "fewer than {k}.",
    needs_original=True,
)
def dependent_column(view: ReleaseView) -> Evidence:
    for name, others in _dependent_columns(view).items():
        records = view.records_in_small_classes([name]) if name in view.released.columns else 0
        if records:
            advice = advice_beside_persons(view, [name], "make it a quasi-identifier, or drop it")
            message = (
                f"{name} is released as it is, although {' and '.join(others)} can be "
                f"told from it, or it from {'them' if len(others) > 1 else 'that'}. "
                f"Counted with the quasi-identifiers, up to {records:,} {view.unit} are "
                f"in classes of fewer than {view.k}: {advice}"
            )
            yield [name], message, {"records": records, "k": view.k}


def _dependent_columns(view: ReleaseView) -> dict[str, list[str]]:
    """Return the unprotected columns that depend on quasi-identifiers, each with these."""
    dependent: dict[str, list[str]] = {}
    for sampled in view.sampled_columns():
        columns = {column.name: Doubt.of(column) for column in sampled.sample}
        known = [name for name in sampled.known if name in columns]
        for name in sampled.unprotected:
            if name in columns:
                others = [one for one in known if are_dependent(columns[name], columns[one])]
                if others:
                    dependent.setdefault(name, []).extend(others)
    return dependent


@dataclass(frozen=True, slots=True, repr=False)
class Doubt(ShortRepr):
    """What is uncertain about a column.

    codes: (n_rows,) int64, equal for equal values; null is a value.
    ranks: (n_rows,) of numbers and dates of which none is null, else None.
    """

    codes: Ints
    size: int
    entropy: float
    scale: pl.Series | None
    ranks: Floats | None = None

    @classmethod
    def of(cls, column: pl.Series) -> Doubt:
        """Look at a column of values that can be counted."""
        codes = np.unique_inverse(value_codes(column)[0]).inverse_indices
        size = int(codes.max(initial=-1)) + 1
        ordered = column.dtype.is_numeric() or column.dtype.is_temporal()
        scale = column if ordered and size >= LEAST_VALUES else None
        ranks = None
        if scale is not None and not scale.null_count():
            ranks = scale.rank().to_numpy().astype(np.float64)
        return cls(codes, size, _entropy(codes, size), scale, ranks)


def are_dependent(left: Doubt, right: Doubt) -> bool:
    """Return whether one of two columns of the same rows nearly determines the other one.

    Notes
    -----
    By entropy: the uncertainty coefficient (Theil 1970), in either direction, is at least `TOLD`
    after the part that a random order of one column reaches as well, which is much where values
    are rare. Numbers and dates also by Spearman's rank correlation, at least `RANKED`.
    Cost: O(n log n).

    """
    if len(left.codes) < LEAST_ROWS:
        return False
    return _share_told(left, right) >= TOLD or _rank_correlation(left, right) >= RANKED


def _share_told(left: Doubt, right: Doubt) -> float:
    doubts = left.entropy, right.entropy
    told = _shared_entropy(left, right, right.codes)
    if not min(doubts) or told < TOLD * min(doubts):
        return 0.0
    chance = _shared_entropy(left, right, np.random.default_rng(0).permutation(right.codes))
    return max(
        ((told - chance) / (doubt - chance) for doubt in doubts if doubt - chance > doubt / 4),
        default=0.0,
    )


def _shared_entropy(left: Doubt, right: Doubt, codes: Ints) -> float:
    both = _entropy(left.codes * right.size + codes, left.size * right.size)
    return left.entropy + right.entropy - both


def _entropy(codes: Ints, size: int) -> float:
    counts = np.bincount(codes) if size <= _COUNTED else np.unique_counts(codes).counts
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log(shares)).sum())


def _rank_correlation(left: Doubt, right: Doubt) -> float:
    if left.scale is None or right.scale is None:
        return 0.0
    if left.ranks is not None and right.ranks is not None:
        return abs(float(np.corrcoef(left.ranks, right.ranks)[0, 1]))
    both = pl.DataFrame([left.scale.alias("left"), right.scale.alias("right")]).drop_nulls()
    if len(both) < LEAST_ROWS or min(column.n_unique() for column in both) < LEAST_VALUES:
        return 0.0
    ranks = both.select(pl.all().rank())  # dates and decimals have no type in common
    return abs(float(ranks.select(pl.corr("left", "right")).item()))
