"""Base class of results: JSON, tables, and a short `repr` without values."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import zip_longest
from operator import attrgetter
from textwrap import fill, wrap
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
"""So many parts, rows or names are shown one by one."""
WIDTH = 100
"""Letters of a printed line."""
NARROWEST = 40
NEW_LINE = "\n"


def _is_short(value: Any) -> bool:
    return isinstance(value, ShortRepr)


def _format_value(value: Any) -> str:
    """Return figures and names as they are, of a collection the parts or else their number."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple) and len(value) <= MOST and all(map(_is_short, value)):
        return f"[{', '.join(map(repr, value))}]"
    return str(len(value)) if isinstance(value, tuple | list | dict | set) else repr(value)


class Alarm(str):
    """A cell of a table that catches the eye."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of texts: figures, names of columns and of measures, but no value of a record.

    Without a header, its rows are facts: a name and what is told of it.
    """

    header: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    lead: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of_facts(cls, *rows: tuple[str, object], notes: tuple[str, ...] = ()) -> ResultTable:
        """Return a table of names and of texts or numbers."""
        return cls((), [(name, format_number(value)) for name, value in rows], notes=notes)

    def first(
        self, most: int = MOST, order: Sequence[float] | None = None, shown: int = 5
    ) -> ResultTable:
        """Return the table, or its first rows in an order where it has more than a screen holds.

        order: a number for each row, the smallest first.
        """
        if len(self.rows) <= most:
            return self
        places = range(len(self.rows))
        taken = places if order is None else sorted(places, key=order.__getitem__)
        which = f"the first {shown} of {len(self.rows):,}"
        if order is not None:
            which = f"the {shown} of {len(self.rows):,} that lose or fail most"
        note = f"{which}; the JSON form has all"
        rows = [self.rows[place] for place in taken[:shown]]
        return replace(self, rows=rows, notes=(note, *self.notes))

    def to_text(self) -> str:
        """Return the table for `print`: columns padded, texts of the last one wrapped."""
        rows = [self.header, *self.rows] if self.header else [*self.rows]
        parts = [[cell.split("\n") for cell in row] for row in rows]
        widths = [
            max(len(line) for cell in cells for line in cell) for cells in zip(*parts, strict=True)
        ]
        room = max(WIDTH - sum(widths[:-1]) - 2 * len(widths[:-1]), NARROWEST)
        for row in parts:
            row[-1] = [one for line in row[-1] for one in wrap(line, room) or [""]]
        widths[-1:] = [min(width, room) for width in widths[-1:]]
        lines = [line for row in parts for line in zip_longest(*row, fillvalue="")]
        padded = (
            "  ".join(
                cell.rjust(widths[c]) if c in self.numeric else cell.ljust(widths[c])
                for c, cell in enumerate(line)
            ).rstrip()
            for line in lines
        )
        lead = [self.lead, ""] if self.lead else []
        return "\n".join([*lead, *padded, *(fill(note, WIDTH) for note in self.notes)])

    def to_html(self) -> str:
        """Return the table for a notebook; every text is escaped."""

        def row(tag: str, line: Sequence[str]) -> str:
            cells = (
                f'<{tag} style="text-align:{"right" if c in self.numeric else "left"}">'
                f"{escape(cell).replace(NEW_LINE, '<br>')}</{tag}>"
                for c, cell in enumerate(line)
            )
            return f"<tr>{''.join(cells)}</tr>"

        body = "".join(row("td", line) for line in self.rows)
        lead = f"<p>{escape(self.lead)}</p>" if self.lead else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        head = f"<thead>{row('th', self.header)}</thead>" if self.header else ""
        return f"{lead}<table>{head}<tbody>{body}</tbody></table>{notes}"


def format_number(value: object) -> str:
    """Return a number as people read it: four digits, whole numbers in full; a text as it is."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, str):
        return value
    return "–" if value is None else str(value)


def format_percent(share: float) -> str:
    """Return a share as people read it; 100 % and 0 % only for all and none."""
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def shortened_names(names: Sequence[str]) -> str:
    """Return the first names of many, and how many more there are."""
    more = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {more:,} more" if more > 0 else "")


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
