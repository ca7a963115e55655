"""Registries that name what they hold by its place, and import it when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

Kind = TypeVar("Kind")


class LazyRegistry(Mapping[str, Kind]):
    """Objects by name, each imported when it is first looked up; names alone import nothing."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        """Keep the place of each name, `module:attribute`, the module seen from the package."""
        self._package = package
        self._places = dict(places)

    def __getitem__(self, name: str) -> Kind:
        """Return what a name stands for."""
        module, _, attribute = self._places[name].partition(":")
        found: Kind = getattr(import_module(f"{self._package}.{module}"), attribute)
        return found

    def __contains__(self, name: object) -> bool:
        """Say whether a name is known."""
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self._places)

    def __repr__(self) -> str:
        """Return the names."""
        return f"{type(self).__name__}({', '.join(self)})"
