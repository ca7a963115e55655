"""SIGO's log on standard error: for people, or an object a line."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any

LEVELS = ("none", "error", "warn", "info", "debug", "trace")
"""By their numbers, 0 to 5."""

_MARKS = {
    "error": ("ERR", 31),
    "warn": ("WRN", 33),
    "info": ("INF", 32),
    "debug": ("DBG", 35),
    "trace": ("TRC", 34),
}
_GREY, _CYAN = 90, 36
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:+")


@dataclass(frozen=True, slots=True)
class Log:
    """Where log lines go."""

    verbosity: str = "info"
    as_json: bool = False
    color: bool = False

    def __call__(self, level: str, message: str, fields: dict[str, Any]) -> None:
        """Write one line if its level is shown."""
        if level != "error" and LEVELS.index(level) > LEVELS.index(self.verbosity):
            return
        line = (
            self._object(level, message, fields)
            if self.as_json
            else self._line(level, message, fields)
        )
        sys.stderr.write(f"{line}\n")

    def _object(self, level: str, message: str, fields: dict[str, Any]) -> str:
        line = {"level": level, **dict(sorted(fields.items())), "message": message}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))

    def _line(self, level: str, message: str, fields: dict[str, Any]) -> str:
        mark, color = _MARKS[level]
        now = datetime.now().astimezone()
        time = f"{now.hour % 12 or 12}:{now:%M}{'AM' if now.hour < 12 else 'PM'}"
        words = [self._colorize(_GREY, time), self._colorize(color, mark), message]
        words += [
            f"{self._colorize(_CYAN, f'{name}=')}{_text(fields[name])}" for name in sorted(fields)
        ]
        return " ".join(words)

    def _colorize(self, color: int, text: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self.color else text


def is_colored(mode: str) -> bool:
    """Say whether `--color yes`, `no` or `auto` (a terminal, unless NO_COLOR is set) colours."""
    if mode == "auto":
        return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    return mode == "yes"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.issuperset(value) else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
