"""What a parameter of a policy is on a command line, in a form and on a reference page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

Kind = Literal[
    "value", "columns", "files", "sets", "parts", "part", "levels", "shares", "words", "secret"
]
Group = Literal["requirement", "method", "search", "output"]


@dataclass(frozen=True, slots=True)
class Option:
    """How a parameter is described, and how its value is written as text."""

    help: str
    value: str = ""
    flag: str = ""
    kind: Kind = "value"
    group: Group = "requirement"
    least: float | None = None
    most: float | None = None
    default: float | None = None

    @property
    def sentence(self) -> str:
        """The help, with the range and the default."""
        reach = "" if self.most is None else f", {self.least:g} to {self.most:g}"
        otherwise = "" if self.default is None else f"; default: {self.default:g}"
        return f"{self.help.removesuffix('.')}{reach}{otherwise}."

    @property
    def is_list(self) -> bool:
        """Whether it may be given several times."""
        return self.kind in ("columns", "files", "sets", "parts", "levels", "shares", "words")


def option_of(annotation: Any) -> tuple[type, Option] | None:
    """Return the type of a value and its option, None where an annotation declares none.

    The type is that of one value: `int` of `int | None`.
    """
    if get_origin(annotation) is not Annotated:
        return None
    kind, *metadata = get_args(annotation)
    option = next((one for one in metadata if isinstance(one, Option)), None)
    if option is None:
        return None
    if option.is_list:
        return list, option
    choices = [one for one in get_args(kind) or (kind,) if one in (bool, int, float)]
    return (choices[0] if choices else str), option
