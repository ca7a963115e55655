"""Base class of results: JSON, tables, and a short `repr` without values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from operator import attrgetter
from typing import Any, ClassVar


class ShortRepr:
    """What has a `repr` of its type and some figures, and shows no value, code or row.

    A class lists in `_shown` the attributes that may be seen, `a.b` for one of a part.
    """

    __slots__ = ()

    _shown: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        parts = (
            f"{one.rpartition('.')[2]}={_format_value(attrgetter(one)(self))}"
            for one in self._shown
        )
        return f"{type(self).__name__}({', '.join(parts)})"


MOST = 12
"""So many parts are shown one by one."""


def _is_short(value: Any) -> bool:
    return isinstance(value, ShortRepr)


def _format_value(value: Any) -> str:
    """Return figures and names as they are, of a collection the parts or else their number."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple) and len(value) <= MOST and all(map(_is_short, value)):
        return f"[{', '.join(map(repr, value))}]"
    return str(len(value)) if isinstance(value, tuple | list | dict | set) else repr(value)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of texts: figures, names of columns and of measures, but no value of a record."""

    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    lead: str = ""
    notes: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Return the table for a terminal: a row a line, columns padded."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[c]) for line in lines) for c in range(len(self.header))]
        padded = (
            "  ".join(
                cell.rjust(widths[c]) if c in self.numeric else cell.ljust(widths[c])
                for c, cell in enumerate(line)
            ).rstrip()
            for line in lines
        )
        lead = [self.lead, ""] if self.lead else []
        return "\n".join([*lead, *padded, *self.notes])

    def to_html(self) -> str:
        """Return the table for a notebook; every text is escaped."""

        def row(tag: str, line: Sequence[str]) -> str:
            cells = (
                f'<{tag} style="text-align:{"right" if c in self.numeric else "left"}">'
                f"{escape(cell)}</{tag}>"
                for c, cell in enumerate(line)
            )
            return f"<tr>{''.join(cells)}</tr>"

        body = "".join(row("td", line) for line in self.rows)
        lead = f"<p>{escape(self.lead)}</p>" if self.lead else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        head = row("th", self.header)
        return f"{lead}<table><thead>{head}</thead><tbody>{body}</tbody></table>{notes}"


class Result(ShortRepr, ABC):
    """What a call returns: plain data that can be printed, shown in a notebook, and put in JSON."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""

    @abstractmethod
    def tables(self) -> list[ResultTable]:
        """Return what `print` and a notebook show."""

    def __str__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())
