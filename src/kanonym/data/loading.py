"""What is imported on first use, and what may be absent."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, TypeVar

from kanonym.data.errors import DataError


@contextlib.contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Say what is missing where an import inside fails, and how to get it."""
    try:
        yield
    except ImportError as error:
        raise DataError(f"{error.name} is not installed; pip install 'kanonym[{extra}]'") from None


class LazyModule:
    """What stands for a module: its first attribute that is asked for imports it."""

    def __init__(self, name: str) -> None:
        """Keep the name."""
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module, and keep it."""
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


metadata: Any = LazyModule("importlib.metadata")


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package, which has `__all__`.

    homes: the names that a module holds, separated by spaces, by module.
    """
    places = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(places[name])
        # A module may be named as what it holds, or be what is asked for.
        own = [home] if home.__name__.endswith(f".{name}") else []
        value: object = getattr(home, name, *own)
        setattr(sys.modules[package], name, value)
        return value

    def public() -> list[str]:
        names = vars(sys.modules[package])
        return sorted({*names["__all__"], *(name for name in names if name.startswith("__"))})

    return load, public


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
            for entry in metadata.entry_points(group=group):
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
        self._own[name] = ":"  # names of other packages are read where one is looked for
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
