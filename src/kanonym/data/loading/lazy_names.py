"""Names of a package that load on first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package."""

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        # A module may be named as what it holds, or be what is asked for.
        own = [home] if home.__name__.endswith(f".{name}") else []
        value: object = getattr(home, name, *own)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted([*homes, *vars(sys.modules[package])])
