"""Forms of models and algorithms, made from the declarations of their parameters."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kanonym.data.errors import PolicyError
from kanonym.data.option import Option
from kanonym.policy import document
from kanonym.policy.actions import meanings
from kanonym.policy.writing import flow_text


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form."""

    name: str
    kind: str
    help: str
    value: str
    choices: tuple[str, ...] = ()
    required: bool = False
    least: float | None = None
    most: float | None = None


def fields_of(
    kind: type, given: Mapping[str, Any], columns: Mapping[str, Sequence[str]]
) -> list[Field]:
    """Return the inputs for the parameters of a model or an algorithm."""
    hints = get_type_hints(kind, include_extras=True, localns={"Metric": Any})
    told = _sentences(kind)
    found = []
    for one in fields(kind):
        option, bare = _unpack(hints.get(one.name, Any))
        required = one.default is MISSING and one.default_factory is MISSING
        default = None if one.default is MISSING else one.default
        value = given.get(one.name, default)
        sentence = told.get(one.name) or (option.help if option else "")
        if one.name in columns:
            shown = _display_text(value, "column")
            several = (shown,) if isinstance(value, list | tuple) else ()
            choices = (*columns[one.name], *several)
            found.append(Field(one.name, "column", sentence, shown, choices, required))
            continue
        type_, choices = _input(bare)
        least = None if option is None else option.least
        most = None if option is None else option.most
        text = _display_text(value, type_)
        found.append(Field(one.name, type_, sentence, text, choices, required, least, most))
    return found


def summary_of(kind: type) -> str:
    """Return the first sentence on a class, in English."""
    return (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ").replace("`", "")


def with_sent(inputs: Sequence[Field], sent: Mapping[str, str]) -> list[Field]:
    """Return inputs as a person filled them in: nothing that was typed is lost by an error."""
    return [
        replace(
            one,
            value=("on" if one.name in sent else "")
            if one.kind == "switch"
            else sent.get(one.name, one.value),
        )
        for one in inputs
    ]


def parse_fields(inputs: Sequence[Field], sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters that a person sent; empty inputs are left out."""
    found: dict[str, Any] = {}
    for one in inputs:
        text = sent.get(one.name, "").strip()
        if one.kind == "switch":
            found[one.name] = one.name in sent
        elif text:
            found[one.name] = _value(one, text)
    return found


def _value(one: Field, text: str) -> Any:
    if one.kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise PolicyError(f"{one.name}: {text!r} is no whole number") from None
    if one.kind == "number":
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            raise PolicyError(f"{one.name}: {text!r} is no number") from None
        return int(number) if number.is_integer() and "." not in text else number
    several = one.kind == "column" and text not in one.choices
    return document.parse_value(text, one.name) if several or one.kind == "yaml" else text


def _unpack(hint: Any) -> tuple[Option | None, Any]:
    """Return the declaration behind an annotation, and the type."""
    option = next(
        (one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option)), None
    )
    return option, hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _input(hint: Any) -> tuple[str, tuple[str, ...]]:
    """Return the kind of input of a type, and its choices."""
    origin = get_origin(hint)
    several = [one for one in get_args(hint) if one is not type(None)]
    if origin is Literal:
        return "choice", tuple(str(one) for one in several)
    if origin in (Union, types.UnionType):
        if set(several) == {int, float}:
            return "number", ()
        if set(several) == {str, Path}:
            return "text", ()
        return _input(several[0]) if len(several) == 1 else ("yaml", ())
    simple = {bool: "switch", int: "integer", float: "number", str: "text"}
    return simple.get(hint, "yaml"), ()


def _display_text(value: Any, kind: str) -> str:
    if value is None or (isinstance(value, Mapping | list | tuple) and not value):
        return ""
    if kind == "switch":
        return "on" if value else ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    return flow_text(value) if isinstance(value, Mapping | list | tuple) else str(value)


def _sentences(kind: type) -> dict[str, str]:
    """Return the first sentence on each parameter of a class."""
    return {
        name: text.replace("`", "").split(". ")[0].split("; ")[0].rstrip(".:") + "."
        for name, text in meanings(kind).items()
    }
