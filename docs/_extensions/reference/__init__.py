"""Sphinx extension: the reference, written at each build from what the package declares.

A kind that is registered, a command, a key of a policy or a public name has its entry by
that alone. The pages are Markdown in `docs/reference/`, which is not under version control.
"""

from __future__ import annotations

import inspect
import typing
from pathlib import Path
from typing import Any

from kanonym.policy.keywords import MEANINGS
from reference import commands, kinds, policy, python
from reference.names import namespaces

FOLDER = "reference"


def pages() -> dict[str, str]:
    """Return the text of each page by its place below `docs/reference/`."""
    found = {
        "policy.md": policy.page(),
        "models.md": kinds.models_page(),
        "algorithms.md": kinds.algorithms_page(),
        "actions.md": kinds.actions_page(),
        "hierarchies.md": kinds.hierarchies_page(),
        "metrics.md": kinds.metrics_page(),
        "measures.md": kinds.measures_page(),
        "attacks.md": kinds.attacks_page(),
    }
    return found | commands.pages() | python.pages(kinds.documented())


def write(folder: Path) -> None:
    """Write the pages; those that did not change keep their time, so that they are not read again.

    Pages of names that are gone are removed.
    """
    texts = {folder / name: text for name, text in pages().items()}
    for file in set(folder.rglob("*.md")) - set(texts):
        file.unlink()
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")


def without_overloads() -> None:
    """Let functions show the signature that spells out their keywords, not those of overloads."""
    from sphinx.pycode import ModuleAnalyzer  # noqa: PLC0415 - tests read the pages without Sphinx

    for module in namespaces().values():
        for thing in (getattr(module, name) for name in module.__all__):
            if inspect.isfunction(thing) and typing.get_overloads(thing):
                analyzer = ModuleAnalyzer.for_module(thing.__module__)
                analyzer.analyze()
                analyzer.overloads.clear()


def keyword_entries(*event: Any) -> None:
    """Give keywords, which stand in a line each for `help`, the two lines of numpydoc."""
    lines, keywords = event[-1], MEANINGS.splitlines()[1:]
    for place in reversed([place for place, line in enumerate(lines) if line in keywords]):
        head, _, meaning = lines[place].partition(". ")
        lines[place : place + 1] = [head, f"    {meaning}"]


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx write the pages before it reads them."""
    app.connect("builder-inited", lambda built: write(Path(built.srcdir) / FOLDER))
    without_overloads()
    app.connect("autodoc-process-docstring", keyword_entries, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
