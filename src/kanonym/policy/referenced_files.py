"""The files that a policy or an action reads besides the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from kanonym.data.hierarchy import FromFile
from kanonym.policy.definition import Policy


def input_files(asked: Any) -> dict[str, Path]:
    """Return the hierarchy files, key files and population tables of a policy or of actions.

    By what the file is, in words.
    """
    found = list(_walk(asked))
    return {f"{kind} {path}": path for kind, path in found if kind != "the mapping file"}


def mapping_files(asked: Any) -> dict[str, Path]:
    """Return the mapping files of a policy or of actions, which are read and written, each once."""
    found = {path.resolve(): path for kind, path in _walk(asked) if kind == "the mapping file"}
    return {f"the mapping file {path}": path for path in found.values()}


def _walk(part: Any) -> Iterator[tuple[str, Path]]:
    if isinstance(part, FromFile):
        yield "the hierarchy file", Path(part.folder, part.path)
    elif isinstance(part, Policy):
        yield from _walk([part.attributes, part.models])
    elif isinstance(part, Mapping):
        yield from _walk(list(part.values()))
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _walk(one)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _walk_field(field.name, getattr(part, field.name, None))


def _walk_field(name: str, value: Any) -> Iterator[tuple[str, Path]]:
    if name == "key" and isinstance(value, Mapping) and "file" in value:
        yield "the key file", Path(value["file"])
    elif name == "mapping" and isinstance(value, str | Path):
        yield "the mapping file", Path(value)
    elif name == "population" and isinstance(value, str | Path):
        yield "the population table", Path(value)
    else:
        yield from _walk(value)
