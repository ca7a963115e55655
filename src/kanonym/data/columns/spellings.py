"""Texts that a reader takes for the same value, or for none."""

from __future__ import annotations

import polars as pl

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
