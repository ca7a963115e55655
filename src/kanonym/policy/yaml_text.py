"""YAML as version 1.2 reads numbers, without code, within limits.

Numbers, booleans and null are those of YAML 1.2's core schema: `1_0`, `1:30:00`, `yes` and
`2024-02-29` are text. Digits with a leading zero are text as well, as in data: a postal code
keeps its zeros. Of tags only those of plain values are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import yaml

DEEPEST = 64
"""Levels of mappings and lists in a document."""
MOST_NODES = 1_000_000
"""Values of a document, those that aliases repeat counted again."""
MOST_DIGITS = 100
"""Characters of a number."""

_PREFIX = "tag:yaml.org,2002:"
_PATTERNS = (
    ("null", r"~|null|Null|NULL|", ("~", "n", "N", "")),
    ("bool", r"true|True|TRUE|false|False|FALSE", tuple("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", tuple("-+0123456789")),
    (
        "float",
        r"[-+]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        tuple("-+.0123456789"),
    ),
)

T = TypeVar("T")


class LimitError(yaml.MarkedYAMLError):
    """A document is deeper or larger than any policy."""


class Loader(yaml.SafeLoader):
    """A loader of one document; `repeated` says which keys stand twice in a mapping."""

    yaml_constructors: ClassVar[dict[str | None, Callable[..., Any]]] = {}

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.repeated: list[str] = []
        self._depth = 0
        self._count = 0
        self._sizes: dict[str, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node within the limits; an alias counts as often as it is used."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        anchor: str | None = event.anchor
        alias = isinstance(event, yaml.AliasEvent)
        before = self._count
        self._count += self._sizes.get(anchor or "", 0) if alias else 1
        self._depth += 1
        fault = ""
        if self._depth > DEEPEST:
            fault = f"more than {DEEPEST} levels of nesting"
        elif self._count > MOST_NODES:
            fault = f"more than {MOST_NODES:,} values, those of aliases included"
        elif alias and anchor in self.anchors and anchor not in self._sizes:
            fault = f"*{anchor} contains itself"
        if fault:
            raise LimitError(problem=fault, problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        if anchor is not None and not alias:
            self._sizes[anchor] = self._count - before
        self._depth -= 1
        return node

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002 - the base class has it so
    ) -> dict[Any, Any]:
        """Return a mapping, and note which keys stand twice in it."""
        lines: dict[str, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            line = key.start_mark.line + 1
            if key.value in lines:
                self.repeated.append(
                    f"line {line}: {key.value!r} is given twice (first in line "
                    f"{lines[key.value]}); "
                    "a column has one role, a key one value"
                )
            lines.setdefault(key.value, line)
        return super().construct_mapping(node, deep)


class Dumper(yaml.SafeDumper):
    """A dumper that quotes what YAML 1.1 or 1.2 would not read as text."""


def load(text: str) -> tuple[Any, list[str]]:
    """Return the value of a document, and a sentence for each key that stands twice."""
    loader = Loader(text)
    try:
        return loader.get_single_data(), loader.repeated
    finally:
        loader.dispose()


def _plain(convert: Callable[[str], T]) -> Callable[[Loader, Any], T]:
    """Return a constructor of scalars that tells the line of a text that it cannot convert."""

    def construct(loader: Loader, node: Any) -> T:
        text = str(loader.construct_scalar(node))
        try:
            return convert(text)
        except (ValueError, KeyError, OverflowError):
            kind = node.tag.removeprefix(_PREFIX)
            raise yaml.constructor.ConstructorError(
                problem=f"no {kind} that can be read", problem_mark=node.start_mark
            ) from None

    return construct


def integer(text: str) -> int:
    """Return an integer of at most `MOST_DIGITS` digits."""
    if len(text) > MOST_DIGITS or "_" in text:
        raise ValueError
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


def real(text: str) -> float:
    """Return a floating-point number; `.inf` and `.nan` as YAML writes them."""
    if "_" in text:
        raise ValueError
    special = text.lower().lstrip("+-") in (".inf", ".nan")
    number = float(text.replace(".", "", 1) if special else text)
    if not special and number in (float("inf"), float("-inf")):
        raise ValueError
    return number


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _null(text: str) -> None:
    del text


Loader.yaml_implicit_resolvers = {}  # those of the base class are YAML 1.1's
for _kind, _pattern, _first in _PATTERNS:
    for _class in (Loader, Dumper):
        _class.add_implicit_resolver(
            f"{_PREFIX}{_kind}", re.compile(f"^(?:{_pattern})$", re.ASCII), list(_first)
        )
Loader.add_implicit_resolver(f"{_PREFIX}merge", re.compile(r"^<<$"), ["<"])

_KNOWN: dict[str | None, Callable[..., Any]] = {
    f"{_PREFIX}null": _plain(_null),
    f"{_PREFIX}bool": _plain(_boolean),
    f"{_PREFIX}int": _plain(integer),
    f"{_PREFIX}float": _plain(real),
    f"{_PREFIX}str": yaml.SafeLoader.construct_yaml_str,
    f"{_PREFIX}seq": yaml.SafeLoader.construct_yaml_seq,
    f"{_PREFIX}map": yaml.SafeLoader.construct_yaml_map,
    None: yaml.SafeLoader.construct_undefined,
}
for _tag, _constructor in _KNOWN.items():
    Loader.add_constructor(_tag, _constructor)
