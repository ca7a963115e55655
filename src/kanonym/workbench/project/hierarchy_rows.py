"""Hierarchies that are edited by hand: rows of labels, one a value, as in ARX's files."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from kanonym.data.errors import HierarchyError
from kanonym.data.files import write_text

Row = tuple[str | None, ...]
FOLDER = "hierarchies"
_ODD = re.compile(r"[^\w-]")


def with_group(
    rows: Sequence[Row], values: Collection[str | None], level: int, label: str
) -> list[Row]:
    """Return rows in which values have a label at a level.

    Where other values have that label already, those that join them get the labels above it,
    too: a label has one parent.

    Examples
    --------
    >>> rows = [("Rome", "Italy", "*"), ("Lyon", "France", "*"), ("Bern", "Bern", "*")]
    >>> with_group(rows, {"Bern", "Lyon"}, 1, "Alps")[1:]
    [('Lyon', 'Alps', '*'), ('Bern', 'Alps', '*')]

    """
    depth = len(rows[0]) if rows else 0
    if not 0 < level < depth - 1:
        raise HierarchyError(f"level {level} is not between the values and the root")
    if not label.strip():
        raise HierarchyError("a group needs a name")
    name = label.strip()
    others = (row for row in rows if row[level] == name and row[0] not in values)
    own = (row for row in rows if row[0] in values)
    model = next(others, None) or next(own, None)
    above = model[level + 1 :] if model is not None else ()
    return [(*row[:level], name, *above) if row[0] in values else row for row in rows]


def with_level(rows: Sequence[Row]) -> list[Row]:
    """Return rows with a further level below the root; there each label stays as it is.

    >>> with_level([("Rome", "*"), (None, "*")])
    [('Rome', 'Rome', '*'), (None, None, '*')]
    """
    return [(*row[:-1], row[-2], row[-1]) for row in rows]


def rename_label(rows: Sequence[Row], level: int, old: str, new: str) -> list[Row]:
    """Return rows in which a label of a level has another name."""
    if level < 1 or not new.strip():
        raise HierarchyError("give the label a name")
    return [
        (*row[:level], new.strip(), *row[level + 1 :])
        if level < len(row) and row[level] == old
        else row
        for row in rows
    ]


def groups_of(rows: Sequence[Row]) -> tuple[tuple[int, str], ...]:
    """Return the labels between values and root, by level.

    >>> groups_of([("Rome", "Italy", "*"), ("Pisa", "Italy", "*"), (None, None, "*")])
    ((1, 'Italy'),)
    """
    depth = len(rows[0]) if rows else 0
    found = dict.fromkeys(
        (level, label) for level in range(1, depth - 1) for row in rows if (label := row[level])
    )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Branch:
    """A label of a hierarchy, the records below it, and the labels below it."""

    label: str | None
    records: int
    branches: tuple[Branch, ...]


def branches_of(rows: Sequence[Row], counts: Sequence[int]) -> tuple[Branch, ...]:
    """Return rows as a tree, from the root; what follows with the same label only is one branch.

    Examples
    --------
    >>> rows = [("Rome", "Italy", "*"), ("Pisa", "Italy", "*"), ("Lyon", "Lyon", "*")]
    >>> (root,) = branches_of(rows, [5, 1, 2])
    >>> root.label, root.records, [(one.label, len(one.branches)) for one in root.branches]
    ('*', 8, [('Italy', 2), ('Lyon', 0)])

    """
    return _branches([(row[::-1], count) for row, count in zip(rows, counts, strict=False)])


def _branches(paths: Sequence[tuple[Row, int]]) -> tuple[Branch, ...]:
    """paths: labels from this level to the value, and the records of each value."""
    found: dict[str | None, list[tuple[Row, int]]] = {}
    for path, count in paths:
        found.setdefault(path[0], []).append((path[1:], count))
    return tuple(
        Branch(
            label,
            sum(count for _, count in below),
            () if all(set(path) <= {label} for path, _ in below) else _branches(below),
        )
        for label, below in found.items()
    )


def to_csv(rows: Sequence[Row]) -> str:
    """Return rows as ARX's CSV."""
    text = StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerows([["" if one is None else one for one in row] for row in rows])
    return text.getvalue()


def write_rows(folder: Path, column: str, number: int, text: str) -> str:
    """Write a hierarchy into a project, and return its path within it.

    Each state has a file of its own, so that an undo finds the one before.
    """
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    name = f"{_ODD.sub('_', column)[:40]}-{number}.csv"
    write_text(place / name, text)
    return f"{FOLDER}/{name}"


def is_foreign_file(form: Any) -> bool:
    """Whether a hierarchy is a file that others may change: the project's own are never changed."""
    named = form.get("file") if isinstance(form, Mapping) else None
    return named is not None and not str(named).startswith(f"{FOLDER}/")
