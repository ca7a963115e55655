"""Records out: numbers as Go writes them, one compact object a line, keys in input order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kanonym.sigo.records import Records

SMALL, LARGE = 1e-6, 1e21
"""Go's `encoding/json` writes numbers outside of these with an exponent."""


def go_number(value: float) -> str:
    """Return a finite number as Go's `encoding/json` writes it.

    The shortest digits that read back as the same number; no `.0`; an exponent only below
    1e-6 and from 1e21 on, without leading zeros.

    Examples
    --------
    >>> [go_number(value) for value in (3.0, 18.17, 1e-05, 1e-07, 1e20, 1e22)]
    ['3', '18.17', '0.00001', '1e-7', '100000000000000000000', '1e+22']

    """
    text = repr(float(value))
    if value != 0 and not SMALL <= abs(value) < LARGE:
        digits, _, exponent = text.partition("e")
        return f"{digits}e{exponent[0]}{exponent[1:].lstrip('0')}"
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def go_numbers(values: NDArray[np.float64]) -> pl.Series:
    """Return (n,) texts of finite numbers, each distinct one written once."""
    distinct, place = np.unique(values, return_inverse=True)
    return _format_distinct(list(map(go_number, distinct.tolist())), place)


def iso_dates(days: NDArray[np.float64]) -> pl.Series:
    """Return (n,) JSON texts of dates, given as whole days since 1970."""
    distinct, place = np.unique(days, return_inverse=True)
    dates = distinct.astype(np.int64).astype("datetime64[D]")
    return _format_distinct([f'"{date}"' for date in dates.astype(str).tolist()], place)


def quote_texts(texts: pl.Series) -> pl.Series:
    """Return texts, without null, as JSON strings."""
    return pl.Series(
        texts.name, [json.dumps(text, ensure_ascii=False) for text in texts], pl.String
    )


def json_lines(
    records: Records, order: NDArray[np.int64] | None, values: Mapping[str, pl.Series]
) -> bytes:
    """Return records as JSON Lines.

    order: (m,) rows of the input in printed order; None for all in their own.
    values: by key, (m,) JSON texts in printed order that take the place of the input's, null where
    that stays. Keys that a record does not have follow its own.
    """
    layout = records.layout if order is None else records.layout[order]
    m = len(layout)
    rows = np.arange(m) if order is None else order
    printed, places = [], []
    for one in np.unique(layout):
        place = np.flatnonzero(layout == one)
        names = records.layouts[one]
        parts: list[pl.Expr] = []
        for name in names:
            old = records.columns[name].gather(rows[place])
            new = values[name].gather(place) if name in values else None
            parts.append(_key(name, "," if parts else "{"))
            parts.append(pl.lit(old) if new is None else pl.coalesce(pl.lit(new), pl.lit(old)))
        further = [  # null where the value is null
            pl.concat_str(_key(name, ""), pl.lit(column.gather(place)))
            for name, column in values.items()
            if name not in names
        ]
        if names:
            parts += [pl.concat_str(pl.lit(","), one).fill_null("") for one in further]
        else:
            parts = [pl.repeat("{", len(place))]
            parts += [pl.concat_str(further, separator=",", ignore_nulls=True)] if further else []
        parts.append(pl.lit("}\n"))
        printed.append(pl.select(pl.concat_str(parts).alias("line")).to_series())
        places.append(place)
    if not printed:
        return b""
    every = pl.concat(printed)
    if len(printed) > 1:
        every = every.gather(np.argsort(np.concatenate(places)))
    text: str = every.str.join("").item()
    return text.encode()


def _key(name: str, before: str) -> pl.Expr:
    return pl.lit(f"{before}{json.dumps(name, ensure_ascii=False)}:")


def _format_distinct(texts: list[str], place: NDArray[np.int64]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String).gather(place)
