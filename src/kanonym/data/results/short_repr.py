"""Objects that hold values of a table, and print none of them."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar


class ShortRepr:
    """What has a `repr` of its type and some figures, and shows no value, code or row.

    A class lists in `_shown` the attributes that may be seen, `a.b` for one of a part. A
    dataclass needs `repr=False` besides.
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
