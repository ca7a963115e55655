"""Values and sets of values as the text of a label, and sets read back."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
from numpy.typing import NDArray


def set_label(members: list[str | None]) -> str | None:
    """Return the label of a set of values, null as None: one alone as itself, `{a, b}`."""
    if len(members) == 1:
        return members[0]
    return (
        "{"
        + ", ".join("null" if member is None else _quote_member(member) for member in members)
        + "}"
    )


def members_of(text: str) -> list[str | None] | None:
    """Return the members of a set as recoding writes it, null as None; None for no set.

    Examples
    --------
    >>> members_of('{Köln, "a, b", null}')
    ['Köln', 'a, b', None]

    """
    if not (text.startswith("{") and text.endswith("}")) or len(text) <= 2:
        return None
    members: list[str | None] = []
    rest = text[1:-1]
    while True:
        if rest.startswith('"'):
            try:
                member, end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError:
                return None
            members.append(member)
        else:
            end = rest.find(", ") if ", " in rest else len(rest)
            members.append(None if rest[:end] == "null" else rest[:end])
        if end == len(rest):
            return members
        if not rest.startswith(", ", end):
            return None
        rest = rest[end + 2 :]


def list_lengths(labels: pl.Series) -> NDArray[np.int64]:
    """Return (n,) int64: how many values each label lists, 1 for one that is no set.

    Examples
    --------
    >>> list_lengths(pl.Series(["Köln", '{Köln, "a, b", null}', "{Köln, Bonn}", None])).tolist()
    [1, 3, 2, 1]

    """
    if labels.dtype != pl.String:
        return np.ones(len(labels), np.int64)
    frame, label = labels.to_frame("label"), pl.col("label")
    is_set = (label.str.starts_with("{") & label.str.ends_with("}")).fill_null(value=False)
    if not frame.select(is_set.any()).item():
        return np.ones(len(labels), np.int64)
    commas = label.str.count_matches(", ", literal=True)
    found = frame.select(
        pl.when(is_set).then(commas + 1).otherwise(1).cast(pl.Int64).alias("length"),
        label.str.contains('"', literal=True).fill_null(value=False).alias("quoted"),
    )
    lengths = found["length"].to_numpy().copy()
    # A comma within quotes parts no members.
    for i in np.flatnonzero((lengths > 1) & found["quoted"].to_numpy()).tolist():
        lengths[i] = len(members_of(labels[i]) or [None])
    return lengths


def _quote_member(text: str) -> str:
    """Quote a value that would read as something else inside a set."""
    alone = text and text != "null" and text == text.strip() and text.isprintable()
    return text if alone and not set(text) & set(',{}"') else json.dumps(text, ensure_ascii=False)
