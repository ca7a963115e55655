"""JSON objects as columns of the texts that stand in them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.loading.lazy_module import LazyModule
from kanonym.kernels.json_members import (
    LAYOUT,
    PARENT,
    START,
    STOP,
    copy_cells,
    measure_cells,
    scan_objects,
)

pa: Any = LazyModule("pyarrow")

MOST_NODES = 1024
"""Objects of more orders of keys are not read: the search for one would take long."""


class ObjectTexts(NamedTuple):
    """The values of n objects.

    columns: by key the (n,) JSON text of each object's value, without blanks between what it nests;
    null where it has no such key.
    layout: (n,) int32, the place of each object's order in `layouts`.
    lines: (n,) int64, the line where each object begins, from 1.
    """

    columns: dict[str, pl.Series]
    layouts: tuple[tuple[str, ...], ...]
    layout: NDArray[np.int32]
    lines: NDArray[np.int64]


def read_objects(text: str) -> ObjectTexts | None:
    """Read JSON objects that stand one behind the other, or in an array.

    Returns None where the text is no such JSON, an object has a key twice, a key has half of a
    surrogate pair, or there are more orders of keys, or objects within each other, than the
    kernel takes. Cost O(bytes).
    """
    data = np.frombuffer(text.encode() + b"\0", np.uint8)
    nodes = np.empty((MOST_NODES, LAYOUT + 1), np.int64)
    most = int(np.count_nonzero(data == ord(":")))
    spans, marks = np.empty((most, 2), np.int64), np.empty((most, 2), np.int32)
    objects = np.empty((int(np.count_nonzero(data == ord("{"))), 2), np.int64)
    counts = scan_objects(data, nodes, spans, marks, objects)
    n_members, n_objects, n_nodes, n_layouts = map(int, counts)
    if n_members < 0:
        return None
    spans, marks, objects = spans[:n_members], marks[:n_members], objects[:n_objects]
    orders: list[tuple[str, ...]] = [()]
    for node in nodes[1:n_nodes]:
        name = json.loads(data[node[START] : node[STOP]].tobytes())
        before = orders[node[PARENT]]
        if name in before or not is_text(name):
            return None
        orders.append((*before, name))
    names = list(dict.fromkeys(order[-1] for order in orders[1:]))
    places = {name: place for place, name in enumerate(names)}
    columns = np.array([places[order[-1]] if order else -1 for order in orders])
    ends = np.empty((len(names), n_objects), np.int64)
    ordered = [orders[0]] * n_layouts
    for node, order in zip(nodes[:n_nodes].tolist(), orders, strict=True):
        if node[LAYOUT] >= 0:
            ordered[node[LAYOUT]] = order
    layout = objects[:, 1].copy()
    measure_cells(marks, layout, np.array([*map(len, ordered)], np.int64), columns, ends)
    stops = np.cumsum(ends[:, -1]) if n_objects else np.zeros(len(names), np.int64)
    texts = np.empty(int(stops.max(initial=0)), np.uint8)
    starts = stops - (ends[:, -1] if n_objects else 0)
    copy_cells(data, spans, marks, columns, starts.copy(), texts)
    # A key may be written in several ways, with escapes and without.
    distinct = {order: place for place, order in enumerate(dict.fromkeys(ordered))}
    numbers = np.array([distinct[order] for order in ordered], np.int32)
    return ObjectTexts(
        {
            name: _column(name, texts[start:stop], own)
            for name, start, stop, own in zip(names, starts, stops, ends, strict=True)
        },
        tuple(distinct),
        numbers[layout],
        objects[:, 0].copy(),
    )


def is_text(decoded: str) -> bool:
    """Return whether a decoded JSON text can be written: no half of a surrogate pair is in it."""
    try:
        decoded.encode()
    except UnicodeEncodeError:
        return False
    return True


def _column(name: str, texts: NDArray[np.uint8], ends: NDArray[np.int64]) -> pl.Series:
    """Return the texts that end at (n,) int64 places as a column; null for those of no bytes."""
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    mask = ends > offsets[:-1]
    known = None if mask.all() else pa.py_buffer(np.packbits(mask, bitorder="little"))
    parts = [known, pa.py_buffer(offsets), pa.py_buffer(texts)]
    array = pa.Array.from_buffers(pa.large_string(), len(ends), parts)
    column: pl.Series = pl.from_arrow(array)  # type: ignore[assignment]
    return column.alias(name)
