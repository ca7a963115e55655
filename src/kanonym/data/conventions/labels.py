"""Labels made of values, `[a, b]`, `{a, b}`, `<a` or a value alone, from one style to another."""

from __future__ import annotations

import re
from collections.abc import Callable

import polars as pl

_LABEL = re.compile(r"^(?P<open>[\[({]|[<>]=?)?(?P<body>.*?)(?P<close>[\])}])?$", re.DOTALL)
_CLOSING = {"[": "])", "(": "])", "{": "}"}


def translate(
    labels: pl.Series,
    convert: Callable[[pl.Series], pl.Series],
    separators: tuple[str, str],
) -> pl.Series:
    """Return labels with their values in another style; a label with anything else stays.

    Parameters
    ----------
    labels
        (n,) texts.
    convert
        Gives texts of values in the other style, null for what is no value.
    separators
        Between the values of a label, in this style and in the other one.

    """
    distinct = labels.drop_nulls().unique()
    parts = {text: _parts(text, separators[0]) for text in distinct.to_list()}
    values = list(dict.fromkeys(one for _, body, _ in parts.values() for one in body))
    converted = convert(pl.Series(values, dtype=pl.String)).to_list()
    known: dict[str, str | None] = dict(zip(values, converted, strict=True))
    known["null"] = "null"
    made = [
        text
        if any(known[one] is None for one in body)
        else start + separators[1].join(str(known[one]) for one in body) + end
        for text, (start, body, end) in parts.items()
    ]
    return labels.replace_strict(
        pl.Series(list(parts), dtype=pl.String),
        pl.Series(made, dtype=pl.String),
        default=None,
        return_dtype=pl.String,
    )


def _parts(label: str, separator: str) -> tuple[str, list[str], str]:
    """Return what opens a label, its values, and what closes it."""
    found = _LABEL.match(label)
    start, end = (found["open"] or "", found["close"] or "") if found else ("", "")
    if not found or (end not in _CLOSING[start] if start in _CLOSING else end) or not found["body"]:
        return "", [label], ""
    body = found["body"].split(separator) if start in _CLOSING else [found["body"]]
    return start, body, end
