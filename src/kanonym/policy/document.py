"""Policy text: YAML or JSON to plain values, with the line of whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from kanonym.data.errors import PolicyError


def read_text(path: Path) -> str:
    """Return the text of a policy file.

    Raises
    ------
    PolicyError
        There is no such file, it cannot be read, or it is not UTF-8.

    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(f"{path}: no such policy file") from None
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read ({error.strerror})") from None


def parse(text: str, source: str) -> dict[str, Any]:
    """Return the mapping that a policy text holds.

    A text that starts with `{` is JSON, or YAML that looks like it; all else is YAML.

    Raises
    ------
    PolicyError
        The text is neither, holds no mapping, or gives a key twice: names the line.

    """
    document = parse_value(text, source)
    if document is None:
        raise PolicyError(f"{source}: the policy is empty")
    if not isinstance(document, dict):
        raise PolicyError(
            f"{source}: a policy is a mapping with `attributes` and `models`, "
            f"not a {type(document).__name__}"
        )
    odd = [key for key in document if not isinstance(key, str)]
    if odd:
        raise PolicyError(f"{source}: YAML reads the key {odd[0]!r} as no text: put it in quotes")
    return document


def parse_value(text: str, source: str) -> Any:
    """Return the plain value, of any kind, that a YAML or JSON text holds; see `parse`."""
    return _json(text, source) if text.lstrip().startswith("{") else _yaml(text, source)


class _Loader(yaml.SafeLoader):
    """YAML without code, which notes keys that are given twice."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.twice: list[str] = []

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002 - the base class has it so
    ) -> dict[Any, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if key.value in lines:
                self.twice.append(
                    f"line {line}: {key.value!r} stands twice (first in line {lines[key.value]}); "
                    "a column has one role, a key one value"
                )
            elif isinstance(key, yaml.ScalarNode):
                lines[key.value] = line
        return super().construct_mapping(node, deep)


def _yaml(text: str, source: str) -> Any:
    try:
        loader = _Loader(text)
        document = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PolicyError(f"{source}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise PolicyError(f"{source}: not valid YAML: {error}".split("\n", 1)[0]) from None
    if loader.twice:
        raise PolicyError(f"{source}, " + f"\n{source}, ".join(loader.twice))
    return document


def _json(text: str, source: str) -> Any:
    twice: list[str] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice.extend(sorted({key for key in keys if keys.count(key) > 1}))
        return dict(pairs)

    try:
        document = json.loads(text, object_pairs_hook=mapping)
    except json.JSONDecodeError:
        return _yaml(text, source)
    if twice:
        raise PolicyError(
            f"{source}: given twice: {', '.join(twice)}; a column has one role, a key one value"
        )
    return document
