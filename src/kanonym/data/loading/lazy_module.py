"""Modules that take long to load, and are loaded when something of them is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


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
