"""Pseudonyms under a key: keyed hashes and surrogates."""

from __future__ import annotations

import csv
import hmac
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import polars as pl

from kanonym.actions.base import Action, Context, Drawn, cell_texts, rewrite_texts
from kanonym.data.errors import DataError, Message, PolicyError
from kanonym.data.files.disk import atomic_write, check_output, decode, lock_file, read_bytes
from kanonym.models.base import check_choice, check_integer

LEAST_BYTES = 16
_MAKE = "`openssl rand -hex 32` makes one"


def check_source(action: str, source: object) -> None:
    """Refuse anything but `{env: NAME}` or `{file: path}`.

    The message does not repeat what was given: it may be the key.
    """
    if isinstance(source, Mapping) and len(source) == 1:
        ((kind, name),) = source.items()
        if kind == "env" and isinstance(name, str) and name:
            return
        if kind == "file" and isinstance(name, str | Path) and str(name):
            return
    raise PolicyError(
        f"{action}: key must be {{env: NAME}} or {{file: path}}; "
        "a policy never contains the key itself"
    )


def read_key(action: str, source: Mapping[str, str | Path]) -> bytes:
    """Return the key: the bytes of a file without the newline at its end, or a variable's."""
    ((kind, name),) = source.items()
    if kind == "env":
        where = f"the environment variable {name}"
        text = os.environ.get(str(name))
        if text is None:
            raise PolicyError(f"{action}: {where} is not set; put the key there ({_MAKE})")
        key = os.fsencode(text)
    else:
        where = f"the key file {name}"
        try:
            key = Path(name).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PolicyError(f"{action}: {where} cannot be read: {reason}") from None
    key = key.rstrip(b"\r\n")
    if len(key) < LEAST_BYTES:
        raise PolicyError(
            f"{action}: {where} holds fewer than {LEAST_BYTES} bytes, so the key can be guessed; "
            f"use a longer one ({_MAKE})"
        )
    return key


_SHORTEST, _WHOLE = 8, 64


@dataclass(frozen=True, slots=True)
class KeyedHash(Action):
    """HMAC-SHA-256 of each value, in hexadecimal; one key, one pseudonym in every table.

    The value is hashed as text, the same for 7, 7.0 and "7", so that tables join whatever
    their files made of a column. Null stays null.

    Parameters
    ----------
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes; read when the action is applied.
    length
        How many hexadecimal digits of the hash are kept, from 8 to 64. Each is four bits:
        with 32, the chance that any two of a billion values collide is below 10⁻²⁰.
    space
        Name of a key space: equal values of two spaces, such as patient 17 and admission 17,
        have different pseudonyms. None hashes the value alone.

    Raises
    ------
    PolicyError
        Another form of key, or a length out of range; when applied, no such variable or file,
        or a key that is too short.
    DataError
        When applied: two values of the column have one pseudonym of this length.

    Notes
    -----
    Cost 2 to 5 µs a distinct value. Krawczyk, Bellare and Canetti (1997), RFC 2104; a hash
    without a key would let anybody test guessed values.

    Examples
    --------
    >>> import numpy as np, os, polars as pl
    >>> from kanonym.actions.base import Context
    >>> os.environ["STUDY_KEY"] = "of an example only, never of data"
    >>> names = pl.Series("name", ["John", "Emily", "John", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> KeyedHash(key={"env": "STUDY_KEY"}, length=16).apply(names, context).to_list()
    ['63a40bf79e3da516', '69ebcfb32c5c0cc5', '63a40bf79e3da516', None]
    """

    type: ClassVar[str] = "keyed-hash"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Without the key, nobody can find or test the original value."
    )
    exposes: ClassVar[str] = Message(
        "Equal values have equal pseudonyms: frequencies and links between tables remain, and "
        "whoever has the key can test any guessed value."
    )

    key: Any  # checked here alone: an error about its type would repeat it
    length: int = 32
    space: str | None = None

    def __post_init__(self) -> None:
        check_source(self.type, self.key)
        check_integer(self.type, "length", self.length, _SHORTEST)
        if self.length > _WHOLE:
            raise PolicyError(f"{self.type}: length is {self.length}; it must be at most {_WHOLE}")
        if self.space is not None and (not isinstance(self.space, str) or not self.space):
            raise PolicyError(f"{self.type}: space must be a name")
        if self.space is not None and "\0" in self.space:
            raise PolicyError(f"{self.type}: space must be a name without NUL characters")

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the pseudonyms; see `Action.apply`."""
        del context  # nothing here is random
        key = read_key(self.type, self.key)
        prefix = "" if self.space is None else f"pseudonym\0{self.space}\0"

        def pseudonym(text: str) -> str:
            return hmac.digest(key, (prefix + text).encode(), "sha256").hex()[: self.length]

        given = cell_texts(values, self.type)
        hashed = rewrite_texts(given, pseudonym)
        if hashed.n_unique() < given.n_unique():
            raise DataError(
                f"column {values.name!r}: two values have the same pseudonym of {self.length} "
                f"digits; {self.type} needs a larger length"
            )
        return hashed


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
