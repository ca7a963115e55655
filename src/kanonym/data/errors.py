"""The errors a user can meet. Each message says where, what and what to do.

They stand in one file because the lowest layer needs the base class and every
higher layer raises at least one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 60
"""Characters of a wrong parameter that an error shows."""


def shown_value(given: object) -> str:
    """Return a wrong parameter as an error shows it.

    Of a collection or a table, which may hold values of people, only its type and its size.

    >>> shown_value(3), shown_value("abc"), shown_value(["abc", "abd"])
    ('3', "'abc'", 'a list of 2')
    """
    if isinstance(given, str) and len(given) > LONGEST:
        return f"a text of {len(given)} characters"
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        text = repr(given)
        return text if len(text) <= LONGEST else f"a {type(given).__name__}"
    return f"a {type(given).__name__} of {len(given)}"


class KanonymError(Exception):
    """Base of every error that kanonym raises on purpose.

    A message names columns, rows and numbers, and at most the one faulty cell. Where several
    values are at fault, `values` has them all: `--show-values` prints them.
    """

    def __init__(self, *args: object, values: Sequence[object] = ()) -> None:
        super().__init__(*args)
        self.values = tuple(values)


class DataError(KanonymError, ValueError):
    """A table cannot be read, written or used; the message has file, row, column and value."""


class SchemaError(KanonymError, ValueError):
    """Roles and columns do not fit; the message has the columns."""


class HierarchyError(KanonymError, ValueError):
    """A hierarchy is invalid, or does not cover the data."""


class PolicyError(KanonymError, ValueError):
    """A policy, or one of its parameters, is invalid; the message lists all faults."""


class InfeasibleError(KanonymError):
    """No release of this table can satisfy the models.

    The message names the model that fails and the best value that is possible.
    """
