"""Numbers in place of values, and the file that says which."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl

from kanonym.actions.base import Action, Context, Drawn
from kanonym.actions.cells import cell_texts
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.files.disk import atomic_write, check_output, decode, read_bytes
from kanonym.data.files.lock import lock_file
from kanonym.data.message import Message
from kanonym.models.base import check_choice

_HEADER = ["value", "pseudonym"]


@dataclass(frozen=True, slots=True)
class Surrogate(Action):
    """A number from 1 for each distinct value; null stays null.

    Columns of a policy without a mapping are numbered together: a value has the same number in
    each, and no two values share one. With a mapping file, values that it knows keep their
    numbers, and new ones are numbered on from the largest: columns and tables that share the file
    share the pseudonyms. It is written whole or not at all, for its owner's eyes alone, before
    the column is released. Runs that share it wait for each other, by a lock on the file
    `.NAME.lock` beside it. Values are compared as text.

    Parameters
    ----------
    order
        `random`: new values draw their numbers, so that these tell nothing; `sequential`: in
        the order in which values first occur.
    mapping
        A CSV file of the columns `value` and `pseudonym`. Who has it, has the values.

    Raises
    ------
    PolicyError
        `order` is another word.
    DataError
        When applied: the mapping is no such file, or cannot be locked or written; or a column
        without a mapping has values in common with one that has.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> names = pl.Series("name", ["John", "Emily", "John", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Surrogate(order="sequential").apply(names, context).to_list()
    [1, 2, 1, None]

    """

    type: ClassVar[str] = "surrogate"
    remembers: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Without the mapping, a number reveals nothing about its value."
    )
    exposes: ClassVar[str] = Message(
        "Equal values have equal numbers, so frequencies and links remain; the mapping file "
        "reverses everything, and sequential numbers reveal the order of the records."
    )

    order: Literal["random", "sequential"] = "random"
    mapping: str | Path | None = None

    def __post_init__(self) -> None:
        check_choice(self.type, "order", self.order, ("random", "sequential"))
        named = "" if self.mapping is None else str(self.mapping)
        if self.mapping is not None and (named in {"", "-"} or "\0" in named):
            raise PolicyError(f"{self.type}: mapping is {self.mapping!r}; it must name a file")

    @property
    def draws(self) -> bool:
        """Whether the numbers are in an order that is drawn."""
        return self.order == "random"

    @property
    def per_value(self) -> bool:
        """Whether the order of the records says nothing about the numbers."""
        return self.order == "random"

    def rehearsed(self) -> Surrogate:
        """Return the action without its mapping: numbers from 1 on."""
        return replace(self, mapping=None)

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the numbers, Int64; see `Action.apply`. Cost: new values are sorted."""
        given = cell_texts(values, self.type)
        distinct = given.drop_nulls().unique(maintain_order=True).to_list()
        path = None if self.mapping is None else Path(self.mapping)
        drawn = self._drawn(values.name, distinct, context)
        known = drawn.values if path is None else _read(path)
        if path is None:
            self._number(distinct, known, context, values.name)
        elif not known.keys() >= set(distinct):
            with lock_file(path):
                known = _read(path)  # others may have numbered values meanwhile
                if self._number(distinct, known, context, values.name):
                    _write(path, known)
        drawn.values.update((value, known[value]) for value in distinct)
        numbers = [known[value] for value in distinct]
        return given.replace_strict(distinct, numbers, default=None, return_dtype=pl.Int64)

    def _drawn(self, name: str, distinct: list[str], context: Context) -> Drawn:
        """Return what is drawn so far, once no value has a number by other means."""
        mapped = self.mapping is not None
        other = context.drawn.get((self.type, not mapped), Drawn())
        if any(value in other.values for value in distinct):
            raise DataError(
                f"column {name!r} has values in common with {', '.join(sorted(other.columns))}, "
                f"and only one of them has a mapping: {self.type} would give each such value two "
                "numbers. Give all of them the same mapping, or each a mapping of its own if "
                "they name different things"
            )
        return context.drawn_for(name, self.type, mapped)

    def _number(
        self, distinct: list[str], known: dict[str, int], context: Context, name: str
    ) -> bool:
        """Give new values the numbers after the largest; return whether there were any.

        known: is extended.
        """
        new = [value for value in distinct if value not in known]
        if self.order == "random":
            new.sort()  # whatever the order of the records, one seed gives one numbering
            new = [new[place] for place in context.random.permutation(len(new))]
        first = max(known.values(), default=0) + 1
        if first + len(new) > 2**63:
            raise DataError(
                f"{self.mapping}: no number up to 2**63 - 1 is left for new values; start a new "
                "mapping"
            )
        if self.mapping is not None and any(len(value) > csv.field_size_limit() for value in new):
            raise DataError(
                f"column {name!r} holds a text of more than {csv.field_size_limit()} "
                "characters, which no mapping can keep; shorten it, or leave out mapping"
            )
        known.update((value, number) for number, value in enumerate(new, first))
        return bool(new)


def _read(path: Path) -> dict[str, int]:
    """Return the numbers of the values that a mapping file knows; none where there is none."""
    if not path.exists():
        check_output(path)
        return {}
    rows = csv.reader(io.StringIO(decode(read_bytes(path), str(path)), newline=""), strict=True)
    known: dict[str, int] = {}
    numbers: set[int] = set()
    try:
        if next(rows, None) != _HEADER:
            raise DataError(f"{path} is not a mapping: its first row must be {','.join(_HEADER)}")
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            if len(row) != len(_HEADER) or not _is_number(row[1]):
                raise DataError(f"{where}: a row of a mapping is a value and a whole number")
            value, number = row[0], int(row[1])
            if not 0 < number < 2**63:
                raise DataError(f"{where}: {number} is no number from 1 to 2**63 - 1")
            if value in known or number in numbers:
                raise DataError(
                    f"{where}: its value or its number {number} is given twice; give each once"
                )
            known[value] = number
            numbers.add(number)
    except csv.Error as error:
        raise DataError(f"{path}, line {rows.line_num}: {error}") from None
    return known


def _is_number(text: str) -> bool:
    """Say whether a text is digits, few enough for 64 bits."""
    return text.isascii() and text.isdigit() and len(text) <= 19


def _write(path: Path, known: dict[str, int]) -> None:
    with atomic_write(path) as temporary:
        temporary.touch(mode=0o600)  # the mapping undoes the pseudonyms
        with temporary.open("w", encoding="utf-8", newline="") as file:
            # Every text is quoted: a carriage return would else end its row.
            writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            writer.writerow(_HEADER)
            writer.writerows(known.items())
