"""Forms of models and algorithms, made from the declarations of their parameters."""

from __future__ import annotations

import inspect
import math
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.loading import LazyRegistry
from kanonym.data.option import Option
from kanonym.language import ENGLISH, Translator
from kanonym.models.base import NO_THRESHOLDS
from kanonym.policy import document
from kanonym.policy.actions import meanings
from kanonym.policy.construction import build_typed
from kanonym.policy.faults import FaultsFoundError, policy_error
from kanonym.policy.writing import flow_text

RANGE = re.compile(r"must be an? \w+ (of at least|above) ([\d.]+?)(?: and at most ([\d.]+?))?$")
"""How models say which numbers they take."""
SLIDER_END = 20.0
"""Highest number of a slider without an end, where it is not set to half of it or more."""
LARGEST = 2**31 - 1
"""Of whole numbers that declare no largest one."""


FAULTS = {
    "required": _("Something must be entered here."),
    "whole": _("“{text}” is no whole number."),
    "number": _("“{text}” is no number."),
    "least": _("It must be at least {least}."),
    "least.most": _("It must be from {least} to {most}."),
    "above": _("It must be more than {least}."),
    "above.most": _("It must be more than {least}, and at most {most}."),
    "most": _("It must be at most {most}."),
    "fault": _("{reason}"),
    "absent": _("There is no file {path}."),
    "ending": _("A file {ending} is no table that is read here. Those are: {known}."),
    "file": _("The file cannot be opened: {reason}."),
    "folder": _("{path} holds another project. Name another folder."),
    "empty": _("The database has no table."),
    "group": _("There is no group “{name}” at this level."),
    "long": _("The file is too large: at most {most} MB."),
}
"""What can be wrong with a field."""


class FieldError(PolicyError):
    """What a field says cannot be used: a key of `FAULTS`."""

    def __init__(self, field: str, key: str, /, **facts: Any) -> None:
        self.field, self._key, self._facts = field, FAULTS[key], facts
        super().__init__(f"{field}: {self.text(ENGLISH)}")

    def text(self, says: Translator) -> str:
        """Return the reason in a language."""
        facts = {n: says.value(v) if isinstance(v, float) else v for n, v in self._facts.items()}
        return says.text(self._key, **facts)


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
    fault: str = ""

    @property
    def slider(self) -> tuple[float, float, float] | None:
        """Lowest and highest number of a slider, and its step; None where there is none."""
        if self.kind not in ("integer", "number") or self.least is None or not self.required:
            return None
        try:
            value = float(self.value or 0)
        except ValueError:
            value = 0.0
        most = max(SLIDER_END, 2 * value) if self.most is None else self.most
        return self.least, most, 1 if self.least >= 1 else (most - self.least) / 100


def fields_of(
    kind: type, given: Mapping[str, Any], columns: Mapping[str, Sequence[str]]
) -> list[Field]:
    """Return the inputs for the parameters of a model or an algorithm."""
    hints = get_type_hints(kind, include_extras=True, localns={"Metric": Any})
    told = _sentences(kind)
    found = []
    for field in fields(kind):
        option, bare = _unpack(hints.get(field.name, Any))
        required = field.default is MISSING and field.default_factory is MISSING
        default = None if field.default is MISSING else field.default
        value = given.get(field.name, default)
        sentence = told.get(field.name) or (option.help if option else "")
        if field.name in columns:
            shown = _display_text(value, "column")
            several = (shown,) if isinstance(value, list | tuple) else ()
            choices = (*columns[field.name], *several)
            found.append(Field(field.name, "column", sentence, shown, choices, required))
            continue
        type_, choices = _input(bare)
        least = None if option is None else option.least
        most = None if option is None else option.most
        text = _display_text(value, type_)
        found.append(Field(field.name, type_, sentence, text, choices, required, least, most))
    return found


def with_ranges(inputs: Sequence[Field], kind: type) -> list[Field]:
    """Return the inputs of a model with the range that it states when it refuses a number."""
    usual = {"integer": 2, "number": 0.5, "column": "x"}
    valid = {one.name: usual[one.kind] for one in inputs if one.required and one.kind in usual}
    found = []
    for one in inputs:
        match = None
        if one.kind in ("integer", "number") and one.name not in NO_THRESHOLDS:
            try:
                kind(**{**valid, one.name: -1})
            except (PolicyError, TypeError) as error:
                match = RANGE.search(str(error))
        ends = (None, None) if match is None else match.group(2, 3)
        least, most = (None if end is None else float(end) for end in ends)
        found.append(replace(one, least=least, most=most))
    return found


def summary_of(kind: type) -> str:
    """Return the first sentence on a class, in English."""
    return (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ").replace("`", "")


def with_sent(
    inputs: Sequence[Field], sent: Mapping[str, str], faults: Mapping[str, str]
) -> list[Field]:
    """Return inputs as a person filled them in: nothing that was typed is lost by an error."""
    return [
        replace(
            one,
            value=("on" if one.name in sent else "")
            if one.kind == "switch"
            else sent.get(one.name, one.value),
            fault=faults.get(one.name, ""),
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
        elif one.required:
            raise FieldError(one.name, "required")
    return found


def check_typed(form: Mapping[str, Any], kinds: LazyRegistry[Any]) -> None:
    """Refuse parameters that a model or an algorithm refuses, at the first field at fault."""
    try:
        build_typed(dict(form), kinds)
    except FaultsFoundError as error:
        for fault in error.faults:
            if fault.path and fault.path[0] in form and fault.path[0] != "type":
                raise _range_error(str(fault.path[0]), fault.reason) from None
        raise policy_error(error.faults, "") from None


def _range_error(field: str, reason: str) -> FieldError:
    """Return the error of a number that is out of its range, else one that has the reason."""
    match = RANGE.search(reason)
    if match is None:
        return FieldError(field, "fault", reason=reason)
    manner, least, most = match.groups()
    key = "least" if manner == "of at least" else "above"
    facts = {"least": float(least)} | ({} if most is None else {"most": float(most)})
    return FieldError(field, key if most is None else f"{key}.most", **facts)


def number_of(name: str, text: str, least: float | None, most: float | None) -> float:
    """Return the number that a field says, within its limits."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise FieldError(name, "number", text=text[:40]) from None
    if not math.isfinite(number):
        raise FieldError(name, "number", text=text[:40])
    if least is not None and number < least:
        raise FieldError(name, "least", least=float(least))
    if most is not None and number > most:
        raise FieldError(name, "most", most=float(most))
    return number


def _value(one: Field, text: str) -> Any:
    if one.kind == "integer":
        whole = re.fullmatch(r"[+-]?\d+", text)
        if whole is None:
            raise FieldError(one.name, "whole", text=text[:40])
        most = LARGEST if one.most is None else one.most
        return int(number_of(one.name, text, one.least, most))
    if one.kind == "number":
        number = number_of(one.name, text, one.least, one.most)
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
