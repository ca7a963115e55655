"""Policy text: YAML or JSON to plain values, with the line of whatever is wrong."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Protocol, Self, TypeVar

import yaml

from kanonym.data.errors import PolicyError
from kanonym.policy import yaml_text

LONGEST = 16 << 20
"""Bytes of a policy file."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_text(path: Path) -> str:
    """Return the text of a policy file."""
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise PolicyError(f"{path}: larger than {LONGEST >> 20} MB: this is no policy")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(f"{path}: no such policy file") from None
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read ({error.strerror})") from None


class FromFile(Protocol):
    """What a policy file describes."""

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read it."""
        ...


PolicyT = TypeVar("PolicyT", bound=FromFile)


def read_or_given(given: PolicyT | str | os.PathLike[str], kind: type[PolicyT]) -> PolicyT:
    """Return a policy of a kind, read from its file where a path is given."""
    if isinstance(given, str | os.PathLike):
        return kind.from_file(given)
    if not isinstance(given, kind):
        raise PolicyError(
            f"policy must be a {kind.__name__} or the path of a policy file, not "
            f"{type(given).__name__}"
        )
    return given


def parse(text: str, source: str) -> dict[str, Any]:
    """Return the mapping that a policy text holds.

    A text that starts with `{` is JSON, or YAML that looks like it; all else is YAML.
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
    document = _json(text, source) if text.lstrip().startswith("{") else _yaml(text, source)
    _check_values(document, source)
    return document


def parse_part(text: str, source: str) -> dict[str, Any]:
    """Return one part of a policy, `{type: kmeans, clusters: 4}`, in YAML or JSON; see `parse`."""
    part = _yaml(text, source)
    _check_values(part, source)
    if not isinstance(part, dict):
        raise PolicyError(f"{source}: give a part with its parameters, {{type: NAME, …: …}}")
    return part


def _yaml(text: str, source: str) -> Any:
    try:
        document, repeated = yaml_text.load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise PolicyError(f"{source}{where}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise PolicyError(f"{source}: not valid YAML: {error}".split("\n", 1)[0]) from None
    if repeated:
        raise PolicyError(f"{source}, " + f"\n{source}, ".join(repeated))
    return document


def _json(text: str, source: str) -> Any:
    repeated: list[str] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = Counter(key for key, _ in pairs)
        repeated.extend(sorted(key for key, count in counts.items() if count > 1))
        return dict(pairs)

    def number(convert: Callable[[str], Any], digits: str) -> Any:
        try:
            return convert(digits)
        except ValueError:
            raise PolicyError(
                f"{source}: the number {digits[:20]}… is too large to be read"
            ) from None

    def constant(word: str) -> NoReturn:
        raise PolicyError(f"{source}: {word} is not JSON; write a number or null")

    try:
        document = json.loads(
            text,
            object_pairs_hook=mapping,
            parse_int=partial(number, yaml_text.integer),
            parse_float=partial(number, yaml_text.real),
            parse_constant=constant,
        )
    except json.JSONDecodeError:
        return _yaml(text, source)
    except RecursionError:
        raise _too_deep_error(source) from None
    if repeated:
        raise PolicyError(
            f"{source}: given twice: {', '.join(repeated)}; a column has one role, a key one value"
        )
    return document


def _check_values(document: Any, source: str) -> None:
    """Refuse nesting without end and texts that no file can hold."""
    level, depth = [document], 0
    while level:
        depth += 1
        if depth > yaml_text.DEEPEST:
            raise _too_deep_error(source)
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and _SURROGATE.search(value):
                raise PolicyError(f"{source}: a text holds half of a surrogate pair")
        level = inner


def _too_deep_error(source: str) -> PolicyError:
    return PolicyError(f"{source}: more than {yaml_text.DEEPEST} levels of nesting")
