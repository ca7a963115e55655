"""Texts that a reader takes for the same value, for none, or for parts of one."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

_MISSING = frozenset(
    {
        "",
        "?",
        "-",
        "--",
        ".",
        "..",
        "n/a",
        "na",
        "n.a.",
        "n.d.",
        "nd",
        "nan",
        "null",
        "none",
        "nil",
        "#n/a",
        "#null!",
        "missing",
        "unknown",
        "refused",
        "not available",
        "no answer",
        "don't know",
        "keine angabe",
        "k.a.",
        "unbekannt",
        "inconnu",
        "desconocido",
        "sconosciuto",
        "desconhecido",
        "onbekend",
    }
)

MOST_VALUES = 100_000
"""A column of more values holds names or sentences, no codes."""
_FIRST_WORD = r"^[\s\"'(\[]*([^\W_]+)"
"""Not behind another sign: `-5` and `<5` do not begin as `5` does."""
_CATEGORY = r"^([a-z][0-9][0-9a-z])\w*$"
"""Of a code of the ICD-10 without its dot, the three characters that are the category."""


def _folded(texts: pl.Series) -> pl.Series:
    one_space = texts.str.normalize("NFKC").str.replace_all(r"\s+", " ")
    return one_space.str.strip_chars().str.to_lowercase()


def stands_for_missing(texts: pl.Series) -> pl.Series:
    """Return which texts are words for a missing value, such as `N/A`; null where there is none."""
    return _folded(texts).is_in(sorted(_MISSING))


def one_spelling(texts: pl.Series) -> pl.Series:
    """Return texts in which values that read the same are equal, and words for none are null.

    Such values differ in case, in spaces, or in the way Unicode writes a character.
    """
    values = texts.unique()
    folded = _folded(values)
    meant = pl.select(
        pl.when(folded.is_in(sorted(_MISSING))).then(None).otherwise(folded)
    ).to_series()
    return texts.replace_strict(values, meant, return_dtype=pl.String)


def beginnings(values: pl.Series) -> NDArray[np.int32] | None:
    """Return (n_values + 1,) labels, equal where texts begin alike; the last one is of null.

    None where no two do. Values begin alike if their first words are equal but for case: what
    stands before the first space or sign, `B20` of `B20.1`, and of `B201` the category.
    """
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum) or len(values) > MOST_VALUES:
        return None
    folded = values.cast(pl.String).str.to_lowercase()
    words = folded.str.extract(_FIRST_WORD).str.replace(_CATEGORY, "$1")
    own = pl.select(pl.coalesce(words, folded)).to_series().rank("dense").to_numpy()
    if own.max(initial=0) == len(values):
        return None
    return np.append(own, 0).astype(np.int32)
