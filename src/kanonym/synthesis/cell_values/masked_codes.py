"""Masked codes of digits as intervals: `661**` leaves open 66100 to 66199."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from kanonym.data.hierarchy import HierarchySource, Masking
from kanonym.data.hierarchy.base import ROOT

MOST_DIGITS = 15
"""Digits of the longest code that a float64 holds exactly."""


def intervals_of_masks(
    released: Sequence[pl.Series], source: HierarchySource | None
) -> tuple[pl.Series, int] | None:
    """Return masks of digits as intervals, `661**` as `[66100, 66199]`, and the codes' length.

    None where masks are no intervals: the mask is not on the right, codes have letters or several
    lengths; and where nothing is masked. What is masked whole is `*`.

    Examples
    --------
    >>> intervals_of_masks([pl.Series(["041**", "04109", "*****"])], Masking())[0].to_list()
    ['[4100, 4199]', '4109', '*']

    """
    if not isinstance(source, Masking) or source.from_ != "right" or len(released) > 1:
        return None
    character, hidden = source.character, re.escape(source.character)
    labels = released[0].cast(pl.String)
    labels = labels.set(labels.str.contains(f"^({hidden})+$"), ROOT)
    codes = labels.filter(labels != ROOT).unique()
    is_code = codes.str.contains(f"^[0-9]+({hidden})*$")
    is_masked = codes.str.contains(character, literal=True)
    width = int(codes.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if not (is_masked.any() and is_code.all() and (codes.str.len_chars() == width).all()):
        return None
    if width > MOST_DIGITS:
        return None
    low, high = (
        codes.str.replace_all(character, digit, literal=True).cast(pl.Int64).cast(pl.String)
        for digit in "09"
    )
    intervals = pl.select(pl.when(low == high).then(low).otherwise("[" + low + ", " + high + "]"))
    return labels.replace(codes, intervals.to_series()), width
