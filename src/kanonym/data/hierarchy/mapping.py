"""Hierarchies from mappings and the other forms of a policy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from kanonym.data.errors import HierarchyError, shown_value
from kanonym.data.hierarchy.base import ROOT, Hierarchy, HierarchySource
from kanonym.data.hierarchy.builders.base import parameters, plain_parameter
from kanonym.data.hierarchy.builders.calendar_date import Dates
from kanonym.data.hierarchy.builders.codes import Masking, Prefix
from kanonym.data.hierarchy.builders.group import Frequency, Groups
from kanonym.data.hierarchy.builders.interval import Intervals
from kanonym.data.hierarchy.builders.suggestion import Automatic, Flat
from kanonym.data.hierarchy.csv_file import FromFile, Row, Rows
from kanonym.data.hierarchy.labels import plain_text
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Ints


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

    def bind(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
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


SOURCES: dict[str, type] = {
    kind.kind: kind
    for kind in (
        FromFile,
        FromMapping,
        Intervals,
        Groups,
        Masking,
        Dates,
        Prefix,
        Frequency,
        Flat,
        Automatic,
    )
}


def from_dict(form: object, folder: str | Path = ".") -> HierarchySource:
    """Return the hierarchy source that a policy describes; the inverse of `to_dict`.

    Parameters
    ----------
    form
        `automatic`, or one name of `SOURCES` with its parameters:
        `{"intervals": {"width": [5, 10]}}`, `{"masking": None}`, `{"file": "age.csv"}`,
        `{"file": {"path": "age.csv", "separator": "|"}}`, `{"mapping": {...}}`.
    folder
        What a relative path of a file is relative to.

    Raises
    ------
    HierarchyError
        An unknown name or parameter (with the nearest right one), or a parameter that
        the source refuses.

    Examples
    --------
    >>> from kanonym.data import hierarchy
    >>> hierarchy.from_dict({"masking": {"from": "left"}})
    Masking(from_='left', character='*')
    >>> hierarchy.from_dict({"interval": {"width": 5}})
    Traceback (most recent call last):
    kanonym.data.errors.HierarchyError: hierarchy 'interval' is unknown; did you mean 'intervals'?
    """
    if isinstance(form, str):
        form = {form: None}
    if not isinstance(form, Mapping) or len(form) != 1:
        raise HierarchyError(
            f"a hierarchy is one of {', '.join(SOURCES)} with its parameters, not "
            f"{shown_value(form)}"
        )
    kind, given = next(iter(form.items()))
    if kind not in SOURCES:
        raise HierarchyError(f"hierarchy {kind!r} is unknown; {_nearest(kind, SOURCES)}")
    if kind == FromMapping.kind:
        return FromMapping(given)
    if kind == FromFile.kind and isinstance(given, str | Path):
        given = {"path": given}
    if not isinstance(given or {}, Mapping):
        raise HierarchyError(f"{kind} takes parameters by name, not {shown_value(given)}")
    arguments = _arguments(kind, dict(given or {}))
    if kind == FromFile.kind:
        arguments["folder"] = folder
    source: HierarchySource = SOURCES[kind](**arguments)
    return source


def _arguments(kind: str, given: dict[object, object]) -> dict[str, object]:
    """Return constructor arguments; `from` is `from_` in Python."""
    names = {parameter.name.rstrip("_"): parameter for parameter in parameters(SOURCES[kind])}
    for name in given:
        if name not in names:
            raise HierarchyError(f"{kind} has no parameter {name!r}; {_nearest(name, names)}")
    for name, parameter in names.items():
        if name not in given and parameter.default is parameter.default_factory:
            raise HierarchyError(f"{kind} needs {name}")
    return {names[str(name)].name: value for name, value in given.items()}


def _nearest(name: object, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names) or 'none'}"
