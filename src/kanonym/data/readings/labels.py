"""Labels made of values, `[a, b]`, `{a, b}`, `<a` or a value alone, from one style to another.

Labels of other tools, `[a, b[` and `a-b`, are read as well; none is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import polars as pl

_LABEL = re.compile(
    r"^(?P<open>[\[({\]]|[<>]=?|[≤≥])?\s*(?P<body>.*?)(?P<close>[\])}\[])?$", re.DOTALL
)
_CLOSING = {"[": "])[", "(": "])[", "]": "])[", "{": "}"}


class _Parts(NamedTuple):
    """A label: what opens it, its values, and what closes it."""

    start: str
    values: list[str]
    end: str


def translate_labels(
    labels: pl.Series,
    convert: Callable[[pl.Series], pl.Series],
    separators: tuple[str, str],
    *,
    ranges: bool = False,
) -> pl.Series:
    """Return labels with their values in another style; a label with anything else stays.

    labels: (n,) texts.
    """
    distinct = labels.drop_nulls().unique().to_list()
    readings = {text: list(_readings(text, separators[0], ranges=ranges)) for text in distinct}
    values = list(
        dict.fromkeys(v for reading in readings.values() for parts in reading for v in parts[1])
    )
    converted = convert(pl.Series(values, dtype=pl.String)).to_list()
    known: dict[str, str | None] = dict(zip(values, converted, strict=True))
    known["null"] = "null"
    made = [_translate_label(text, found, known, separators[1]) for text, found in readings.items()]
    return labels.replace_strict(
        pl.Series(list(readings), dtype=pl.String),
        pl.Series(made, dtype=pl.String),
        default=None,
        return_dtype=pl.String,
    )


def _translate_label(
    text: str, readings: list[_Parts], known: dict[str, str | None], separator: str
) -> str:
    """Return a label by the first of its readings that has values alone."""
    for start, values, end in readings:
        new = [known[value] for value in values]
        if None not in new:
            return text if new == values else start + separator.join(map(str, new)) + end
    return text


def _readings(label: str, separator: str, *, ranges: bool) -> Iterator[_Parts]:
    """Yield the ways to take a label apart."""
    match = _LABEL.match(label)
    start, end = (match["open"] or "", match["close"] or "") if match else ("", "")
    if not match or (end not in _CLOSING[start] if start in _CLOSING else end) or not match["body"]:
        yield _Parts("", [label], "")
        return
    if start not in _CLOSING:
        yield _Parts(start, [match["body"]], end)
    else:
        # Other tools write `, ` between decimal commas, too.
        for one in dict.fromkeys([separator, ", "]):
            yield _Parts(start, match["body"].split(one), end)
    if ranges and not start:
        for dash in re.finditer(r"\s*[-–—]\s*", label):
            low, high = label[: dash.start()], label[dash.end() :]
            if low and high:
                yield _Parts("[", [low, high], "]")
