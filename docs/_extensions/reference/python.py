"""Pages of the Python API: a page for each public name, and one for each namespace."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from reference.markdown import autodoc, cell, code, summary, table
from reference.names import namespaces, public_name

FOLDER = "python"


def pages(elsewhere: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return the pages of all public names.

    elsewhere: page and heading of the names that another page describes.
    """
    found: dict[str, str] = {}
    for namespace, module in namespaces().items():
        rows = []
        for name in module.__all__:
            thing = getattr(module, name)
            rows.append((_link(namespace, name, thing, elsewhere), cell(summary_of(thing))))
            own = public_name(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else ""
            if own == f"{namespace}.{name}" and own not in elsewhere:
                found[f"{FOLDER}/{own}.md"] = _page(own, thing)
        text = f"# {namespace}\n\n{summary(module)}\n\n{table(('', ''), rows)}"
        found[f"{FOLDER}/{namespace}.md"] = text
    for namespace in namespaces():
        inner = [name for name in found if _belongs(name, namespace)]
        if inner:
            names = "\n".join(name.removeprefix(f"{FOLDER}/") for name in inner)
            found[f"{FOLDER}/{namespace}.md"] += f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    return found


def _belongs(page: str, namespace: str) -> bool:
    """Say whether a page is that of a name of a namespace, or of a namespace within `kanonym`."""
    name = page.removeprefix(f"{FOLDER}/").removesuffix(".md")
    return name.rpartition(".")[0] == namespace


def _link(namespace: str, name: str, thing: Any, elsewhere: Mapping[str, tuple[str, str]]) -> str:
    own = f"{namespace}.{name}"
    if own in namespaces():
        return f"[{code(own)}]({own}.md)"
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return code(own)
    home = public_name(thing)
    if home in elsewhere:
        page, heading = elsewhere[home]
        return f"[{code(own)}](../{page}#{heading})"
    return f"[{code(own)}]({home}.md)"


def summary_of(thing: Any) -> str:
    """Return what a public name is, in a line."""
    if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
        return summary(thing)
    return "what is registered, by name" if isinstance(thing, dict | tuple) else "type"


def _page(name: str, thing: Any) -> str:
    options = (":members:",) if inspect.isclass(thing) else ()
    return f"# {name}\n\n{autodoc(name, thing, *options)}"
