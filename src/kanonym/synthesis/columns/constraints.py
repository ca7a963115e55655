"""What holds between two columns in every record, such as that nobody leaves before arriving."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from kanonym.data.errors import PolicyError

Operator = Literal["<", "<=", ">", ">="]

_SIDE = r'\s*(?:"((?:[^"]|"")+)"|([^"<>=≤≥]+?))\s*'
_FORM = re.compile(_SIDE + r"(<=|>=|<|>|≤|≥)" + _SIDE)
_SIGNS = {"≤": "<=", "≥": ">="}


@dataclass(frozen=True, slots=True)
class Constraint:
    """An order of two columns of numbers, or of times of one kind; it asks nothing of nulls.

    Examples
    --------
    >>> Constraint.parse("discharge >= admission")
    Constraint(left='discharge', operator='>=', right='admission')

    """

    left: str
    operator: Operator
    right: str

    def __post_init__(self) -> None:
        """Refuse other operators, and a column beside itself."""
        if self.operator not in get_args(Operator):
            raise PolicyError(
                f"constraint of {self.left!r} and {self.right!r}: {self.operator!r} is not an "
                f"operator (known: {', '.join(get_args(Operator))})"
            )
        if self.left == self.right:
            raise PolicyError(f"constraint {self}: column {self.left!r} stands on both sides")

    def __str__(self) -> str:
        """Return `left <= right`, as `parse` reads it."""
        return f"{_quote_name(self.left)} {self.operator} {_quote_name(self.right)}"

    @classmethod
    def parse(cls, text: str) -> Constraint:
        """Return the constraint that a text such as `discharge >= admission` says.

        Column names with a sign or spaces at their ends stand in double quotes; a quote in such
        a name is doubled. `≤` and `≥` are taken too.
        """
        match = _FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise PolicyError(
                f"{text!r} is not a constraint: write two columns and <, <=, > or >= between them, "
                "as in discharge >= admission; names with such signs in double quotes"
            )
        quoted, bare, sign, other_quoted, other_bare = match.groups()
        left, right = (
            inner.replace('""', '"') if inner else outer
            for inner, outer in ((quoted, bare), (other_quoted, other_bare))
        )
        return cls(left, _SIGNS.get(sign, sign), right)  # type: ignore[arg-type]

    @property
    def low(self) -> str:
        """The column that holds the smaller number."""
        return self.left if self.operator in ("<", "<=") else self.right

    @property
    def high(self) -> str:
        """The column that holds the larger number."""
        return self.right if self.operator in ("<", "<=") else self.left

    @property
    def strict(self) -> bool:
        """Whether equal numbers break it."""
        return self.operator in ("<", ">")


def _quote_name(name: str) -> str:
    if name == name.strip() and not re.search(r'["<>=≤≥]', name):
        return name
    return '"' + name.replace('"', '""') + '"'
