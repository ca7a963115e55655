"""Public names: which namespaces there are, and by which name a thing is documented."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import kanonym


def namespaces() -> dict[str, ModuleType]:
    """Return the public namespaces by the name that users write, `kanonym` first."""
    named = {one: getattr(kanonym, one) for one in kanonym.__all__}
    inner = {
        f"kanonym.{one}": thing for one, thing in named.items() if isinstance(thing, ModuleType)
    }
    return {"kanonym": kanonym, **inner}


@cache
def _homes() -> dict[int, str]:
    """Return the first public name of each class and function, by identity.

    A class with two names in one namespace (`Intervals` and `intervals`) has its own here.
    """
    homes: dict[int, str] = {}
    for namespace, module in namespaces().items():
        for name in module.__all__:
            thing = getattr(module, name)
            if getattr(thing, "__name__", None) == name:
                homes.setdefault(id(thing), f"{namespace}.{name}")
    return homes


def public_name(thing: Any) -> str:
    """Return the name by which a class or function is documented.

    That of its module, if it is not public.
    """
    return _homes().get(id(thing), f"{thing.__module__}.{thing.__qualname__}")
