"""Hierarchies as a policy file writes them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from kanonym.data.errors import HierarchyError, shown_value
from kanonym.data.hierarchy.base import HierarchySource
from kanonym.data.hierarchy.builders.base import parameters
from kanonym.data.hierarchy.builders.calendar_date import Dates
from kanonym.data.hierarchy.builders.group import Groups
from kanonym.data.hierarchy.builders.interval import Intervals
from kanonym.data.hierarchy.builders.mask import Masking
from kanonym.data.hierarchy.builders.rarity import Frequency
from kanonym.data.hierarchy.builders.suggestion import Automatic, Flat
from kanonym.data.hierarchy.builders.trie import Prefix
from kanonym.data.hierarchy.csv_file import FromFile
from kanonym.data.hierarchy.mapping import FromMapping

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
    names = {field.name.rstrip("_"): field for field in parameters(SOURCES[kind])}
    for name in given:
        if name not in names:
            raise HierarchyError(f"{kind} has no parameter {name!r}; {_nearest(name, names)}")
    for name, field in names.items():
        if name not in given and field.default is field.default_factory:
            raise HierarchyError(f"{kind} needs {name}")
    return {names[str(name)].name: value for name, value in given.items()}


def _nearest(name: object, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names) or 'none'}"
