"""A hierarchy from a mapping that stands in code or in the policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.base import ROOT, Hierarchy
from kanonym.data.hierarchy.builders.base import plain_parameter
from kanonym.data.hierarchy.leaves import plain_text
from kanonym.data.hierarchy.rows import Row, Rows
from kanonym.data.results.short_repr import ShortRepr


@dataclass(frozen=True, slots=True, repr=False)
class FromMapping(ShortRepr):
    """A hierarchy from a mapping, in one of two forms.

    - From each value to its parent, or to its labels from level 1 upwards. The root
      `*` is added unless all values share the last label.
    - A tree: one key, the root, whose value is a mapping from labels to mappings,
      the innermost from labels to lists of values. All values at the same depth.

    Values are matched in the column's own type, None is null, and rows count as the
    rows of a file do: see `FromFile`.

    Parameters
    ----------
    mapping
        Either form.

    Raises
    ------
    HierarchyError
        It is no hierarchy: names the entry.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> cities = pl.Series("city", ["Lyon", "Rome", "Paris"])
    >>> parents = {"Paris": "France", "Lyon": "France", "Rome": "Italy"}
    >>> hierarchy.from_mapping(parents).bind(cities).to_rows()
    [['Paris', 'France', '*'], ['Lyon', 'France', '*'], ['Rome', 'Italy', '*']]
    >>> tree = {"Europe": {"France": ["Paris", "Lyon"], "Italy": ["Rome"]}}
    >>> hierarchy.from_mapping(tree).bind(cities).to_rows()[2]
    ['Rome', 'Italy', 'Europe']

    """

    kind: ClassVar[str] = "mapping"

    mapping: Mapping[Any, Any]
    rows: Rows = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.mapping, Mapping):
            raise HierarchyError(f"a mapping is expected, not {type(self.mapping).__name__}")
        tree = len(self.mapping) == 1 and isinstance(next(iter(self.mapping.values())), Mapping)
        rows = list(_leaves(self.mapping, ()) if tree else _parents(self.mapping))
        numbers = range(1, len(rows) + 1)
        object.__setattr__(self, "rows", Rows.check(rows, numbers, "hierarchy mapping"))

    def bind(self, values: pl.Series, counts: NDArray[np.int64] | None = None) -> Hierarchy:
        """Return the hierarchy over a column: see `HierarchySource.bind`."""
        del counts  # a mapping does not depend on them
        return self.rows.bind(values)

    def to_dict(self) -> dict[str, Any]:
        """Return the policy's form, `{"mapping": ...}`."""
        return {"mapping": plain_parameter(self.mapping)}


def _parents(mapping: Mapping[Any, Any]) -> list[Row]:
    """Return the rows of the form value → parent, or value → labels."""
    rows: list[Row] = []
    for value, above in mapping.items():
        if isinstance(above, Mapping):
            raise HierarchyError(
                f"hierarchy mapping: {value!r} leads to a mapping; a tree has one key, its root"
            )
        labels = above if isinstance(above, Sequence) and not isinstance(above, str) else [above]
        rows.append([plain_text(value), *(plain_text(label) for label in labels)])
    if len({row[-1] for row in rows}) > 1:
        rows = [[*row, ROOT] for row in rows]
    return rows


def _leaves(tree: Mapping[Any, Any], above: tuple[str | None, ...]) -> Iterator[Row]:
    """Yield the rows of a tree, depth first."""
    for label, below in tree.items():
        path = (plain_text(label), *above)
        if isinstance(below, Mapping):
            yield from _leaves(below, path)
        elif isinstance(below, Sequence) and not isinstance(below, str):
            yield from ([plain_text(value), *path] for value in below)
        else:
            raise HierarchyError(
                f"hierarchy mapping: {label!r} must lead to a mapping or a list of values, "
                f"not to a {type(below).__name__}"
            )
