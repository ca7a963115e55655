"""What the two processes say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Lane = Literal["quick", "long"]
"""`quick`: answered at once, also while long work is done. `long`: one after another."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the process: a method of `TableWork`, with its arguments."""

    number: int
    lane: Lane
    task: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """How far long work is."""

    number: int
    sentence: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was computed."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was computed."""

    number: int
    sentence: str
    kind: str
