"""Registries that name what they hold by its place, and import it when it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

Kind = TypeVar("Kind")


class LazyRegistry(MutableMapping[str, Kind]):
    """Objects by name, each imported when it is first looked up; names alone import nothing."""

    def __init__(self, package: str, places: Mapping[str, str], group: str | None = None) -> None:
        """Keep the place of each name, `module:attribute`, the module seen from the package.

        group: of the entry points by which other packages add names.
        """
        self._own = {name: f"{package}.{place}" for name, place in places.items()}
        self._found: dict[str, Kind] = {}
        self._group = group

    @property
    def _places(self) -> dict[str, str]:
        """The place of each name, those of other packages last."""
        if self._group is not None:
            group, self._group = self._group, None
            for entry in entry_points(group=group):
                self._own.setdefault(entry.name, entry.value)
        return self._own

    def __getitem__(self, name: str) -> Kind:
        """Return what a name stands for."""
        if name not in self._found:
            place = self._own.get(name) or self._places[name]
            module, _, attribute = place.partition(":")
            self._found[name] = getattr(import_module(module), attribute)
        return self._found[name]

    def __setitem__(self, name: str, kind: Kind) -> None:
        """Register something that is imported already."""
        self._places[name] = ":"
        self._found[name] = kind

    def __delitem__(self, name: str) -> None:
        """Forget a name."""
        del self._places[name]
        self._found.pop(name, None)

    def __contains__(self, name: object) -> bool:
        """Say whether a name is known."""
        return name in self._own or name in self._places

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self._places)

    def loaded(self) -> tuple[Kind, ...]:
        """Return what is imported already: no other class has instances."""
        return tuple(
            self[name]
            for name, place in self._places.items()
            if name in self._found or place.partition(":")[0] in sys.modules
        )
