"""Words for a missing value, `NA` or `unknown`, in columns of numbers, dates, times and bands."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

WORDS = (
    *("", "na", "n/a", "n.a.", "n. a.", "#n/a", "nan", "null", ".", "-", "--", "?"),
    *("unknown", "missing", "not available", "not known"),
    *("unbekannt", "k. a.", "k.a.", "keine angabe", "desconocido", "no consta"),
    *("inconnu", "non renseigné"),
)
"""In lower case. `none` may be 0, and `refused`, `never` or `not applicable` are answers."""


def is_missing(texts: pl.Series, declared: Sequence[str] = (), *, words: bool) -> pl.Series:
    """Return (n,) Boolean, which texts are null.

    declared: further words and codes, exactly as they are written. words: whether `WORDS` are
    null, too.
    """
    bare = texts.str.strip_chars()
    column = bare.is_in(list(declared))
    if words:
        column |= bare.str.to_lowercase().is_in(list(WORDS))
    return column.fill_null(value=True)
