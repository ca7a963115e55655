"""Find the values of JSON objects, and copy their texts column by column.

Objects form a trie: a node is a key behind the keys that stand before it in its object, so the
order of an object's keys (its layout) is the node of its last one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.compile import kernel, part

MOST_DEEP = 62
"""Objects and arrays within each other; a bit of a word each."""

START, STOP, CHILD, SIBLING, PARENT, LAYOUT = range(6)
"""Fields of a node: where its key stands, quotes included; then -1 or a node; its layout or -1."""

_QUOTE, _BACKSLASH, _COMMA, _COLON, _ZERO, _NINE = (ord(mark) for mark in '"\\,:09')
_LEFT, _RIGHT, _OPEN, _CLOSE = (ord(mark) for mark in "{}[]")
_LOWEST = ord(" ")


@kernel
def scan_objects(
    data: NDArray[np.uint8], nodes: Ints, spans: Ints, marks: Int32s, objects: Ints
) -> tuple[int, int, int, int]:
    """Find the members of objects that stand one behind the other, or in an array.

    data: (n,) UTF-8, a zero last. nodes: (n_nodes, 6) int64, overwritten, fields as above.
    spans: (m, 2) int64, takes of each member where its value starts and stops. marks: (m, 2)
    int32, takes its node, and the bytes of its value without blanks between what it nests;
    m at least the number of colons. objects: (r, 2) int64, takes of each object the line where
    it starts, from 1, and the number of its layout; r at least the number of left braces.

    Returns the numbers of members, objects, nodes and layouts; -1 members where this is no
    such JSON, nests more than `MOST_DEEP` deep, or needs more nodes.
    """
    fault = (-1, 0, 0, 0)
    nodes[0] = np.array([0, 0, -1, -1, -1, -1])
    n_members, n_objects, n_nodes, n_layouts = 0, 0, 1, 0
    line, counted = 1, 0
    at = _skip_blanks(data, 0)
    in_array = data[at] == _OPEN
    if in_array:
        at = _skip_blanks(data, at + 1)
    more = data[at] != (_CLOSE if in_array else 0)
    while more:
        if data[at] != _LEFT:
            return fault
        for i in range(counted, at):
            line += data[i] == 10
        counted = at
        at = _skip_blanks(data, at + 1)
        node = 0
        inside = data[at] != _RIGHT
        while inside:
            first = at
            at = _string_end(data, at)
            if at < 0:
                return fault
            child = _find_child(data, nodes, node, first, at)
            if child < 0:
                if n_nodes == len(nodes):
                    return fault
                child, n_nodes = n_nodes, n_nodes + 1
                nodes[child] = np.array([first, at, -1, nodes[node, CHILD], node, -1])
                nodes[node, CHILD] = child
            node = child
            at = _skip_blanks(data, at)
            if data[at] != _COLON:
                return fault
            first = _skip_blanks(data, at + 1)
            at, blanks = _value_end(data, first)
            if at < 0:
                return fault
            spans[n_members, 0], spans[n_members, 1] = first, at
            marks[n_members, 0], marks[n_members, 1] = node, at - first - blanks
            n_members += 1
            at = _skip_blanks(data, at)
            inside = data[at] == _COMMA
            if inside:
                at = _skip_blanks(data, at + 1)
        if data[at] != _RIGHT:
            return fault
        if nodes[node, LAYOUT] < 0:
            nodes[node, LAYOUT], n_layouts = n_layouts, n_layouts + 1
        objects[n_objects, 0], objects[n_objects, 1] = line, nodes[node, LAYOUT]
        n_objects += 1
        at = _skip_blanks(data, at + 1)
        more = data[at] == _COMMA if in_array else at < len(data) - 1
        if in_array and more:
            at = _skip_blanks(data, at + 1)
    if in_array:
        if data[at] != _CLOSE:
            return fault
        at = _skip_blanks(data, at + 1)
    return (n_members, n_objects, n_nodes, n_layouts) if at == len(data) - 1 else fault


@kernel
def measure_cells(marks: Int32s, layouts: Ints, widths: Ints, columns: Ints, ends: Ints) -> None:
    """Write where each cell's text ends within its column: (n_columns, n_objects) int64.

    marks: as `scan_objects` leaves them. layouts: (n_objects,) int64. widths: (n_layouts,) int64
    members. columns: (n_nodes,) int64, the column of each node. A cell that an object lacks
    has no bytes.
    """
    ends[:] = 0
    member = 0
    for i in range(len(layouts)):
        for _ in range(widths[layouts[i]]):
            ends[columns[marks[member, 0]], i] = marks[member, 1]
            member += 1
    for end in ends:
        total = 0
        for i in range(len(end)):
            total += end[i]
            end[i] = total


@kernel
def copy_cells(
    data: NDArray[np.uint8],
    spans: Ints,
    marks: Int32s,
    columns: Ints,
    places: Ints,
    texts: NDArray[np.uint8],
) -> None:
    """Write the texts of all values, without blanks between what they nest, column by column.

    spans, marks: of (m,) members, as `scan_objects` leaves them. columns: (n_nodes,) int64.
    places: (n_columns,) int64, where each column begins in texts; overwritten.
    """
    for i in range(len(spans)):
        column = columns[marks[i, 0]]
        place, start, stop = places[column], spans[i, 0], spans[i, 1]
        places[column] = place + marks[i, 1]
        if marks[i, 1] == stop - start:
            for j in range(stop - start):
                texts[place + j] = data[start + j]
            continue
        quoted = False
        while start < stop:
            byte = data[start]
            if quoted or byte > _LOWEST:
                texts[place] = byte
                place += 1
            if quoted and byte == _BACKSLASH:
                start += 1
                texts[place] = data[start]
                place += 1
            elif byte == _QUOTE:
                quoted = not quoted
            start += 1


@part
def _find_child(data: NDArray[np.uint8], nodes: Ints, node: int, start: int, stop: int) -> int:
    """Return the node below another one that has the key of data[start:stop]; -1 if none has."""
    child: int = nodes[node, CHILD]
    while child >= 0:
        first = nodes[child, START]
        if nodes[child, STOP] - first == stop - start:
            same = True
            for i in range(stop - start):
                if data[first + i] != data[start + i]:
                    same = False
                    break
            if same:
                break
        child = nodes[child, SIBLING]
    return child


@part
def _value_end(data: NDArray[np.uint8], at: int) -> tuple[int, int]:
    """Return the place behind a value, -1 if there is none, and the blanks between its parts."""
    depth, blanks, objects = 0, 0, np.uint64(0)  # a bit is 1 for an object, the lowest innermost
    while True:
        byte = data[at]
        if byte in (_LEFT, _OPEN):
            after = _skip_blanks(data, at + 1)
            blanks += after - at - 1
            at = after
            if data[at] == byte + 2:  # } and ] follow two places behind { and [
                at += 1
            else:
                if depth == MOST_DEEP:
                    return -1, 0
                depth += 1
                objects = objects << np.uint64(1) | np.uint64(byte == _LEFT)
                if byte == _LEFT:
                    at, skipped = _key_end(data, at)
                    blanks += skipped
                    if at < 0:
                        return -1, 0
                continue
        else:
            at = _string_end(data, at) if byte == _QUOTE else _scalar_end(data, at)
            if at < 0:
                return -1, 0
        # A value has ended: so may those around it.
        while depth:
            after = _skip_blanks(data, at)
            blanks += after - at
            at = after
            of_object = objects & np.uint64(1) != 0
            if data[at] == _COMMA:
                break
            if data[at] != (_RIGHT if of_object else _CLOSE):
                return -1, 0
            at += 1
            depth -= 1
            objects >>= np.uint64(1)
        if depth == 0:
            return at, blanks
        after = _skip_blanks(data, at + 1)
        blanks += after - at - 1
        at = after
        if of_object:
            at, skipped = _key_end(data, at)
            blanks += skipped
            if at < 0:
                return -1, 0


@part
def _key_end(data: NDArray[np.uint8], at: int) -> tuple[int, int]:
    """Return the place of the value behind a key, -1 if there is none, and the blanks before it."""
    stop = _string_end(data, at)
    if stop < 0:
        return -1, 0
    colon = _skip_blanks(data, stop)
    if data[colon] != _COLON:
        return -1, 0
    at = _skip_blanks(data, colon + 1)
    return at, colon - stop + at - colon - 1


@part
def _string_end(data: NDArray[np.uint8], at: int) -> int:
    """Return the place behind a text; -1 if there is none."""
    if data[at] != _QUOTE:
        return -1
    at += 1
    while data[at] != _QUOTE:
        if data[at] < _LOWEST:  # as the zero is behind all data
            return -1
        if data[at] == _BACKSLASH:
            at += 1
            mark = data[at]
            if mark == 117:  # u, and four hexadecimal digits
                for _ in range(4):
                    at += 1
                    lower = data[at] | 32
                    if not (_ZERO <= data[at] <= _NINE or 97 <= lower <= 102):
                        return -1
            # b, f, n, r, t
            elif mark not in (_QUOTE, _BACKSLASH, 47, 98, 102, 110, 114, 116):
                return -1
        at += 1
    return at + 1


@part
def _scalar_end(data: NDArray[np.uint8], at: int) -> int:
    """Return the place behind a number, true, false or null; -1 if there is none."""
    if data[at] == 116:
        return _word_end(data, at, b"true")
    if data[at] == 102:
        return _word_end(data, at, b"false")
    if data[at] == 110:
        return _word_end(data, at, b"null")
    at += data[at] == 45  # -
    at = at + 1 if data[at] == _ZERO else _digits_end(data, at)
    if at >= 0 and data[at] == 46:  # .
        at = _digits_end(data, at + 1)
    if at >= 0 and data[at] | 32 == 101:  # e, E
        at += 1
        at = _digits_end(data, at + (data[at] == 43 or data[at] == 45))  # + -
    return at


@part
def _word_end(data: NDArray[np.uint8], at: int, word: bytes) -> int:
    """Return the place behind a word; -1 if it does not stand there."""
    for mark in word:
        if data[at] != mark:
            return -1
        at += 1
    return at


@part
def _digits_end(data: NDArray[np.uint8], at: int) -> int:
    """Return the place behind digits, at least one; -1 if there is none."""
    first = at
    while _ZERO <= data[at] <= _NINE:
        at += 1
    return at if at > first else -1


@part
def _skip_blanks(data: NDArray[np.uint8], at: int) -> int:
    """Return the first place from `at` on that is no blank."""
    while data[at] <= _LOWEST and (data[at] in (9, 10, 13, 32)):
        at += 1
    return at
