"""Policies as documents: YAML with limits."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Protocol, Self, TypeVar

import yaml

from kanonym.data.errors import PolicyError

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

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Self:
        """Build it from its form."""
        ...


PolicyT = TypeVar("PolicyT", bound=FromFile)


def read_or_given(
    given: PolicyT | Mapping[str, Any] | str | os.PathLike[str], kind: type[PolicyT]
) -> PolicyT:
    """Return a policy of a kind, built from its form or read from its file where that is given."""
    if isinstance(given, str | os.PathLike):
        return kind.from_file(given)
    if isinstance(given, Mapping):
        return kind.from_dict(given)
    if not isinstance(given, kind):
        raise PolicyError(
            f"policy must be a {kind.__name__}, its form as a mapping or the path of a policy "
            f"file, not {type(given).__name__}"
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


def is_linked(path: str | os.PathLike[str]) -> bool:
    """Whether a policy file is about several tables."""
    return "tables" in parse(read_text(Path(path)), str(path))


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
        document, repeated = load(text)
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
            parse_int=partial(number, integer),
            parse_float=partial(number, real),
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
        if depth > DEEPEST:
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
    return PolicyError(f"{source}: more than {DEEPEST} levels of nesting")
